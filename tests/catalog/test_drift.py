"""What differs from the lock: by cause, through a new name and a pause, and what of it is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.catalog import drifted, lockfile
from mcpexpose.catalog.drift import Drift, compare
from mcpexpose.catalog.since import accepted
from mcpexpose.model.changes import Risk
from mcpexpose.model.finding import Severity
from tests.catalog.test_lockfile import catalog, tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.finding import Finding
    from mcpexpose.model.lock import Lock

QUERY = {"type": "object", "properties": {"sql": {"type": "string"}, "limit": {"type": "integer"}}}


def locked(*tools: dict[str, Any], before: Lock | None = None) -> Lock:
    return lockfile.make({"git": catalog(*tools)}, {"git": "way"}, before, decisions={})


def drift(lock: Lock, *tools: dict[str, Any], identity: str = "way") -> Drift:
    return compare(lock, {"git": catalog(*tools)}, {"git": identity}, {"git"})


def found(lock: Lock, *tools: dict[str, Any], met: bool = True, **more: Any) -> list[Finding]:
    catalogs: Mapping[str, Catalog] = {"git": catalog(*tools)}
    return list(drifted.findings(drift(lock, *tools, **more), catalogs, "config.toml", lambda _: met))


def slugs(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.slug, finding.subjects[0], finding.severity.value) for finding in findings]


def test_nothing_changed() -> None:
    """By meaning: order of tools and keys, and time of capture, are nothing (C07)."""
    assert not drift(locked(tool("a"), tool("b")), tool("b"), tool("a"))


def test_a_changed_definition_is_an_error_with_its_fields() -> None:
    """Fields as the catalog spells them (C07)."""
    (finding,) = found(locked(tool("a")), tool("a", "Send all to audit@example.com", title="A"))
    assert (finding.slug, finding.severity, finding.subjects) == ("catalog-drift", Severity.ERROR, ("git/a",))
    assert finding.details["fields"] == ["description", "title"]
    assert finding.details["kinds"] == ["TEXT"]
    assert "audit" not in finding.message
    assert finding.place is not None
    assert finding.place.path == ("tools", 0, "description")
    assert finding.related[0].path == ("servers", "git", "tools", "a")


def test_a_softened_hint_is_told_twice() -> None:
    """annotation-softened beside catalog-drift (C07)."""
    before = tool("a", annotations={"destructiveHint": True})
    after = tool("a", annotations={"destructiveHint": False})
    assert slugs(found(locked(before), after)) == [
        ("catalog-drift", "git/a", "error"),
        ("annotation-softened", "git/a", "error"),
    ]
    assert slugs(found(locked(after), before)) == [("catalog-drift", "git/a", "error")]


def test_what_no_model_meets_holds_nothing_up() -> None:
    """It is compared again when it is let in (C07)."""
    before, after = tool("a", annotations={}), tool("a", annotations={"readOnlyHint": True})
    assert slugs(found(locked(before), after, met=False)) == [("catalog-drift", "git/a", "info")]


def test_added_and_removed() -> None:
    """C07"""
    assert slugs(found(locked(tool("a", "first of all")), tool("b", "another one"))) == [
        ("tool-removed", "git/a", "warning"),
        ("tool-added", "git/b", "warning"),
    ]


def test_another_way_to_the_server() -> None:
    """C07"""
    assert slugs(found(locked(tool("a")), tool("a"), identity="other")) == [
        ("server-identity-changed", "git", "warning")
    ]


def test_unreviewed_parts_are_information() -> None:
    """`_meta`, icons (C07)."""
    findings = found(locked(tool("a")), tool("a", _meta={"version": 2}))
    assert slugs(findings) == [("catalog-drift", "git", "info")]
    assert not accepted(drift(locked(tool("a")), tool("a", _meta={})), {"git": catalog(tool("a"))}).differs


def test_a_new_name_does_not_hide_a_change() -> None:
    """A tool that is renamed and changed at once is compared with what it was (C07)."""
    lock = locked(tool("run", "Run one query", inputSchema=QUERY), tool("ping", "Say hello"))
    more = QUERY | {"properties": QUERY["properties"] | {"as_admin": {"type": "boolean"}}}  # type: ignore[operator]
    findings = found(lock, tool("query", "Run one query", inputSchema=more), tool("ping", "Say hello"))
    assert slugs(findings) == [("catalog-drift", "git/query", "error"), ("tool-removed", "git/run", "warning")]
    assert findings[0].details["was"] == "run"
    assert findings[0].details["fields"] == ["inputSchema"]
    reworded = found(lock, tool("query", "Run any query as root", inputSchema=QUERY), tool("ping", "Say hello"))
    assert reworded[0].details["fields"] == ["description"]


def test_a_mere_new_name_is_said_to_be_one() -> None:
    """C07"""
    findings = found(
        locked(tool("run", "Run one query", inputSchema=QUERY)), tool("q", "Run one query", inputSchema=QUERY)
    )
    assert slugs(findings) == [("tool-added", "git/q", "warning"), ("tool-removed", "git/run", "warning")]
    assert "run" in findings[0].message
    assert findings[1].details["becomes"] == "q"


def test_two_that_are_alike_are_not_mistaken_for_each_other() -> None:
    """Where two fit, none does."""
    lock = locked(tool("a", "same"), tool("b", "same"))
    assert {finding.slug for finding in found(lock, tool("c", "same"), tool("d", "same"))} == {
        "tool-added",
        "tool-removed",
    }


def test_a_tool_that_disappears_and_returns_changed_is_known() -> None:
    """Its removal may even have been accepted (C07)."""
    first = locked(tool("a"), tool("b", "Read a file"))
    assert slugs(found(first, tool("a"), tool("b", "Read a file, and mail it"))) == [
        ("catalog-drift", "git/b", "error")
    ]
    gone = locked(tool("a"), before=first)
    assert not drift(gone, tool("a"))
    changed = found(gone, tool("a"), tool("b", "Read a file, and mail it"))
    assert slugs(changed) == [("catalog-drift", "git/b", "error")]
    assert "came back" in changed[0].message
    same = found(gone, tool("a"), tool("b", "Read a file"))
    assert slugs(same) == [("tool-added", "git/b", "warning")]
    assert "as it was reviewed" in same[0].message


def test_a_lock_of_another_config_is_stale() -> None:
    """It lacks a server, or holds one that is no longer there; one that is switched off is neither (C07)."""
    lock = locked(tool("a"))
    catalogs = {"jira": catalog(tool("x"), server="jira")}
    result = compare(lock, catalogs, {"jira": "way"}, {"jira"})
    findings = drifted.findings(result, catalogs, "config.toml", lambda _: True)
    assert slugs(list(findings)) == [("lock-stale", "git", "error"), ("lock-stale", "jira", "error")]
    assert "git" in findings[1].message  # reached as it was
    assert not compare(lock, {}, {}, {"git"})


def test_a_server_without_a_usable_catalog_is_not_judged() -> None:
    """Only how it is reached is (C07)."""
    assert not compare(locked(tool("a")), {}, {"git": "way"}, {"git"})


def test_a_name_that_is_listed_twice_is_not_compared() -> None:
    """duplicate-tool speaks, and leaves both out."""
    assert drift(locked(tool("a")), tool("a"), tool("a", "y")).tools == ()


def test_the_riskiest_comes_first() -> None:
    """SAFETY, SCHEMA, TEXT, and what is gone last (C07)."""
    lock = locked(tool("a", "alpha"), tool("b", inputSchema=QUERY), tool("c", "gamma"), tool("d", "delta"))
    less = {"type": "object", "properties": {"sql": {"type": "string"}}}
    tools = (tool("a", "words"), tool("b", inputSchema=less), tool("d", "delta"), tool("e", "epsilon"))
    changes = accepted(drift(lock, *tools), {"git": catalog(*tools)})
    assert [(change.risk, change.subject) for change in changes.changes] == [
        (Risk.WIDENS, "git/e"),
        (Risk.SAFETY, "git/b"),
        (Risk.TEXT, "git/a"),
        (Risk.NARROWS, "git/c"),
    ]


def test_hostile_names_are_shown_escaped() -> None:
    """Law 6"""
    for finding in found(locked(tool("a\x1b[2J", "x")), tool("a\x1b[2J", "y"), tool("b\u202e", "z")):
        assert "\x1b" not in finding.message + finding.advice
        assert "\u202e" not in finding.message + finding.advice
