"""The preview as a page: whole, harmless, and with the same numbers as the other formats."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest

from mcpexpose.model.finding import Finding, Severity
from mcpexpose.report.every_tool import every_tool
from mcpexpose.report.findings import FindingsReport
from mcpexpose.report.preview import render, render_faults
from mcpexpose.report.screen import Screen
from tests.builders import Compiled, tool
from tests.builders import compiled as made_of
from tests.report.test_preview import FAULT, make

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Its tags, each closed where it has to be; its words, and the cells of its rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "tr" in self.open and self.rows[-1]:
            self.rows[-1][-1] += data


def test_each_captured_tool_stands_in_it(compiled: Compiled) -> None:
    """What is declared, deferred, hidden, and why (C04): no tool is missing, hidden ones neither."""
    made = make(compiled)
    rows = {row[0]: row for row in Page(render("html", made, Screen())).rows if len(row) == 7}
    lines = every_tool(made)
    assert len(lines) == made.tools == len(rows) - 1
    for line in lines:
        row = rows[f"{line.decision.id.name}{line.decision.alias}"]
        assert row[1] == line.met
        assert bool(row[5]) is bool(line.because or line.decided_by)


@pytest.mark.parametrize("profile", [None, "browse"])
def test_the_numbers_are_those_of_the_other_formats(compiled: Compiled, profile: str | None) -> None:
    """Counted once (C04)."""
    made = make(compiled, profile=profile)
    page = render("html", made, Screen())
    value = json.loads(render("json", made, Screen()))["preview"]
    assert f"<b>{value['tokens']:,} tokens</b>" in page
    counted = {met: sum(line.met == met for line in every_tool(made)) for met in ("direct", "deferred", "left out")}
    assert counted == {
        "direct": made.total("direct"),
        "deferred": made.total("deferred"),
        "left out": made.total("left_out"),
    }
    assert f"direct <b>{counted['direct']}</b> · deferred {counted['deferred']}" in page
    for each in value["targets"]:
        assert [each["target"], str(each["tools"])] == next(
            row[:2] for row in Page(page).rows if row[0] == each["target"] and len(row) == 6
        )


def test_nothing_in_it_runs_or_is_fetched(compiled: Compiled) -> None:
    """A page that a reviewer opens from a stranger's pull request (C08)."""
    evil = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[31m"
    hostile = made_of(tool("git", "log", evil), tool(evil, "t", "d"))
    fault = Finding("config-type", Severity.ERROR, evil, (evil,), evil)
    for page in (
        render("html", make(hostile, fault, title=evil, servers=(evil,)), Screen()),
        render_faults("html", FindingsReport((fault,)), Screen()),
    ):
        found = Page(page)
        assert not found.tags & {"script", "img", "a", "link", "iframe", "form", "base", "object"}
        assert not {each for each in found.attributes if each.startswith("on") or each in ("href", "src", "srcset")}
        assert "default-src 'none'" in page
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page)
        assert html.escape("<script>") in page


def test_faults_stand_in_it_with_what_to_do(compiled: Compiled) -> None:
    page = render("html", make(compiled, FAULT, writable=False), Screen())
    assert "no plan is written" in page
    assert "config.toml:24:9" in page
