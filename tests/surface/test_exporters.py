"""Exports of the examples' surfaces: taken by the vendors' own types, equal to what a host declares, within limits."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mcpexpose import export
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.surface.exported import MEANINGS
from mcpexpose.surface.exporters import targets
from mcpexpose.workspace import Workspace
from tests.surface.vendors import TARGETS, accept

ROOT = Path(__file__).resolve().parents[2]
PROFILES = {"quickstart": None, "coding-agent": "review", "unattended-ci": "nightly"}
DECLARED_ALONE = ("openai-chat", "openai-custom", "gemini", "gemini-schema", "mcp")
"""Targets whose value holds what is declared, and nothing that is deferred."""
HOSTS = ("codex", "gemini-cli")
"""Targets that are a host's own config, and declare nothing."""
WITH_ALL = ("anthropic", "anthropic-regex", "anthropic-custom", "openai")


@cache
def plan_of(example: str) -> HostPlan:
    compiled = Workspace(ROOT / "examples" / example / "config.toml", environ={}).compiled
    return HostPlan(CompiledSource(compiled.plan, compiled.definitions))


def functions(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Every function, tool or declaration in an exported value, in order, those of namespaces too."""
    found: list[dict[str, Any]] = []
    for tool in value.get("tools", ()):
        if "functionDeclarations" in tool:
            found += tool["functionDeclarations"]
        elif tool.get("type") == "namespace":
            found += tool["tools"]
        elif "function" in tool:
            found.append(tool["function"])
        elif "input_schema" in tool or "inputSchema" in tool or tool.get("type") == "function":
            found.append(tool)
    return found


def schema(tool: dict[str, Any]) -> Any:
    keys = ("input_schema", "inputSchema", "parametersJsonSchema", "parameters")
    return next((tool[key] for key in keys if key in tool), {})


@pytest.mark.parametrize("example", PROFILES)
@pytest.mark.parametrize("target", TARGETS)
def test_the_vendor_takes_every_export_of_the_examples(example: str, target: str) -> None:
    """Whole, and under a profile (X01)."""
    for profile in {None, PROFILES[example]}:
        made = export(plan_of(example), target, profile=profile)
        accept(target, made.value)
        assert made.target == target


@pytest.mark.parametrize("example", PROFILES)
@pytest.mark.parametrize("target", DECLARED_ALONE)
def test_a_target_that_holds_nothing_back_declares_what_a_host_does(example: str, target: str) -> None:
    """Same aliases in the same order, same descriptions; deferred tools are not in it (X01, G13)."""
    session = plan_of(example).session(PROFILES[example])
    declared = {tool["name"]: tool["description"] for tool in session.declared()}
    made = export(session, target)
    exported = {tool["name"]: tool.get("description", "") for tool in functions(made.value)}
    if target == "openai-custom":  # its search tool is none of the functions
        assert made.value["tools"][0]["description"] == declared.pop("find_tools")
    assert list(exported) == list(declared)
    assert exported == declared
    assert section(target, made.value) == session.prompt_section() or target == "mcp"
    assert (target == "mcp") == any(loss.kind == "prompt-section-dropped" for loss in made.losses)


def section(target: str, value: dict[str, Any]) -> Any:
    """The servers section, where the target's request has its system prompt."""
    if target == "openai-chat":
        return value["messages"][0]["content"]
    if target == "openai-custom":
        return value["instructions"]
    return value.get("systemInstruction", {"parts": [{"text": ""}]})["parts"][0]["text"]


@pytest.mark.parametrize("example", PROFILES)
@pytest.mark.parametrize("target", WITH_ALL)
def test_a_target_with_deferral_has_all_that_the_profile_reaches(example: str, target: str) -> None:
    """Direct ones as they are, all others by `defer_loading`; hidden and denied ones nowhere (X01)."""
    plan = plan_of(example)
    profile = PROFILES[example]
    first = {tool["name"] for tool in plan.session(profile).declared()} - {"find_tools"}
    reached = {plan.rows.alias(row) for row in plan.rows.pool(profile)}
    tools = [tool for tool in functions(export(plan, target, profile=profile).value) if tool["name"] != "find_tools"]
    assert {tool["name"] for tool in tools} == reached
    assert {tool["name"] for tool in tools if not tool.get("defer_loading")} == first
    assert len(tools) == len(reached)


def test_each_anthropic_target_has_its_own_search_and_one_tool_that_is_not_deferred() -> None:
    """The API refuses a request whose tools are all deferred, and a deferred search tool."""
    searches = {
        "anthropic": {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
        "anthropic-regex": {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
    }
    for target, search in searches.items():
        value = export(plan_of("quickstart"), target).value
        assert value["tools"][0] == search
        assert value["system"].startswith("# MCP servers\n")
    custom = export(plan_of("quickstart"), "anthropic-custom").value
    assert custom["tools"][0]["name"] == "find_tools"
    assert "defer_loading" not in custom["tools"][0]


def test_openai_namespaces_say_what_the_prompt_section_would() -> None:
    """One a server with deferred tools, by its summary; deferral is the members', never the namespace's (X06)."""
    value = export(plan_of("quickstart"), "openai").value
    assert value["tools"][0] == {"type": "tool_search"}
    spaces = [tool for tool in value["tools"] if tool["type"] == "namespace"]
    section = plan_of("quickstart").session().prompt_section()
    assert [f"- {space['name']}: {space['description']}" for space in spaces] == section.splitlines()[1:]
    assert all(tool["defer_loading"] is True for space in spaces for tool in space["tools"])
    assert not any("defer_loading" in space for space in spaces)
    assert "instructions" not in value


def test_mcp_lists_hints_by_the_classes_of_the_plan() -> None:
    """What the operator decided, not what the server claims (G06)."""
    plan = plan_of("coding-agent")
    listed = {tool["name"]: tool["annotations"] for tool in export(plan, "mcp").value["tools"]}
    assert listed["find_tools"] == {"readOnlyHint": True}
    for alias, hints in listed.items():
        row = plan.row_of_alias(alias)
        if row is not None:
            assert hints["readOnlyHint"] is (plan.tool(row).side_effect == "read_only")


@pytest.mark.parametrize("example", PROFILES)
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in HOSTS])
def test_names_texts_and_counts_keep_the_documented_limits(example: str, target: str) -> None:
    """Numbers of the vendors' pages of 2026-11-30, written out here once more."""
    tools = functions(export(plan_of(example), target).value)
    name, most, text = {
        "anthropic": (r"[A-Za-z0-9_-]{1,64}", 10_000 + 400, None),
        "openai": (r"[A-Za-z0-9_-]{1,128}", None, None),
        "openai-chat": (r"[A-Za-z0-9_-]{1,64}", 128, 1_024),
        "gemini": (r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", 512, None),
        "mcp": (r"[A-Za-z0-9._-]{1,128}", None, None),
    }[target if target == "openai-chat" else target.partition("-")[0]]
    assert all(re.fullmatch(name, tool["name"]) for tool in tools)
    assert len({tool["name"] for tool in tools}) == len(tools)
    assert most is None or len(tools) <= most
    assert text is None or all(len(tool.get("description", "")) <= text for tool in tools)
    for tool in tools:
        root = schema(tool)
        if target.startswith("anthropic"):
            assert root["type"] == "object"
            assert not root.keys() & {"oneOf", "anyOf", "allOf"}
        if target in ("openai", "openai-chat"):
            assert root["type"] == "object"
            assert "properties" in root
            assert not root.keys() & {"oneOf", "anyOf", "allOf", "enum", "not"}


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_plan_gives_the_same_value(target: str) -> None:
    """Twice the same, and a value of one's own each time: who changes one changes no other."""
    plan = plan_of("quickstart")
    one, two = export(plan, target), export(plan, target)
    assert one.to_json() == two.to_json()
    one.value.clear()
    assert export(plan, target).value == two.value


def test_every_loss_is_explained_and_told_in_order() -> None:
    kinds = list(MEANINGS)
    for target in targets():
        losses = export(plan_of("coding-agent"), target).losses
        at = [kinds.index(loss.kind) for loss in losses]
        assert at == sorted(at)
        assert all(loss.message and loss.to_json()["kind"] in MEANINGS for loss in losses)


def test_calls_that_must_be_approved_are_told_where_nothing_in_the_value_says_so() -> None:
    """G06: a loss for each of them, and for no other."""
    plan = plan_of("quickstart")
    asked = {str(plan.rows.id(row)) for row in range(plan.rows.size) if plan.tool(row).policy_state != "allowed"}
    assert asked
    for target in WITH_ALL:
        losses = export(plan, target).losses
        assert {loss.subject for loss in losses if loss.kind == "approval-dropped"} == asked
