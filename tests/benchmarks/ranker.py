"""The product as a ranker, for harnesses that score and time rankers of tools.

`product(catalogs, workdir)` takes catalogs as `{"server_id", "tools"}`; `scale_product(tools, workdir)` takes tools as
`{"server", "name", …}`, or None to open what an earlier call left in WORKDIR. Both go the way of a bundle: canonical
definitions, an index on disk, an engine over its bytes. Answers are `(server, tool)` pairs, best first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcpexpose.model.canonical import canonical, digest
from mcpexpose.model.plan import Limits, Plan, PlannedTool, SearchSettings, Totals
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.search import engine, index
from mcpexpose.search.analysis import ANALYZER_VERSION
from mcpexpose.search.query import MAX_QUERY
from mcpexpose.search.ranking import RANKING_VERSION

Rank = Callable[[str, int], list[tuple[str, str]]]


def product(catalogs: Iterable[Mapping[str, Any]], workdir: str) -> Rank:
    """Everything deferred, searched through an index in WORKDIR."""
    tools = [{**tool, "server": catalog["server_id"]} for catalog in catalogs for tool in catalog["tools"]]
    return scale_product(tools, workdir)[0]


def scale_product(tools: list[dict[str, Any]] | None, workdir: str) -> tuple[Rank, dict[str, Any]]:
    """The same over tools that name their server; with None, over what is in WORKDIR."""
    folder = Path(workdir)
    if tools is not None:
        _write(tools, folder)
    names = [tuple(pair) for pair in json.loads((folder / "names.json").read_bytes())]
    found = {f"index/{path.name}": path.read_bytes() for path in (folder / "index").iterdir()}
    reader = engine.MemoryReader({name.removeprefix("index/"): content for name, content in found.items()})
    opened = engine.open_engine(reader, plan_of([(server, name, "") for server, name in names]))

    def rank(query: str, k: int) -> list[tuple[str, str]]:
        return [names[hit.row] for hit in opened.search(query[:MAX_QUERY], k).hits]

    return rank, {"persistent": True}


scale_product.imports = ("mcpexpose.search.engine", "whoosh.codec.whoosh3", "whoosh.reading")  # type: ignore[attr-defined]


def plan_of(tools: Iterable[tuple[str, str, str]], **search: Any) -> Plan:
    """A plan of deferred TOOLS (server, name, description), sorted, with the SEARCH settings given."""
    plan = Plan(
        format=1, tool_version="0", analyzer_version=ANALYZER_VERSION, ranking_version=RANKING_VERSION, estimator="x",
        context_window=200_000, targets=(), inputs={}, servers=(), profiles=(), prompt_section="",
        limits=Limits(100_000, 100_000, None), search=SearchSettings(8, {}, 0.0), totals=Totals(0, 0, 0, 0, 0, 0),
        tools=tuple(_tool(*tool) for tool in tools),
    )  # fmt: skip
    return replace(plan, search=replace(plan.search, **search))


def _tool(server: str, name: str, description: str) -> PlannedTool:
    return PlannedTool(
        server=server, name=name, alias=f"{server}__{name}", exposure=Exposure.DEFERRED,
        policy_state=PolicyState.ALLOWED, side_effect=SideEffect.UNKNOWN, approval=Approval.ASK, groups=(), title="",
        description=description, replaced_description_digest=None, keywords=(), idempotent=None, tokens=0,
        definition_digest="", offset=0, length=0, because=(),
    )  # fmt: skip


def _write(tools: list[dict[str, Any]], folder: Path) -> None:
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for tool in tools:
        kept.setdefault((tool["server"], tool["name"]), tool)
    keys = ("server", "name", "title", "description", "inputSchema", "annotations")
    definitions = [canonical({key: kept[pair][key] for key in keys if key in kept[pair]}) for pair in sorted(kept)]
    index.build(definitions, folder / "index", plan_digest=digest(sorted(map(list, kept))))
    (folder / "names.json").write_text(json.dumps(sorted(kept)))
