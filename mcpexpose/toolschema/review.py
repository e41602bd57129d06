"""What a review looks at in a definition, and how two of them differ: by cause, not by bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest
from mcpexpose.model.changes import Part, Risk
from mcpexpose.model.lock import LockedTool
from mcpexpose.model.text import shown
from mcpexpose.toolschema.parameters import parameters, wordless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIELDS = {
    "title": "title",
    "description": "description",
    "input_schema": "inputSchema",
    "output_schema": "outputSchema",
    "annotations": "annotations",
}
"""The five parts: as a lock names them, and as a catalog does."""

_MILDER = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""The value of each hint that promises less harm; the protocol takes the other where there is none."""
_MOST = 6


def reviewed(definition: Mapping[str, Any]) -> LockedTool:
    """The five parts of a definition as digests, and what is derived from them."""
    annotations = definition.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    schema, output = definition.get("inputSchema"), definition.get("outputSchema")
    return LockedTool(
        **{part: _digest(definition.get(name)) for part, name in FIELDS.items()},
        input_shape=_digest(wordless(schema)),
        output_shape=_digest(wordless(output)),
        parameters=parameters(schema),
        hints={hint: hints[hint] for hint in _MILDER if isinstance(hints.get(hint), bool)},
    )


def differences(before: LockedTool, after: LockedTool) -> tuple[Part, ...]:
    """What changed in the five parts, each cause once. Digests decide; the rest only says of which kind it is."""
    return tuple(_differences(before, after))


def _differences(before: LockedTool, after: LockedTool) -> Iterator[Part]:
    for part in ("title", "description"):
        was, now = _said(getattr(before, part)), _said(getattr(after, part))
        if was != now:
            how = "came" if was is None else "went" if now is None else "changed"
            yield Part(Risk.TEXT, FIELDS[part], f"{part} {how}")
    if before.input_schema != after.input_schema:
        yield from _of_input(before, after)
    if before.output_schema != after.output_schema:
        if before.output_shape == after.output_shape and before.output_shape is not None:
            yield Part(Risk.TEXT, "outputSchema", "wording of the output schema")
        else:
            yield Part(Risk.SCHEMA, "outputSchema", "output schema changed")
    if _said(before.annotations) != _said(after.annotations):
        yield from _of_hints(before, after)


def _of_input(before: LockedTool, after: LockedTool) -> Iterator[Part]:
    if before.input_shape is None and before.input_schema is not None:  # another program's lock: expect the worst
        yield Part(Risk.SAFETY, "inputSchema", "input schema changed")
        return
    if before.input_shape == after.input_shape:
        yield Part(Risk.TEXT, "inputSchema", "wording of the input schema")
        return
    found = [*_of_parameters(before.parameters, after.parameters)] or [(Risk.SCHEMA, "input schema changed")]
    for risk in (Risk.SAFETY, Risk.SCHEMA):
        said = [text for each, text in found if each is risk]
        for text in said[:_MOST]:
            yield Part(risk, "inputSchema", text)
        if len(said) > _MOST:
            yield Part(risk, "inputSchema", f"{len(said) - _MOST} more parameters")


def _of_parameters(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[Risk, str]]:
    """Removed, retyped or required ones make a call wrong that was right; a new optional one does not."""
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        name = _name(path)
        if old == new:
            continue
        if new is None:
            if not _has_parent(path, before.keys() - after.keys()):
                yield Risk.SAFETY, f"{name} is gone"
        elif old is None:
            if not _has_parent(path, after.keys() - before.keys()):
                how, kind, _ = _parts(new)
                risk = Risk.SCHEMA if how == "optional" else Risk.SAFETY
                yield risk, f"{name} is new, {how} {kind}" if how != "each" else f"{name} is new, {kind}"
        elif path == "":
            yield Risk.SAFETY, "what must hold for all arguments together changed"
        else:
            yield from _of_parameter(name, _parts(old), _parts(new))


def _of_parameter(name: str, old: tuple[str, str, str], new: tuple[str, str, str]) -> Iterator[tuple[Risk, str]]:
    if old[0] != new[0]:
        yield (Risk.SAFETY if new[0] == "required" else Risk.SCHEMA), f"{name} {old[0]} → {new[0]}"
    if old[1] != new[1]:
        yield Risk.SAFETY, f"{name} {old[1]} → {new[1]}"
    elif old[2] != new[2]:
        yield Risk.SAFETY, f"{name} takes other values"


def _of_hints(before: LockedTool, after: LockedTool) -> Iterator[Part]:
    said = False
    for hint, milder in _MILDER.items():
        old, new = before.hints.get(hint), after.hints.get(hint)
        if old == new:
            continue
        said = True
        was, now = old is milder, new is milder  # none given counts as the worse one
        text = f"{hint} {_hint(old)} → {_hint(new)}"
        if now and not was:
            yield Part(Risk.SAFETY, "annotations", text, softened=hint)
        else:
            yield Part(Risk.SCHEMA if was else Risk.TEXT, "annotations", text)
    if not said:
        yield Part(Risk.TEXT, "annotations", "annotations changed")


def _hint(value: bool | None) -> str:
    return "absent" if value is None else str(value).lower()


def _name(path: str) -> str:
    return shown(path.removeprefix("/").replace("~1", "/").replace("~0", "~"), 80) or '""'


def _parts(text: str) -> tuple[str, str, str]:
    how, kind, rest = (*text.split(" "), "", "", "")[:3]
    return shown(how, 20), shown(kind, 40), rest


def _has_parent(path: str, among: set[str]) -> bool:
    at = path
    while at:
        at = at[:-2] if at.endswith("[]") else at.rpartition("/")[0]
        if at and at in among:
            return True
    return False


_SAYS_NOTHING = frozenset(map(digest, ("", {})))
"""An empty text, and no hints: the same to everybody as none at all."""


def _said(part: str | None) -> str | None:
    return None if part in _SAYS_NOTHING else part


def _digest(value: Any) -> str | None:
    return None if value is None else digest(value)
