"""JSON read without trust: no key twice, no NaN, no number out of range, no half of a character, no endless depth."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def loads(data: bytes, *, unrounded: bool = False) -> Any:
    """The JSON value in UTF-8 bytes. Raises ValueError where it is anything but one plain JSON value.

    UNROUNDED, for a whole number too that is written as a fraction, and that a float would change: 9007199254740993.0.
    """
    try:
        text = data.decode("utf-8")
        number = _unrounded if unrounded else _float
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=number)
        if _HALF.search(data):  # perhaps of no pair: such a text can be neither digested nor printed
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
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


def _unrounded(text: str) -> float:
    number = _float(text)
    if abs(number) >= 2**53:  # a float has no fraction there
        from decimal import Decimal

        if Decimal(text) not in (Decimal(repr(number)), Decimal(number)):
            raise ValueError("a whole number would be rounded")
    return number
