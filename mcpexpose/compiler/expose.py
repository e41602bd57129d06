"""How each tool reaches the model: tool, server, `[exposure]`; `auto` by its share; then what packs leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.compiler import keys
from mcpexpose.model.names import ToolId
from mcpexpose.model.plan import Because
from mcpexpose.model.policy import Exposure, stricter

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.constrain import Limit
    from mcpexpose.compiler.select import Selection
    from mcpexpose.compiler.settings import Tables

_DEFAULT = ("exposure", "default")
_SHARE = ("exposure", "auto_direct_share")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the config wants of one tool: `direct`, `deferred`, `hidden` or `auto`, the most exact layer first."""

    setting: str
    says: tuple[Because, ...]


@dataclass(frozen=True, slots=True)
class Exposed:
    """What comes of it."""

    exposure: Exposure
    because: Because
    losers: tuple[Because, ...] = ()


def wishes(inputs: Inputs, tables: Tables) -> Mapping[ToolId, Wish]:
    """The setting of every captured tool, key by key."""
    file = inputs.resolved.file
    setting = inputs.resolved.config.exposure.default
    default = Because("exposure", setting, "exposure", keys.written(_DEFAULT), "", file, _DEFAULT)
    found: dict[ToolId, Wish] = {}
    for server in inputs.servers.values():
        own: tuple[Because, ...] = (default,)
        if server.table.exposure is not None:
            path = ("mcp_servers", server.id, "exposure")
            own = (Because("exposure", server.table.exposure, "server", keys.written(path), "", file, path), default)
        common = Wish(own[0].value, own)
        for tool in (ToolId(server.id, name) for name in server.tools):
            says = [
                Because("exposure", each.value, "tool", each.key, "", file, each.path)
                for each in tables.get(tool).get("exposure", ())
            ]
            found[tool] = Wish(says[0].value, (*says, *own)) if says else common
    return found


def reaches_model(wish: Wish, selection: Selection, limit: Limit) -> bool:
    """Whether anything of the tool can come before a model, so that its definition has to be sound."""
    return (
        wish.setting != "hidden"
        and not selection.denied
        and limit.deny is None
        and limit.max_exposure is not Exposure.HIDDEN
    )


def expose(
    inputs: Inputs,
    wished: Mapping[ToolId, Wish],
    selections: Mapping[ToolId, Selection],
    limits: Mapping[ToolId, Limit],
    tokens: Mapping[ToolId, int],
    left_out: Container[ToolId],
) -> Mapping[ToolId, Exposed]:
    """The exposure of every captured tool; TOKENS are those of its declaration.

    The share of `auto` is taken of what the config lets be declared, whatever packs take away later: a pack that
    hides one tool must not make others direct.
    """
    counted = sum(
        tokens[tool]
        for tool, wish in wished.items()
        if wish.setting == "auto" and not selections[tool].denied and tool not in left_out
    )
    auto = _auto(inputs, counted)
    return {tool: _settle(wish, selections[tool], limits[tool], auto) for tool, wish in wished.items()}


def _auto(inputs: Inputs, tokens: int) -> Because:
    table = inputs.resolved.config.exposure
    share = tokens / table.context_window
    direct = share < table.auto_direct_share
    side = "under" if direct else "not under"
    reason = f"all auto tools take {share:.1%} of the window, {side} {table.auto_direct_share:.1%}"
    value = "direct" if direct else "deferred"
    return Because("exposure", value, "auto", keys.written(_SHARE), reason, inputs.resolved.file, _SHARE)


def _settle(wish: Wish, selection: Selection, limit: Limit, auto: Because) -> Exposed:
    says = [*((auto,) if wish.setting == "auto" else ()), *wish.says]
    wanted = Exposure(says[0].value)
    if limit.capped and stricter(wanted, limit.max_exposure) is not wanted:
        says.insert(0, limit.capped)
    elif limit.capped:
        says.append(limit.capped)
    for denied in (limit.deny, selection.because if selection.denied else None):
        if denied:
            says.insert(0, _hides(denied))
    return Exposed(Exposure(says[0].value), says[0], tuple(says[1:]))


def _hides(denied: Because) -> Because:
    return Because("exposure", "hidden", denied.layer, denied.key, denied.reason, denied.file, denied.path)
