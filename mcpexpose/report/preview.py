"""The facts of a preview, counted once, so that text, markdown, HTML and JSON cannot disagree."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.policy import Exposure, PolicyState
from mcpexpose.surface.view import find_profile, first_rows, reachable, view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcpexpose.model.changes import Change, Changes
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Because, Compiled, Plan, PlannedTool, ToolDecision
    from mcpexpose.report.findings import FindingsReport
    from mcpexpose.report.for_targets import TargetLine
    from mcpexpose.report.screen import Screen

FORMATS: Mapping[str, str] = {
    "text": "mcpexpose.report.preview_text",
    "json": "mcpexpose.report.preview_json",
    "markdown": "mcpexpose.report.preview_markdown",
    "html": "mcpexpose.report.preview_html",
}
"""Name of a format to the module that renders it: `render(preview, screen) -> str`."""


@dataclass(frozen=True, slots=True)
class CatalogState:
    """A server's catalog, and how old it is at the time of the preview."""

    revision: str
    seconds: float | None
    """None where the catalog has no time stamp that can be read."""
    fresh: bool = True
    reason: str = ""
    """Why it is not, in words: "older than max_age 7d"."""


@dataclass(frozen=True, slots=True)
class ServerLine:
    """One server of the preview."""

    id: str
    tools: int
    """Captured ones, those left out among them."""
    direct: int
    """Declared in request 1."""
    deferred: int
    hidden: int
    """Hidden or denied, or out of the profile's reach."""
    left_out: int
    tokens_if_all: int
    summary: str
    catalog: CatalogState | None


@dataclass(frozen=True, slots=True)
class DirectLine:
    """One tool of request 1 and what put it there."""

    tool: PlannedTool
    because: Because | None
    at: Location | None


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """One tool or server that a finding left out."""

    subject: str
    slug: str
    where: str


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """What one profile reaches, and what its request 1 weighs."""

    name: str
    description: str
    reaches: int
    direct: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What a reviewer sees of a plan, under one profile or none."""

    title: str
    profile: str | None
    writable: bool
    compiled: Compiled
    findings: tuple[Finding, ...]
    tokens: int
    """Of request 1: declared tools, search tool and prompt section."""
    tokens_tools: int
    tokens_search_tool: int
    tokens_prompt_section: int
    servers: tuple[ServerLine, ...]
    direct: tuple[DirectLine, ...]
    left_out: tuple[LeftOutLine, ...]
    profiles: tuple[ProfileLine, ...]
    faults: tuple[Finding, ...] = field(default=())
    """Errors that no left-out tool or server stands for."""
    changes: Changes | None = None
    """Since the lock, or against the side that was asked for; None where there is nothing to compare with."""
    targets: tuple[TargetLine, ...] = ()
    """Request 1 as each target takes it."""
    locate: Callable[[Place], Location | None] = lambda place: None
    """Where a layer of a decision stands."""
    places: Mapping[str, Location] = field(default_factory=dict)
    """By `server/tool`: what in the config made a change."""

    def where(self, change: Change) -> str:
        """The place that made a change, `config.toml:44`; "" where it was a server."""
        at = self.places.get(change.subject) if change.kind == "tool" else None
        return f"{at.file}:{at.line}" if at else ""

    @property
    def plan(self) -> Plan:
        return self.compiled.plan

    @property
    def tools(self) -> int:
        return len(self.compiled.decisions)

    @property
    def tokens_if_all(self) -> int:
        return self.plan.totals.tokens_if_all

    @property
    def warnings(self) -> int:
        return sum(finding.severity is Severity.WARNING for finding in self.findings)

    def total(self, name: str) -> int:
        """The sum over servers of `direct`, `deferred`, `hidden` or `left_out`."""
        return sum(getattr(server, name) for server in self.servers)

    @property
    def denied(self) -> int:
        return sum(
            decision.policy_state is PolicyState.DENIED and not decision.left_out_by
            for decision in self.compiled.decisions
        )


def render(form: str, preview: Preview, screen: Screen) -> str:
    """PREVIEW in FORM, a key of FORMATS."""
    text: str = import_module(FORMATS[form]).render(preview, screen)
    return text


def render_faults(form: str, report: FindingsReport, screen: Screen) -> str:
    """The findings in place of a preview, where nothing could be planned."""
    text: str = import_module(FORMATS[form]).render_faults(report, screen)
    return text


def preview(
    compiled: Compiled,
    findings: tuple[Finding, ...],
    *,
    title: str,
    writable: bool = True,
    profile: str | None = None,
    catalogs: Mapping[str, CatalogState] | None = None,
    servers: tuple[str, ...] = (),
    locate: Callable[[Place], Location | None] = lambda place: None,
    changes: Changes | None = None,
) -> Preview:
    """Count everything. SERVERS are the enabled ids, so that one without a catalog is seen too.

    WRITABLE is false where config or packs are at fault. Raises SelectionRefused where the plan has no such profile.
    """
    from mcpexpose.report import for_targets

    plan = compiled.plan
    chosen = find_profile(plan, profile)

    def definition(row: int) -> dict[str, Any]:
        return dict(json.loads(compiled.definitions[row]))

    seen = view(plan, definition, profile)
    rows = first_rows(plan, chosen)
    declared = frozenset(plan.tools[row].id for row in rows)
    reach = frozenset(plan.tools[row].id for row in reachable(plan, chosen))
    decided = {decision.id: decision for decision in compiled.decisions}
    left_out = _left_out(compiled, findings)
    named = frozenset((line.slug, line.subject) for line in left_out)
    return Preview(
        title=title,
        profile=profile,
        writable=writable and compiled.writable,
        compiled=compiled,
        findings=findings,
        tokens=seen.tokens,
        tokens_tools=seen.tokens_tools,
        tokens_search_tool=seen.tokens_search_tool,
        tokens_prompt_section=seen.tokens_prompt_section,
        servers=_servers(compiled, servers, declared, reach, catalogs or {}),
        direct=tuple(_direct(plan.tools[row], decided.get(plan.tools[row].id), profile, locate) for row in rows),
        left_out=left_out,
        profiles=_profiles(compiled),
        faults=tuple(
            finding for finding in findings if finding.severity is Severity.ERROR and not _stands_for(finding, named)
        ),
        changes=changes,
        targets=tuple(for_targets.lines(plan, rows, definition, seen)),
        locate=locate,
        places=_places(changes, decided, locate) if changes else {},
    )


def why_direct(decision: ToolDecision, profile: str | None) -> Because | None:
    """What put a tool into request 1: the profile's selection where it is not direct anyhow, else its exposure.

    A decision's layers know their places; those of a plan do not.
    """
    if profile is not None and decision.exposure is not Exposure.DIRECT:
        start = ("profiles", profile)
        selections = [each for each in (*decision.because, *decision.losers) if each.axis == "selection"]
        named = [each for each in selections if each.path[:2] == start] or selections
        if named:
            return named[0]
    return next((because for because in decision.because if because.axis == "exposure"), None)


def because_text(because: Because, tool: ToolId) -> str:
    """The deciding key without what its row says already: `tools."get_*".exposure`, `deny "delete_*"`."""
    key = because.key
    for prefix in (f"mcp_servers.{tool.server}.", f'mcp_servers."{tool.server}".'):
        if key.startswith(
            (prefix + "tools.", prefix + "allow", prefix + "deny", prefix + "enabled_", prefix + "disabled_")
        ):
            key = key.removeprefix(prefix)
    for table in ("exposure", "policy"):
        if key.startswith(f"{table}."):
            key = f"[{table}] {key.removeprefix(table + '.')}"
    if because.layer == "profile" and key.endswith("default_tools"):
        key = "default_tools of profile " + key.removeprefix("profiles.").removesuffix(".default_tools")
    if because.layer == "hint":
        return f"the server's hint {because.reason}" if because.reason else key
    return f"{key}: {because.reason}" if because.reason and because.layer in {"auto", "pack"} else key


def decision_json(decision: ToolDecision) -> dict[str, Any]:
    """A decision as the JSON outputs have it; `because` and `losers` as in plan.json."""
    from mcpexpose.model.jsonform import to_json

    value: dict[str, Any] = to_json(decision)
    del value["id"]
    return {"server": decision.id.server, "name": decision.id.name, **value}


def _servers(
    compiled: Compiled,
    enabled: tuple[str, ...],
    declared: frozenset[ToolId],
    reach: frozenset[ToolId],
    catalogs: Mapping[str, CatalogState],
) -> tuple[ServerLine, ...]:
    planned = {server.id: server for server in compiled.plan.servers}
    tokens: Counter[str] = Counter()
    for tool in compiled.plan.tools:
        tokens[tool.server] += tool.tokens
    counts: dict[str, Counter[str]] = {}
    for decision in compiled.decisions:
        counter = counts.setdefault(decision.id.server, Counter())
        counter["tools"] += 1
        if decision.left_out_by:
            counter["left_out"] += 1
        elif decision.id in declared:
            counter["direct"] += 1
        elif decision.in_plan and decision.id in reach:
            counter["deferred"] += 1
        else:
            counter["hidden"] += 1
    return tuple(
        ServerLine(
            id=server,
            tools=counts.get(server, Counter())["tools"],
            direct=counts.get(server, Counter())["direct"],
            deferred=counts.get(server, Counter())["deferred"],
            hidden=counts.get(server, Counter())["hidden"],
            left_out=counts.get(server, Counter())["left_out"],
            tokens_if_all=tokens[server],
            summary=planned[server].summary if server in planned else "",
            catalog=catalogs.get(server),
        )
        for server in sorted({*enabled, *counts, *planned})
    )


def _direct(
    tool: PlannedTool,
    decision: ToolDecision | None,
    profile: str | None,
    locate: Callable[[Place], Location | None],
) -> DirectLine:
    because = why_direct(decision, profile) if decision else None
    at = locate(Place(because.file, because.path)) if because and because.file else None
    return DirectLine(tool, because, at)


def _places(
    changes: Changes, decided: Mapping[ToolId, ToolDecision], locate: Callable[[Place], Location | None]
) -> dict[str, Location]:
    """Of each tool whose exposure, approval or class is another one: the layer that won."""
    by_name = {str(tool): decision for tool, decision in decided.items()}
    found: dict[str, Location] = {}
    for change in changes.changes:
        decision = by_name.get(change.subject) if change.kind == "tool" else None
        axis = next((part.field for part in change.parts if part.field in _AXES), None)
        for because in decision.because if decision and axis else ():
            if because.axis == axis and because.file and (at := locate(Place(because.file, because.path))):
                found[change.subject] = at
    return found


_AXES = ("exposure", "approval", "side_effect")


def _left_out(compiled: Compiled, findings: tuple[Finding, ...]) -> tuple[LeftOutLine, ...]:
    lines = []
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        for tool in _tools_of(finding):
            first.setdefault((finding.slug, tool), finding)
    for decision in compiled.decisions:
        if slug := decision.left_out_by:
            named = first.get((slug, str(decision.id)))
            lines.append(LeftOutLine(str(decision.id), slug, _where(named) if named else ""))
    known = {server.id for server in compiled.plan.servers} | {decision.id.server for decision in compiled.decisions}
    for finding in findings:
        server = finding.subjects[0] if finding.subjects else ""
        if finding.slug in _LEAVE_SERVER_OUT and finding.severity is Severity.ERROR and server not in known:
            lines.append(LeftOutLine(server, finding.slug, _where(finding)))
    return tuple(lines)


_LEAVE_SERVER_OUT = frozenset(
    {
        "catalog-missing",
        "catalog-invalid-json",
        "catalog-invalid",
        "catalog-server-mismatch",
        "catalog-too-large",
        "catalog-too-deep",
        "catalog-incomplete",
    }
)


def _tools_of(finding: Finding) -> Iterator[str]:
    """Each subject, and what stands before a `#` in it: a tool, where a pointer into its schema follows."""
    for subject in finding.subjects:
        yield subject
        at = subject.find("#")
        for _ in range(_POINTERS):
            if at < 0:
                break
            yield subject[:at]
            at = subject.find("#", at + 1)


_POINTERS = 20
"""Signs of one subject that are tried; a name may hold any number of them."""


def _stands_for(finding: Finding, left_out: frozenset[tuple[str, str]]) -> bool:
    return any((finding.slug, tool) in left_out for tool in _tools_of(finding))


def _where(finding: Finding) -> str:
    """The place and, of a schema, the pointer within it: `catalogs/proxy.json: #/properties/creds/$ref`."""
    file = finding.location.file if finding.location else finding.place.file if finding.place else ""
    pointer = next((subject.partition("#")[2] for subject in finding.subjects if "#" in subject), "")
    if pointer:
        return f"{file}: #{pointer}"
    return f"{file}:{finding.location.line}" if finding.location else file


def _profiles(compiled: Compiled) -> tuple[ProfileLine, ...]:
    lines = []
    for profile in compiled.plan.profiles:
        seen = view(compiled.plan, lambda row: json.loads(compiled.definitions[row]), profile.name)
        rows = first_rows(compiled.plan, profile)
        lines.append(ProfileLine(profile.name, profile.description, len(profile.tools), len(rows), seen.tokens))
    return tuple(lines)
