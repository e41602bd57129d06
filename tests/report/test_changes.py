"""What changed, as a reviewer reads it: riskiest first, one line that sums it up, the same facts in every format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcpexpose.model.changes import Changes, Part, Risk, change, in_order
from mcpexpose.model.finding import Location, Place
from mcpexpose.report.changes import lines, summary
from mcpexpose.report.preview import preview, render
from mcpexpose.report.screen import Screen, cells

if TYPE_CHECKING:
    from mcpexpose.model.plan import Compiled

CHANGES = Changes(
    "the lock",
    in_order(
        [
            change("tool", "jira/search", [Part(Risk.TEXT, "description", "description +41 −12 words")]),
            change("tool", "db/query", [Part(Risk.SAFETY, "annotations", "destructiveHint true → false")]),
            change("tool", "git/git_status", [Part(Risk.WIDENS, "exposure", "deferred → direct")], note="write · asks"),
            change("profile", "ci", [Part(Risk.NARROWS, "tools", "no longer reaches git/push")]),
        ]
    ),
    (4, 5),
    (2_610, 2_968),
)


def test_the_section_is_one_line_a_tool_and_a_summary() -> None:
    """As the sketch has it (C07)."""
    text = lines(CHANGES, Screen(), lambda each: "config.toml:44" if each.kind == "tool" and each.mark == "+" else "")
    assert text[0] == "  SINCE THE LOCK"
    assert " ".join(text[1].split()) == "+ WIDENS git/git_status deferred → direct · write · asks config.toml:44"
    assert len(text[1]) == 100
    assert [line.split()[1] for line in text[1:5]] == ["WIDENS", "SAFETY", "TEXT", "NARROWS"]
    assert "profile ci" in text[4]
    assert text[-1] == "  1 widened, 1 safety, 1 text, 1 narrowed · direct 4 → 5 · 2,610 → 2,968 tokens"


def test_the_section_fits_its_screen_and_its_encoding() -> None:
    long = Changes(
        "main",
        (change("tool", "server/" + "n" * 70, [Part(Risk.SAFETY, "inputSchema", "argument " * 30)]), *CHANGES.changes),
    )
    for width in (60, 80, 120):
        text = lines(long, Screen(width=width), lambda _: "config.toml:44")
        assert all(cells(line) <= width for line in text if "nnn" not in line)
    plain = "\n".join(lines(long, Screen(encoding="ascii")))
    assert plain.isascii()
    assert "deferred -> direct" in plain
    assert "AGAINST main" in plain


def test_colour_is_for_risk_alone() -> None:
    text = lines(CHANGES, Screen(colour=True))
    assert "\x1b[31m+ WIDENS " in text[1]
    assert "\x1b" not in text[3]


def test_where_nothing_changed_it_is_said() -> None:
    nothing = Changes("main", (), (4, 4), (10, 10))
    assert lines(nothing, Screen()) == ["  AGAINST main: nothing changed"]
    assert summary(nothing) == "nothing changed · direct 4 · 10 tokens"


def made(compiled: Compiled, changes: Changes | None, **more: Any) -> Any:
    return preview(compiled, (), title="config.toml", changes=changes, **more)


def test_the_preview_has_it_and_the_place_of_the_deciding_key(compiled: Compiled) -> None:
    """Every claim with its place (C07)."""

    def locate(place: Place) -> Location | None:
        return Location("config.toml", 44, 1, 44, 9) if "exposure" in place.path else None

    seen = made(compiled, CHANGES, locate=locate)
    text = render("text", seen, Screen())
    (line,) = [line for line in text.split("\n") if "deferred → direct" in line]
    assert line.endswith("config.toml:44")
    assert "SINCE THE LOCK" not in render("text", made(compiled, Changes("the lock", ())), Screen())
    assert "AGAINST main: nothing changed" in render("text", made(compiled, Changes("main", ())), Screen())
    assert "SINCE" not in render("text", made(compiled, None), Screen())


def test_json_has_it_under_changes(compiled: Compiled) -> None:
    """C07"""
    value = json.loads(render("json", made(compiled, CHANGES), Screen()))["changes"]
    assert (value["against"], value["differs"], value["direct"], value["tokens"]) == (
        "the lock",
        True,
        [4, 5],
        [2_610, 2_968],
    )
    assert value["summary"] == {"WIDENS": 1, "SAFETY": 1, "SCHEMA": 0, "TEXT": 1, "NARROWS": 1}
    assert value["changes"][0]["subject"] == "git/git_status"
    assert value["changes"][0]["risk"] == "WIDENS"
    assert json.loads(render("json", made(compiled, None), Screen()))["changes"] is None


def test_markdown_shows_the_summary_and_folds_what_is_long(compiled: Compiled) -> None:
    """For a comment on a pull request (C07)."""
    text = render("markdown", made(compiled, CHANGES), Screen())
    assert "**Since the lock:** 1 widened, 1 safety, 1 text, 1 narrowed · direct 4 → 5" in text
    assert "**SAFETY** | db/query | destructiveHint true → false" in text
    many = tuple(change("tool", f"git/<b>@team{n}", [Part(Risk.TEXT, "description", "票" * 300)]) for n in range(5_000))
    text = render("markdown", made(compiled, Changes("main", many)), Screen())
    assert "<details><summary>5,000 changes</summary>" in text
    assert "more rows" in text
    assert len(text.encode()) < 60_000
    assert "@team" not in text.replace("\\@", "")
    assert "<b>" not in text
