"""Two plans compared: everything that a model meets differently, by risk, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.bundle.diff import diff
from mcpexpose.bundle.planfile import read_plan
from mcpexpose.model.changes import Change, Changes, Risk
from mcpexpose.model.errors import BundleRefused, InputMissing
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.model.transport import Transport
from tests.builders import compiled, profile, tool

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.plan import Compiled, Plan

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}


def of(before: Compiled, after: Compiled, *, whole: bool = True) -> Changes:
    def lines(side: Compiled) -> Any:
        return lambda row: json.loads(side.definitions[row])

    return diff(before.plan, after.plan, against="main", old=lines(before) if whole else None, new=lines(after))


def plans(before: Plan, after: Plan) -> Changes:
    return diff(before, after, against="main")


def only(changes: Changes) -> Change:
    (change,) = [change for change in changes.changes if change.subject != "servers section"]
    return change


def altered(compiled: Compiled, **fields: Any) -> Plan:
    """The plan with another first tool."""
    first, *rest = compiled.plan.tools
    return replace(compiled.plan, tools=(replace(first, **fields), *rest))


ONE = compiled(tool("git", "log", "Show the history", schema=SCHEMA), tool("git", "push", "Send commits"))


def test_equal_plans_do_not_differ() -> None:
    """Neither do stamps, revisions and the compiler's version (law 5)."""
    assert not of(ONE, ONE).differs
    server = replace(ONE.plan.servers[0], captured_at="2020-01-01T00:00:00Z", revision="0" * 64)
    assert not plans(ONE.plan, replace(ONE.plan, servers=(server,), tool_version="9")).differs


@pytest.mark.parametrize(
    ("fields", "risk", "says"),
    [
        ({"exposure": Exposure.DIRECT}, Risk.WIDENS, "deferred → direct"),
        ({"approval": Approval.ASK, "policy_state": PolicyState.APPROVAL_REQUIRED}, Risk.NARROWS, "auto → ask"),
        ({"policy_state": PolicyState.APPROVAL_REQUIRED}, Risk.NARROWS, "policy allowed → approval_required"),
        ({"side_effect": SideEffect.WRITE}, Risk.NARROWS, "read_only → write"),
        ({"idempotent": True}, Risk.SAFETY, "unset → true"),
        ({"alias": "git__history"}, Risk.SCHEMA, "git__log → git__history"),
        ({"title": "History"}, Risk.TEXT, "title"),
        ({"description": "Show the whole history"}, Risk.TEXT, "+1 −0 words"),
        ({"keywords": ("commits",)}, Risk.TEXT, "commits"),
        ({"groups": ("code",)}, Risk.TEXT, "none → code"),
        ({"tokens": 21}, Risk.TEXT, "20 → 21 tokens"),
        ({"replaced_description_digest": "0"}, Risk.TEXT, "the server's own text"),
    ],
)
def test_every_visible_field_of_a_tool_counts(fields: dict[str, Any], risk: Risk, says: str) -> None:
    """C07: a change that is not told would be taken unseen."""
    change = plans(ONE.plan, altered(ONE, **fields)).changes[0]
    assert change.subject == "git/log"
    assert change.risk is risk
    assert any(says in part.text for part in change.parts)


def test_back_the_other_way_widens_or_is_safety() -> None:
    """C07"""
    asks = altered(ONE, approval=Approval.ASK, policy_state=PolicyState.APPROVAL_REQUIRED)
    change = only(plans(asks, ONE.plan))
    assert (change.risk, change.mark, change.note) == (Risk.WIDENS, "+", "read_only · runs without asking")
    change = only(plans(altered(ONE, side_effect=SideEffect.DESTRUCTIVE), ONE.plan))
    assert (change.risk, change.mark) == (Risk.SAFETY, "!")


def test_a_tool_that_came_says_what_it_may_do_and_who_reaches_it() -> None:
    """C07"""
    more = compiled(
        tool("git", "log", "Show the history", schema=SCHEMA),
        tool("git", "push", "Send commits"),
        tool("git", "gc", "Clean up", side_effect=SideEffect.WRITE),
        profiles=[profile("ci", ["git/gc"])],
    )
    came = next(change for change in of(ONE, more).changes if change.subject == "git/gc")
    assert (came.risk, came.mark) == (Risk.WIDENS, "+")
    assert came.note == "write · asks · in profile ci"
    went = next(change for change in of(more, ONE).changes if change.subject == "git/gc")
    assert (went.risk, went.mark) == (Risk.NARROWS, "-")


def test_a_schema_is_told_by_cause_where_both_definitions_are_at_hand() -> None:
    """Else as one thing; and only where it did change (C07)."""
    schema = {"type": "object", "properties": {"q": {"type": "integer"}}}
    after = compiled(tool("git", "log", "Show it all", schema=schema), tool("git", "push", "Send commits"))
    parts = {(part.risk, part.field) for part in only(of(ONE, after)).parts}
    assert parts == {(Risk.SAFETY, "inputSchema"), (Risk.TEXT, "description")}
    assert "q string → integer" in only(of(ONE, after)).parts[0].text
    parts = {(part.risk, part.field) for part in only(of(ONE, after, whole=False)).parts}
    assert parts == {(Risk.SAFETY, "inputSchema"), (Risk.TEXT, "description")}  # it may be one: never told as less


def test_only_words_changed_and_the_other_side_has_no_definitions() -> None:
    """The digest of the new definition with the old words tells that nothing else did."""

    def made(text: str) -> Compiled:
        line, definition = tool("git", "log", text, schema=SCHEMA)
        value = json.loads(definition)
        del value["keywords"]
        from mcpexpose.model.canonical import canonical, digest_bytes

        data = canonical(value)
        return compiled((replace(line, definition_digest=digest_bytes(data), length=len(data)), data))

    change = only(of(made("Show"), made("Show all"), whole=False))
    assert [part.field for part in change.parts] == ["description"]


def test_how_a_server_is_reached_is_safety_and_shows_no_value() -> None:
    """Variables by name; of a text only that it is another (C07)."""

    def reached(transport: Transport) -> Plan:
        return replace(ONE.plan, servers=(replace(ONE.plan.servers[0], transport=transport),))

    old = Transport("stdio", "git-mcp", ("--a",), env={"TOKEN": "${OLD:-hunter2}", "MODE": "quiet"})
    new = Transport("stdio", "git-mcp", ("--b",), env={"TOKEN": "${NEW}", "MODE": "loud"})
    change = only(plans(reached(old), reached(new)))
    assert (change.kind, change.subject, change.risk) == ("server", "git", Risk.SAFETY)
    said = " ".join(part.text for part in change.parts)
    assert "--a → --b" in said
    assert "TOKEN ${OLD} → ${NEW}" in said
    assert "MODE changed" in said
    assert "hunter2" not in said
    assert "loud" not in said
    waits = only(plans(reached(old), reached(replace(old, tool_timeout_s=5))))
    assert waits.risk is Risk.TEXT


def test_profiles_are_told_by_whom_they_reach() -> None:
    """C07"""

    def with_(*profiles: Any) -> Plan:
        return replace(ONE.plan, profiles=profiles)

    ci = profile("ci", ["git/log"])
    assert only(plans(with_(), with_(ci))).risk is Risk.WIDENS
    assert only(plans(with_(ci), with_())).mark == "-"
    wider = profile("ci", ["git/log", "git/push"], ["git/log"])
    change = only(plans(with_(ci), with_(wider)))
    assert (change.kind, change.subject, change.risk) == ("profile", "ci", Risk.WIDENS)
    assert [part.text for part in change.parts] == ["reaches git/push", "is told at once git/log"]
    assert only(plans(with_(wider), with_(ci))).risk is Risk.NARROWS
    assert only(plans(with_(ci), with_(replace(ci, unattended=True)))).risk is Risk.NARROWS
    assert only(plans(with_(replace(ci, unattended=True)), with_(ci))).risk is Risk.WIDENS


def test_the_rest_of_a_plan_counts_too() -> None:
    """Section, search, limits, window (C07)."""
    plan = ONE.plan
    section = replace(plan, prompt_section=plan.prompt_section + "\n- jira: Tickets")
    assert plans(plan, section).changes[0].subject == "servers section"
    search = replace(plan, search=replace(plan.search, limit=3, synonyms={"pr": ("pull request",)}))
    assert [part.field for part in only(plans(plan, search)).parts] == ["limit", "synonyms"]
    limits = replace(plan, limits=replace(plan.limits, max_age_s=10.0))
    assert only(plans(plan, limits)).risk is Risk.NARROWS
    assert only(plans(limits, plan)).risk is Risk.WIDENS
    assert only(plans(plan, replace(plan, context_window=5))).subject == "context window"


def test_the_order_is_of_risk() -> None:
    """WIDENS, SAFETY, SCHEMA, TEXT, NARROWS; then by name (C07)."""
    tools = [tool("a", name, "x") for name in "abcdef"]
    before = compiled(*tools)
    fields: dict[str, dict[str, Any]] = {
        "a": {"description": "y"},
        "b": {"alias": "z"},
        "c": {"exposure": Exposure.DIRECT},
        "d": {"idempotent": True},
        "e": {"side_effect": SideEffect.WRITE},
        "f": {"exposure": Exposure.DIRECT},
    }
    after = replace(before.plan, tools=tuple(replace(each, **fields[each.name]) for each in before.plan.tools))
    found = plans(before.plan, after)
    assert [change.subject for change in found.changes] == ["a/c", "a/f", "a/d", "a/b", "a/a", "a/e"]
    assert [found.total(risk) for risk in Risk] == [2, 1, 1, 1, 1]


def test_a_plan_file_is_read_with_and_without_what_the_preview_adds(tmp_path: Path) -> None:
    """plan.json, or what `plan --format json` printed (C07)."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(to_json(ONE.plan)))
    assert read_plan(path) == ONE.plan
    path.write_text(json.dumps(to_json(ONE.plan) | {"hidden": [], "left_out": [], "findings": [], "writable": True}))
    assert read_plan(path) == ONE.plan


@pytest.mark.parametrize("text", ["", "{}", "[]", "{", '{"format": 99}', '{"format": 1}', "NaN"])
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(BundleRefused) as refused:
        read_plan(path)
    assert refused.value.findings[0].slug == ("plan-version" if "99" in text else "plan-damaged")
    with pytest.raises(InputMissing):
        read_plan(tmp_path / "none.json")
