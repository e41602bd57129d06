"""The frozen plan: plain dataclasses, since a host loads them at start. Sorted, without clock, path or line number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.model.records import dataclass
from mcpexpose.model.transport import Transport

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding

PLAN_FORMAT = 1
SEARCH_TOOL = "find_tools"
"""The name that hosts and models know (F10); no other tool answers to it."""

AxisName = Literal["exposure", "side_effect", "approval", "policy_state", "description", "selection"]
MinMatch = float | Literal["weak"]
"""What the best match must score at least; "weak": any match that is marked as weak is none."""
Layer = Literal[
    "tool", "server", "exposure", "policy", "pack", "hint", "auto", "allow", "deny", "profile", "default", "finding"
]


@dataclass(frozen=True, slots=True)
class Because:
    """One layer's say on one axis. The plan holds the winners; `explain` shows the losers too."""

    axis: AxisName
    value: str
    """What this layer wanted."""
    layer: Layer
    key: str
    """The deciding key as people write it: `mcp_servers.github.tools."get_*".exposure`, `baseline@1: delete_*`."""
    reason: str = ""
    """A pack's reason, the measured share of `auto`, the hint's name and value, a finding's slug."""
    file: str = ""
    """The config's or pack's name, for whoever looks up the line; "" where there is no file. In a plan always "", and
    `path` (), since a config may bear any name and hold its lists in any order: `Compiled.decisions` have both."""
    path: tuple[str | int, ...] = ()
    """Where in that file."""


@dataclass(frozen=True, slots=True)
class PlannedTool:
    """One tool that the model may meet. Sorted by (server, name) in a plan; the row is the search document's number."""

    server: str
    name: str
    alias: str
    """What a model calls it; looked up, never parsed."""
    exposure: Exposure
    policy_state: PolicyState
    side_effect: SideEffect
    approval: Approval
    groups: tuple[str, ...]
    title: str
    description: str
    """In force: the operator's where there is one, else the server's, as it came."""
    replaced_description_digest: str | None
    """Of the server's text where the operator's replaced it."""
    keywords: tuple[str, ...]
    idempotent: bool | None
    tokens: int
    """Of the declaration as the model gets it, by the plan's estimator."""
    definition_digest: str
    """SHA-256 of its line in definitions.bin."""
    offset: int
    """Bytes from the start of definitions.bin."""
    length: int
    """Bytes of the line, without its line feed."""
    because: tuple[Because, ...]

    @property
    def id(self) -> ToolId:
        """What policy and dispatch go by."""
        return ToolId(self.server, self.name)


@dataclass(frozen=True, slots=True)
class PlannedServer:
    """One server of which at least one tool is in the plan."""

    id: str
    transport: Transport
    summary: str
    """The operator's description, its first line; "" where there is none."""
    owner: str | None
    groups: tuple[str, ...]
    revision: str
    captured_at: str | None
    """The only field that is not part of the plan's digest."""
    protocol: str | None
    ttl_ms: int | None
    trust_annotations: bool


@dataclass(frozen=True, slots=True)
class PlannedProfile:
    """A kind of task: which tools it may reach, and which it is told at once."""

    name: str
    description: str
    groups: tuple[str, ...] | None
    side_effects: tuple[SideEffect, ...] | None
    unattended: bool
    tools: tuple[str, ...]
    """`server/tool` of all that it may reach, sorted."""
    default_tools: tuple[str, ...]
    """`server/tool` of those declared from request 1 by selection, sorted; direct ones are declared anyhow."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The config's `[limits]` and `[freshness]`, in units."""

    result_max_bytes: int
    args_max_bytes: int
    max_age_s: float | None


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What the operator added to ranking."""

    limit: int
    synonyms: Mapping[str, tuple[str, ...]]
    min_match: MinMatch


@dataclass(frozen=True, slots=True)
class Totals:
    """Tokens by the plan's estimator; counts of tools that are in the plan."""

    direct: int
    deferred: int
    tokens_direct: int
    tokens_search_tool: int
    tokens_prompt_section: int
    tokens_if_all: int
    """Every definition of the plan declared at once, without search tool and section."""

    @property
    def tokens_request_1(self) -> int:
        return self.tokens_direct + self.tokens_search_tool + self.tokens_prompt_section


@dataclass(frozen=True, slots=True)
class Plan:
    """What `plan.json` holds."""

    format: int
    tool_version: str
    analyzer_version: str
    ranking_version: str
    estimator: str
    """Name and version: "pieces-1"."""
    context_window: int
    targets: tuple[str, ...]
    inputs: Mapping[str, str]
    """Digests of meaning: "config", "pack NAME@VERSION", "catalog SERVER"."""
    servers: tuple[PlannedServer, ...]
    tools: tuple[PlannedTool, ...]
    profiles: tuple[PlannedProfile, ...]
    limits: Limits
    search: SearchSettings
    prompt_section: str
    """Without a profile, all servers available; "" where no server has a deferred tool."""
    totals: Totals


@dataclass(frozen=True, slots=True)
class ToolDecision:
    """What the compiler made of one captured tool, in the plan or not: for previews and `explain`, never for a host."""

    id: ToolId
    alias: str
    exposure: Exposure
    policy_state: PolicyState
    side_effect: SideEffect
    approval: Approval
    groups: tuple[str, ...]
    description: str
    tokens: int
    in_plan: bool
    left_out_by: str | None
    """Slug of the finding that left it out."""
    because: tuple[Because, ...]
    """The winner of each axis, in the order of AxisName."""
    losers: tuple[Because, ...] = ()
    """Every other layer that had a say, by axis, the nearest to winning first."""
    declared_side_effect: SideEffect | None = None
    """The config's class; None where no tool table gives one."""
    hint_side_effect: SideEffect | None = None
    """What the server's hints claim, believed or not; None where they claim nothing."""
    side_effect_before_packs: SideEffect | None = None
    """From the config, a hint or neither, before a pack raised it."""
    profiles: tuple[str, ...] = ()
    """Names of the profiles that reach it."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile gives: the plan (what could be planned), its definitions, and all that was decided on the way."""

    plan: Plan
    definitions: tuple[bytes, ...]
    """Canonical JSON, one a tool of the plan, in its order."""
    decisions: tuple[ToolDecision, ...]
    """Of every captured tool of every enabled server, sorted."""
    findings: tuple[Finding, ...]
    writable: bool
    """False where the operator's own text is at fault: then `--out` writes nothing."""
    faults: tuple[Finding, ...] = ()
    """Those of the findings that made it unwritable, for whoever knows which of them are waived."""


Definition = Mapping[str, Any]
"""A line of definitions.bin: server, name, alias, title, description (in force), inputSchema, and where the server gave
them outputSchema and annotations; keywords only for the index."""
