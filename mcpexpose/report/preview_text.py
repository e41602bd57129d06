"""The preview for a terminal or a pipe: the one number first, then what a reviewer decides on, then the rest."""

from __future__ import annotations

from mcpexpose.model.changes import THE_LOCK
from mcpexpose.model.policy import Approval, SideEffect
from mcpexpose.report import changes, findings_text
from mcpexpose.report.findings import FindingsReport, message, whereabouts
from mcpexpose.report.preview import DirectLine, Preview, ServerLine, because_text
from mcpexpose.report.screen import (
    Cell,
    Column,
    Paint,
    Painted,
    Screen,
    cells,
    pad,
    table,
    table_with_notes,
    under,
    width,
)
from mcpexpose.report.words import age, count, names, on_the_way, share

RISK = {
    SideEffect.DESTRUCTIVE: Paint.DANGER,
    SideEffect.UNKNOWN: Paint.DANGER,
    SideEffect.WRITE: Paint.CARE,
    SideEffect.READ_ONLY: Paint.NONE,
}
_SUMMARY_INLINE = 24
_ROWS = 100


def render(preview: Preview, screen: Screen) -> str:
    """The whole preview; sections that have nothing to say are not there."""
    sections = [
        screen.wrap(_title(preview, screen)),
        _budget(preview, screen),
        [_counts(preview, screen)],
        _faults(preview, screen),
        _servers(preview, screen),
        _direct(preview, screen),
        _left_out(preview, screen),
        _changes(preview, screen),
        _profiles(preview, screen),
        _rest(preview, screen),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def render_faults(report: FindingsReport, screen: Screen) -> str:
    """What is wrong, as lint says it."""
    return findings_text.render(report, screen)


def _title(preview: Preview, screen: Screen) -> str:
    parts = [screen.text(preview.title)]
    if preview.profile is not None:
        parts.append(f"profile {screen.text(preview.profile)}")
    parts.append(f"{count(len(preview.servers), 'server')}, {count(preview.tools, 'tool')}")
    parts.append(f"window {preview.plan.context_window:,} tokens (estimate: {preview.plan.estimator})")
    return f" {screen.dot} ".join(parts)


def _budget(preview: Preview, screen: Screen) -> list[str]:
    most = max(preview.tokens, preview.tokens_if_all, 1)
    width = min(max(screen.width - 50, 10), 50)
    rows = (("what the model carries", preview.tokens), ("if all were declared", preview.tokens_if_all))
    lines = [
        f"  {label:<22}   {screen.bar(tokens / most, width)} {tokens:>8,}  "
        f"{share(tokens, preview.plan.context_window):>7}"
        for label, tokens in rows
    ]
    parts = [f"{count(len(preview.direct), 'tool')} {preview.tokens_tools:,}"]
    if preview.tokens_search_tool:
        parts.append(f"find_tools {preview.tokens_search_tool:,}")
    if preview.tokens_prompt_section:
        parts.append(f"servers section {preview.tokens_prompt_section:,}")
    window = preview.plan.context_window
    targets = f" {screen.dot} ".join(line.said(window) for line in preview.targets)
    taken = screen.wrap(targets, "  as taken by: ", "    ") if preview.tokens else []
    return [*lines, "  request 1: " + " + ".join(parts), *taken]


def _counts(preview: Preview, screen: Screen) -> str:
    hidden = "hidden" if preview.profile is None else "hidden or out of reach"
    denied = f" ({preview.denied:,} denied)" if preview.denied else ""
    left_out = preview.total("left_out")
    parts = [
        screen.paint(f"direct {preview.total('direct'):,}", Paint.OPEN),
        f"deferred {preview.total('deferred'):,}",
        screen.paint(f"{hidden} {preview.total('hidden'):,}{denied}", Paint.CLOSED),
        screen.paint(f"left out {left_out:,}", Paint.DANGER if left_out else Paint.NONE),
    ]
    return "  " + f" {screen.dot} ".join(parts)


def _faults(preview: Preview, screen: Screen) -> list[str]:
    if not preview.faults:
        return []
    head = "ERRORS" if preview.writable else "FAULTS: until they are mended, --out writes nothing"
    lines = [f"  {head}"]
    for finding in preview.faults[:_ROWS]:
        where = whereabouts(finding)
        slug = screen.paint(finding.slug, Paint.DANGER)
        lines.append(f"  {screen.safe(where)}{': ' if where else ''}{slug}  {screen.safe(message(finding))}")
    return lines + _more(len(preview.faults))


def _servers(preview: Preview, screen: Screen) -> list[str]:
    if not preview.servers:
        return []
    out = any(server.left_out for server in preview.servers)
    columns = [
        Column("SERVER", least=8),
        Column("TOOLS", ">"),
        Column("DIRECT", ">"),
        Column("DEFERRED", ">"),
        Column("HIDDEN", ">"),
        *([Column("OUT", ">")] if out else []),
        Column("IF ALL", ">"),
        Column("SHARE", ">"),
        Column("CAPTURED"),
    ]
    rows: list[list[Cell]] = [
        [
            screen.text(server.id),
            f"{server.tools:,}",
            Painted(f"{server.direct:,}", Paint.OPEN if server.direct else Paint.NONE),
            f"{server.deferred:,}",
            Painted(f"{server.hidden:,}", Paint.CLOSED if server.hidden else Paint.NONE),
            *([Painted(f"{server.left_out:,}", Paint.DANGER if server.left_out else Paint.NONE)] if out else []),
            f"{server.tokens_if_all:,}",
            share(server.tokens_if_all, preview.plan.context_window),
            _captured(server, screen),
        ]
        for server in preview.servers
    ]
    if width(columns, rows) > screen.width:
        at = [column.title for column in columns].index("SHARE")
        columns, rows = [*columns[:at], *columns[at + 1 :]], [[*row[:at], *row[at + 1 :]] for row in rows]
    return [*_with_summaries(preview, columns, rows, screen), *_stale(preview, screen)]


def _with_summaries(preview: Preview, columns: list[Column], rows: list[list[Cell]], screen: Screen) -> list[str]:
    """Summaries stand in a last column where there is room for it, else each under its server."""
    summaries = [screen.text(server.summary) for server in preview.servers]
    left = (
        screen.width
        - max(cells(line) for line in table(columns, rows, Screen(screen.width, False, screen.encoding)))
        - 2
    )
    wanted = max(cells(summary) for summary in summaries)
    if wanted and left >= min(wanted, _SUMMARY_INLINE):
        title = "SUMMARY FOR THE MODEL" if left >= 21 else "SUMMARY"
        full: list[list[Cell]] = [[*row, summary] for row, summary in zip(rows, summaries, strict=True)]
        return table([*columns, Column(title, least=8)], full, screen)
    return under(table(columns, rows, screen), [screen.fit(summary, screen.width - 6) for summary in summaries], screen)


def _captured(server: ServerLine, screen: Screen) -> Cell:
    if server.catalog is None:
        return Painted("no usable catalog", Paint.DANGER)
    seconds = server.catalog.seconds
    old = "undated" if seconds is None else "ahead" if seconds < -300 else age(seconds)
    mark = "" if server.catalog.fresh else " !"
    text = f"{pad(old, 7, '>')}  {server.catalog.revision[:8]}{mark}"
    return Painted(text, Paint.CARE) if mark else text


def _stale(preview: Preview, screen: Screen) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for server in preview.servers:
        if server.catalog and not server.catalog.fresh:
            reasons.setdefault(server.catalog.reason, []).append(screen.text(server.id))
    lines = []
    for reason, servers in reasons.items():
        text = f"{names(servers, 4)}: {reason}; capture again, or a host will refresh it before a call"
        lines += screen.wrap(text, "  ! ", "    ")
    return lines


def _direct(preview: Preview, screen: Screen) -> list[str]:
    if not preview.direct:
        return ["  DIRECT, in request 1: none but find_tools"] if preview.tokens_search_tool else []
    columns = [
        Column("DIRECT, in request 1", least=20),
        Column("SIDE EFFECT"),
        Column("APPROVAL"),
        Column("TOKENS", ">"),
    ]
    shown = preview.direct[:_ROWS]
    rows = [_direct_row(line, screen) for line in shown]
    reasons = [_reason(line, screen) for line in shown]
    lines = table_with_notes(columns, rows, [Column("BECAUSE"), Column("")], reasons, screen)
    return lines + _more(len(preview.direct))


def _direct_row(line: DirectLine, screen: Screen) -> list[Cell]:
    tool = line.tool
    risky = tool.approval is Approval.AUTO and RISK[tool.side_effect] is not Paint.NONE
    return [
        screen.text(tool.alias),
        Painted(tool.side_effect.value, RISK[tool.side_effect]),
        Painted(tool.approval.value, RISK[tool.side_effect] if risky else Paint.NONE),
        f"{tool.tokens:,}",
    ]


def _reason(line: DirectLine, screen: Screen) -> tuple[str, str]:
    because = screen.text(because_text(line.because, line.tool.id)) if line.because else ""
    return because, screen.text(f"{line.at.file}:{line.at.line}") if line.at else ""


def _left_out(preview: Preview, screen: Screen) -> list[str]:
    if not preview.left_out:
        return []
    columns = [Column("LEFT OUT", least=16), Column("BY")]
    shown = preview.left_out[:_ROWS]
    rows: list[list[Cell]] = [[screen.text(line.subject), Painted(line.slug, Paint.DANGER)] for line in shown]
    places = [[screen.text(line.where)] for line in shown]
    return table_with_notes(columns, rows, [Column("AT")], places, screen) + _more(len(preview.left_out))


def _changes(preview: Preview, screen: Screen) -> list[str]:
    if preview.changes is None or not (preview.changes.differs or preview.changes.against != THE_LOCK):
        return []
    return changes.lines(preview.changes, screen, preview.where)


def _profiles(preview: Preview, screen: Screen) -> list[str]:
    if not preview.profiles or preview.profile is not None:
        return []
    columns = [
        Column("PROFILE", least=8),
        Column("REACHES", ">"),
        Column("DIRECT", ">"),
        Column("CARRIES", ">"),
        Column("SHARE", ">"),
        Column("FOR", least=10),
    ]
    rows: list[list[Cell]] = [
        [
            screen.text(line.name),
            f"{line.reaches:,}",
            f"{line.direct:,}",
            f"{line.tokens:,}",
            share(line.tokens, preview.plan.context_window),
            screen.text(line.description),
        ]
        for line in preview.profiles
    ]
    return table(columns, rows, screen)


def _rest(preview: Preview, screen: Screen) -> list[str]:
    said = on_the_way(preview.warnings)
    return screen.wrap(said, "  ", "  ") if said else []


def _more(number: int) -> list[str]:
    return [f"  and {number - _ROWS:,} more: --format json has all"] if number > _ROWS else []
