"""What a test asserts of request 1, of reach, of classes and of approval; each assertion holds or gives a Failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.subjects import dotted
from mcpexpose.model.finding import Place
from mcpexpose.model.text import shown
from mcpexpose.report.tested import Failure
from mcpexpose.report.words import count
from mcpexpose.testing import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from mcpexpose.config.tests import Written
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import PlannedTool
    from mcpexpose.testing.subject import Reached

_LISTED = 5


def check(written: Written, file: str, reached: Reached) -> Iterator[Failure]:
    """Every assertion of the test that does not hold, but those on queries."""
    test = written.test
    at = ("tests", written.index)
    for n, text in enumerate(test.sees or ()):
        yield from _sees(text, Place(file, (*at, "sees", n)), reached)
    for n, text in enumerate(test.not_visible or ()):
        yield from _not_visible(text, Place(file, (*at, "not_visible", n)), reached)
    if test.max_tokens is not None:
        yield from _max_tokens(test.max_tokens, Place(file, (*at, "max_tokens")), reached)
    for text, wanted in (test.side_effect or {}).items():
        yield from _is(text, "side_effect", wanted, Place(file, (*at, "side_effect", text)), reached)
    for text, approval in (test.approval or {}).items():
        yield from _is(text, "approval", approval, Place(file, (*at, "approval", text)), reached)


def misnamed(key: str, text: str, place: Place, reached: Reached, *, some: bool) -> names.Named | Failure:
    """TEXT as a name, or the failure of an assertion on nothing.

    SOME: it must meet a captured tool. Otherwise a pattern may wait for one to come, and a plain name may not.
    """
    subject = reached.subject
    named = names.read(text, subject)
    trouble = named if isinstance(named, names.Misnamed) else names.unknown_server(named, subject)
    if trouble is None and isinstance(named, names.Named) and (some or (named.exact and subject.decisions is not None)):
        trouble = names.unknown_tool(named, subject)
        if trouble and not some and subject.servers.get(named.server.text):
            trouble = None  # a server without tools gives none to a model
    if isinstance(named, names.Named) and trouble is None:
        return named
    assert trouble is not None
    return Failure(key, text, trouble.fact, trouble.advice, place)


def _sees(text: str, place: Place, reached: Reached) -> Iterator[Failure]:
    named = misnamed("sees", text, place, reached, some=True)
    if isinstance(named, Failure):
        yield named
        return
    met = named.of(reached.subject.known)
    missing = [tool for tool in met if tool not in reached.declared]
    if not missing:
        return
    first = missing[0]
    told = [f"{shown(str(tool), 120)} ({reached.briefly(tool)})" for tool in missing[:_LISTED]]
    if named.exact:
        fact = f"{shown(str(first), 120)} {reached.state(first)}"
    else:
        fact = f'{len(missing):,} of the {count(len(met), "tool")} that "{shown(text, 120)}" meets '
        fact += f"{'is' if len(missing) == 1 else 'are'} not told in request 1: {_list(told, len(missing))}"
    yield Failure("sees", text, fact, _to_tell(first, reached), place)


def _to_tell(tool: ToolId, reached: Reached) -> str:
    name = shown(str(tool), 120)
    if tool in reached.tools and reached.profile is not None:
        return f'Add "{name}" to default_tools of profile {shown(reached.profile, 80)}, or give it exposure = "direct".'
    if tool in reached.tools:
        return f'Give {name} exposure = "direct", or assert a query that finds it.'
    return f"mcpexpose explain {name} says why; lift it there, or take it out of the test."


def _not_visible(text: str, place: Place, reached: Reached) -> Iterator[Failure]:
    named = misnamed("not_visible", text, place, reached, some=False)
    if isinstance(named, Failure):
        yield named
        return
    met = named.of(sorted(reached.tools))
    if not met:
        return
    told = [f"{shown(str(tool), 120)} ({reached.briefly(tool)})" for tool in met[:_LISTED]]
    verb = "is" if len(met) == 1 else "are"
    fact = f"{shown(str(met[0]), 120)} is visible: a model {_how(met[0], reached)}"
    if not named.exact:
        fact = f'{count(len(met), "tool")} that "{shown(text, 120)}" meets {verb} visible: {_list(told, len(met))}'
    first = met[0]
    advice = f'Deny it: deny = ["{shown(first.name, 80)}"] in [{dotted(("mcp_servers", first.server))}]'
    if reached.profile is not None:
        advice += f", or keep its groups or its class out of profile {shown(reached.profile, 80)}"
    yield Failure("not_visible", text, fact, advice + ".", place)


def _how(tool: ToolId, reached: Reached) -> str:
    return "is told it in request 1" if tool in reached.declared else "may find and call it"


def _max_tokens(most: int, place: Place, reached: Reached) -> Iterator[Failure]:
    view = reached.view
    if view.tokens <= most:
        return
    parts = f"tools {view.tokens_tools:,}, find_tools {view.tokens_search_tool:,}"
    fact = (
        f"request 1 carries {view.tokens:,} tokens ({parts}, servers section {view.tokens_prompt_section:,}), "
        f"and the test allows {most:,}"
    )
    planned = reached.subject.planned
    largest = max(reached.declared, key=lambda tool: (planned[tool].tokens, tool), default=None)
    advice = "Raise max_tokens."
    if largest is not None:
        size = planned[largest].tokens
        advice = f"Defer {shown(str(largest), 120)}, the largest with {size:,} tokens, or raise max_tokens."
    yield Failure("max_tokens", str(most), fact, advice, place)


def _is(
    text: str, key: Literal["side_effect", "approval"], wanted: str, place: Place, reached: Reached
) -> Iterator[Failure]:
    """Every tool within reach that TEXT meets has this class, or asks or does not."""
    named = misnamed(key, text, place, reached, some=True)
    if isinstance(named, Failure):
        yield named
        return
    met = named.of(sorted(reached.tools))
    if not met:
        first = named.of(reached.subject.known)[0]
        fact = f'"{shown(text, 120)}" meets no tool within reach: {shown(str(first), 120)} {reached.state(first)}'
        yield Failure(key, text, fact, "Assert not_visible of it, or let a model reach it.", place)
        return
    planned = reached.subject.planned
    wrong = [tool for tool in met if _value(planned[tool], key) != wanted]
    if not wrong:
        return
    told = [_told(tool, planned[tool], key) for tool in wrong[:_LISTED]]
    fact = f"{told[0]}, and the test wants {wanted}"
    if not named.exact:
        verb = "is" if len(wrong) == 1 else "are"
        fact = f'{len(wrong):,} of the {count(len(met), "tool")} that "{shown(text, 120)}" meets {verb} not {wanted}: '
        fact += _list(told, len(wrong))
    name = shown(str(wrong[0]), 120)
    advice = f"mcpexpose explain {name} says which key decides; give it {key} there, or mend the test."
    yield Failure(key, text, fact, advice, place)


def _value(tool: PlannedTool, key: Literal["side_effect", "approval"]) -> str:
    return tool.side_effect.value if key == "side_effect" else tool.approval.value


def _told(tool: ToolId, planned: PlannedTool, key: Literal["side_effect", "approval"]) -> str:
    why = next((each.key for each in planned.because if each.axis == key), "")
    value = _value(planned, key)
    what = value if key == "side_effect" else {"ask": "asks", "auto": "runs without asking"}[value]
    by = f" by {shown(why, 120)}" if why else ""
    return f"{shown(str(tool), 120)} {'is ' if key == 'side_effect' else ''}{what}{by}"


def _list(told: Sequence[str], whole: int) -> str:
    more = whole - len(told)
    return ", ".join(told) + (f" and {more:,} more" if more > 0 else "")
