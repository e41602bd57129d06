"""One JSON form for digests and one for people, both the same on every machine.

The canonical form is RFC 8785 (keys by UTF-16 code units, shortest numbers) but for integers, which are written in
full: a JSON Schema may hold 9223372036854775807, and RFC 8785 would round it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, NamedTuple

Json = Any  # a JSON value: dict[str, Json] | list[Json] | str | int | float | bool | None


_encode_text = json.encoder.encode_basestring  # the C encoder's own, for one text
# The C encoder writes the canonical form but for fractions, and for keys that UTF-16 sorts in another order.
_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
_quoted = json.encoder.encode_basestring
_HIGH = "[\ue000-\U0010ffff]"
_PERHAPS_FRACTION = re.compile("[0-9][.eE]")
_FRACTION = re.compile("(?:^|[:\\[,])-?[0-9]+[.eE]")
_LEVELS = 4
"""How deep a value is taken apart to find the part that the C encoder cannot write."""


def canonical(value: Json) -> bytes:
    """The canonical bytes of a JSON value, however deep it is.

    Raises ValueError for NaN, infinities, lone surrogates, other types.
    """
    text = _text_of(value, _LEVELS)
    try:
        return text.encode("utf-8")
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
    return indented(value).encode("utf-8") + b"\n"


def indented(value: Json, depth: int = 0) -> str:
    """The same as a text without the final newline, as it stands at a DEPTH within another value."""
    try:
        return _indented(value, "\n" + " " * depth)
    except RecursionError:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
        return text.replace("\n", "\n" + " " * depth) if depth else text


def _indented(value: Json, line: str) -> str:
    """What json.dumps gives with an indent, which it writes in Python too, and slower. LINE begins each line."""
    if type(value) is str:
        return _quoted(value)
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = line + " "
        members = [f"{inner}{_quoted(key)}: {_indented(value[key], inner)}" for key in sorted(value)]
        return "{" + ",".join(members) + line + "}"
    if isinstance(value, list | tuple):
        if not value:
            return "[]"
        inner = line + " "
        return "[" + ",".join([inner + _indented(item, inner) for item in value]) + line + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _text_of(value: Json, levels: int) -> str:
    """A large value goes to the C encoder in parts, since one fraction or one emoji in it would rule out the whole."""
    try:
        text = _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        text = ""
    if (
        text
        and (text.isascii() or not re.search(_HIGH, text))
        and not (_PERHAPS_FRACTION.search(text) and _FRACTION.search(text))
    ):
        return text
    if levels and isinstance(value, dict):
        inside = [f"{_text(key)}:{_text_of(value[key], levels - 1)}" for key in sorted(value, key=_utf16)]
        return "{" + ",".join(inside) + "}"
    if levels and isinstance(value, list | tuple):
        return "[" + ",".join([_text_of(item, levels - 1) for item in value]) + "]"
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


class _Written(NamedTuple):
    """Text that is canonical already, among values that wait to be written."""

    text: str


def _write(value: Json, parts: list[str]) -> None:
    """Without recursion: a catalog may be two thousand levels deep."""
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Written):
            parts.append(item.text)
        elif isinstance(item, str):
            parts.append(_text(item))
        elif item is None or isinstance(item, bool):
            parts.append({None: "null", True: "true", False: "false"}[item])
        elif isinstance(item, int):
            parts.append(str(item))
        elif isinstance(item, float):
            parts.append(_number(item))
        elif isinstance(item, dict):
            waiting.append(_Written("}"))
            keys = sorted(item, key=_utf16)
            for n in range(len(keys) - 1, -1, -1):
                waiting += (item[keys[n]], _Written(("," if n else "") + _text(keys[n]) + ":"))
            waiting.append(_Written("{"))
        elif isinstance(item, list | tuple):
            waiting.append(_Written("]"))
            for n in range(len(item) - 1, -1, -1):
                waiting += (item[n], _Written("," if n else ""))
            waiting.append(_Written("["))
        else:
            raise ValueError(f"{type(item).__name__} is no JSON value")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _text(value: str) -> str:
    # json.dumps escapes what RFC 8785 escapes, in the same short forms, and leaves DEL and above alone.
    return _encode_text(value)


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
