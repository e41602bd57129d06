"""What a server sent wrong is left out: names that stand twice, broken schemas, hidden text, control characters."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.hidden import control_characters, hidden_text
from mcpexpose.model.names import ToolId
from mcpexpose.model.recall import current
from mcpexpose.model.text import shown
from mcpexpose.model.visible import VisibleText, visible_texts
from mcpexpose.toolschema import check_definition, schema_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcpexpose.compiler.captured import Entry, Inputs

_MOST = 20
"""Findings of one slug about one tool."""
_LEVELS = 100
_CHECKS: Mapping[str, tuple[str, Callable[..., Mapping[str, int]]]] = {
    "hidden-text": ("text that a person does not see", hidden_text),
    "control-characters": ("control characters", control_characters),
}


def screen(inputs: Inputs, reaches_model: Callable[[ToolId], bool]) -> tuple[Mapping[ToolId, str], tuple[Finding, ...]]:
    """Tools that are left out, with the slug that did it, and all that is wrong with what could reach a model.

    What is denied or hidden is not judged: to deny a broken tool is to be rid of its fault.
    """
    left_out: dict[ToolId, str] = {}
    findings: list[Finding] = []
    for server in inputs.servers.values():
        for name, entries in server.tools.items():
            tool = ToolId(server.id, name)
            if not reaches_model(tool):
                continue
            file = server.catalog.file if server.catalog else ""
            faults = _twice(tool, file, entries) if len(entries) > 1 else _faults(tool, file, entries[0])
            for finding, leaves_out in faults:
                findings.append(_with_waiver(finding) if leaves_out else finding)
                if leaves_out:
                    left_out.setdefault(tool, finding.slug)
    return left_out, tuple(findings)


def _with_waiver(finding: Finding) -> Finding:
    """With the words that would accept it: the tool stays out, and nobody is told again."""
    subject = json.dumps(finding.subjects[0], ensure_ascii=False)
    waiver = f'[[waivers]] rule = "{finding.slug}", subject = {subject}, reason = "…"'
    return replace(finding, advice=f"{finding.advice} To go on without it: {shown(waiver)}.")


def misshapen(tool: ToolId, file: str, index: int, what: str, field: str | None = None) -> Finding:
    """An entry of `tools` that is no tool."""
    path: tuple[str | int, ...] = ("tools", index) if field is None else ("tools", index, field)
    return Finding(
        "catalog-invalid",
        Severity.ERROR,
        f"{shown(str(tool))} {what}, and is left out",
        (str(tool),),
        "Have the server mended, or deny the tool.",
        Place(file, path) if file else None,
        details={"field": field},
    )


def _twice(tool: ToolId, file: str, entries: tuple[Entry, ...]) -> Iterator[tuple[Finding, bool]]:
    places = [Place(file, ("tools", entry.index)) for entry in entries]
    yield (
        Finding(
            "duplicate-tool",
            Severity.ERROR,
            f"{shown(tool.server)} lists {shown(str(tool))} {len(entries)} times: "
            "it cannot be told which one a call would run, so none is exposed",
            (str(tool),),
            "Have the server mended, or deny the name.",
            places[1] if file else None,
            related=tuple(places[:1] + places[2:_MOST]) if file else (),
            details={"count": len(entries)},
        ),
        True,
    )


def _faults(tool: ToolId, file: str, entry: Entry) -> Iterator[tuple[Finding, bool]]:
    recall = current()
    if recall is None:
        yield from _judged(tool, file, entry)
    elif not recall.is_sound(entry.tool):
        found = list(_judged(tool, file, entry))
        yield from found
        if not found:
            recall.note(entry.tool)


def _judged(tool: ToolId, file: str, entry: Entry) -> Iterator[tuple[Finding, bool]]:
    for field in ("title", "description"):
        value = entry.tool.get(field)
        if value is not None and not isinstance(value, str):
            yield misshapen(tool, file, entry.index, f"has a {field} that is no text", field), True
    if _too_deep(entry.tool.get("annotations")):
        what = f"has annotations of more than {_LEVELS} levels"
        yield misshapen(tool, file, entry.index, what, "annotations"), True
    for problem in check_definition(entry.tool):
        yield problem.finding(tool, file, entry.index), problem.leaves_out
    counts = dict.fromkeys(_CHECKS, 0)
    for text in visible_texts(entry.tool):
        if text.text.isascii() and text.text.isprintable():
            continue
        for slug, (what, check) in _CHECKS.items():
            classes = check(text.text, name=text.name)
            if classes and counts[slug] < _MOST:
                counts[slug] += 1
                leaves_out = slug == "hidden-text" or text.field == "name"
                yield _unseen(slug, what, tool, file, entry.index, text, classes, leaves_out), leaves_out


def _unseen(
    slug: str,
    what: str,
    tool: ToolId,
    file: str,
    index: int,
    text: VisibleText,
    classes: Mapping[str, int],
    leaves_out: bool,
) -> Finding:
    counted = ", ".join(f"{count} {kind}" for kind, count in classes.items())
    so = "; it is left out" if leaves_out else ""
    return Finding(
        slug,
        Severity.ERROR,
        f"{shown(str(tool))} has {what} in its {_where(text)} ({counted}){so}",
        (shown(_subject(tool, text)),),
        "Ask the maker of the server why it is there, and deny the tool until it is gone.",
        Place(file, ("tools", index, *text.place), "key" if text.key else "value") if file else None,
        details={"classes": dict(classes), "where": shown(_where(text))},
    )


def _subject(tool: ToolId, text: VisibleText) -> str:
    if text.field == "inputSchema":
        return schema_subject(tool, "input", text.path)
    if text.field == "outputSchema":
        return schema_subject(tool, "output", text.path)
    return str(tool)


def _where(text: VisibleText) -> str:
    """`description`, `inputSchema#/properties/zone/description`."""
    if not text.path:
        return text.field
    pointer = "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in text.path)
    return shown(f"{text.field}#{pointer}", 200)


def _too_deep(value: Any) -> bool:
    stack = [(value, 0)]
    while stack:
        here, level = stack.pop()
        if level > _LEVELS:
            return True
        if isinstance(here, dict | list):
            stack.extend((item, level + 1) for item in (here.values() if isinstance(here, dict) else here))
    return False
