"""What operators write: `config.toml` and policy packs, as frozen tables. `schemas/` is generated from here.

Every field's description is what the config reference in the README and an editor's completion show.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

from mcpexpose.model.policy import Approval, Exposure, SideEffect
from mcpexpose.model.table import Field, Table
from mcpexpose.model.transport import Transport

ExposureSetting = Literal["direct", "deferred", "hidden", "auto"]
LimitTarget = Literal[
    "anthropic",
    "antigravity",
    "azure",
    "bedrock",
    "bedrock-agents",
    "claude-code",
    "codex",
    "cursor",
    "deepseek",
    "gemini",
    "gemini-json-schema",
    "mcp",
    "mistral",
    "openai",
    "openai-responses",
    "vscode",
]
"""`model.limits.TARGETS`, in the published schema too."""
DeclaredSideEffect = Literal["read_only", "write", "destructive"]
ApprovalSetting = Literal["auto", "ask"]
HostApproval = Literal["auto", "prompt", "approve", "writes"]
Duration = Annotated[str, Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?[smhdw]$")]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=10**15)]


class ExposureTable(Table):
    """`[exposure]`: what a model is told when nothing more exact says so."""

    default: ExposureSetting = Field(
        "deferred", description="Exposure of every tool that no server or tool table sets."
    )
    context_window: Count = Field(200_000, description="Tokens of the model's context window; shares are of this.")
    auto_direct_share: float = Field(
        0.05, ge=0, le=1, description="`auto` is direct while all `auto` definitions together stay under this share."
    )
    search_limit: int = Field(
        8, ge=1, le=20, description="How many matches find_tools gives when the model names no limit."
    )
    targets: tuple[LimitTarget, ...] = Field(
        (), description="Providers and hosts whose limits lint applies: anthropic, openai …"
    )
    direct_max_count: int | None = Field(
        None, ge=0, description="Warn beyond this many direct tools; absent: the targets' limits."
    )
    direct_max_share: float = Field(
        0.10, ge=0, le=1, description="Warn where direct definitions exceed this share of the window."
    )


class PolicyTable(Table):
    """`[policy]`: what runs without asking."""

    auto_approve: tuple[str, ...] = Field(
        ("read_only",), description='Classes, or "server/tool", that run without asking; the rest need approval.'
    )


class FreshnessTable(Table):
    """`[freshness]`: how old a catalog may be."""

    max_age: Duration | None = Field(None, description="s m h d w, as in 7d; absent: no limit.")


class LimitsTable(Table):
    """`[limits]`: sizes beyond which a call or a catalog is refused."""

    result_max_bytes: Count = Field(100_000, description="UTF-8 bytes of a whole result as compact JSON.")
    args_max_bytes: Count = Field(100_000, description="UTF-8 bytes of a call's arguments as compact JSON.")
    max_tools_per_server: Count = Field(2_000, description="A capture with more tools is refused.")


class ToolTable(Table):
    """`[mcp_servers.ID.tools.NAME]`: one tool, or a pattern of tools."""

    exposure: ExposureSetting | None = Field(None, description="direct, deferred, hidden or auto.")
    side_effect: DeclaredSideEffect | None = Field(None, description="What a call may change.")
    approval: ApprovalSetting | None = Field(
        None, description="auto runs without asking; ask needs a yes for each call."
    )
    idempotent: bool | None = Field(None, description="A second equal call changes nothing more.")
    description: Text | None = Field(None, description="Replaces the server's text for the model.")
    keywords: tuple[Text, ...] = Field((), description="Other people's words for it: indexed, never shown.")
    groups: tuple[Text, ...] | None = Field(None, description="Replace the server's groups.")
    require_in_plan: bool = Field(False, description="The plan fails if the tool is gone.")
    approval_mode: HostApproval | None = Field(
        None, description="Codex's key; `prompt` asks, `writes` asks for what is not read_only; others: nothing."
    )


class EnvVar(Table):
    """Codex's longer form of an entry of `env_vars`."""

    name: Text = Field(description="The variable.")
    source: str | None = Field(None, description="Where Codex takes it from; without effect here.")


class ServerTable(Table):
    """`[mcp_servers.ID]`: one server, its transport and its defaults."""

    command: Text | None = Field(None, description="Program of a stdio server.")
    args: tuple[str, ...] = Field((), description="Its arguments.")
    cwd: str | None = Field(None, description="Its working directory, relative to the config.")
    env: Mapping[str, str] = Field({}, description="Variables set for it; values may hold ${NAME}.")
    env_vars: tuple[Text | EnvVar, ...] = Field((), description="Names of variables that it inherits.")
    url: Text | None = Field(None, description="Address of a streamable HTTP server.")
    transport: Literal["stdio", "http", "streamable-http", "sse"] | None = Field(
        None, description='"sse" for the old HTTP+SSE.'
    )
    http_headers: Mapping[str, str] = Field({}, description="Headers sent with each request.")
    env_http_headers: Mapping[str, str] = Field({}, description="Header = name of the variable that holds its value.")
    bearer_token_env_var: Text | None = Field(None, description="Name of the variable that holds the bearer token.")
    startup_timeout_sec: float | None = Field(None, gt=0, description="Seconds for handshake and all list pages (30).")
    startup_timeout_ms: float | None = Field(None, gt=0, description="The same in milliseconds (an old Codex key).")
    tool_timeout_sec: float | None = Field(None, gt=0, description="Seconds for one call (60).")
    enabled: bool = Field(True, description="false: the server is as if it were not there.")
    required: bool = Field(False, description="Codex's key: its host fails where the server cannot start.")
    description: str | None = Field(
        None, description="The line that the model reads; required while anything is deferred."
    )
    exposure: ExposureSetting | None = Field(None, description="Exposure of its tools; absent: [exposure] default.")
    owner: Text | None = Field(None, description="The people who answer for it.")
    groups: tuple[Text, ...] = Field((), description="Groups of its tools, from [groups].")
    trust_annotations: bool = Field(
        False, description="true: its hints may lower a class; false: they may only raise it."
    )
    allow: tuple[str, ...] | None = Field(
        None, description="Names and patterns that exist for us; absent = all, [] = none."
    )
    enabled_tools: tuple[str, ...] | None = Field(None, description="Another name of allow.")
    deny: tuple[str, ...] | None = Field(None, description="Names and patterns that do not; wins over all.")
    disabled_tools: tuple[str, ...] | None = Field(None, description="Another name of deny.")
    tools: Mapping[str, ToolTable] = Field({}, description="Settings of single tools and patterns of tools.")
    # Keys of Codex and Step, accepted as they are; they mean nothing here.
    name: str | None = Field(None, description="An old Codex key; without effect.")
    oauth: Any = Field(None, description="The host's own; without effect here.")
    oauth_resource: Any = Field(None, description="The host's own; without effect here.")
    scopes: Any = Field(None, description="The host's own; without effect here.")
    supports_parallel_tool_calls: Any = Field(None, description="The host's own; without effect here.")
    experimental_environment: Any = Field(None, description="The host's own; without effect here.")
    environment_id: Any = Field(None, description="The host's own; without effect here.")
    default_tools_approval_mode: HostApproval | None = Field(
        None,
        description="Codex's key; `prompt` asks for each call, `writes` for what is not read_only; others: nothing.",
    )

    @property
    def inherited(self) -> tuple[str, ...]:
        """The names in `env_vars`."""
        return tuple(entry.name if isinstance(entry, EnvVar) else entry for entry in self.env_vars)

    @property
    def allow_patterns(self) -> tuple[str, ...] | None:
        return self.allow if self.allow is not None else self.enabled_tools

    @property
    def deny_patterns(self) -> tuple[str, ...]:
        return (self.deny if self.deny is not None else self.disabled_tools) or ()

    @property
    def allow_key(self) -> str:
        return "enabled_tools" if self.allow is None and self.enabled_tools is not None else "allow"

    @property
    def deny_key(self) -> str:
        return "disabled_tools" if self.deny is None and self.disabled_tools is not None else "deny"


class ProfileTable(Table):
    """`[profiles.NAME]`: what one kind of task may reach."""

    description: str = Field("", description="What the task is.")
    groups: tuple[Text, ...] | None = Field(None, description="Eligible groups; absent = all.")
    default_tools: tuple[str, ...] = Field((), description='Declared from request 1: "server/tool", "server/get_*".')
    side_effects: tuple[DeclaredSideEffect, ...] | None = Field(
        None, description="Classes that it may reach; absent = all."
    )
    unattended: bool = Field(False, description="Nobody answers: what would ask is refused.")


class Waiver(Table):
    """`[[waivers]]`: a finding that somebody accepted, for a while."""

    rule: Text = Field(description="Slug of the rule.")
    subject: Text = Field(description='What it is about; patterns as elsewhere: "github/create_*".')
    reason: str = Field("", description="Why.")
    until: datetime.date | None = Field(None, description="The last day on which it holds.")


class SearchTable(Table):
    """`[search]`: an operator's additions to ranking."""

    synonyms: Mapping[str, tuple[Text, ...]] = Field({}, description='Words that people say: pr = ["pull request"].')
    min_match: Annotated[float, Field(ge=0)] | Literal["weak"] = Field(
        0.0, description='No answer where the best score is lower; "weak": where it is marked as weak; 0 = never.'
    )


class CompatTable(Table):
    """`[compat]`: keys of other hosts."""

    ignore_keys: tuple[Text, ...] = Field((), description='Dotted keys with patterns: "mcp_servers.*.new_host_key".')


class LintTable(Table):
    """`[lint]`: which rules speak, and how loudly."""

    select: tuple[Text, ...] = Field((), description="Slugs or families; absent: all that run by default.")
    ignore: tuple[Text, ...] = Field((), description="Slugs or families that stay silent.")
    severity: Mapping[str, Literal["error", "warning", "info"]] = Field({}, description="Severity of a rule, by slug.")


class Config(Table):
    """`config.toml`. Top-level tables of other programs that share the file are left alone."""

    forbids_unknown = False

    schema_version: Literal[1] = Field(1, description="Version of this format.")
    extends: tuple[Text, ...] = Field((), description="Policy packs: shipped ones by bare name, others by path.")
    exposure: ExposureTable = Field(ExposureTable(), description="Defaults of exposure.")
    policy: PolicyTable = Field(PolicyTable(), description="What runs without asking.")
    freshness: FreshnessTable = Field(FreshnessTable(), description="How old a catalog may be.")
    limits: LimitsTable = Field(LimitsTable(), description="Sizes.")
    groups: Mapping[str, str] = Field({}, description="The vocabulary of tool groups: name = what it is.")
    mcp_servers: Mapping[str, ServerTable] = Field({}, description="The servers, by id.")
    profiles: Mapping[str, ProfileTable] = Field({}, description="Kinds of task.")
    waivers: tuple[Waiver, ...] = Field((), description="Findings that somebody accepted.")
    search: SearchTable = Field(SearchTable(), description="Additions to ranking.")
    compat: CompatTable = Field(CompatTable(), description="Keys of other hosts.")
    lint: LintTable = Field(LintTable(), description="Which rules speak.")

    _broken: tuple[str, ...] = ()
    _readable: Mapping[str, ServerTable] = MappingProxyType({})

    @property
    def broken(self) -> tuple[str, ...]:
        """Ids of servers that the file has and this value has not: their tables are at fault, and findings say how."""
        return self._broken

    @property
    def readable(self) -> Mapping[str, ServerTable]:
        """What can be read of the servers in `broken`: to say what else is wrong with them, and never to plan with."""
        return self._readable

    @property
    def written(self) -> Mapping[str, ServerTable]:
        """Every server of the file, those in `broken` as far as they can be read."""
        return {**self.mcp_servers, **self._readable}

    def without_servers(self, broken: Iterable[str], readable: Mapping[str, ServerTable]) -> Config:
        """This config, saying that servers of these ids could not be read, and what could."""
        return self.model_copy({"_broken": tuple(sorted(broken)), "_readable": dict(readable)})

    def with_readable(self) -> Config:
        """This config with what can be read of the servers in `broken`."""
        return self.model_copy({"mcp_servers": self.written})


class Constraint(Table):
    """`[[constraints]]` of a pack: a limit on the tools that match. It can only narrow."""

    match: Text = Field(description='"server/tool", with patterns: "*/delete_*".')
    side_effects: tuple[Annotated[SideEffect, Field(strict=False)], ...] | None = Field(
        None, description="Classes it applies to; absent = any, [] = none."
    )
    groups: tuple[Text, ...] | None = Field(None, description="Groups it applies to; absent = any, [] = none.")
    min_side_effect: SideEffect | None = Field(None, description="Raise the class to at least this.", strict=False)
    approval: Approval | None = Field(None, description="ask: needs a yes.", strict=False)
    max_exposure: Exposure | None = Field(None, description="deferred or hidden: no more than this.", strict=False)
    deny: bool = Field(False, description="true: as if it were not there.")
    reason: str = Field("", description="Why; shown by explain.")


class PolicyPack(Table):
    """`policies/NAME.toml`: limits, and no servers."""

    schema_version: int = Field(1, ge=1, description="Version of this format.")
    name: Text = Field(description="As `extends` names it.")
    version: Text | int = Field(description="Shown with every decision that it made.")
    description: str = Field("", description="Whom it is for.")
    constraints: tuple[Constraint, ...] = Field((), description="The limits. Their order never matters.")


@dataclass(frozen=True, slots=True)
class ResolvedPack:
    """A pack as a config reached it."""

    pack: PolicyPack
    file: str
    """For findings: the path as `extends` wrote it, or `policies/NAME.toml` for a shipped one."""
    digest: str
    """Of its meaning."""


@dataclass(frozen=True, slots=True)
class ResolvedConfig:
    """A config that is right in itself, with its packs and transports: the compiler's input beside the catalogs."""

    config: Config
    file: str
    """The config's name for findings: "config.toml"."""
    packs: tuple[ResolvedPack, ...]
    transports: Mapping[str, Transport]
    """By server id, of every enabled server. Literal credentials are replaced by references already."""
    digest: str
    """Of the meaning of the config: line ends, comments, order of tables and keys change nothing."""
    broken: tuple[str, ...] = ()
    """Ids of servers whose tables are at fault: left out here, and a name of theirs elsewhere is no second fault."""
