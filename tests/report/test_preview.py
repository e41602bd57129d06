"""The preview: counted once, shown as text, JSON and markdown."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.plan import ToolDecision
from mcpexpose.report import preview_markdown
from mcpexpose.report.preview import CatalogState, Preview, preview, render
from mcpexpose.report.screen import Screen, cells
from tests.builders import compiled, tool
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.model.plan import Compiled

GOLDEN = Path(__file__).parent / "golden"
DAY = 86_400.0
STATES = {
    "azure": CatalogState("a91c03f7" + "0" * 56, 2 * DAY),
    "git": CatalogState("0be41d52" + "0" * 56, 2 * DAY + 5_000),
    "playwright": CatalogState("77d0a2ce" + "0" * 56, 9 * DAY, False, "older than max_age 7d"),
    "proxy": CatalogState("5c1e0b11" + "0" * 56, 40.0),
    "票務": CatalogState("91c2aa00" + "0" * 56, None),
}
REMOTE = Finding(
    "schema-remote-ref",
    Severity.ERROR,
    "proxy/go refers to a schema elsewhere",
    ("proxy/go#/properties/creds/$ref",),
    "Have the server inline it.",
    Place("catalogs/proxy.json", ("tools", 0)),
    Location("catalogs/proxy.json", 14, 9, 14, 20),
)
WARNING = Finding("stale-catalog", Severity.WARNING, "playwright is older than 7d", ("playwright",))
FAULT = Finding(
    "pattern-matches-nothing",
    Severity.ERROR,
    'deny "delete_repo" meets no tool of git',
    ("git:deny[0]",),
    "",
    Place("config.toml"),
    Location("config.toml", 24, 9, 24, 22),
)


def locate(place: Place) -> Location | None:
    line = 44 if "tools" in place.path else 7
    return Location(place.file, line, 1, line, 10)


def make(compiled: Compiled, *findings: Finding, **more: Any) -> Preview:
    given = {
        "title": "examples/coding-agent/config.toml",
        "catalogs": STATES,
        "servers": ("azure", "git", "late", "playwright", "proxy", "票務"),
        "locate": locate,
        **more,
    }
    return preview(compiled, (REMOTE, WARNING, *findings), **given)


@pytest.mark.parametrize("width", [80, 100])
def test_the_preview_in_a_terminal_is_as_pinned(compiled: Compiled, width: int, update_golden: bool) -> None:
    """What operators look at every day: the number first, then what is to be decided, each with its place (C04)."""
    text = render("text", make(compiled), Screen(width))
    file = GOLDEN / f"plan-{width}.txt"
    if update_golden:
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")
    assert all(cells(line) <= width for line in text.split("\n"))


def test_without_block_characters_the_preview_is_ascii(compiled: Compiled) -> None:
    """A latin-1 terminal or a log gets every number too."""
    text = render("text", make(compiled), Screen(100, encoding="ascii"))
    assert text.isascii()
    assert "|" + "#" * 50 + "|" in text


def test_columns_stand_under_each_other_with_wide_characters(compiled: Compiled) -> None:
    """A server with a CJK name does not push its row aside (C04)."""
    lines = render("text", make(compiled), Screen(100)).split("\n")
    ends = {
        cells(line[: line.index(mark) + len(mark)])
        for line in lines
        for mark in ("0be41d52", "91c2aa00")
        if mark in line
    }
    assert len(ends) == 1


def test_every_captured_tool_is_counted_once(compiled: Compiled) -> None:
    """Direct, deferred, hidden and left out add up to what was captured (C04)."""
    made = make(compiled)
    totals = [made.total(name) for name in ("direct", "deferred", "hidden", "left_out")]
    assert totals == [2, 4, 2, 1]
    assert sum(totals) == made.tools == sum(server.tools for server in made.servers)
    assert made.denied == 1


def test_request_1_is_the_sum_of_its_parts(compiled: Compiled) -> None:
    """Declared tools, search tool and servers section (X08)."""
    made = make(compiled)
    assert made.tokens == made.tokens_tools + made.tokens_search_tool + made.tokens_prompt_section
    assert made.tokens_search_tool > 0
    assert made.tokens_prompt_section > 0


def test_a_profile_shows_its_own_request_1(compiled: Compiled) -> None:
    """Its default tools are declared, with the selection as the reason; beyond its reach is counted as such (X04)."""
    made = make(compiled, profile="browse")
    assert [line.tool.alias for line in made.direct] == ["playwright__click"]
    text = render("text", made, Screen())
    assert "profile browse" in text
    assert "default_tools of profile browse" in text
    assert "hidden or out of reach 7" in text


def test_an_unknown_profile_is_refused_with_the_names_there_are(compiled: Compiled) -> None:
    """No preview of another one instead."""
    with pytest.raises(SelectionRefused, match="browse"):
        make(compiled, profile="brows")


def test_what_is_left_out_stands_with_its_rule_and_place(compiled: Compiled) -> None:
    """A reviewer need not run lint to know what is gone (C04)."""
    text = render("text", make(compiled), Screen())
    (row,) = [line for line in text.split("\n") if line.startswith("  proxy/go")]
    assert "schema-remote-ref" in row
    assert "catalogs/proxy.json: #/properties/creds/$ref" in row


def test_a_server_without_a_catalog_is_a_row(compiled: Compiled) -> None:
    """It is not as if it were not there."""
    missing = Finding(
        "catalog-missing", Severity.ERROR, "late was never captured", ("late",), "", Place("catalogs/late.json")
    )
    text = render("text", make(compiled, missing), Screen())
    assert "no usable catalog" in text
    (row,) = [line for line in text.split("\n") if "catalog-missing" in line]
    assert row.split() == ["late", "catalog-missing", "catalogs/late.json"]


def test_the_operators_faults_stand_first_and_say_what_they_hold_up(compiled: Compiled) -> None:
    """A fault in the config: preview what can be, and nothing is written."""
    text = render("text", make(compiled, FAULT, writable=False), Screen())
    assert text.index("FAULTS: until they are mended, --out writes nothing") < text.index("SERVER")
    assert "config.toml:24:9: pattern-matches-nothing  deny" in text


def test_colour_is_for_risk_and_exposure_alone(compiled: Compiled) -> None:
    """Headings and names are plain."""
    text = render("text", make(compiled), Screen(colour=True))
    assert "\x1b[33mwrite\x1b[0m" in text
    assert "\x1b[1mdirect 2\x1b[0m" in text
    assert not any("\x1b" in line for line in text.split("\n") if line.strip().isupper())


def test_json_is_exact_and_adds_what_is_not_in_the_plan(compiled: Compiled) -> None:
    """plan.json's content, hidden and denied decisions, what is left out, findings (C04)."""
    value = json.loads(render("json", make(compiled), Screen()))
    assert [tool["name"] for tool in value["tools"]] == [tool.name for tool in compiled.plan.tools]
    assert value["totals"]["tokens_if_all"] == compiled.plan.totals.tokens_if_all
    assert [(each["server"], each["name"]) for each in value["hidden"]] == [("azure", "purge"), ("azure", "send")]
    assert [(each["name"], each["left_out_by"]) for each in value["left_out"]] == [("go", "schema-remote-ref")]
    assert {finding["slug"] for finding in value["findings"]} == {"schema-remote-ref", "stale-catalog"}
    assert value["writable"] is True


def test_markdown_is_for_a_pull_request(compiled: Compiled) -> None:
    """The number in bold, the tables folded away (C04)."""
    text = render("markdown", make(compiled), Screen())
    assert text.startswith("### What the model is told")
    assert f"**{make(compiled).tokens:,} tokens** in request 1" in text
    assert "<details><summary>6 servers</summary>" in text


@pytest.mark.parametrize(
    "summary",
    [
        "<img src=x onerror=alert(1)>",
        "| a | b |",
        "@everyone see #1",
        "[click](https://evil.example) https://evil.example www.evil.example",
        "`code` **bold** </details>",
        "line\nbreak \u202e $x$",
    ],
)
def test_markdown_of_others_is_text(compiled: Compiled, summary: str) -> None:
    """A summary cannot be markup, mention, link, cell or line of the comment."""
    servers = tuple(dataclasses.replace(server, summary=summary) for server in compiled.plan.servers)
    odd = dataclasses.replace(compiled, plan=dataclasses.replace(compiled.plan, servers=servers))
    text = render("markdown", make(odd), Screen())
    rows = [line for line in text.split("\n") if line.startswith("| azure")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 11
    for raw in ("<img", "</details> |", "](", "@everyone", "https://", "\u202e", "$x", " `code`", " **bold"):
        assert raw not in rows[0], raw
    for raw in ("#1",):
        assert raw not in rows[0]


def test_markdown_stays_under_its_limit_whatever_the_plan(compiled: Compiled) -> None:
    """A comment above 65,536 characters would be refused."""
    many = tuple(dataclasses.replace(FAULT, message="票" * 1_000, subjects=(f"git:deny[{n}]",)) for n in range(3_000))
    servers = tuple(f"server-{n:05}" + "x" * 150 for n in range(2_000))
    text = render("markdown", make(compiled, *many, servers=servers), Screen())
    assert len(text.encode()) < 60_000
    assert "more faults" in text
    assert "more rows" in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("+ x", r"\+ x"),
        ("- x", r"\- x"),
        ("=== x", r"\=== x"),
        ("1. x", r"1\. x"),
        ("# x", r"\#<!-- --> x"),
        ("1 - x", "1 - x"),
    ],
)
def test_no_list_and_no_heading_comes_of_a_text(text: str, escaped: str) -> None:
    """Each mark is escaped once: a backslash that is itself escaped would be seen, and protect nothing (law 6)."""
    assert preview_markdown.escape(text) == escaped


@pytest.mark.parametrize("text", ["see GH-12", ":tada: done", ":white_check_mark:", "gh-7"])
def test_no_reference_and_no_picture_comes_of_a_text(text: str) -> None:
    """GitHub links GH-12 and draws :tada:, so a name could tick a box of a review (law 6)."""
    escaped = preview_markdown.escape(text)
    assert "<!-- -->" in escaped
    assert not re.search(r"(?i)gh-[0-9]|:[a-z_]+:", escaped)


def left_out(count: int) -> Callable[[], Preview]:
    """The preview of so many tools, each of them left out by a finding."""
    made = compiled(*(tool("s", f"t{n:05}") for n in range(count)))
    decisions = tuple(
        ToolDecision(
            id=each.id, alias=each.alias, exposure=each.exposure, policy_state=each.policy_state,
            side_effect=each.side_effect, approval=each.approval, groups=(), description="", tokens=1, in_plan=False,
            because=(), left_out_by="schema-invalid",
        )
        for each in made.plan.tools
    )  # fmt: skip
    findings = tuple(
        Finding("schema-invalid", Severity.ERROR, "x", (f"{each.id}#/p/a",), location=Location("c", 1, 1, 1, 2))
        for each in made.plan.tools
    )
    return lambda: preview(dataclasses.replace(made, decisions=decisions), findings, title="t", writable=True)


def test_tools_that_are_left_out_are_looked_up_among_the_findings() -> None:
    """None is held against all of them: ten times as many are ten times the work (C04)."""
    seen = left_out(20)()
    assert [line.where for line in seen.left_out] == ["c: #/p/a"] * 20
    assert seen.faults == ()
    assert growth(left_out, 100) < 11
