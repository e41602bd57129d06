"""Why a tool is as it is, for the operator."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from mcpexpose.model.finding import Location, Place
from mcpexpose.model.plan import Because
from mcpexpose.model.policy import Exposure, PolicyState, SideEffect
from mcpexpose.report.explain import Explanation, render_json, render_text
from mcpexpose.report.screen import Screen, cells

if TYPE_CHECKING:
    from mcpexpose.model.plan import Compiled, ToolDecision

LONG = "what destroys is looked for on purpose, and confirmed by somebody who knows " * 3
LAYERS = (
    Because("exposure", "hidden", "deny", 'mcp_servers.azure.deny "del*"', "", "config.toml", ("deny", 0)),
    Because("policy_state", "denied", "deny", 'mcp_servers.azure.deny "del*"', "", "config.toml", ("deny", 0)),
    Because("side_effect", "destructive", "pack", "baseline@1: delete_*", LONG, "policies/baseline.toml", (12,)),
)
LOSERS = (
    Because("exposure", "deferred", "exposure", "exposure.default", "", "config.toml", ("exposure", "default")),
    Because("side_effect", "write", "tool", "mcp_servers.azure.tools.del.side_effect", "", "config.toml", (53,)),
    Because("side_effect", "destructive", "hint", "annotations of git/del", "destructiveHint true"),
)


def locate(place: Place) -> Location | None:
    return Location(place.file, 12, 1, 12, 2)


def denied(compiled: Compiled) -> ToolDecision:
    return dataclasses.replace(
        compiled.decisions[0],
        exposure=Exposure.HIDDEN,
        policy_state=PolicyState.DENIED,
        side_effect=SideEffect.DESTRUCTIVE,
        in_plan=False,
        because=LAYERS,
        losers=LOSERS,
    )


def test_every_layer_stands_with_value_key_place_and_what_became_of_it(compiled: Compiled) -> None:
    """Winner first, losers under it; one that wanted the same agrees (explain)."""
    out = render_text(Explanation(denied(compiled), None, (), (), locate), Screen(120))
    lines = out.split("\n")
    assert lines[0].endswith("is denied: no model meets it, no call reaches it.")
    rows = [line.split("  ") for line in lines if line.strip()]
    flat = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["exposure", "hidden", 'deny "del*"', "config.toml:12"] in flat
    assert ["deferred", "[exposure] default", "config.toml:12", "gives way"] in flat
    assert ["destructive", "the server's hint destructiveHint true", "agrees"] in flat
    assert any("write" in row and "gives way" in row for row in flat)
    assert "nobody" in out


def test_nothing_is_cut_at_any_width(compiled: Compiled) -> None:
    """Long reasons are broken between words."""
    for width in (80, 100, 120):
        out = render_text(Explanation(denied(compiled), None, (), (), locate), Screen(width))
        assert [line for line in out.split("\n") if cells(line) > width] == []
        words = " ".join(out.split())
        for word in set(LONG.split()):
            assert word in words
        assert "…" not in out.replace("digest", "").split("text")[0]


def test_json_keeps_winners_and_losers_apart_with_their_lines(compiled: Compiled) -> None:
    """For programs."""
    value = json.loads(render_json(Explanation(denied(compiled), None, ("ci",), (), locate)))
    assert len(value["because"]) == 3
    assert len(value["losers"]) == 3
    assert all(each["line"] == 12 for each in value["because"])
    assert value["losers"][2]["line"] is None
    assert value["decision"]["policy_state"] == "denied"
    assert value["profiles"] == ["ci"]


def test_a_description_of_a_server_is_never_printed_raw(compiled: Compiled) -> None:
    """Keys and reasons may quote a server."""
    odd = (Because("exposure", "hidden", "hint", "x\x1b[31m", "y\u202e", "", ()),)
    decision = dataclasses.replace(denied(compiled), because=odd, losers=())
    out = render_text(Explanation(decision, None, (), (), locate), Screen())
    assert "\x1b" not in out
    assert "\u202e" not in out
