"""What stays out of a fresh interpreter: start time is a promise (DESIGN section 9)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = ("mcp", "mcp_types", "whoosh", "jsonschema", "pydantic", "tomlkit", "cryptography", "opentelemetry")
CONFIG = """\
[mcp_servers.git]
command = "mcp-git"
description = "Local git repositories"
owner = "me"
[mcp_servers.git.tools."*"]
side_effect = "read_only"
"""
CATALOG = {
    "format": 1,
    "server": "git",
    "captured_at": "2026-11-28T12:00:00Z",
    "tools": [{"name": "git_log", "description": "Show the history", "inputSchema": {"type": "object"}}],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("startup")
    (folder / ".git").mkdir()
    (folder / "config.toml").write_text(CONFIG)
    (folder / "catalogs").mkdir()
    (folder / "catalogs" / "git.json").write_text(json.dumps(CATALOG))
    assert loaded(folder, cli("plan", "--out", "bundle"))[0] == 0
    return folder


def cli(*arguments: str) -> str:
    return f"from mcpexpose.cli.main import main\ncode = main({list(arguments)!r})"


def loaded(folder: Path, code: str) -> tuple[int, set[str]]:
    """Runs CODE, which sets `code`, in a fresh interpreter; what it ended with, and which heavy libraries it loaded."""
    look = f"found = [name for name in {HEAVY!r} if name in sys.modules]"
    tail = f"\nimport sys, json\n{look}\nsys.stderr.write('\\n' + json.dumps([code, found]))"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    environ.pop("MCPEXPOSE_CONFIG", None)
    done = subprocess.run(
        [sys.executable, "-c", code + tail], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    ended, found = json.loads(done.stderr.rsplit("\n", 1)[1])
    return ended, set(found)


def test_help_loads_none_of_them(project: Path) -> None:
    """Nor any room of ours but the command line's frame."""
    code, found = loaded(project, cli("--help"))
    assert (code, found) == (0, set())
    rooms = "code = [n for n in __import__('sys').modules if n.startswith('mcpexpose.')]"
    ours, _ = loaded(project, cli("--help") + "\n" + rooms)
    assert all(name.startswith("mcpexpose.cli") for name in ours)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "command",
    [
        "plan",
        "lint",
        "lock",
        "search",
        "show",
        "inspect",
        "explain",
        "sign",
        "verify",
        "init",
        "rule",
        "runs",
        "audit",
        "test",
        "export",
    ],
)
def test_the_help_of_a_command_loads_none_of_them(project: Path, command: str) -> None:
    """Help is instant."""
    assert loaded(project, cli(command, "--help")) == (0, set())


def test_lint_connects_to_nothing_and_indexes_nothing(project: Path) -> None:
    """Neither the client, nor the index, nor the editor of TOML; a sound schema needs no jsonschema."""
    code, found = loaded(project, cli("lint", "--select", "config,policy,catalog,schema"))
    assert (code, found) == (0, set())


def test_rules_on_the_config_alone_compile_nothing(project: Path) -> None:
    """Neither catalogs nor the compiler, the checks of schemas, the search, or a rule of another family."""
    look = "code = [n for n in __import__('sys').modules if n.startswith('mcpexpose.')]"
    ours, found = loaded(project, cli("lint", "--select", "config,transport", "--no-cache") + "\n" + look)
    assert found == set()
    rooms = {str(name).split(".")[1] for name in ours}  # type: ignore[attr-defined]
    assert rooms.isdisjoint({"toolschema", "search", "surface", "bundle", "host", "client", "catalog"})
    assert "mcpexpose.compiler.pipeline" not in ours  # type: ignore[operator]
    families = {str(name).split(".")[3] for name in ours if str(name).startswith("mcpexpose.lint.rules.")}  # type: ignore[attr-defined]
    assert families == {"config", "transport"}


def test_an_unsound_config_brings_pydantic_alone(project: Path, tmp_path: Path) -> None:
    """Which has the words for what is wrong."""
    (tmp_path / "config.toml").write_text("[mcp_servers.git]\ncommand = 1\n")
    code, found = loaded(project, cli("lint", str(tmp_path / "config.toml"), "--no-cache"))
    assert (code, found) == (1, {"pydantic"})


def test_the_second_run_compiles_nothing(project: Path) -> None:
    """What did not change is not judged again."""
    loaded(project, cli("lint"))
    look = "code = 'mcpexpose.compiler.pipeline' in __import__('sys').modules"
    assert loaded(project, cli("lint") + "\n" + look) == (False, set())


def test_plan_without_out_indexes_nothing(project: Path) -> None:
    """A preview is a compile."""
    code, found = loaded(project, cli("plan"))
    assert code == 0
    assert found == set()


def test_the_lock_and_a_comparison_need_no_more(project: Path) -> None:
    """A drift is told by digests; neither the validator nor the index is asked."""
    code, found = loaded(project, cli("lock"))
    assert code == 0
    assert found == set()
    code, found = loaded(project, cli("plan", "--against", "bundle"))
    assert code == 0
    assert found == set()


def test_plan_with_out_needs_whoosh_alone(project: Path) -> None:
    """For the index."""
    code, found = loaded(project, cli("plan", "--out", "other"))
    assert code == 0
    assert found <= {"whoosh"}


def test_search_never_loads_the_client(project: Path) -> None:
    """Nor anything but the index's owner."""
    code, found = loaded(project, cli("search", "history"))
    assert code == 0
    assert found <= {"whoosh"}
    assert loaded(project, cli("search", "history", "--plan", "bundle")) == (0, set())


def test_policy_tests_need_no_server_and_no_bundle(project: Path) -> None:
    """A query is ranked in memory, without the index's owner."""
    (project / "team.expose.toml").write_text('[[tests]]\nname = "a"\nquery = "history"\nfinds = "git/git_log"\n')
    code, found = loaded(project, cli("test"))
    (project / "team.expose.toml").unlink()
    assert code == 0
    assert found <= {"pydantic"}


@pytest.mark.parametrize(
    "words", [["lint", "CONFIG"], ["plan", "--config", "CONFIG"], ["search", "--config", "CONFIG", "open issue"]]
)
def test_hundreds_of_real_tools_need_none_of_them(project: Path, words: list[str]) -> None:
    """Every rule, real schemas, an index made in memory: no client, no jsonschema, no Whoosh."""
    config = str(ROOT / "examples" / "coding-agent" / "config.toml")
    code, found = loaded(project, cli(*(config if word == "CONFIG" else word for word in words)))
    assert code in (0, 1)
    assert found == set()


def test_a_bundle_is_shown_and_inspected_without_any_of_them(project: Path) -> None:
    """What a host does before a search."""
    assert loaded(project, cli("show", "--plan", "bundle")) == (0, set())
    assert loaded(project, cli("inspect", "git/git_log", "--plan", "bundle")) == (0, set())
    assert loaded(project, cli("export", "--to", "openai", "--plan", "bundle")) == (0, set())


def test_loading_a_plan_loads_none_of_them(project: Path) -> None:
    """The host's path: load, session, request 1 (C03)."""
    code = (
        "from mcpexpose.host.plan import load_plan\n"
        "session = load_plan('bundle').session()\n"
        "session.prompt_section(); session.inspect('git', 'git_log')\n"
        "code = len(session.declared())"
    )
    assert loaded(project, code) == (1, set())


def test_loading_a_plan_reads_nothing_that_only_a_search_needs(project: Path) -> None:
    """Neither the analysis of words nor the ranking, nor what they rest on."""
    code = (
        "from mcpexpose.host.plan import load_plan\n"
        "load_plan('bundle').session().declared()\n"
        "code = sorted(name for name in __import__('sys').modules if name.startswith('mcpexpose.search.'))"
    )
    found = {str(name).rpartition(".")[2] for name in loaded(project, code)[0]}  # type: ignore[attr-defined]
    assert "versions" in found
    assert found.isdisjoint(
        {"analysis", "stemming", "lexicon", "kinship", "ranking", "query", "table", "engine", "index"}
    )


def test_find_tools_loads_none_of_them(project: Path) -> None:
    """A search reads the table (C03)."""
    code = (
        "from mcpexpose.host.plan import load_plan\n"
        "session = load_plan('bundle').session()\n"
        "code = len(session.find_tools('history').matches)"
    )
    assert loaded(project, code) == (1, set())


def test_find_tools_loads_little_of_the_standard_library(project: Path) -> None:
    """What costs more to import than a search takes: these were two thirds of a host's start."""
    costly = (
        "dataclasses",
        "inspect",
        "pathlib",
        "logging",
        "sqlite3",
        "subprocess",
        "urllib.parse",
        "uuid",
        "ast",
        "mcpexpose.model.secrets",
        "mcpexpose.host.gate",
    )
    look = f"[name for name in {costly!r} if name in __import__('sys').modules]"
    done = subprocess.run(
        [
            sys.executable, "-I", "-S", "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); import json, mcpexpose\n"
            "found = mcpexpose.load_plan('bundle').session().find_tools('history')\n"
            "json.dumps([match.definition for match in found.matches])\n"
            f"print(len(found.matches), {look})",
        ],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "1 []\n", done.stderr


def test_a_check_loads_jsonschema_alone(project: Path) -> None:
    """The gate needs it when there are arguments to be held against a schema, and nothing needs the client."""
    begin = (
        "from mcpexpose.host.plan import load_plan\n"
        "session = load_plan('bundle').session()\n"
        "found = session.inspect('git', 'git_log')\n"
    )
    refused = "code = 0 if session.check(('git', 'none'), {}).outcome == 'refused:unknown-tool' else 1"
    assert loaded(project, begin + refused) == (0, set())
    code, found = loaded(project, begin + "code = 0 if session.check(found, {}).outcome == 'allowed' else 1")
    assert code == 0
    assert found <= {"jsonschema"}


def test_a_runtime_connects_to_nothing_by_itself(project: Path) -> None:
    """No SDK, no thread and no loop before the first call."""
    code = (
        "import threading\n"
        "from mcpexpose import Connections, FileSink, Ledger, Runtime, load_plan\n"
        "runtime = Runtime(audit=FileSink('e.jsonl'), ledger=Ledger('r.sqlite'), connections=Connections())\n"
        "load_plan('bundle', runtime=runtime).session().declared()\n"
        "code = threading.active_count()"
    )
    assert loaded(project, code) == (1, set())
