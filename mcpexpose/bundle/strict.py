"""JSON read without trust: no key twice, no NaN, no number out of range, no depth that ends the process."""

from __future__ import annotations

import json
import math
from typing import Any


def loads(data: bytes) -> Any:
    """The JSON value in UTF-8 bytes. Raises ValueError where it is anything but one plain JSON value."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number
