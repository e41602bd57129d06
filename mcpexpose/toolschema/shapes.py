"""The shapes of JSON Schema's keywords. Each check says what is wrong, to follow the keyword's name, or None."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeGuard

from mcpexpose.model.text import shown

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_TYPES = frozenset(TYPES)
_ELSEWHERE = {
    **dict.fromkeys(("str", "text", "char", "varchar", "date", "datetime", "uuid", "uri", "url"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "long", "short", "uint", "whole"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "real", "numeric"), "number"),
    "bool": "boolean",
    **dict.fromkeys(("dict", "map", "struct", "json", "record", "hash"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "vector", "sequence"), "array"),
    **dict.fromkeys(("none", "nil", "undefined", "void"), "null"),
}
"""What languages and databases call the types of JSON."""
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")
_ANCHOR_2019 = re.compile(r"[A-Za-z][-A-Za-z0-9.:_]*\Z")


def text(value: Any) -> str | None:
    return None if isinstance(value, str) else f"is {kind(value)} where a text is wanted"


def boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"is {kind(value)} where true or false is wanted"


def array(value: Any) -> str | None:
    return None if isinstance(value, list) else f"is {kind(value)} where a list is wanted"


def number(value: Any) -> str | None:
    return None if is_number(value) else f"is {kind(value)} where a number is wanted"


def positive(value: Any) -> str | None:
    if wrong := number(value):
        return wrong
    return None if value > 0 else "is not greater than 0"


def count(value: Any) -> str | None:
    if not is_number(value) or (isinstance(value, float) and not value.is_integer()):
        return f"is {kind(value)} where a whole number is wanted"
    return None if value >= 0 else "is negative"


def count_without_fraction(value: Any) -> str | None:
    return f"is {kind(value)} where a whole number is wanted" if isinstance(value, float) else count(value)


def names(value: Any) -> str | None:
    if isinstance(value, bool):  # as draft-03 had it, and as people write it
        return (
            f"is {kind(value)} where a list of names is wanted; the object around lists the names of what it requires"
        )
    if not isinstance(value, list):
        return f"is {kind(value)} where a list of names is wanted"
    for item in value:
        if not isinstance(item, str):
            return f"holds {kind(item)} where only names are wanted"
    return "names one thing twice" if len(set(value)) != len(value) else None


def some_names(value: Any) -> str | None:
    return "is an empty list, which this dialect does not allow" if value == [] else names(value)


def names_by_name(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"is {kind(value)} where an object is wanted"
    return next((wrong for item in value.values() if (wrong := names(item))), None)


def types(value: Any) -> str | None:
    if isinstance(value, str):
        return None if value in _TYPES else f'is "{shown(value, 40)}", which is no type of JSON{_meant(value)}'
    if not isinstance(value, list):
        return f"is {kind(value)} where a type or a list of types is wanted"
    if not value:
        return "is an empty list"
    for item in value:
        if not isinstance(item, str):
            return f"holds {kind(item)} where only types are wanted"
        if item not in _TYPES:
            return f'holds "{shown(item, 40)}", which is no type of JSON{_meant(item)}'
    return "names one type twice" if len(set(value)) != len(value) else None


def _meant(name: str) -> str:
    """The type that NAME was most likely meant to be, as a question; "" where none is near."""
    folded = name.strip().casefold()
    meant = _ELSEWHERE.get(folded, folded)
    if meant not in _TYPES and len(folded) <= 40:
        import difflib

        meant = next(iter(difflib.get_close_matches(folded, TYPES, n=1, cutoff=0.7)), "")
    return f'; did you mean "{meant}"?' if meant in _TYPES else ""


def distinct(value: Any) -> str | None:
    """A non-empty list without equal values, as draft-04 wants of `enum`."""
    if wrong := array(value):
        return wrong
    if not value:
        return "is an empty list, which this dialect does not allow"
    forms = [json_key(item) for item in value]
    return "holds one value twice" if len(set(forms)) != len(forms) else None


def id_without_fragment(value: Any) -> str | None:
    return text(value) or ("has a fragment" if "#" in value.removesuffix("#") else None)


def anchor(value: Any) -> str | None:
    return text(value) or (None if _ANCHOR.match(value) else "is no plain name")


def anchor_2019(value: Any) -> str | None:
    return text(value) or (None if _ANCHOR_2019.match(value) else "is no plain name")


def vocabulary(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"is {kind(value)} where an object is wanted"
    return next((wrong for item in value.values() if (wrong := boolean(item))), None)


def is_number(value: Any) -> TypeGuard[int | float]:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def kind(value: Any) -> str:
    """What sort of JSON value it is, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list | tuple) else "an object"


def json_key(value: Any) -> str:
    """Equal for values that JSON Schema takes for equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ",".join(json_key(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{json_key(value[key])}" for key in sorted(value)) + "}"
    return json.dumps(value)
