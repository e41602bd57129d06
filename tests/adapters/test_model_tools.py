"""What all adapters stand on: nothing that a model gets wrong is raised, and the gate has the last word."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import Allow, Ask, Refused
from mcpexpose.adapters.model_tools import ModelTools, is_sound
from tests.adapters.shown import QUERY, REQUEST_1, REQUEST_2, TITLE, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.desk import Desk


@pytest.fixture
def tools(plan_folder: Path) -> Iterator[ModelTools]:
    session, _ = session_of(plan_folder)
    yield ModelTools(session)
    session.plan.runtime.close()


def answer(tools: ModelTools, *words: Any) -> Any:
    return asyncio.run(tools.answer(*words))


def decide(tools: ModelTools, *words: Any) -> Any:
    return asyncio.run(tools.decide(*words))


def names(tools: ModelTools) -> list[str]:
    return [each["name"] for each in tools.declared()]


def test_found_then_called(tools: ModelTools, desk: Desk) -> None:
    """X01, F03, G13: the search declares, the call goes through the gate and reaches the server once."""
    assert names(tools) == REQUEST_1
    assert is_sound(answer(tools, "find_tools", QUERY))
    assert names(tools) == REQUEST_2
    assert answer(tools, "desk__open_ticket", TITLE).outcome == "refused:approval-required"
    assert desk.calls == []
    done = answer(tools, "desk__open_ticket", '{"title": "printer on fire"}', lambda ask: True)
    assert (done.outcome, done.text, is_sound(done)) == ("ok", "did open_ticket", True)
    assert desk.calls == [("open_ticket", TITLE)]


@pytest.mark.parametrize(
    "given", ["", "null", "[1]", "{", "[" * 100_000, {}, {"query": 5}, {"query": "x", "limit": "y"}]
)
def test_a_search_with_arguments_that_are_none_is_answered(tools: ModelTools, given: Any) -> None:
    """F09, G10: with a sentence for the model."""
    found = answer(tools, "find_tools", given)
    assert found.matches == ()
    assert found.text
    assert found.reason.startswith(("search-query", "search-limit"))


@pytest.mark.parametrize("name", ["desk__nothing", "open_ticket", "", "x" * 10_000, None, 5])
def test_a_name_that_is_none_is_refused_like_a_hidden_one(tools: ModelTools, name: Any) -> None:
    """G04: a bare name is no key, and the answer says no more than that there is no such tool."""
    refused = answer(tools, name, {})
    assert isinstance(refused, Refused)
    assert (refused.reason, is_sound(refused)) == ("unknown-tool", False)
    assert f'no tool "{str(name)[:200]}" here' in refused.text  # the name that the model called, and nothing else
    assert isinstance(decide(tools, name, {}), Refused)


def test_decisions(tools: ModelTools) -> None:
    """G06: asked before a call, without making it."""
    assert decide(tools, "find_tools", QUERY) is None
    assert isinstance(decide(tools, "desk__status", {}), Allow)
    assert isinstance(decide(tools, "desk__open_ticket", TITLE), Ask)
    refused = decide(tools, "desk__open_ticket", {"title": 5})
    assert isinstance(refused, Refused)
    assert refused.pointer == "/title"


def test_a_lost_server_takes_its_tools_along(tools: ModelTools) -> None:
    """F08"""
    assert tools.is_declared("desk__status")
    tools.session.set_available("desk", False)
    assert not tools.is_declared("desk__status")
    assert tools.is_declared("find_tools")
    assert names(tools) == ["find_tools"]
    tools.session.set_available("desk", True)
    assert names(tools) == REQUEST_1


class NotYet(Exception):
    """What a framework raises to stop a run until somebody has answered."""


def test_a_review_comes_before_the_call(plan_folder: Path, desk: Desk) -> None:
    """G06, G12: what it raises comes through; nothing was begun then, and no event says that somebody failed."""
    session, memory = session_of(plan_folder)
    tools = ModelTools(session)

    def not_yet(ask: Ask) -> bool:
        raise NotYet

    with pytest.raises(NotYet):
        answer(tools, "desk__open_ticket", TITLE, not_yet)
    assert (memory.told("call"), memory.told("approve"), desk.calls) == ([], [], [])
    assert answer(tools, "desk__open_ticket", {"title": 5}, not_yet).outcome == "refused:invalid-arguments"
    assert answer(tools, "desk__status", {}, not_yet).outcome == "ok"
    assert answer(tools, "desk__open_ticket", TITLE, lambda ask: False).outcome == "refused:approval-required"
    assert answer(tools, "desk__open_ticket", TITLE, lambda ask: True).outcome == "ok"
    assert memory.told("approve") == ["denied", "granted"]
    assert memory.told("call") == ["refused:invalid-arguments", "ok", "refused:approval-required", "ok"]
    assert desk.calls == [("status", {}), ("open_ticket", TITLE)]
    session.plan.runtime.close()


def test_a_stale_server_is_asked_before_anybody_is(plan_folder: Path, desk: Desk) -> None:
    """G08: the same list clears it, and only then somebody is asked, once."""
    session, memory = session_of(plan_folder)
    tools = ModelTools(session)
    asked: list[Ask] = []

    def review(ask: Ask) -> bool:
        asked.append(ask)
        return True

    session.plan.runtime.step("desk", lambda watch: watch.changed("list_changed"))
    assert answer(tools, "desk__open_ticket", TITLE, review).outcome == "ok"
    assert len(asked) == 1
    assert memory.told("refresh") == ["unchanged"]
    assert desk.calls == [("open_ticket", TITLE)]
    session.plan.runtime.close()
