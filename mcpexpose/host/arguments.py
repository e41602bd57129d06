"""Arguments as a model sent them: read strictly, copied, bounded; nothing is coerced or filled in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcpexpose.bundle import strict
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.toolschema.check import depth
from mcpexpose.toolschema.validate import VALUE_LEVELS, Misfit

_RAW_PER_BYTE = 8
"""A text may be so many times as long as its compact form may be: blanks, escapes."""
_NO_NUMBERS = "no NaN, no infinity, no number of thousands of digits"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What would be sent. Nobody else holds `value`, so nobody changes it between the check and the call."""

    value: dict[str, Any]
    digest: str
    """Of the canonical form: equal arguments in another order of keys are equal, `true` and `1` are not."""
    size: int
    """UTF-8 bytes as compact JSON."""


def read(given: Mapping[str, Any] | str | bytes, limit: int) -> Arguments | Misfit:
    """GIVEN, a JSON object or its text, of at most LIMIT bytes; or what is wrong with it as a whole."""
    if isinstance(given, str | bytes):
        if len(given) > limit * _RAW_PER_BYTE:
            return _too_long(limit)
        try:
            given = strict.loads(given if isinstance(given, bytes) else given.encode(), exact=True)
        except strict.TooPrecise:
            return Misfit("", f"numbers with at most {strict.DIGITS} digits where they have a fraction or an exponent")
        except ValueError:
            return Misfit("", f"one JSON object: {_NO_NUMBERS}, no key twice, nothing after it")
    if not isinstance(given, Mapping):
        return Misfit("", "a JSON object")
    if depth(_plain(given), VALUE_LEVELS) is not None:
        return Misfit("", f"at most {VALUE_LEVELS} levels, one inside the other")
    try:
        value = copied(given)
        form = canonical(value)
    except (ValueError, RecursionError):
        return Misfit("", f"JSON values alone: {_NO_NUMBERS}, no lone surrogates")
    if len(form) > limit:
        return _too_long(limit)
    return Arguments(value, digest_bytes(form), len(form))


def _too_long(limit: int) -> Misfit:
    return Misfit("", f"at most {limit:,} bytes of arguments")


def _plain(value: Any) -> Any:
    return value if isinstance(value, dict) else dict(value)


def copied(value: Any) -> Any:
    """A copy as JSON has it. Raises ValueError for what is no JSON; VALUE is not deep."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("NaN and infinities are no JSON")
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key that is no text")
        return {str(key): copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    raise ValueError(f"{type(value).__name__} is no JSON value")
