"""A result of a call, judged before a model sees anything of it: JSON, shape, promised schema, size."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.toolschema.validate import CannotCheck

if TYPE_CHECKING:
    from mcpexpose.host.outcome import Reduce
    from mcpexpose.toolschema.validate import Checker

LEVELS = 128
"""Objects and lists, one inside the other, that a result may have."""
_SMALL_NODES, _SMALL_CHARACTERS = 500, 20_000


@dataclass(frozen=True, slots=True)
class Sound:
    """A result that may go on."""

    result: dict[str, Any] = field(repr=False)
    size: int
    """UTF-8 bytes as compact JSON."""

    @property
    def is_error(self) -> bool:
        return self.result.get("isError") is True


@dataclass(frozen=True, slots=True)
class Unsound:
    """One that may not, and why, in words without any of it."""

    reason: Literal["result-too-large", "result-malformed"]
    why: str
    size: int | None = None


async def judge(
    raw: Any, output: Checker | None, limit: int, reduce: Reduce | None, *, in_thread: Any
) -> Sound | Unsound:
    """RAW against the shape of a result and the OUTPUT schema, shortened by REDUCE, then held against LIMIT bytes.

    A result with `isError` is held against no schema and is not reduced. IN_THREAD runs what may take long.
    """
    shaped = _shaped(raw) if _is_small(raw) else await in_thread(_shaped, raw)
    if isinstance(shaped, Unsound):
        return shaped
    result, data = shaped
    is_error = result.get("isError") is True
    if len(data) > limit and not is_error and reduce is None:
        return Unsound("result-too-large", "it is over the budget", len(data))
    if not is_error and output is not None:
        if "structuredContent" not in result:
            return Unsound("result-malformed", "its structured content is missing", len(data))
        content = result["structuredContent"]
        try:
            if output.is_quick(len(data)):
                misfit = output.misfit(content)
            else:
                misfit = await in_thread(output.misfit, content)
        except CannotCheck:
            return Unsound("result-malformed", "it could not be held against its output schema", len(data))
        if misfit is not None:
            return Unsound("result-malformed", "it does not fit the tool's output schema", len(data))
    if reduce is not None and not is_error:
        try:
            reduced = reduce(result)
            result = _plain(await reduced if inspect.isawaitable(reduced) else reduced)
            data = compact(result)
        except Exception as error:
            import logging

            logging.getLogger(__name__).warning("a result could not be reduced: %s", type(error).__name__)
            return Unsound("result-malformed", "it could not be reduced", len(data))
        if why := _misshapen(result):
            return Unsound("result-malformed", f"reduced, {why}", len(data))
    if len(data) > limit and not is_error:
        return Unsound("result-too-large", "it is over the budget", len(data))
    return Sound(result, len(data))


def _is_small(raw: Any) -> bool:
    """Whether RAW is JSON that takes less time than to hand it to a thread; looks at no more of it than that."""
    if not isinstance(raw, Mapping):  # the SDK's own type: nobody knows before it is dumped
        return False
    nodes, characters = _SMALL_NODES, _SMALL_CHARACTERS
    waiting: list[Any] = [raw]
    while waiting and nodes > 0 and characters > 0:
        item = waiting.pop()
        nodes -= 1
        if isinstance(item, str):
            characters -= len(item)
        elif isinstance(item, int):
            characters -= item.bit_length()
        elif isinstance(item, Mapping | list | tuple):
            nodes -= len(item)
            if nodes > 0 and isinstance(item, Mapping):
                waiting += item.keys()
            if nodes > 0:
                waiting += item.values() if isinstance(item, Mapping) else item
    return not waiting and nodes > 0 and characters > 0


def _shaped(raw: Any) -> tuple[dict[str, Any], bytes] | Unsound:
    """A copy of RAW and its compact JSON. Takes its time where RAW is large."""
    try:
        result = _plain(raw)
        data = compact(result)
    except ValueError as error:
        return Unsound("result-malformed", str(error))
    if why := _misshapen(result):
        return Unsound("result-malformed", why, len(data))
    return result, data


def compact(value: Any) -> bytes:
    """Compact JSON in UTF-8. Raises ValueError for what has none: NaN, lone surrogates, endless numbers; its text tells
    nothing of VALUE.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds text that is no Unicode") from None
    except ValueError:
        raise ValueError("it holds a number that cannot be written") from None


def model_text(result: Mapping[str, Any]) -> str:
    """What a model reads of a result: its texts, a word for what is no text, and the structured content where there is
    no text."""
    parts = []
    for part in result["content"]:
        if part["type"] == "text":
            parts.append(part["text"])
        elif part["type"] == "resource" and isinstance(part["resource"].get("text"), str):
            parts.append(part["resource"]["text"])
        else:
            parts.append(f"[{part['type']}]")
    if not any(part["type"] == "text" for part in result["content"]) and "structuredContent" in result:
        parts.append(compact(result["structuredContent"]).decode())
    return "\n".join(parts)


def _plain(raw: Any) -> dict[str, Any]:
    """RAW as JSON of plain Python. Raises ValueError, whose text tells nothing of RAW."""
    dump = getattr(raw, "model_dump", None)
    if callable(dump):  # the SDK's own type
        raw = dump(mode="json", by_alias=True, exclude_none=True)
    if not isinstance(raw, Mapping):
        raise ValueError("it is no object")
    out = _copied(raw)
    return dict(out)


_LEAVES = frozenset((str, int, bool, type(None)))
"""What is itself a copy; a subclass of one may be anything."""


def _copied(value: Any) -> Any:
    """A copy, made without recursion: a result may be nested as deep as a server likes."""
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any, int]] = [(value, out, 0, 0)]
    while waiting:
        item, into, key, level = waiting.pop()
        if isinstance(item, Mapping):
            if level >= LEVELS:
                raise ValueError("it is nested too deeply")
            made: dict[str, Any] = {}
            into[key] = made
            for name, inner in item.items():
                if not isinstance(name, str):
                    raise ValueError("it holds a key that is no text")
                if type(inner) in _LEAVES:
                    made[name] = inner
                    continue
                made[name] = None  # in its order
                waiting.append((inner, made, name, level + 1))
        elif isinstance(item, list | tuple):
            if level >= LEVELS:
                raise ValueError("it is nested too deeply")
            listed = into[key] = list(item)
            waiting.extend((inner, listed, n, level + 1) for n, inner in enumerate(item) if type(inner) not in _LEAVES)
        elif isinstance(item, float) and not math.isfinite(item):
            raise ValueError("it holds a number that is none")
        elif item is None or isinstance(item, str | bool | int | float):
            into[key] = item
        else:
            raise ValueError("it holds what is no JSON")
    return out[0]


_TEXTS = {"text": ("text",), "image": ("data", "mimeType"), "audio": ("data", "mimeType"), "resource_link": ("uri",)}


def _misshapen(result: Mapping[str, Any]) -> str:
    """Why a result is none, of any revision of the protocol; "" where it is one."""
    if not isinstance(result.get("isError", False), bool):
        return "its `isError` is neither true nor false"
    content = result.get("content")
    if not isinstance(content, list):
        return "it has no list of content"
    for part in content:
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return "a part of its content is none"
        if any(not isinstance(part.get(name), str) for name in _TEXTS.get(part["type"], ())):
            return "a part of its content lacks what its type promises"
        if part["type"] == "resource" and not _is_resource(part.get("resource")):
            return "a part of its content lacks what its type promises"
    return ""


def _is_resource(value: Any) -> bool:
    """Whether VALUE is an embedded resource: an address, and a text or a blob."""
    if not isinstance(value, dict) or not isinstance(value.get("uri"), str):
        return False
    held = [value[name] for name in ("text", "blob") if value.get(name) is not None]
    return bool(held) and all(isinstance(each, str) for each in held)
