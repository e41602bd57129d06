"""Text that means something to a terminal, a runner, a page or a parser: in every field and in every output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from mcpexpose.model.text import is_unseen

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

SEEN = (
    "%0A::error::pwned ##[add-mask]pwned ]]> &#0; </td><script>pwn()</script> "
    "` | @team #1 [a](https://evil.example) $(id)"
)
"""What can be seen: a config may hold it."""
UNSEEN = "\x1b[31m\x1b]0;t\x07\u202e\u2066\u200b\U000e0041\x00\x9b\r\n::error::pwned\n\u2028\ufffe"
FORMS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")


def config(evil: str) -> str:
    """Every free text of a config, with EVIL in it."""
    text = json.dumps(evil)
    return f"""\
schema_version = 1
extends = ["./pack.toml", "./none {evil.replace('"', "")}.toml"]
[exposure]
default = "deferred"
targets = ["anthropic"]
[groups]
{text} = {text}
[policy]
auto_approve = [{text}, "s/x"]
[mcp_servers.s]
command = {text}
args = [{text}, "x@latest"]
cwd = {text}
env = {{ TOKEN = {json.dumps(evil + "${X}")}, "${{{text[1:9]}" = "x" }}
description = {text}
owner = {text}
groups = [{text}]
allow = ["*", {text}]
deny = [{json.dumps("z" + evil)}]
{text} = 1
[mcp_servers.s.tools.{text}]
exposure = {text}
[mcp_servers.s.tools.good]
description = {text}
keywords = [{text}]
side_effect = "read_only"
exposure = "direct"
groups = [{text}]
[mcp_servers.{json.dumps("x" + evil)}]
url = {json.dumps("http://" + evil)}
http_headers = {{ {text} = {text} }}
[profiles.p]
description = {text}
groups = [{text}]
default_tools = [{json.dumps("s/" + evil)}]
[[waivers]]
rule = {text}
subject = {text}
reason = {text}
[[waivers]]
rule = "description-missing"
subject = "s/*"
reason = {text}
[compat]
ignore_keys = [{text}]
[search]
synonyms = {{ {text} = [{text}] }}
"""


def pack(evil: str) -> str:
    text = json.dumps(evil)
    return f"""\
name = {text}
version = 1
description = {text}
[[constraints]]
match = "*/good"
approval = "ask"
reason = {text}
"""


def catalog(evil: str) -> dict[str, Any]:
    """Every text that a server sends, with EVIL in it."""
    tools: list[dict[str, Any]] = [
        {
            "name": name,
            "title": evil,
            "description": evil,
            "annotations": {"title": evil, "readOnlyHint": evil, evil: evil},
            "inputSchema": {
                "type": "object",
                "properties": {evil: {"type": "string", "description": evil, "enum": [evil], "default": evil}},
                "required": [evil, "y" + evil],
                "description": evil,
                **more,
            },
            "_meta": {evil: evil},
        }
        for name, more in [
            ("good", {}),
            (f"good{evil}", {}),
            (evil, {}),
            ("remote", {"$ref": f"https://evil.example/{evil}"}),
            ("broken", {"anyOf": [{"$ref": f"#/{evil}"}]}),
            ("dialect", {"$schema": evil}),
            ("invalid", {"type": evil}),
            ("pattern", {"pattern": f"({evil}"}),
        ]
    ]
    info = {"name": evil, "version": evil, "title": evil}
    return {"format": 1, "server": "s", "captured_at": evil, "complete": True, "tools": tools, "server_info": info}


@pytest.fixture(params=["seen", "unseen"])
def hostile(request: pytest.FixtureRequest, project: Path) -> Path:
    """A config whose every text means something; those that cannot be seen come from the server alone, as escapes."""
    evil = SEEN + UNSEEN if request.param == "unseen" else SEEN
    (project / "config.toml").write_text(config(SEEN), "utf-8")
    (project / "pack.toml").write_text(pack(SEEN), "utf-8")
    (project / "catalogs" / "s.json").write_text(json.dumps(catalog(evil)), "utf-8")
    return project


def inert(text: str, *, commands: bool = False, html: bool = False) -> None:
    """Nothing a terminal acts on, no command of a runner but our own."""
    assert {char for char in text if char != "\n" and is_unseen(char)} == set()
    for line in text.split("\n"):
        if commands and line:
            assert re.match(r"::(error|warning|notice) ", line), line
        elif not commands:
            assert not line.lstrip().startswith("::"), line
            assert "##[" not in line, line
    if html:
        assert "<script>" not in text


def plain(folder: Path) -> Path:
    """A config with nothing wrong, and tools whose texts mean something, which a model may meet."""
    (folder / "catalogs").mkdir(parents=True)
    (folder / "config.toml").write_text('[mcp_servers.s]\ncommand = "x"\ndescription = "x"\n')
    tools = [
        {
            "name": name,
            "description": SEEN + "\n::error::pwned\n",
            "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "description": SEEN}}},
        }
        for name in ("good", "gone")
    ]
    found = {"format": 1, "server": "s", "captured_at": "2026-11-30T00:00:00Z", "complete": True, "tools": tools}
    (folder / "catalogs" / "s.json").write_text(json.dumps(found))
    return folder / "config.toml"


@pytest.fixture(autouse=True)
def in_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


@pytest.mark.parametrize("form", FORMS)
def test_findings_are_inert(form: str, hostile: Path, run: Run) -> None:
    """As their readers read them, and in the log of a job (law 6)."""
    done = run("lint", "--persona", "audit", "--format", form)
    assert done.code == 1
    inert(done.out, commands=form == "github", html=form == "markdown")
    inert(done.err)
    if form in ("json", "sarif", "gitlab"):
        assert json.loads(done.out)
    if form == "junit":
        assert ElementTree.fromstring(done.out.encode()).get("failures") != "0"
    if form == "markdown":
        page_of_text(done.out)


def page_of_text(text: str) -> None:
    """No mention, no link, no reference, no tag but our own; as many cells in a row as its table has."""
    assert not re.search(r"(?<!\\)@team|\\@team|(?<![\\#])#1|\]\(https|https?:[^<]", text)
    assert set(re.findall(r"</?[a-z]+", text)) <= {"<details", "</details", "<summary", "</summary"}
    columns = 0
    for line in text.split("\n"):
        cells = len(re.findall(r"(?<!\\)\|", line))
        columns = cells if columns == 0 else columns if cells else 0
        assert cells in (0, columns), line


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_preview_and_what_changed_are_inert(form: str, hostile: Path, run: Run) -> None:
    """With names, titles and texts that came and went (law 6)."""
    before = plain(hostile / "before")
    assert run("plan", "--config", str(before), "--out", "old").code in (0, 1)
    for words in ([], ["--against", "old"], ["--profile", "p"]):
        done = run("plan", "--format", form, *words)
        assert done.code == 1
        inert(done.out, html=form == "markdown")
        inert(done.err)
        if form == "markdown":
            page_of_text(done.out)


def test_a_lock_of_it_is_inert(hostile: Path, run: Run) -> None:
    """Written, compared and shown."""
    run("lock")
    path = hostile / "catalogs" / "s.json"
    path.write_text(path.read_text("utf-8").replace('"title"', '"titel"'), "utf-8")
    for words in (["--check"], ["--check", "--format", "json"], []):
        done = run("lock", *words)
        inert(done.out)
        inert(done.err)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_said_of_a_tool_is_inert(form: str, hostile: Path, run: Run) -> None:
    """search, show, inspect and explain, of each tool that the catalog has (law 6)."""
    names = [tool["name"] for tool in json.loads((hostile / "catalogs" / "s.json").read_text("utf-8"))["tools"]]
    commands = [("show",), ("search", "pwned", "good"), ("search", SEEN + UNSEEN.replace("\x00", ""))]
    commands += [(command, f"s/{name}") for command in ("explain", "inspect") for name in names]
    commands += [("search", "pwned", "--explain"), *(("search", "pwned", f"--why-not=s/{name}") for name in names)]
    for words in commands:
        done = run(*words, "--format", form)
        assert done.code in (0, 2)
        inert(done.out)
        inert(done.err)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["value", "json"])
def test_what_is_exported_is_inert(form: str, hostile: Path, run: Run) -> None:
    """In the form of every API; what it cannot say is told as well (law 6)."""
    from mcpexpose.surface.exporters import targets

    for at in (hostile / "config.toml", plain(hostile / "plain")):
        for target in targets():
            done = run("export", "--to", target, "--config", str(at), "--format", form)
            assert done.code in (0, 1)
            inert(done.out)
            inert(done.err)


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_what_tests_say_is_inert(form: str, hostile: Path, run: Run) -> None:
    """Names of tests, of tools that are not there, and of those that a query finds instead (law 6)."""
    evil = json.dumps(SEEN)
    tests = f"""\
[[tests]]
name = {evil}
sees = [{evil}, "s/gone", {json.dumps("s/" + SEEN)}]
not_visible = ["s/*", {evil}]
query = {evil}
finds = {json.dumps("s/" + SEEN)}
never_finds = ["s/*"]
profile = {evil}
{evil} = 1
[[tests]]
name = "x"
query = "pwned"
finds = "s/none"
[tests.side_effect]
{json.dumps("s/" + SEEN)} = "read_only"
"s/good" = {evil}
"""
    config = plain(hostile / "plain")
    for at in (hostile / "config.toml", config):
        (at.parent / "a.expose.toml").write_text(tests, "utf-8")
        done = run("test", "--config", str(at), "--coverage", "--format", form, str(at.parent / "a.expose.toml"))
        assert done.code == 1
        inert(done.out)
        inert(done.err)
        if form == "junit":
            ElementTree.fromstring(done.out.encode())


def test_the_letter_of_an_answer_steers_no_terminal(hostile: Path, run: Run) -> None:
    """`--as-model` prints what the model reads, of which each text stands as JSON on its line."""
    out = run("search", "pwned", "--as-model", "--config", str(plain(hostile / "plain"))).out
    assert out.count("add-mask") == 4
    assert {char for char in out if char != "\n" and is_unseen(char)} == set()
    assert not any(line.lstrip().startswith("::") for line in out.split("\n"))


def test_arguments_are_shown_as_well(run: Run, project: Path) -> None:
    """What was typed, or pasted, comes back in messages."""
    evil = SEEN + UNSEEN.replace("\x00", "")
    for words in (
        ("lint", evil),
        ("lint", "--config", evil),
        ("lint", "--select", evil),
        ("lint", "--output", f"json={evil}/x"),
        ("lint", "--baseline", evil),
        ("plan", "--against", evil),
        ("plan", "--profile", evil),
        ("plan", "--out", f"config.toml/{evil}"),
        ("plan", "--catalogs", evil),
        ("lock", evil),
        ("explain", f"git/{evil}"),
        ("inspect", f"{evil}/x"),
        ("show", "--plan", evil),
        ("search", "x", "--limit", evil),
        ("verify", evil),
        ("audit", evil),
        ("runs", "--store", evil),
        ("rule", evil),
        ("test", evil),
        ("search", "x", "--why-not", f"git/{evil}"),
        ("sign", evil, "--key", evil),
        ("export", "--to", evil),
        ("export", "--to", "openai", "--profile", evil),
        ("export", "--to", "openai", "--out", f"none/{evil}"),
        ("test", "-k", evil),
        ("schema", evil),
        (evil,),
        ("plan", f"--{evil}"),
        ("plan", "--format", evil),
        ("plan", "--now", evil),
        ("init", f"none/{evil}"),
    ):
        done = run(*words)
        assert done.code != 70, (words[:2], done.err)
        inert(done.out)
        inert(done.err)


def test_names_of_files_and_folders_are_shown_as_well(run: Run, project: Path) -> None:
    """A repository holds any names: of the config's folder, of what lies in a bundle, of a baseline."""
    evil = (SEEN + UNSEEN).replace("\x00", "").replace("/", "_")
    folder = project / evil
    folder.mkdir()
    for name in ("config.toml", "catalogs"):
        (project / name).rename(folder / name)
    at = ("--config", f"{evil}/config.toml")
    text = (folder / "config.toml").read_text().replace('deny = ["git_push"]', 'deny = ["git_pish"]')
    (folder / "config.toml").write_text(text)
    for form in FORMS:
        inert(run("lint", *at, "--format", form).out, commands=form == "github", html=form == "markdown")
    for words in (
        ("lint", "--diff", "--unsafe-fixes", *at),
        ("lint", *at, "--baseline", f"{evil}/b.json", "--write-baseline"),
        ("lint", *at, "--fix", "--unsafe-fixes"),
        ("lint", *at, "--baseline", f"{evil}/b.json"),
        ("lint", *at, "--baseline", f"{evil}/b.json", "--format", "github"),
        ("plan", *at, "--out", f"{evil}/out"),
        ("plan", *at, "--against", f"{evil}/out"),
        ("lock", *at),
        ("lock", *at, "--check"),
        ("explain", *at, "git/git_log"),
        ("export", *at, "--to", "openai", "--out", f"{evil}/tools.json"),
        ("verify", f"{evil}/out"),
        ("init", f"{evil}/config.toml"),
        ("init", f"{evil}/new.toml"),
    ):
        done = run(*words)
        assert done.code != 70, (words[:2], done.err)
        inert(done.out, commands="github" in words)
        inert(done.err)
    (folder / "out" / evil).write_text("x")
    done = run("verify", f"{evil}/out")
    assert done.code == 1
    inert(done.out)
    inert(done.err)


def test_events_of_a_host_are_shown_as_well(run: Run, project: Path) -> None:
    """Queries are a model's, names a server's."""
    evil = SEEN + UNSEEN
    outcomes = ("ok", "unknown-completion", f"refused:{evil}", f"quarantined:{evil}", evil)
    named = dict.fromkeys(("at", "tool", "server", "run_id", "exposure"), evil)
    events = [
        {"event": kind, **named, "outcome": each} for kind in ("call", "search", "refresh", evil) for each in outcomes
    ]
    lines = [json.dumps(event) for event in events]
    lines += [json.dumps({**event, "exposure": "deferred", "run_id": f"{n}"}) for n in range(9) for event in events[:1]]
    (project / "events.jsonl").write_text("\n".join(lines))
    for form in ("text", "json"):
        done = run("audit", "events.jsonl", "--format", form)
        assert done.code == 0
        inert(done.out)
