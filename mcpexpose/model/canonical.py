"""One JSON form for digests and one for people, both the same on every machine.

The canonical form is RFC 8785 (keys by UTF-16 code units, shortest numbers) but for integers, which are written in
full: a JSON Schema may hold 9223372036854775807, and RFC 8785 would round it.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

Json = Any  # a JSON value: dict[str, Json] | list[Json] | str | int | float | bool | None


def canonical(value: Json) -> bytes:
    """The canonical bytes of a JSON value. Raises ValueError for NaN, infinities, lone surrogates, other types."""
    parts: list[str] = []
    _write(value, parts)
    try:
        return "".join(parts).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a lone surrogate has no canonical form") from error


def digest(value: Json) -> str:
    """SHA-256 of the canonical form, as 64 hexadecimal digits."""
    return digest_bytes(canonical(value))


def digest_bytes(data: bytes) -> str:
    """SHA-256 of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def readable(value: Json) -> bytes:
    """The form that files have: keys sorted by code point, indented by one space, UTF-8, LF, a final newline."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    return text.encode("utf-8") + b"\n"


def _write(value: Json, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_text(value))
    elif value is None or isinstance(value, bool):
        parts.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, float):
        parts.append(_number(value))
    elif isinstance(value, dict):
        parts.append("{")
        for n, key in enumerate(sorted(value, key=_utf16)):
            parts.append("," if n else "")
            parts.append(_text(key))
            parts.append(":")
            _write(value[key], parts)
        parts.append("}")
    elif isinstance(value, list | tuple):
        parts.append("[")
        for n, item in enumerate(value):
            parts.append("," if n else "")
            _write(item, parts)
        parts.append("]")
    else:
        raise ValueError(f"{type(value).__name__} is no JSON value")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _text(value: str) -> str:
    # json.dumps escapes what RFC 8785 escapes, in the same short forms, and leaves DEL and above alone.
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """ECMAScript's Number::toString, which RFC 8785 prescribes; repr() has the same shortest digits."""
    if not math.isfinite(value):
        raise ValueError("NaN and infinities are no JSON")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0)
    if whole.strip("0") == "":
        point = int(exponent or 0) - (len(fraction) - len(fraction.lstrip("0")))
    digits = digits.rstrip("0") or "0"
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = f"e{'+' if power > 0 else '-'}{abs(power)}"
    return sign + digits[0] + ("." + digits[1:] if count > 1 else "") + tail
