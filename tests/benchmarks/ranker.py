"""The product as a ranker, for harnesses that score and time rankers of tools.

`product(catalogs, workdir)` takes catalogs as `{"server_id", "tools"}`; `scale_product(tools, workdir)` takes tools as
`{"server", "name", …}`, or None to open what an earlier call left in WORKDIR. Both go the whole way: a config with
everything deferred, its catalogs, the compiler, a bundle, the plan of a host. Answers are `(server, tool)`, best first.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcpexpose import load_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Rank = Callable[[str, int], list[tuple[str, str]]]


def product(catalogs: Iterable[Mapping[str, Any]], workdir: str) -> Rank:
    """Searches a bundle of CATALOGS that is written to WORKDIR."""
    write({catalog["server_id"]: list(catalog["tools"]) for catalog in catalogs}, Path(workdir))
    return opened(Path(workdir))


def scale_product(tools: list[dict[str, Any]] | None, workdir: str) -> tuple[Rank, dict[str, Any]]:
    """The same over tools that name their server; with None, over what is in WORKDIR."""
    if tools is not None:
        servers: dict[str, list[Any]] = {}
        for tool in tools:
            servers.setdefault(tool["server"], []).append({key: tool[key] for key in tool if key != "server"})
        write(servers, Path(workdir))
    return opened(Path(workdir)), {"persistent": True}


scale_product.imports = ("mcpexpose.host.plan", "mcpexpose.search.table")  # type: ignore[attr-defined]


def write(servers: Mapping[str, list[Any]], folder: Path) -> None:
    """A project whose tools are all deferred in FOLDER, and its bundle, `plan`, beside it."""
    from mcpexpose.catalog.store import file_name
    from mcpexpose.workspace import Workspace

    (folder / "catalogs").mkdir(parents=True)
    lines = ["[limits]", "max_tools_per_server = 100_000"]
    for server, tools in servers.items():
        key = json.dumps(server)
        lines += [f"[mcp_servers.{key}]", 'command = "x"', f"description = {key}"]
        catalog = {"server": server, "captured_at": "2026-01-01T00:00:00Z", "tools": tools}
        (folder / "catalogs" / file_name(server)).write_text(json.dumps(catalog))
    (folder / "config.toml").write_text("\n".join(lines) + "\n")
    Workspace(folder / "config.toml", environ={}).write(folder / "plan")


def opened(folder: Path) -> Rank:
    """Searches the bundle that `write` put there, as a host does."""
    plan = load_plan(folder / "plan")

    def rank(query: str, k: int) -> list[tuple[str, str]]:
        return [tuple(plan.rows.id(hit.row)) for hit in plan.search(query[:_LONGEST], k, None).hits]

    return rank


_LONGEST = 1_000
"""Characters; a longer query is refused, and a ranker has no way to say so."""
