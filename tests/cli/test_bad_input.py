"""What may lie where a config's neighbours should be: every command says what it is, and none fails of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

TOOL = '{"name": "git_log", "inputSchema": {"type": "object"}}'
CONFLICT = f"""\
{{"format": 1, "server": "git",
<<<<<<< HEAD
 "tools": [{TOOL}]}}
=======
 "tools": []}}
>>>>>>> theirs
""".encode()


@pytest.mark.parametrize(
    ("data", "slug", "line"),
    [
        (CONFLICT, "catalog-invalid-json", 2),
        (b"", "catalog-invalid-json", 1),
        (b"\x00" * 100, "catalog-invalid-json", 1),
        (f'{{"format": 1, "tools": [{TOOL}'.encode(), "catalog-invalid-json", 1),
        (f'{{"format": 1, "tools": [{TOOL}]}}'.encode("utf-16"), "catalog-invalid-json", 1),
        (b'{"format": 1,\r\n"tools": [{"name": "\xff"}]}', "catalog-invalid-json", 2),
        (b'{"tools": ' + b"[" * 10_000, "catalog-too-deep", 1),
        (b'{"format": 1, "tools": {}}', "catalog-invalid", 1),
        (b"[]", "catalog-invalid", 1),
        (b'{"format": 99, "server": "git", "tools": []}', "catalog-invalid", 1),
    ],
    ids=["conflict", "empty", "NUL", "cut off", "UTF-16", "no UTF-8", "deep", "no list", "a list", "the future"],
)
def test_a_catalog_that_is_none_is_a_finding(run: Run, project: Path, data: bytes, slug: str, line: int) -> None:
    """At its line, in every format; its server has no tools then, and nothing is written that stands for it (law 8)."""
    (project / "catalogs" / "git.json").write_bytes(data)
    found = json.loads(run("lint", "--format", "json").out)["findings"]
    assert (slug, "catalogs/git.json", line) in {(each["slug"], each["file"], each["line"]) for each in found}
    for form in ("text", "concise", "sarif", "github", "gitlab", "junit", "markdown"):
        done = run("lint", "--format", form)
        assert done.code == 1
        assert slug in done.out
    assert run("plan").code == 1
    assert run("lock").code == 1
    assert run("show").code == 0
    assert run("search", "history").code == 0
    assert run("explain", "git/git_log").code in (0, 1, 2)
    assert run("inspect", "git/git_log").code == 2
    assert (project / "catalogs" / "git.json").read_bytes() == data


def test_line_ends_of_every_kind_in_one_file(run: Run, project: Path) -> None:
    """Lines are counted as an editor does, and a mend keeps each end as it was."""
    text = (project / "config.toml").read_text().replace('deny = ["git_push"]', 'deny = ["git_pish"]')
    lines = text.split("\n")
    mixed = "".join(line + ("\r\n" if n % 2 else "\n") for n, line in enumerate(lines))
    (project / "config.toml").write_bytes(mixed.encode())
    (found,) = json.loads(run("lint", "--format", "json", "--select", "pattern-matches-nothing").out)["findings"]
    assert (found["line"], found["column"]) == (lines.index('deny = ["git_pish"]') + 1, 9)
    assert run("lint", "--fix", "--unsafe-fixes").code == 0
    assert (project / "config.toml").read_bytes() == mixed.replace("git_pish", "git_push").encode()


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        CONFLICT,
        b"name = 1\n" * 300_000,
        b"[[constraints]]\n" * 500,
        b"x = " + b"[" * 5_000,
    ],
    ids=["BOM", "no UTF-8", "conflict", "long", "many", "deep"],
)
def test_a_pack_that_is_none_is_a_finding(run: Run, project: Path, data: bytes) -> None:
    """A pack holds limits: where it cannot be read nothing is written (law 8)."""
    config = project / "config.toml"
    config.write_text('extends = ["./pack.toml"]\n' + config.read_text())
    (project / "pack.toml").write_bytes(data)
    done = run("lint", "--format", "json")
    assert done.code == 1
    assert "pack.toml" in {each["file"] for each in json.loads(done.out)["findings"]}
    assert run("plan", "--out", "build").code == 1
    assert not (project / "build").exists()


@pytest.mark.parametrize("kind", ["folder", "loop", "unreadable"])
@pytest.mark.parametrize("name", ["config.toml", "catalogs/git.json", "mcpexpose.lock", "pack.toml"])
def test_what_is_no_file_is_named(run: Run, project: Path, name: str, kind: str) -> None:
    """A folder, a link to itself, a file of somebody else: no traceback, and not 0 (DESIGN 5)."""
    config = project / "config.toml"
    config.write_text('extends = ["./pack.toml"]\n' + config.read_text())
    (project / "pack.toml").write_text('name = "x"\nversion = 1\ndescription = "x"\n')
    (project / "mcpexpose.lock").write_text('{"format": 1, "servers": {}}')
    path = project / name
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        path.write_text("x")
        path.chmod(0)
        if _readable(path):
            pytest.skip("this user reads everything")
    for words in (("lint", "config.toml"), ("plan", "--config", "config.toml")):
        done = run(*words)
        assert done.code in ((1, 2) if (name, kind) != ("config.toml", "folder") else (4,))  # a folder is looked into
        assert name.rpartition("/")[2] in done.out + done.err
        assert "Traceback" not in done.err


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


def test_a_report_of_a_preview_that_cannot_be_written_ends_with_2(run: Run) -> None:
    """The preview itself is shown (DESIGN 5)."""
    done = run("plan", "--output", "markdown=none/plan.md")
    assert done.code == 2
    assert "none/plan.md cannot be written" in done.err
    assert "git_status" in done.out
