"""Exports of a running session: what was found, what is away, and what goes back after a search."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

import mcpexpose
from mcpexpose.host.audit import LoggerSink
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.host.runtime import Runtime
from mcpexpose.model.errors import SelectionRefused, UsageRefused
from mcpexpose.model.policy import Exposure
from tests.builders import compiled, profile, tool
from tests.surface.test_exporters import functions
from tests.surface.vendors import TARGETS, accept, strict


def host() -> HostPlan:
    made = compiled(
        tool("git", "status", "Show the working tree", exposure=Exposure.DIRECT),
        tool("git", "commit", "Record changes as a commit"),
        tool("jobs", "read_log", "Read the log of a failed job"),
        tool("jobs", "cancel", "Cancel a job"),
        profiles=[profile("ci", ["git/status", "jobs/read_log"])],
    )
    return HostPlan(CompiledSource(made.plan, made.definitions))


def names(session: mcpexpose.Session, target: str) -> list[str]:
    return [each["name"] for each in functions(mcpexpose.export(session, target).value)]


@pytest.mark.parametrize("target", ["openai-chat", "gemini", "gemini-schema", "mcp"])
def test_what_was_found_is_appended_where_the_host_declares_it(target: str) -> None:
    """F03, G13: request 2 is request 1 with what was found at its end."""
    session = host().session()
    first = names(session, target)
    added = session.find_tools("failed job log", limit=1).added
    assert names(session, target) == [*first, *added]
    assert names(session, target) == [each["name"] for each in session.declared()]
    accept(target, mcpexpose.export(session, target).value)


@pytest.mark.parametrize("target", ["anthropic", "anthropic-regex", "anthropic-custom", "openai", "openai-custom"])
def test_what_was_found_changes_nothing_where_the_history_holds_it(target: str) -> None:
    """G13: the vendor expands references of earlier answers, so the list of tools stays as it was, cache and all."""
    session = host().session()
    before = mcpexpose.export(session, target).value
    assert session.find_tools("failed job log").added
    assert mcpexpose.export(session, target).value == before


@pytest.mark.parametrize("target", TARGETS)
def test_a_server_that_is_away_is_in_no_export(target: str) -> None:
    """F08"""
    session = host().session()
    session.set_available("jobs", False)
    text = json.dumps(mcpexpose.export(session, target).to_json())
    assert "jobs" not in text
    accept(target, mcpexpose.export(session, target).value)


def test_a_profile_reaches_no_further_in_an_export() -> None:
    """G05: of a plan under a profile, and of a session that has it, the same."""
    plan = host()
    made = mcpexpose.export(plan, "anthropic", profile="ci")
    assert [each["name"] for each in functions(made.value)] == ["git__status", "jobs__read_log"]
    assert mcpexpose.export(plan.session("ci"), "anthropic").value == made.value


def test_an_export_of_a_plan_is_no_run() -> None:
    """Nothing is written to the events: no session began."""
    import logging

    seen: list[str] = []
    logger = logging.getLogger("tests.exporting")
    logger.setLevel(logging.INFO)
    logger.addFilter(lambda entry: bool(seen.append(entry.getMessage())))
    made = compiled(tool("git", "status"))
    plan = HostPlan(CompiledSource(made.plan, made.definitions), runtime=Runtime(audit=LoggerSink(logger)))
    mcpexpose.export(plan, "openai")
    assert seen == []


def test_names_that_are_none_are_answered() -> None:
    """The nearest target, the profiles that there are, and no second profile for a session."""
    plan = host()
    with pytest.raises(UsageRefused, match=r"no target 'openai_chat'; did you mean openai-chat\?"):
        mcpexpose.export(plan, "openai_chat")
    with pytest.raises(SelectionRefused, match="no profile 'x'; it has: ci"):
        mcpexpose.export(plan, "openai", profile="x")
    with pytest.raises(UsageRefused, match="a session has its profile already"):
        mcpexpose.export(plan.session(), "openai", profile="ci")


def test_anthropic_gets_references_to_tools_of_the_same_request() -> None:
    """Each must name a tool in `tools`; the vendor's own type of a result takes the block (F04)."""
    from anthropic.types import ToolResultBlockParam

    session = host().session()
    exported = set(names(session, "anthropic-custom"))
    found = session.find_tools("failed job log")
    block = mcpexpose.export_answer(session, found, "anthropic-custom", "toolu_1")
    TypeAdapter(strict(ToolResultBlockParam)).validate_python(block, strict=True)
    assert block["tool_use_id"] == "toolu_1"
    assert [each["tool_name"] for each in block["content"]] == [match.tool.alias for match in found.matches]
    assert {each["tool_name"] for each in block["content"]} <= exported


def test_openai_gets_the_definitions_of_what_was_found() -> None:
    """They need not have been declared before, and stay in the history (F03)."""
    from openai.types.responses.response_tool_search_output_item_param_param import (
        ResponseToolSearchOutputItemParamParam,
    )

    session = host().session()
    found = session.find_tools("failed job log", limit=1)
    item = mcpexpose.export_answer(session, found, "openai-custom", "call_1")
    TypeAdapter(strict(ResponseToolSearchOutputItemParamParam)).validate_python(item, strict=True)
    assert [each["name"] for each in item["tools"]] == ["jobs__read_log"]
    assert (item["call_id"], item["execution"], item["status"]) == ("call_1", "client", "completed")


def test_others_get_the_text_of_the_answer() -> None:
    from google.genai import types as genai
    from mcp_types import CallToolResult
    from openai.types.chat import ChatCompletionToolMessageParam

    session = host().session()
    found = session.find_tools("failed job log")
    chat = mcpexpose.export_answer(session, found, "openai-chat", "call_1")
    TypeAdapter(strict(ChatCompletionToolMessageParam)).validate_python(chat, strict=True)
    assert chat["content"] == found.text
    for target in ("gemini", "gemini-schema"):
        part = mcpexpose.export_answer(session, found, target, "call_1")
        assert genai.Part.model_validate(part).function_response is not None
        assert part["functionResponse"]["response"] == {"output": found.text}
    result = CallToolResult.model_validate(mcpexpose.export_answer(session, found, "mcp", ""))
    assert result.content[0].text == found.text  # type: ignore[union-attr]


def test_a_search_without_a_hit_says_so_in_every_form() -> None:
    """F09: an answer, and never a guessed name."""
    session = host().session()
    found = session.find_tools("zzz qqq")
    block = mcpexpose.export_answer(session, found, "anthropic-custom", "t")
    assert block["content"] == [{"type": "text", "text": found.text}]
    assert mcpexpose.export_answer(session, found, "openai-custom", "t")["tools"] == []


def test_what_request_1_declares_is_not_loaded_again() -> None:
    """The vendor takes references to deferred tools, and a function once; selected tools are of request 1 too (X04)."""
    session = host().session(tools=["jobs/cancel"])
    found = session.find_tools("git__status jobs__cancel jobs__read_log")
    assert {match.tool.alias for match in found.matches} >= {"git__status", "jobs__cancel", "jobs__read_log"}
    for again in (found, session.find_tools("jobs__read_log")):  # what was found before is found anew
        block = mcpexpose.export_answer(session, again, "anthropic-custom", "t")
        loaded = {each["tool_name"] for each in block["content"]}
        assert loaded == {
            each["name"] for each in mcpexpose.export_answer(session, again, "openai-custom", "t")["tools"]
        }
        assert "jobs__read_log" in loaded
        assert not loaded & {"git__status", "jobs__cancel"}
    only = session.find_tools("git__status", limit=1)
    assert mcpexpose.export_answer(session, only, "anthropic-custom", "t")["content"][0]["type"] == "text"


@pytest.mark.parametrize("target", ["anthropic", "anthropic-regex", "anthropic-mcp", "openai", "openai-mcp"])
def test_a_vendor_that_searches_by_itself_is_answered_nothing(target: str) -> None:
    session = host().session()
    found = session.find_tools("job")
    with pytest.raises(UsageRefused, match="searches by itself"):
        mcpexpose.export_answer(session, found, target, "call_1")
