"""Exposure: layers, `auto`, and the totals that follow."""

from __future__ import annotations

import pytest

from mcpexpose.model.policy import Exposure
from tests.compiler.build import compiled, decision, tool


def test_deferred_unless_the_config_says_otherwise() -> None:
    """A config that knows nothing of exposure keeps working (X02)."""
    made = compiled("[mcp_servers.s]\ncommand='x'", {"s": ["a"]})
    assert decision(made, "s/a").exposure is Exposure.DEFERRED
    assert made.plan.prompt_section.splitlines() == ["# MCP servers", "- s"]


def test_tool_before_server_before_default() -> None:
    """Key by key, losers kept for explain in order (X03)."""
    made = compiled(
        "[exposure]\ndefault='hidden'\n[mcp_servers.s]\nexposure='direct'\n[mcp_servers.s.tools.b]\nexposure='deferred'\n"
        "[mcp_servers.t]",
        {"s": ["a", "b"], "t": ["c"]},
    )
    assert decision(made, "s/a").exposure is Exposure.DIRECT
    assert decision(made, "s/b").exposure is Exposure.DEFERRED
    assert decision(made, "t/c").exposure is Exposure.HIDDEN
    got = decision(made, "s/b")
    assert got.because[0].key == "mcp_servers.s.tools.b.exposure"
    assert got.because[0].path == ("mcp_servers", "s", "tools", "b", "exposure")
    assert [each.layer for each in got.losers if each.axis == "exposure"] == ["server", "exposure"]


@pytest.mark.parametrize(
    ("share", "wanted"), [(0.0, "deferred"), (0.0001, "deferred"), (0.01, "direct"), (1.0, "direct")]
)
def test_auto_is_all_direct_or_all_deferred_by_its_share(share: float, wanted: str) -> None:
    """The plan holds the three exposures and says what decided (X05)."""
    made = compiled(
        f"[exposure]\ndefault='auto'\nauto_direct_share={share}\n[mcp_servers.s]\n[mcp_servers.t]",
        {"s": ["a"], "t": [tool("b", "words " * 30)]},
    )
    assert {each.exposure.value for each in made.plan.tools} == {wanted}
    because = made.plan.tools[0].because[0]
    assert (because.layer, because.key) == ("auto", "exposure.auto_direct_share")


def test_auto_counts_every_tool_whose_setting_resolves_to_it_and_no_other() -> None:
    """Tools that are set apart or denied weigh nothing (X05)."""
    big = tool("big", "word " * 2_000)
    for more in ("deny=['big']", "[mcp_servers.s.tools.big]\nexposure='deferred'"):
        made = compiled(
            f"[exposure]\nauto_direct_share=0.001\n[mcp_servers.s]\nexposure='auto'\n{more}", {"s": [big, "a"]}
        )
        assert decision(made, "s/a").exposure is Exposure.DIRECT
    made = compiled("[exposure]\nauto_direct_share=0.001\n[mcp_servers.s]\nexposure='auto'", {"s": [big, "a"]})
    assert decision(made, "s/a").exposure is Exposure.DEFERRED


def test_totals_add_up() -> None:
    """What request 1 carries is measured (X08)."""
    made = compiled("[mcp_servers.s]\n[mcp_servers.s.tools.a]\nexposure='direct'", {"s": ["a", "b"]})
    totals = made.plan.totals
    assert (totals.direct, totals.deferred) == (1, 1)
    assert totals.tokens_direct == decision(made, "s/a").tokens
    assert totals.tokens_if_all == decision(made, "s/a").tokens + decision(made, "s/b").tokens
    assert totals.tokens_search_tool > 0
    only_direct = compiled("[mcp_servers.s]\nexposure='direct'", {"s": ["a"]})
    assert only_direct.plan.prompt_section == ""
    assert only_direct.plan.totals.tokens_search_tool == 0
