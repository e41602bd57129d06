"""Settings that come to nothing."""

from __future__ import annotations

from mcpexpose.model.finding import Severity
from tests.compiler.build import compiled, found, pack, subjects

DEFERS = pack("[[constraints]]\nmatch='*/*'\nmax_exposure='deferred'\n")
ASKS = pack("[[constraints]]\nmatch='*/*'\napproval='ask'\n")
RAISES = pack("[[constraints]]\nmatch='*/*'\nmin_side_effect='write'\n")


def void(config: str, *packs: object, tools: tuple[str, ...] = ("x", "y")) -> list[str]:
    made = compiled(config, {"s": tools}, *packs)  # type: ignore[arg-type]
    assert all(each.severity is Severity.WARNING for each in made.findings)
    return subjects(made, "override-without-effect")


def test_a_table_on_a_denied_tool() -> None:
    """Deny wins, and the table that has no effect is named at its header (X03)."""
    made = compiled("[mcp_servers.s]\ndeny=['x']\n[mcp_servers.s.tools.x]\nexposure='direct'", {"s": ["x"]})
    (finding,) = found(made, "override-without-effect")
    assert finding.subjects[0] == "s/x"
    assert finding.place is not None
    assert (finding.place.path, finding.place.on) == (("mcp_servers", "s", "tools", "x"), "header")


def test_settings_of_a_hidden_tool() -> None:
    """What hides it works; the rest of its table does not (X01)."""
    assert void("[mcp_servers.s.tools.x]\nexposure='hidden'") == []
    assert void("[mcp_servers.s.tools.x]\nexposure='hidden'\nside_effect='write'") == ["s/x"]
    assert void("[mcp_servers.s]\nexposure='hidden'\n[mcp_servers.s.tools.x]\nside_effect='write'") == ["s/x"]
    assert void("[mcp_servers.s]\nexposure='hidden'\n[mcp_servers.s.tools.x]\nexposure='direct'") == []


def test_settings_that_a_pack_makes_void() -> None:
    """Exposure, class, approval, whether of a tool, a pattern, a server or `auto_approve` (law 2)."""
    assert void("[mcp_servers.s.tools.x]\nexposure='direct'", DEFERS) == ["s/x"]
    assert void("[mcp_servers.s.tools.x]\nexposure='deferred'", DEFERS) == []
    assert void("[mcp_servers.s.tools.x]\nside_effect='read_only'", RAISES) == ["s/x"]
    assert void("[mcp_servers.s.tools.x]\nside_effect='write'", RAISES) == []
    assert void("[mcp_servers.s.tools.x]\napproval='auto'", ASKS) == ["s/x"]
    assert void("[mcp_servers.s.tools.x]\napproval='ask'", ASKS) == []
    assert void("[policy]\nauto_approve=['s/x']\n[mcp_servers.s]", ASKS) == ["s/x"]
    assert void("[mcp_servers.s]\nexposure='direct'", DEFERS) == ["s:exposure"]
    assert void("[mcp_servers.s.tools.'*']\nexposure='direct'", DEFERS) == ['s:tools."*"']
    only_x = pack("[[constraints]]\nmatch='*/x'\nmax_exposure='deferred'\n")
    assert void("[mcp_servers.s.tools.'*']\nexposure='direct'", only_x) == []
    assert void("[mcp_servers.s]\nexposure='direct'", only_x) == []


def test_an_entry_for_what_no_model_meets() -> None:
    """Nothing is approved there (G06)."""
    assert void("[policy]\nauto_approve=['s/x']\n[mcp_servers.s]\ndeny=['x']") == ["s/x"]
    made = compiled("[policy]\nauto_approve=['s/*']\n[mcp_servers.s]", {"s": ["x"]})
    assert subjects(made, "override-without-effect") == ["policy.auto_approve[0]"]


def test_what_a_more_exact_table_beats_is_no_fault() -> None:
    """Precedence is how tables are meant (X03)."""
    assert (
        void("[mcp_servers.s.tools.'*']\nexposure='direct'\n[mcp_servers.s.tools.x]\nexposure='deferred'", tools=("x",))
        == []
    )


def test_nothing_is_said_of_what_is_left_out() -> None:
    """A server's fault makes no fault of the config (C02)."""
    made = compiled("[mcp_servers.s.tools.x]\nexposure='direct'", {"s": ["x", "x"]})
    assert [each.slug for each in made.findings] == ["duplicate-tool"]
