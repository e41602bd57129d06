"""Runs one case: the commands that its stages ask for, its steps, and then every expectation of the case as a whole."""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.acceptance import not_yet
from tests.acceptance.harness import builds, expectations, findings, searches, servers, steps, whole
from tests.acceptance.harness.case import Case, CaseUnreadable, configs_of
from tests.acceptance.harness.checks import Checks
from tests.acceptance.harness.expectations import Exposed, Found
from tests.acceptance.harness.scene import Scene
from tests.fakes import control

if TYPE_CHECKING:
    from tests.acceptance.harness.product import Product, Ran

COMMANDS = ("lint", "plan", "capture", "search", "import")
"""The command under test is the first of these in `when`."""
CHANGES_INPUTS = {"recapture", "capture", "lock"}
BUNDLE = "bundle of the case"
KNOWN = {
    *("right", "diagnostics", "no_diagnostics", "exit", "plan", "search", "prompt", "imported", "must_not"),
}
ARGUMENT_BYTES = 120_000
"""Above this, or with a NUL, a query goes to the library alone: no command line holds it."""
TRIES = 3
"""A case in which nothing failed but that something took too long is run again: the machine may have been busy. What
the product takes by itself it takes each time.
"""


def run_case(case: Case, product: Product, *, folder: Path | None = None) -> Checks:
    """Run CASE in a fresh folder and return what was checked."""
    for _ in range(TRIES):
        checks = _run_once(case, product, folder)
        if not checks.only_late:
            break
    return checks


def _run_once(case: Case, product: Product, folder: Path | None) -> Checks:
    checks = Checks()
    place = Path(tempfile.mkdtemp(prefix="mcpx-", dir=folder))
    scene: Scene | None = None
    try:
        scene = Scene(case, place, product, checks)
        control.install(scene.around.programs, scene.scripts)
        servers.serve_catalogs(scene)
        _Run(scene).all()
    except CaseUnreadable as trouble:
        checks.that(False, "a case of the format", str(trouble))
    finally:
        if scene is not None:
            scene.close()
        shutil.rmtree(place, ignore_errors=True)
    return checks


class _Run:
    """The order of things within one case."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.case, self.checks = scene, scene.case, scene.checks
        self.expect = scene.case.expect
        self.steps = scene.case.steps
        self.under_test: Ran | None = None
        self.plan_json: Any = None
        self.plan_code = 0

    def all(self) -> None:
        for key in self.expect.keys() - KNOWN:
            self.checks.that(False, "a field of expect that the harness knows", key)
        kinds = {step["do"] for step in self.steps}
        changed = bool(kinds & CHANGES_INPUTS)
        self._commands_before(kinds)
        if not changed:
            self._case_expectations(kinds)
        steps.run_steps(self.scene, self.steps)
        if changed:
            self._case_expectations(kinds)
        self._command_under_test(kinds)
        self._stages_left_out()
        whole.check_diagnostics(self.scene)
        whole.check_words(self.scene, aside=BUNDLE)

    # commands

    def _commands_before(self, kinds: set[str]) -> None:
        """lint where the case has lint or plan, plan where it has plan, unless the steps have them; import."""
        scene = self.scene
        if {"lint", "plan"} & set(self.case.when) and "lint" not in kinds:
            for config in configs_of(scene.work):
                ran = scene.lint(config, "lint")
                if config == "config.toml" and self._tested() == "lint":
                    self.under_test = ran
            self._promises_in_words()
        if "plan" in self.case.when and "plan" not in kinds:
            ran = scene.plan("config.toml", "plan")
            if self._tested() == "plan":
                self.under_test = ran
        if "import" in self.case.when:
            self._import()

    def _promises_in_words(self) -> None:
        """Bounds of lint that a case states in words only: `peak memory under 256 MB`, `under 5 s`."""
        right = self.expect.get("right", "")
        memory, time = re.search(r"memory under (\d+) MB", right), re.search(r"under (\d+) s\b", right)
        if not memory and not time:
            return
        words = ["lint", "--config", "config.toml", "--format", "json"]
        ran = self.scene.run(words, label="lint", record=False, own_process=bool(memory))
        if memory:
            peak = ran.peak_kb // 1024
            self.checks.that(peak < int(memory[1]), f"lint: peak memory under {memory[1]} MB", f"{peak} MB")
        if time:
            self.checks.in_time(ran.seconds, int(time[1]), "lint")

    def _tested(self) -> str | None:
        return next((command for command in COMMANDS if command in self.case.when), None)

    def _command_under_test(self, kinds: set[str]) -> None:
        wanted = self.expect.get("exit")
        if wanted is None:
            return
        name = self._tested()
        runs = [ran for ran in self.scene.runs if ran.command == name]
        if name in kinds:
            runs = [
                ran for ran in runs if ran.label.startswith("step ") and "(as text" not in ran.label and ran.in_json
            ]
            if self.scene.clouded(str(name)):
                self.checks.leave_out(f"exit {wanted} of {name}", "it rests on a step that is left out")
                return
        ran = self.under_test or (runs[-1] if runs else None)
        if ran is None:
            if name is None or not (self.scene.left_out_parts or name == "search"):
                self.checks.that(False, f"exit {wanted}: a command under test", self.case.when)
            else:
                self.checks.leave_out(f"exit {wanted} of {name}", "it was left out")
            return
        found = findings.of_run(ran)
        seen = f"exit {ran.code}, {sorted({str(each) for each in found if each.severity == 'error'})}"
        self.checks.that((ran.code == 0) == (wanted == "zero"), f"exit {wanted} of {ran}", seen)

    # plan, search, prompt

    def _case_expectations(self, kinds: set[str]) -> None:
        wants = {"plan", "search", "prompt"} & self.expect.keys()
        if not wants and "plan" not in self.case.when:
            return
        scene = self.scene
        ran = self._last_plan(kinds) or scene.plan("config.toml", "plan for the expectations")
        self.plan_json, self.plan_code = ran.json, ran.code
        bundle = self._bundle()
        if scene.clouded("plan"):
            for key in wants:
                self.checks.leave_out(f"expect.{key}", "it rests on a step that is left out")
            return
        if "plan" in self.expect:
            self._plan(self.expect["plan"])
        for number, entry in enumerate(self.expect.get("search", []), 1):
            self._search(entry, bundle, f"search {number} {expectations.query_of(entry)[:60]!r}")
        if "prompt" in self.expect:
            self._prompt(self.expect["prompt"])

    def _last_plan(self, kinds: set[str]) -> Ran | None:
        """The last `plan` run of config.toml, where it shows what the expectations are about."""
        runs = [ran for ran in self.scene.runs if ran.command == "plan" and ran.in_json and "config.toml" in ran.argv]
        if "plan" in kinds:
            runs = [ran for ran in runs if ran.label.startswith("step ")]
        return runs[-1] if runs else None

    def _bundle(self) -> Path | None:
        """The plan of config.toml on disk, aside; what it writes is looked through for what must not be there."""
        out = self.scene.aside / BUNDLE
        self.scene.run(["plan", "--config", "config.toml", "--out", str(out)], label="plan --out")
        return out if (out / "manifest.json").is_file() else None

    def _refused(self) -> bool:
        """Whether no plan was given, and rightly so: the case ends nonzero, the diagnostics name what is at fault."""
        if self.expect.get("exit") != "nonzero" or self.plan_code == 0:
            return False
        given = isinstance(self.plan_json, dict) and bool(self.plan_json.get("tools"))
        if given:
            return False
        wanted = [each["subject"] for each in self.expect.get("diagnostics", []) if "subject" in each]
        errors = [seen for seen in self.scene.seen if seen.severity == "error" and seen.subjects]
        others = [
            str(seen)
            for seen in errors
            if not any(findings.subject_matches(subject, seen, self.scene.servers) for subject in wanted)
        ]
        self.checks.that(
            not others, "no plan is given, and the diagnostics name what is at fault and nothing else", others
        )
        return True

    def _exposed(self) -> Exposed:
        return expectations.exposed(self.plan_json if isinstance(self.plan_json, dict) else {})

    def _plan(self, wanted: dict[str, Any]) -> None:
        empty_is_wanted = wanted.get("tools") == [] or wanted.get("count") == 0
        if not empty_is_wanted and self._refused():
            seen = self._exposed()
            self.checks.that(not set(wanted.get("absent", ())) & seen.tools.keys(), "plan: what is at fault is absent")
            return
        given = isinstance(self.plan_json, dict) and "tools" in self.plan_json
        if not given and not (empty_is_wanted and self.plan_code != 0):
            self.checks.that(False, "plan: a plan in JSON", f"exit {self.plan_code}: {self.plan_json!r}")
            return
        expectations.check_plan(self.checks, wanted, self._exposed())
        if "same_for" in wanted:
            self._same_for(wanted["same_for"])

    def _same_for(self, configs: list[str]) -> None:
        """These config files give one plan: equal manifests."""
        manifests = {}
        for config in configs:
            built = builds.built_aside(self.scene, config, "same_for") / "manifest.json"
            manifests[config] = built.read_bytes() if built.is_file() else b""
        different = sorted(config for config in configs if manifests[config] != manifests[configs[0]])
        self.checks.that(not different, f"plan: one manifest for {configs}", different)

    def _search(self, entry: dict[str, Any], bundle: Path | None, where: str) -> None:
        scene, query = self.scene, expectations.query_of(entry)
        if self._refused():
            return
        fits = len(query.encode("utf-8", "surrogatepass")) <= ARGUMENT_BYTES and "\0" not in query
        unexposed = searches.unexposed_names(scene)
        ways: list[tuple[str, list[str], dict[str, Any]]] = [("", ["--config", "config.toml"], {})]
        ways += [(f" under {env}", ["--config", "config.toml"], {"env": env}) for env in entry.get("repeat_env", [])]
        ways += [(f" of {config}", ["--config", config], {}) for config in entry.get("repeat_config", [])]
        if bundle:
            ways.append((" of the bundle", ["--plan", str(bundle)], {}))
        answers: dict[str, list[str]] = {}
        for name, source, options in ways if fits else []:
            if "env" in options:
                options = {"env": {key: str(value) for key, value in options["env"].items()}}
            found, _ = searches.command_search(scene, source, query, entry, f"{where}{name}", **options)
            expectations.check_search(self.checks, entry, found, f"{where}{name}", unexposed)
            answers[name] = found.ids
        if bundle and self._may_ask_a_host(entry):
            found = self._asked_of_a_host(bundle, query, entry)
            expectations.check_search(self.checks, entry, found, f"{where} in a session", unexposed)
            answers[" in a session"] = found.ids
        self.checks.that(
            len({tuple(ids) for ids in answers.values()}) <= 1, f"{where}: one answer by every way", answers
        )

    def _may_ask_a_host(self, entry: dict[str, Any]) -> bool:
        return entry.get("limit", 1) is not None and not isinstance(entry.get("limit", 1), str)

    def _asked_of_a_host(self, bundle: Path, query: str, entry: dict[str, Any]) -> Found:
        scene = self.scene
        loaded = scene.ask("load", path=str(bundle), profile=entry.get("profile"))
        if "error" in loaded:
            return Found(code=1, words=str(loaded["error"]))
        found = searches.session_search(scene, query, entry.get("limit"))
        scene.session_open = False  # the steps load for themselves
        return found

    def _prompt(self, wanted: dict[str, Any]) -> None:
        if self._refused():
            return
        scene = self.scene
        section = (self.plan_json or {}).get("prompt_section")
        shown = scene.run(["show", "--config", "config.toml", "--format", "json"], label="show")
        seen = (shown.json or {}).get("prompt_section")
        scene.run(["show", "--config", "config.toml"], label="show")
        self.checks.equal(seen, section, "prompt section: the same in show and plan")
        expectations.check_prompt(self.checks, wanted, str(section or ""))
        for config in wanted.get("empty_for", []):
            ran = scene.run(["show", "--config", config, "--format", "json"], label=f"show {config}")
            self.checks.equal((ran.json or {}).get("prompt_section"), "", f"prompt section of {config}")
        if "prompt_section" in (shown.json or {}):
            scene.model_texts.append(str(seen))

    # import

    def _import(self) -> None:
        scene = self.scene
        files = [name for name in self.case.data["files"] if name != "steps.json"]
        host = self.case.data.get("format")
        words = ["init", "--from", files[0], *(["--host", host] if host else []), "--format", "json"]
        self.under_test = scene.run(words, label="import", now=False)
        path = scene.work / "config.toml"
        written = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if "imported" in self.expect:
            expectations.check_imported(self.checks, self.expect["imported"], written)

    def _stages_left_out(self) -> None:
        """Say of a case without steps for them which of its stages wait."""
        for stage in self.case.when:
            if stage in not_yet.PARTS and not self.steps and stage not in self.scene.left_out_parts:
                self.scene.leave_out(f"stage {stage}", stage)
