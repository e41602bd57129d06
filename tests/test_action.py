"""The GitHub action: fits the schema of actions, lets no input into a script, and its steps do what they say.

The steps run here as GitHub's runner runs them: `bash -eo pipefail` with the step's `env`, of which the expressions are
filled in by a table. Only the installation and the upload are left out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")

needs_bash = pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="no bash here")


def test_it_fits_the_schema_of_actions() -> None:
    """The published one, as check-jsonschema ships it (C04)."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_of_the_readme_is_one(tmp_path: Path) -> None:
    """By the published schema; pinned to commits, with the least rights, and with inputs that there are (C04)."""
    found = re.search(r"<!-- workflow -->\n```yaml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert found
    (tmp_path / "workflow.yml").write_text(found[1], "utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", "workflow.yml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    workflow = yaml.safe_load(found[1])
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"contents": "read", "security-events": "write"}
    assert all(re.search(r"@[0-9a-f]{40}$", step["uses"]) for step in job["steps"])
    assert set(job["steps"][-1]["with"]) <= set(ACTION["inputs"])


def test_no_expression_stands_in_a_script() -> None:
    """Whoever names a branch or an input must not write our script: all of it comes through the environment."""
    for step in STEPS:
        if "run" in step:
            assert "${{" not in step["run"], step["name"]
            assert step["shell"] == "bash"


def test_every_action_of_others_is_pinned_to_a_commit() -> None:
    """A tag can be moved."""
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    for each in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each), each


def test_no_secret_is_asked_for() -> None:
    """So it runs on pull requests from forks, where there are none; nothing is uploaded from there."""
    text = (ROOT / "action.yml").read_text("utf-8")
    assert "secrets." not in text
    assert "token }}" not in text
    (upload,) = [step for step in STEPS if "uses" in step]
    assert "github.event.pull_request.head.repo.fork != true" in upload["if"]


def test_inputs_and_outputs_are_used_and_there() -> None:
    """A misspelt input is an empty text, and says nothing."""
    text = json.dumps([STEPS, ACTION["outputs"]])
    assert {*re.findall(r"inputs\.([\w-]+)", text)} == set(ACTION["inputs"])
    ids = {step["id"] for step in STEPS if "id" in step}
    for step, output in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert step in ids
        (script,) = [each["run"] for each in STEPS if each.get("id") == step]
        assert f"{output}=" in script


@dataclass
class Job:
    """A repository with a checkout of it, and what a runner would hand to the steps."""

    folder: Path
    temp: Path
    inputs: dict[str, str] = field(default_factory=dict)
    event: dict[str, str] = field(default_factory=dict)

    def run(self) -> Ran:
        values = {f"inputs.{name}": str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in self.inputs.items()}
        values["github.event.pull_request.base.sha || github.event.before"] = self.event.get("before", "")
        reports = self.temp / "mcpexpose.123"
        reports.mkdir()
        values |= {"steps.install.outputs.folder": str(reports), "steps.install.outputs.mcpexpose": self.program()}
        log, code, outputs = "", 0, {}
        summary = self.temp / "summary.md"
        summary.touch()
        for step in STEPS:
            if "run" not in step or step["id"] == "install":
                continue
            output = self.temp / f"output-{step['id']}"
            output.touch()
            given = {name: filled(value, values) for name, value in step["env"].items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder / filled(step.get("working-directory", "."), values),
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.temp),
                    "GITHUB_OUTPUT": str(output),
                    "GITHUB_STEP_SUMMARY": str(summary),
                    **given,
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            log += done.stdout
            for line in output.read_text("utf-8").splitlines():
                name, equals, value = line.partition("=")
                assert equals
                outputs[f"{step['id']}.{name}"] = value
                values[f"steps.{step['id']}.outputs.{name}"] = value
            if done.returncode != 0:
                assert step["id"] == "gate", done.stdout
                code = done.returncode
        return Ran(code, log, summary.read_text("utf-8"), outputs)

    def program(self) -> str:
        """What the installation would have put there."""
        path = self.temp / "mcpexpose"
        words = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "mcpexpose"]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        path.chmod(0o755)
        return str(path)


@dataclass(frozen=True)
class Ran:
    code: int
    log: str
    summary: str
    outputs: dict[str, str]


def filled(text: str, values: dict[str, str]) -> str:
    """TEXT with the table's values; an output that is not there is empty, any other expression a fault of this test."""

    def value(found: re.Match[str]) -> str:
        return values.get(found[1], "") if found[1].startswith("steps.") else values[found[1]]

    return EXPRESSION.sub(value, text)


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, encoding="utf-8").stdout.strip()


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Two commits of an example, the second of which opens a write; the checkout has the second alone."""
    origin, clone, temp = tmp_path / "origin", tmp_path / "clone", tmp_path / "temp"
    temp.mkdir()
    shutil.copytree(ROOT / "examples" / "quickstart", origin)
    git(origin, "init", "--quiet")
    git(origin, "add", "--all")
    git(origin, "commit", "--quiet", "--message", "first")
    before = git(origin, "rev-parse", "HEAD")
    change(origin, 'keywords = ["save my changes"', 'exposure = "direct"\n')
    git(origin, "commit", "--quiet", "--all", "--message", "second")
    git(origin, "config", "uploadpack.allowReachableSHA1InWant", "true")  # as at GitHub
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", str(clone))
    return Job(clone, temp, {}, {"before": before})


def change(folder: Path, before: str, new: str) -> None:
    """Put NEW before a text of the config."""
    path = folder / "config.toml"
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, new + before, 1), "utf-8")


@needs_bash
def test_a_good_change_passes_and_is_shown(job: Job) -> None:
    """The summary has what changed since the base, which the shallow checkout lacked (C04, C07)."""
    done = job.run()
    assert done.code == 0, done.log
    assert done.outputs["gate.code"] == "0"
    assert "</details>\n#" not in done.summary  # without a blank line it would be no heading
    assert re.search(r"WIDENS.*git\\_commit", done.summary)
    assert "### mcpexpose lint: no errors" in done.summary
    assert "| lock --check | good |" in done.summary
    assert "| test | good |" in done.summary
    sarif = json.loads(Path(done.outputs["lint.sarif"]).read_text("utf-8"))
    assert sarif["version"] == "2.1.0"
    assert git(job.folder, "status", "--porcelain") == ""


@pytest.mark.slow
@needs_bash
def test_a_fault_is_annotated_and_fails_at_the_end(job: Job) -> None:
    """All that can be said is said first."""
    change(job.folder, "[mcp_servers.git]", "exposre = 1\n\n")
    done = job.run()
    assert done.code == 1
    assert re.search(r"^::error file=config.toml,line=\d+", done.log, re.MULTILINE)
    assert "| lint | findings (1) |" in done.summary
    assert "| lock --check |" in done.summary


@pytest.mark.slow
@needs_bash
def test_a_catalog_that_nobody_reviewed_fails(job: Job) -> None:
    """By lint, where it is drift, and by the lock, which differs."""
    path = job.folder / "catalogs" / "time.json"
    path.write_text(path.read_text("utf-8").replace("Convert time", "Convert hours"), "utf-8")
    done = job.run()
    assert done.code == 1
    assert "| lock --check | differs from what was reviewed (3) |" in done.summary


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(
    ("test", "code", "said"), [("auto", 0, "not asked for"), ("true", 4, "nothing was checked (4)")]
)
def test_an_empty_run_is_a_fault_where_tests_are_wanted(job: Job, test: str, code: int, said: str) -> None:
    """Somebody may have taken them away."""
    (job.folder / "quickstart.expose.toml").unlink()
    job.inputs["test"] = test
    done = job.run()
    assert done.code == code, done.log
    assert f"| test | {said} |" in done.summary


@pytest.mark.slow
@needs_bash
def test_without_a_base_the_lock_is_compared_with(job: Job) -> None:
    """A new branch has none, and one that is gone cannot be fetched."""
    for before in ("", "0" * 40, "1" * 40):
        shutil.rmtree(job.temp)
        job.temp.mkdir()
        job.event["before"] = before
        done = job.run()
        assert done.code == 0, done.log
        assert done.outputs["plan.code"] == "0"


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"config": "none.toml"}, 2),
        ({"against": "no-such-branch"}, 2),
        ({"fail-on": "often"}, 2),
        ({"config": "config.toml", "against": "lock", "lock": "true"}, 0),
        ({"against": "$(touch hacked)"}, 2),
        ({"config": '"; touch hacked; "'}, 2),
    ],
    ids=["no config", "no base", "no severity", "all named", "command", "quote"],
)
def test_inputs_are_data(job: Job, inputs: dict[str, str], code: int) -> None:
    """What they name is there or not; nothing of them is run."""
    job.inputs |= inputs
    assert job.run().code == code
    assert git(job.folder, "status", "--porcelain") == ""


@pytest.mark.slow
@needs_bash
def test_a_server_cannot_command_the_runner(job: Job) -> None:
    """Neither through what is printed, nor through annotations and summary (law 6)."""
    evil = "\n::add-mask::x\n##[add-mask]y\r::error::z%0A::error::z <img src=x> @team"
    path = job.folder / "catalogs" / "time.json"
    catalog = json.loads(path.read_bytes())
    for tool in catalog["tools"]:
        tool["description"] = f"Tells {evil}"
        tool["inputSchema"]["properties"]["timezone"] = {"$ref": f"https://evil.example/{evil}"}
    catalog["tools"].append({"name": f"x{evil}", "inputSchema": {"type": "object"}})
    path.write_text(json.dumps(catalog), "utf-8")
    done = job.run()
    assert done.code == 1
    guarded = re.sub(r"::stop-commands::(\w{32})\n.*?\n?::\1::\n", "", done.log, flags=re.DOTALL)
    for line in guarded.splitlines():
        assert line.startswith(("::error file=", "::warning file=", "::notice file=", "lint: "))
    assert "<img" not in done.summary
    assert not re.search(r"(?<!\\)@team", done.summary)


@needs_bash
@pytest.mark.live
def test_the_installation_gives_the_command(tmp_path: Path) -> None:
    """From the action's own checkout, so that its commit is the version; a folder's own modules are not run."""
    (install,) = [step for step in STEPS if step.get("id") == "install"]
    (tmp_path / "venv.py").write_text("raise SystemExit(9)\n")
    (tmp_path / "output").touch()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if "No matching distribution" in done.stderr:
        pytest.skip("no package index answers here")
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    version = subprocess.run([outputs["mcpexpose"], "--version"], capture_output=True, encoding="utf-8", check=True)
    assert version.stdout.startswith("mcpexpose ")
