"""Two thousand tools of real servers in the form of every target, each held against the vendor's own types."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from mcpexpose import export
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.model.policy import Approval, PolicyState
from mcpexpose.model.transport import Transport
from mcpexpose.toolschema.portable import not_portable
from mcpexpose.workspace import Workspace
from tests.scale.world import DATA, WHY_NOT, real_catalogs, write_world
from tests.surface.test_exporters import HOSTS, functions, schema
from tests.surface.vendors import TARGETS, accept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not DATA.is_dir(), reason=WHY_NOT)]

TOOLS = 2_000
WHOLE = ("anthropic", "anthropic-regex", "anthropic-custom", "openai")
"""Targets that hold deferred tools too, so that one export has all of them."""
HOSTED = ("anthropic-mcp", "openai-mcp")
BATCHES = tuple(target for target in TARGETS if target not in (*WHOLE, *HOSTED, *HOSTS))
LIMITS = {"openai": "openai-responses", "openai-custom": "openai-responses", "openai-chat": "openai"} | {
    "gemini": "gemini-json-schema",
    "mcp": "mcp",
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> HostPlan:
    """As many whole servers as it takes; all of their tools deferred, as a config has them that says nothing else."""
    chosen: list[dict[str, Any]] = []
    count = 0
    for catalog in real_catalogs():
        if count < TOOLS + 100:  # some are broken, and left out of the plan
            chosen.append(catalog)
            count += len(catalog["tools"])
    folder: Path = tmp_path_factory.mktemp("exports") / "world"
    compiled = Workspace(write_world(folder, chosen), environ={}).compiled
    assert len(compiled.plan.tools) >= TOOLS
    # Half of them run without asking, and all are reached by a URL, so that hosted servers have something to hold.
    tools = tuple(
        replace(tool, policy_state=PolicyState.ALLOWED, approval=Approval.AUTO) if row % 2 else tool
        for row, tool in enumerate(compiled.plan.tools)
    )
    servers = tuple(
        replace(each, transport=Transport("http", url=f"https://{n}.mcp.example.com/mcp", bearer_token_env_var="TOKEN"))
        for n, each in enumerate(compiled.plan.servers)
    )
    changed = replace(compiled.plan, tools=tools, servers=servers)
    return HostPlan(CompiledSource(changed, compiled.definitions))


def batches(plan: HostPlan, size: int = 100) -> Iterator[list[str]]:
    """All tools by their aliases, so many at once."""
    aliases = [plan.rows.alias(row) for row in range(plan.rows.size)]
    return (aliases[at : at + size] for at in range(0, len(aliases), size))


def left_out(made: Any) -> set[str]:
    return {loss.subject for loss in made.losses if loss.kind == "tool-left-out"}


@pytest.mark.parametrize("target", WHOLE)
def test_two_thousand_deferred_tools_are_taken_in_one_request(plan: HostPlan, target: str) -> None:
    """Each is in it or told to be left out, under its alias and with its description (X01)."""
    made = export(plan, target)
    accept(target, made.value)
    tools = {tool["name"]: tool for tool in functions(made.value) if tool["name"] != "find_tools"}
    for row in range(plan.rows.size):
        alias, name = plan.rows.alias(row), str(plan.rows.id(row))
        assert (alias in tools) != (name in left_out(made))
        if alias in tools:
            assert tools[alias]["defer_loading"] is True
            assert tools[alias].get("description", "") == (plan.definition(row).get("description") or "")[:4_096] or (
                "[cut here: " in tools[alias]["description"]
            )
    assert len(left_out(made)) < TOOLS // 100
    check_schemas(target, list(tools.values()))


@pytest.mark.parametrize("target", BATCHES)
def test_two_thousand_declared_tools_are_taken_a_hundred_at_a_time(plan: HostPlan, target: str) -> None:
    """The limit of most vendors is 128 in a request; two of them have none."""
    seen = 0
    out: set[str] = set()
    for chosen in batches(plan, 1_000 if target in ("openai-custom", "mcp") else 100):
        made = export(plan.session(tools=chosen), target)
        accept(target, made.value)
        tools = [tool for tool in functions(made.value) if tool["name"] in chosen]
        assert len(tools) + len(left_out(made) & {str(plan.rows.id(_row(plan, alias))) for alias in chosen}) == len(
            chosen
        )
        seen += len(tools)
        out |= left_out(made)
        check_schemas(target, tools)
    assert seen >= TOOLS * 0.85
    if target != "gemini-schema":  # whose parameters must be names of a programming language
        assert len(out) < TOOLS // 100


@pytest.mark.parametrize("target", HOSTED)
def test_two_thousand_tools_of_hosted_servers_are_allowed_by_name(plan: HostPlan, target: str) -> None:
    """No server more than the plan has, no tool more, and nothing that must be approved runs without (G06)."""
    made = export(plan, target)
    accept(target, made.value)
    allowed = {str(plan.rows.id(row)) for row in range(plan.rows.size) if plan.tool(row).policy_state == "allowed"}
    entries = {each.get("mcp_server_name") or each.get("server_label"): each for each in made.value["tools"][1:]}
    if target == "anthropic-mcp":
        on = {f"{server}/{name}" for server, each in entries.items() for name in each["configs"]}
        assert on == allowed
    else:
        assert sum(len(each["allowed_tools"]) for each in entries.values()) == plan.rows.size
        free = [each["require_approval"] for each in entries.values() if each["require_approval"] != "always"]
        assert sum(len(each["never"]["tool_names"]) for each in free) == len(allowed)


def test_one_wrong_key_among_two_thousand_is_found(plan: HostPlan) -> None:
    """The check can fail at this size too."""
    value = export(plan, "anthropic").value
    value["tools"][1_234]["inputSchema"] = {}
    with pytest.raises(ValidationError):
        accept("anthropic", value)


def check_schemas(target: str, tools: list[dict[str, Any]]) -> None:
    """No row of the limits refuses one of them."""
    limits = LIMITS.get(target, "anthropic")
    if target == "gemini-schema":
        return  # its types are written as the API's enumeration; `accept` has read it
    for tool in tools:
        assert not not_portable({"inputSchema": schema(tool)}, (limits,)), tool["name"]


def _row(plan: HostPlan, alias: str) -> int:
    row = plan.row_of_alias(alias)
    assert row is not None
    return row
