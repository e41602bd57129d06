"""JSON read without trust: no key twice, no NaN, no number out of range, no half of a character, no endless depth."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


DIGITS = 17
"""Every number that a float holds can be written with so many, and is read back as the same."""
_WHOLE = 10**DIGITS


class TooPrecise(ValueError):
    """A number has more digits than a float keeps, so it would become another one."""


def loads(data: bytes, *, exact: bool = False) -> Any:
    """The JSON value in UTF-8 bytes. Raises ValueError where it is anything but one plain JSON value; with EXACT
    TooPrecise, which is one, where a fraction would lose digits.
    """
    try:
        text = data.decode("utf-8")
        fraction = _exact if exact else _float
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=fraction)
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


def _exact(text: str) -> float:
    number = _float(text)
    digits = re.split("[eE]", text)[0].replace(".", "").lstrip("-0")
    if len(digits) >= DIGITS - 1:  # whole numbers are lost from 9007199254740993 on
        from decimal import Decimal

        written = Decimal(text)
        whole = abs(written) < _WHOLE and written == written.to_integral_value()  # perhaps an id
        if written != Decimal(number) and (whole or len(digits) > DIGITS):
            raise TooPrecise("a number has more digits than are kept")
    return number
