"""What rules look at: the narrowest thing that will do. Walking is done here, so that no rule has to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from mcpexpose.lint.mentions import names_of
from mcpexpose.model.finding import Place
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Exposure, PolicyState
from mcpexpose.model.visible import visible_texts

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Container, Iterator, Mapping

    from mcpexpose.config.tests import Written
    from mcpexpose.lint.findable import Findable
    from mcpexpose.lint.mentions import Names
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.config import Config, ProfileTable, ResolvedConfig, ServerTable
    from mcpexpose.model.finding import Location
    from mcpexpose.model.lock import Lock
    from mcpexpose.model.plan import Compiled, Plan, PlannedProfile, ToolDecision
    from mcpexpose.model.visible import VisibleText


class CommentLike(Protocol):
    """A comment of the config, from its `#` on."""

    @property
    def text(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def alone(self) -> bool: ...


@dataclass(frozen=True)
class Context:
    """All that was made of one config, as far as it went. Rules read it; only the workspace makes it."""

    file: str
    """The config's name for findings."""
    resolved: ResolvedConfig | None
    """None where the text is no config: then only what other stages found is told."""
    catalogs: Mapping[str, Catalog]
    compiled: Compiled | None
    now: datetime.datetime
    comments: tuple[CommentLike, ...] = ()
    first_key: float = float("inf")
    """The line of the config's first key or header."""
    locate: Callable[[Place], Location | None] = lambda place: None
    lock: Lock | None = None
    """What was reviewed; None where there is no lock."""
    tests: Callable[[], tuple[Written, ...] | None] | None = None
    """Reads the policy tests beside the config; gives None where a file is at fault, so that nothing is known."""

    @property
    def config(self) -> Config:
        """Only for rules: those run where there is one."""
        assert self.resolved is not None
        return self.resolved.config

    @property
    def plan(self) -> Plan:
        """Only for rules on what was compiled."""
        assert self.compiled is not None
        return self.compiled.plan

    @cached_property
    def tools(self) -> tuple[CapturedTool, ...]:
        """Every captured tool once, sorted, with what was decided on it."""
        if self.compiled is None:
            return ()
        decisions = {decision.id: decision for decision in self.compiled.decisions}
        found: dict[ToolId, CapturedTool] = {}
        for server, catalog in sorted(self.catalogs.items()):
            indices = catalog.indices or tuple(range(len(catalog.tools)))
            for index, raw in zip(indices, catalog.tools, strict=True):
                tool = ToolId(server, raw["name"])
                if tool in decisions and tool not in found:
                    found[tool] = CapturedTool(tool, raw, decisions[tool], catalog.file, index)
        return tuple(found[tool] for tool in sorted(found))

    def tool(self, name: ToolId) -> CapturedTool:
        """A captured tool of the plan."""
        return self._tools_by_id[name]

    @cached_property
    def _tools_by_id(self) -> Mapping[ToolId, CapturedTool]:
        return {tool.id: tool for tool in self.tools}

    @cached_property
    def findable(self) -> Findable:
        """The plan's tools as a search finds them; made for the first rule that asks."""
        from mcpexpose.lint.findable import Findable

        assert self.compiled is not None
        return Findable(self.compiled)

    @cached_property
    def tools_by_server(self) -> Mapping[str, tuple[CapturedTool, ...]]:
        found: dict[str, list[CapturedTool]] = defaultdict(list)
        for tool in self.tools:
            found[tool.id.server].append(tool)
        return {server: tuple(tools) for server, tools in found.items()}

    @cached_property
    def unmet_names(self) -> Mapping[str, Names]:
        """By server, the names of its tools that no model may meet."""
        return {
            server: names_of(tool for tool in tools if not tool.planned)
            for server, tools in self.tools_by_server.items()
        }

    def texts(self, tool: CapturedTool) -> tuple[VisibleText, ...]:
        """Every text of a tool that a model gets to see; asked for by several rules on one tool after the other."""
        if self._last_texts.get("tool") is not tool:
            self._last_texts.update(tool=tool, texts=tuple(visible_texts(tool.raw)))
        texts: tuple[VisibleText, ...] = self._last_texts["texts"]
        return texts

    @cached_property
    def _last_texts(self) -> dict[str, Any]:
        return {}

    def place(self, *path: str | int) -> Place:
        """A place in the config."""
        return Place(self.file, path)


@dataclass(frozen=True, slots=True)
class WholeConfig:
    """The config as a whole."""

    config: Config


@dataclass(frozen=True, slots=True)
class WrittenServer:
    """An enabled server as its table is written. Where that is at fault: what can be read of it, and no plan has it."""

    id: str
    table: ServerTable
    file: str

    @property
    def place(self) -> Place:
        """Its table."""
        return Place(self.file, ("mcp_servers", self.id), "header")

    def key(self, *path: str | int) -> Place:
        """A key of its table."""
        return Place(self.file, ("mcp_servers", self.id, *path))


@dataclass(frozen=True, slots=True)
class Server(WrittenServer):
    """An enabled server of the config, its table right in itself."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile, as written and as planned."""

    name: str
    table: ProfileTable
    planned: PlannedProfile
    file: str

    @property
    def place(self) -> Place:
        return Place(self.file, ("profiles", self.name), "header")


@dataclass(frozen=True, slots=True)
class CapturedTool:
    """A tool as its server listed it, and what the compiler made of it."""

    id: ToolId
    raw: Mapping[str, Any]
    decision: ToolDecision
    file: str
    index: int

    @property
    def planned(self) -> bool:
        """Whether a model may meet it."""
        return self.decision.in_plan

    @property
    def wanted(self) -> bool:
        """Whether the operator lets a model meet it; a fault of the server may still keep it out of the plan."""
        state = self.decision
        kept_away = state.exposure is Exposure.HIDDEN or state.policy_state is PolicyState.DENIED
        return state.in_plan or (state.left_out_by is not None and not kept_away)

    @property
    def place(self) -> Place:
        """Its entry in the catalog."""
        return self.at()

    def at(self, *path: str | int) -> Place:
        """A place inside its entry."""
        return Place(self.file, ("tools", self.index, *path))


@dataclass(frozen=True, slots=True)
class WholePlan:
    """All that was compiled."""

    compiled: Compiled


Subject = WholeConfig | WrittenServer | Profile | CapturedTool | WholePlan


def walk(context: Context, wanted: Container[str]) -> Iterator[Subject]:
    """Every subject that CONTEXT has, of the kinds whose names are WANTED.

    What needs a catalog is not met where there is none, and nothing is compiled where nobody asks for what that gives.
    """
    if context.resolved is None:
        return
    config = context.config
    yield WholeConfig(config)
    for name, table in sorted(config.mcp_servers.items()):
        if table.enabled:
            yield Server(name, table, context.file)
    for name, table in sorted(config.readable.items()):
        if table.enabled:
            yield WrittenServer(name, table, context.file)
    if not any(kind in wanted for kind in ("Profile", "CapturedTool", "WholePlan")) or context.compiled is None:
        return
    planned = {profile.name: profile for profile in context.plan.profiles}
    for name, profile in sorted(config.profiles.items()):
        if name in planned:
            yield Profile(name, profile, planned[name], context.file)
    if "CapturedTool" in wanted:
        yield from context.tools
    yield WholePlan(context.compiled)
