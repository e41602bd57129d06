"""Plans, definitions and engines for the tests of search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.model.canonical import canonical, digest
from mcpexpose.model.plan import Limits, Plan, PlannedTool, SearchSettings, Totals
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.search import blocks, engine, index, table_write
from mcpexpose.search.analysis import ANALYZER_VERSION
from mcpexpose.search.ranking import RANKING_VERSION
from mcpexpose.search.table import open_table

if TYPE_CHECKING:
    from mcpexpose.model.answer import Hit, Ranking

KINDS = ("memory", "whoosh", "table")

Tools = Mapping[str, Mapping[str, Any]]
"""server → tool → its description, or its definition without names."""


@dataclass
class Searched:
    """An engine over some tools, asked and answered in `server/tool`."""

    plan: Plan
    definitions: tuple[bytes, ...]
    engine: engine.Engine

    def ask(self, query: str, limit: int | None = None, allowed: set[str] | None = None) -> Ranking:
        names = self.names()
        rows = None if allowed is None else {row for row, name in enumerate(names) if name in allowed}
        return self.engine.search(query, limit, rows)

    def find(self, query: str, limit: int | None = None, allowed: set[str] | None = None) -> list[str]:
        names = self.names()
        return [names[hit.row] for hit in self.ask(query, limit, allowed).hits]

    def first(self, query: str) -> str | None:
        return next(iter(self.find(query, 1)), None)

    def hit(self, query: str, tool: str) -> Hit:
        row = self.names().index(tool)
        return next(hit for hit in self.ask(query).hits if hit.row == row)

    def names(self) -> list[str]:
        return self._names

    @cached_property
    def _names(self) -> list[str]:
        return [str(tool.id) for tool in self.plan.tools]


def blocks_of(data: bytes, head: str) -> blocks.Blocks:
    """A table in memory."""
    return blocks.Blocks(lambda at, length: data[at : at + length], len(data), head)


def definitions_of(tools: Tools) -> dict[tuple[str, str], dict[str, Any]]:
    """Definitions by (server, name), sorted."""
    made = {}
    for server, entries in tools.items():
        for name, given in entries.items():
            body = {"description": given} if isinstance(given, str) else dict(given)
            made[server, name] = {"inputSchema": {"type": "object"}, **body, "server": server, "name": name}
    return dict(sorted(made.items()))


def plan_of(definitions: Mapping[tuple[str, str], Mapping[str, Any]], **search: Any) -> Plan:
    tools = tuple(
        PlannedTool(
            server=server, name=name, alias=definition.get("alias", f"{server}__{name}"), exposure=Exposure.DEFERRED,
            policy_state=PolicyState.ALLOWED, side_effect=SideEffect.UNKNOWN, approval=Approval.ASK, groups=(),
            title="", description=definition.get("description") or "", replaced_description_digest=None, keywords=(),
            idempotent=None, tokens=0, definition_digest="", offset=0, length=0, because=(),
        )
        for (server, name), definition in definitions.items()
    )  # fmt: skip
    return Plan(
        format=1, tool_version="0", analyzer_version=ANALYZER_VERSION, ranking_version=RANKING_VERSION, estimator="x",
        context_window=200_000, targets=(), inputs={}, servers=(), tools=tools, profiles=(), prompt_section="",
        limits=Limits(100_000, 100_000, None), search=replace(SearchSettings(8, {}, 0.0), **search),
        totals=Totals(0, 0, 0, 0, 0, 0),
    )  # fmt: skip


def searched(kind: str, tools: Tools, **search: Any) -> Searched:
    made = definitions_of(tools)
    plan = plan_of(made, **search)
    lines = tuple(canonical(definition) for definition in made.values())
    if kind == "memory":
        return Searched(plan, lines, engine.in_memory(lines, plan))
    if kind == "table":
        terms = index.inverted(lines, plan.search.synonyms)
        sections = table_write.sections(terms, [(tool.server, tool.name, tool.alias) for tool in plan.tools])
        return Searched(plan, lines, open_table(blocks_of(*blocks.pack(sections)), len(lines), plan.search.min_match))
    files = index.files(lines, plan_digest=digest(sorted(made)), synonyms=plan.search.synonyms)
    return Searched(plan, lines, engine.open_engine(engine.MemoryReader(files), plan))


@pytest.fixture(params=KINDS)
def over(request: pytest.FixtureRequest) -> Iterator[Callable[..., Searched]]:
    """Makes an engine over tools; every test that asks for it runs over each of the engines."""
    opened: list[Searched] = []

    def make(tools: Tools, **search: Any) -> Searched:
        opened.append(searched(request.param, tools, **search))
        return opened[-1]

    yield make
    for one in opened:
        one.engine.close()


@pytest.fixture
def over_all() -> Iterator[Callable[..., tuple[Searched, ...]]]:
    """Makes every engine over the same tools."""
    opened: list[Searched] = []

    def make(tools: Tools, **search: Any) -> tuple[Searched, ...]:
        opened.extend(searched(kind, tools, **search) for kind in KINDS)
        return tuple(opened[-len(KINDS) :])

    yield make
    for one in opened:
        one.engine.close()


@pytest.fixture
def lines() -> Callable[[Tools], tuple[bytes, ...]]:
    """Canonical definitions of tools, in a plan's order."""
    return lambda tools: tuple(canonical(definition) for definition in definitions_of(tools).values())


@pytest.fixture
def plan_for() -> Callable[[Tools], Plan]:
    """The plan of tools, all deferred."""
    return lambda tools: plan_of(definitions_of(tools))


@pytest.fixture(scope="module")
def all_engines(catalog: Tools) -> Iterator[tuple[Searched, ...]]:
    """Every engine over the catalog, for tests with many queries."""
    opened = tuple(searched(kind, catalog) for kind in KINDS)
    yield opened
    for one in opened:
        one.engine.close()


@pytest.fixture(scope="session")
def catalog() -> Tools:
    """Sixty tools of six servers, of words that repeat, for tests of sameness."""
    verbs = ["get", "list", "create", "delete", "update", "search", "export", "archive", "merge", "sendMessage"]
    nouns = ["issue", "pull_request", "repository", "apiKey", "订单", "Größe"]
    tools: dict[str, dict[str, Any]] = {}
    for n, noun in enumerate(nouns):
        for m, verb in enumerate(verbs):
            properties = {f"{noun}_id": {"type": "string", "description": f"Which {noun}"}, "page": {"type": "integer"}}
            tools.setdefault(f"s{n}", {})[f"{verb}_{noun}"] = {
                "description": f"{verb.title()}s one {noun} or more. " * (1 + (n + m) % 3),
                "title": f"{verb} {noun}" if m % 2 else None,
                "inputSchema": {"type": "object", "properties": properties},
            }
    return json.loads(json.dumps(tools))  # type: ignore[no-any-return]
