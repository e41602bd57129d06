"""The preview as a page of its own: every tool with what decided it; no script, nothing fetched, nothing that runs."""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING

from mcpexpose.model.changes import THE_LOCK, Risk
from mcpexpose.model.finding import Place
from mcpexpose.model.policy import Approval, SideEffect
from mcpexpose.model.text import shown
from mcpexpose.report import changes
from mcpexpose.report.every_tool import ToolLine, every_tool
from mcpexpose.report.findings import FindingsReport, message, whereabouts
from mcpexpose.report.preview import Preview, because_text
from mcpexpose.report.words import age, count, on_the_way, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcpexpose.model.finding import Finding, Location
    from mcpexpose.report.screen import Screen

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --danger: #b3261e; --care: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --danger: #ff8a80; --care: #ffc46b; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9em; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
th { position: sticky; top: 0; background: Canvas; white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.danger { color: var(--danger); font-weight: 600; } .care { color: var(--care); } .quiet { opacity: .65; }
.bar { height: .8rem; background: var(--line); max-width: 40rem; }
.bar > i { display: block; height: 100%; background: currentColor; }
summary { cursor: pointer; padding: .3rem 0; }
"""
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
)
_CLASS = {SideEffect.DESTRUCTIVE: "danger", SideEffect.UNKNOWN: "danger", SideEffect.WRITE: "care"}
_RISK = {Risk.WIDENS: "danger", Risk.SAFETY: "danger", Risk.SCHEMA: "care"}


def render(preview: Preview, screen: Screen) -> str:
    """Text of servers and operators is escaped, so that it can be neither markup nor address."""
    profile = f", profile {_text(preview.profile)}" if preview.profile is not None else ""
    sections = [
        f"<h1>What the model is told: {_text(preview.title)}{profile}</h1>",
        _budget(preview),
        _faults(preview),
        _changes(preview),
        _targets(preview),
        _servers(preview),
        _profiles(preview),
        _tools(preview),
        _rest(preview),
    ]
    return _page(preview.title, sections)


def render_faults(report: FindingsReport, screen: Screen) -> str:
    """What is wrong, as a list."""
    return _page("There is no plan", ["<h1>There is no plan</h1>", _list(report.findings)])


def _page(title: str, sections: Iterable[str]) -> str:
    body = "\n".join(section for section in sections if section)
    return f"{_HEAD}<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _text(text: str | None, limit: int = 400) -> str:
    return html.escape(shown(text or "", limit))


def _budget(preview: Preview) -> str:
    window = preview.plan.context_window
    most = max(preview.tokens, preview.tokens_if_all, 1)
    parts = [f"{count(len(preview.direct), 'tool')} {preview.tokens_tools:,}"]
    if preview.tokens_search_tool:
        parts.append(f"find_tools {preview.tokens_search_tool:,}")
    if preview.tokens_prompt_section:
        parts.append(f"servers section {preview.tokens_prompt_section:,}")
    hidden = "hidden" if preview.profile is None else "hidden or out of reach"
    denied = f" ({preview.denied:,} denied)" if preview.denied else ""
    bars = [
        f'<p>{label}: <b>{tokens:,} tokens</b>, {share(tokens, window)}</p>\n<div class="bar">'
        f'<i style="width:{100 * tokens / most:.2f}%"></i></div>'
        for label, tokens in (("Request 1", preview.tokens), ("If all were declared", preview.tokens_if_all))
    ]
    return "\n".join(
        [
            f"<p>{count(len(preview.servers), 'server')}, {count(preview.tools, 'tool')}; window {window:,} tokens "
            f"(estimate: {_text(preview.plan.estimator)})</p>",
            *bars,
            f"<p>Request 1: {' + '.join(parts)}</p>",
            f"<p>direct <b>{preview.total('direct'):,}</b> · deferred {preview.total('deferred'):,} · {hidden} "
            f"{preview.total('hidden'):,}{denied} · left out {preview.total('left_out'):,}</p>",
        ]
    )


def _faults(preview: Preview) -> str:
    if not preview.faults:
        return ""
    head = "Errors" if preview.writable else "Faults: until they are mended, no plan is written"
    return f'<h2 class="danger">{head}</h2>\n{_list(preview.faults)}'


def _list(findings: Iterable[Finding]) -> str:
    items = []
    for finding in findings:
        at = whereabouts(finding)
        advice = f'<br><span class="quiet">{_text(finding.advice, 1_000)}</span>' if finding.advice else ""
        where = f"{_text(at)}: " if at else ""
        items.append(f"<li>{where}<b>{_text(finding.slug)}</b> {_text(message(finding), 1_000)}{advice}</li>")
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def _changes(preview: Preview) -> str:
    found = preview.changes
    if found is None:
        return ""
    head = "Since the lock" if found.against == THE_LOCK else f"Against {_text(found.against)}"
    if not found.differs:
        return f"<h2>{head}</h2>\n<p>Nothing changed.</p>"
    rows = [
        (
            _painted(f"{change.mark} {change.risk.value}", _RISK.get(change.risk, "")),
            _text(changes.subject(change)),
            _text(changes.said(change), 2_000),
            _text(preview.where(change)),
        )
        for change in found.changes
    ]
    return f"<h2>{head}</h2>\n<p>{_text(changes.summary(found))}</p>\n" + _table(("risk", "what", "change", "at"), rows)


def _targets(preview: Preview) -> str:
    rows = [
        (
            _text(line.target),
            f"{line.tools:,}",
            f"{line.most:,}" if line.most is not None else "–",
            f"{line.tokens:,}",
            share(line.tokens, preview.plan.context_window),
            _text(line.said_lost()),
        )
        for line in preview.targets
    ]
    head = ("target", "tools:", "at most:", "tokens:", "share:", "lost on the way")
    return "<h2>Request 1, as taken by</h2>\n" + _table(head, rows)


def _servers(preview: Preview) -> str:
    rows = []
    for server in preview.servers:
        captured = _painted("no usable catalog", "danger")
        if state := server.catalog:
            old = age(state.seconds) if state.seconds is not None else "no date"
            captured = f"{old} <code>{_text(state.revision[:8])}</code>"
            captured += "" if state.fresh else f" {_painted(state.reason, 'care')}"
        numbers = (server.tools, server.direct, server.deferred, server.hidden, server.left_out, server.tokens_if_all)
        rows.append(
            (
                _text(server.id),
                *(f"{number:,}" for number in numbers),
                share(server.tokens_if_all, preview.plan.context_window),
                captured,
                _text(server.summary),
            )
        )
    head = ("server", "tools:", "direct:", "deferred:", "hidden:", "out:", "if all:", "share:", "captured", "summary")
    return "<h2>Servers</h2>\n" + _table(head, rows)


def _profiles(preview: Preview) -> str:
    if preview.profile is not None or not preview.profiles:
        return ""
    rows = [
        (
            _text(line.name),
            f"{line.reaches:,}",
            f"{line.direct:,}",
            f"{line.tokens:,}",
            share(line.tokens, preview.plan.context_window),
            _text(line.description),
        )
        for line in preview.profiles
    ]
    return "<h2>Profiles</h2>\n" + _table(("profile", "reaches:", "direct:", "carries:", "share:", "for"), rows)


def _tools(preview: Preview) -> str:
    """Every captured tool, a table a server; what the model is told or may find comes before what it never meets."""
    locate = cache(preview.locate)
    tools = every_tool(preview)
    blocks = []
    for server in preview.servers:
        lines = [line for line in tools if line.decision.id.server == server.id]
        if lines:
            rows = [_tool(line, locate) for line in lines]
            head = ("tool", "exposure", "side effect", "approval", "tokens:", "because", "at")
            title = f"{_text(server.id)}: {count(len(lines), 'tool')}"
            blocks.append(f"<details open><summary>{title}</summary>\n{_table(head, rows)}\n</details>")
    return "<h2>Tools</h2>\n" + "\n".join(blocks) if blocks else ""


def _tool(line: ToolLine, locate: Callable[[Place], Location | None]) -> tuple[str, ...]:
    decision = line.decision
    at = locate(Place(line.because.file, line.because.path)) if line.because and line.because.file else None
    met = line.met in ("direct", "deferred")
    risky = met and decision.approval is Approval.AUTO
    paint = _CLASS.get(decision.side_effect, "")
    return (
        f'{_text(decision.id.name)}<br><span class="quiet">{_text(decision.alias)}</span>',
        f"<b>{line.met}</b>" if line.met == "direct" else _painted(line.met, "" if met else "quiet"),
        _painted(decision.side_effect.value, paint),
        _painted(decision.approval.value, paint if risky else "") if met else "–",
        f"{decision.tokens:,}" if met else "–",
        _text(line.decided_by or (because_text(line.because, decision.id) if line.because else "")),
        _text(f"{at.file}:{at.line}") if at else "",
    )


def _rest(preview: Preview) -> str:
    said = on_the_way(preview.warnings)
    return f"<p>{_text(said)}.</p>" if said else ""


def _painted(text: str, style: str) -> str:
    return f'<span class="{style}">{_text(text)}</span>' if style else _text(text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """HEAD's names, one that ends in a colon above numbers; ROWS are markup already."""
    numbers = [name.endswith(":") for name in head]

    def row(cells: Sequence[str], tag: str) -> str:
        marks = [' class="n"' if number else "" for number in numbers]
        made = "".join(f"<{tag}{mark}>{cell}</{tag}>" for cell, mark in zip(cells, marks, strict=True))
        return f"<tr>{made}</tr>"

    lines = [row([_text(name.removesuffix(":")) for name in head], "th"), *(row(cells, "td") for cells in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"
