"""Hints against each other, or against the tool's own name and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.lint.verbs import gives_an_answer, leads, verb_of_name, verb_of_text
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")
_BEGINNING = 80
_SET = "Set its `side_effect` yourself: a host that obeys the hint would run it without asking."
_IS_SET = "The config's `side_effect` stands here; other hosts obey the hint, so tell its makers, or waive this."


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    annotations = tool.raw.get("annotations")
    if not tool.wanted or not isinstance(annotations, dict):
        return
    if (what := _contradiction(tool, annotations)) is not None:
        yield rule.finding(
            f"{shown(str(tool.id))} {what}",
            (tool.id,),
            _SET if tool.decision.declared_side_effect is None else _IS_SET,
            tool.at("annotations"),
        )


def _contradiction(tool: CapturedTool, annotations: dict[str, object]) -> str | None:
    read_only = annotations.get("readOnlyHint") is True
    if read_only and annotations.get("destructiveHint") is True:
        return "has readOnlyHint true and destructiveHint true"
    harmless = annotations.get("destructiveHint") is False
    if not read_only and not harmless:
        return None
    hint = "readOnlyHint true" if read_only else "destructiveHint false"
    texts = {
        "title": str(tool.raw.get("title") or annotations.get("title") or ""),
        "description": str(tool.raw.get("description") or ""),
    }
    if any(gives_an_answer(text[:_BEGINNING]) for text in (tool.id.name, *texts.values())):
        return None
    said = {where: verb_of_text(text) for where, text in texts.items()}
    named = verb_of_name(tool.id.name)
    if named is not None and not leads(tool.id.name, named[0]) and _reads(*said.values()):
        return None  # a verb further back in a name may be a noun: `cli_install` gives instructions
    for where, found in {"name": named, **said}.items():
        if found is None:
            continue
        verb, side_effect = found
        if side_effect == "read_only":
            return None  # the name is the better witness than the prose
        if side_effect == "destructive" or (read_only and side_effect == "write"):
            return f'has {hint}, and its {where} says "{verb}"'
    return None


def _reads(*verbs: tuple[str, str] | None) -> bool:
    return any(verb is not None and verb[1] == "read_only" for verb in verbs)
