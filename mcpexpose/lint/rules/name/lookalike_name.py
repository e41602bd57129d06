"""A name that reads like another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from mcpexpose.lint.confusable import SLIP_LENGTH, WORDS, foreign_letters, skeleton, slip
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, WholePlan
from mcpexpose.lint.verbs import EFFECTS
from mcpexpose.model.finding import Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")
_ADVICE = "Deny the one that is not meant, and ask its maker for a name of its own."


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    letters = foreign_letters(tool.id.name) if tool.wanted and not tool.id.name.isascii() else ()
    if letters:
        points = [f"U+{ord(letter):04X}" for letter in letters]
        yield rule.finding(
            f"{shown(str(tool.id))} mixes letters of several scripts in one name ({', '.join(points)})",
            (tool.id,),
            "Deny it: no honest name needs that, and it reads like another one.",
            tool.at("name"),
            severity=Severity.ERROR,
            details={"codepoints": points},
        )


@rule.on(WholePlan)
def check_pairs(subject: WholePlan, context: Context) -> Iterator[Finding]:
    alike: dict[str, dict[str, list[CapturedTool]]] = defaultdict(dict)
    for tool in context.tools:
        alike[skeleton(tool.id.name)].setdefault(tool.id.name, []).append(tool)
    for names in alike.values():
        if len(names) > 1:
            tools = sorted((tool for group in names.values() for tool in group), key=lambda tool: tool.id)
            yield from _pair(tools, "look alike")
    by_name = {name: tools for names in alike.values() for name, tools in names.items()}
    servers = {name: frozenset(tool.id.server for tool in tools) for name, tools in by_name.items()}
    for (one, word), (other, other_word) in _slips(servers):
        if _says(by_name[one], word) and _says(by_name[other], other_word):
            continue  # the texts use the words that the names do, so nobody's pen slipped
        yield from _pair([by_name[one][0], by_name[other][0]], "are one letter apart")


def _pair(tools: list[CapturedTool], how: str) -> Iterator[Finding]:
    # Between servers, two hidden tools cannot be mixed up by anybody.
    if any(tool.planned for tool in tools):
        names = " and ".join(shown(str(tool.id), 80) for tool in tools[:4])
        more = f" and {len(tools) - 4} more" if len(tools) > 4 else ""
        yield rule.finding(
            f"{names}{more} {how}",
            [tool.id for tool in tools],
            _ADVICE,
            tools[0].at("name"),
            related=[tool.at("name") for tool in tools[1:]],
        )


def _says(tools: list[CapturedTool], word: str) -> bool:
    """Whether the text of one of TOOLS has WORD, in the singular or the plural."""
    return any(word.removesuffix("s") in tool.decision.description.lower() for tool in tools)


def _slips(names: Mapping[str, frozenset[str]]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of names one slip apart and on no server together, each with the word in which it differs.

    They are found by what is left when one letter is dropped.

    Where both of the differing words are used elsewhere, as notes and nodes are, there was no slip.
    """
    buckets: dict[str, list[str]] = defaultdict(list)
    uses: Counter[str] = Counter()
    for name in names:
        uses.update({match[0].lower() for match in WORDS.finditer(name)})
        if SLIP_LENGTH <= len(name) <= 64:
            for key in {name} | {name[:at] + name[at + 1 :] for at in range(len(name))}:
                buckets[key].append(name)
    pairs = {
        (one, other)
        for alike in buckets.values()
        if len(alike) > 1 and len(frozenset().union(*(names[name] for name in alike))) > 1
        for one in alike
        for other in alike
        if one < other and names[one].isdisjoint(names[other])
    }
    for one, other in sorted(pairs):
        words = slip(one, other)
        if skeleton(one) == skeleton(other):
            continue  # told already
        if words is None or all(uses[word] > 1 or word in EFFECTS for word in words):
            continue
        yield (one, words[0]), (other, words[1])
