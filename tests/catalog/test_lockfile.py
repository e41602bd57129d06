"""mcpexpose.lock on disk: readable, read strictly, made from catalogs and the lock before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.catalog import lockfile
from mcpexpose.model.catalog import Catalog, revision_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.lock import Lock


def tool(name: str, description: str = "x", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}} | more


def catalog(*tools: dict[str, Any], server: str = "git") -> Catalog:
    return Catalog(server, tools, f"catalogs/{server}.json", revision=revision_of(server, tools))


def lock(*tools: dict[str, Any], before: Lock | None = None) -> Lock:
    return lockfile.make({"git": catalog(*tools)}, {"git": "way"}, before, decisions={})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """C07"""
    path = tmp_path / "mcpexpose.lock"
    made = lock(tool("a"), tool("b", annotations={"readOnlyHint": True}))
    lockfile.write(path, made)
    assert lockfile.read(path) == (made, ())
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_is_for_people(tmp_path: Path) -> None:
    """Sorted keys, one space, LF, whatever the order of the tools (law 10)."""
    text = lockfile.dump(lock(tool("b"), tool("a")))
    assert text == lockfile.dump(lock(tool("a"), tool("b")))
    value = json.loads(text)
    assert text.decode() == json.dumps(value, indent=1, sort_keys=True) + "\n"
    part = value["servers"]["git"]["tools"]["a"]
    assert part["title"] is None
    assert len(part["description"]) == 64
    assert b"\r" not in text


def test_there_need_not_be_one(tmp_path: Path) -> None:
    assert lockfile.read(tmp_path / "mcpexpose.lock") == (None, ())


CONFLICT = '{\n "format": 1,\n<<<<<<< HEAD\n "servers": {}\n=======\n "servers": {"a": 1}\n>>>>>>> main\n}\n'


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        (CONFLICT, "merge-conflict markers", 3),
        ("", "empty", 1),
        ('{"format": 1,\n "servers": {}, "servers": {}}', "stands twice", 2),
        ("[1, 2]", "another shape", None),
        ('{"format": 1, "servers": {"git": {}}}', "another shape", None),
        ('{"format": 1, "servers": {"git": {"revision": 5, "identity": "x", "tools": {}}}}', "another shape", None),
        ('{"format": 0, "servers": {}}', "format", None),
        ('{"format": "one", "servers": {}}', "another shape", None),
        ('{"format": 1, "servers": {}, "more": 1}', "another shape", None),
        ("\ud800", "UTF-8", 1),
        ("[" * 3_000, "deeper", None),
    ],
)
def test_a_broken_one_is_a_finding_at_its_place(tmp_path: Path, text: str, says: str, line: int | None) -> None:
    """C07"""
    path = tmp_path / "mcpexpose.lock"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    found, (finding,) = lockfile.read(path)
    assert found is None
    assert finding.slug == "lock-invalid"
    assert says in finding.message
    assert "mcpexpose.lock" in finding.message
    assert (finding.location.line if finding.location else None) == line
    assert not lockfile.is_newer((finding,))


def test_one_of_the_future_is_known_as_such(tmp_path: Path) -> None:
    """It must not be overwritten by an older program (C07)."""
    path = tmp_path / "mcpexpose.lock"
    path.write_text('{"format": 99, "everything": "else"}')
    found, findings = lockfile.read(path)
    assert found is None
    assert lockfile.is_newer(findings)
    assert "99" in findings[0].message


def test_a_folder_or_a_missing_right_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "mcpexpose.lock").mkdir()
    found, (finding,) = lockfile.read(tmp_path / "mcpexpose.lock")
    assert (found, finding.slug) == (None, "lock-invalid")


def test_a_tool_that_went_is_remembered() -> None:
    """So that one that returns changed is known as changed (C07)."""
    first = lock(tool("a"), tool("b"))
    second = lock(tool("a"), before=first)
    assert second.servers["git"].gone == {"b": first.servers["git"].tools["b"]}
    third = lock(tool("a", "y"), before=second)
    assert third.servers["git"].gone.keys() == {"b"}
    assert lock(tool("a"), tool("b", "z"), before=third).servers["git"].gone == {}


def test_a_name_that_is_listed_twice_is_not_accepted() -> None:
    """Nobody can tell which of the two was reviewed (C07)."""
    first = lock(tool("a"))
    assert lock(tool("a"), tool("a", "other")).servers["git"].tools == {}
    assert lock(tool("a"), tool("a", "other"), before=first).servers["git"].tools == first.servers["git"].tools


def test_servers_that_are_not_accepted_stay_as_they_are() -> None:
    before = lock(tool("a"))
    made = lockfile.make({"jira": catalog(server="jira")}, {"jira": "way"}, before, decisions={}, keep=["git", "new"])
    assert made.servers.keys() == {"git", "jira"}
    assert made.servers["git"] == before.servers["git"]
