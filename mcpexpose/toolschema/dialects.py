"""The dialects of JSON Schema: which keyword holds what shape, and which hold schemas.

The tables say what each dialect's own metaschema says; tests hold them to those metaschemas. They stand here so that
a common schema is checked in microseconds, without recursion and without jsonschema, which takes a tenth of a second
to import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.toolschema import shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Holds = Literal["schema", "schemas", "map", "schema-or-schemas", "map-or-names", "schema-or-bool"]
"""What a keyword's value holds: a schema; a list of them; an object of them; or another shape beside."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One version of JSON Schema."""

    name: str
    booleans: bool
    """Whether `true` and `false` are schemas."""
    id_key: str
    ref_alone: bool
    """Whether what stands beside `$ref` is ignored."""
    shapes: Mapping[str, Callable[[Any], str | None]]
    holds: Mapping[str, Holds]
    in_place: frozenset[str]
    """Keywords whose schemas apply to the same value, so that a cycle of them never ends."""


_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"})

_NUMBERS = {
    "maximum": shapes.number,
    "minimum": shapes.number,
    "exclusiveMaximum": shapes.number,
    "exclusiveMinimum": shapes.number,
    "multipleOf": shapes.positive,
    "maxLength": shapes.count,
    "minLength": shapes.count,
    "maxItems": shapes.count,
    "minItems": shapes.count,
    "maxProperties": shapes.count,
    "minProperties": shapes.count,
}
_COMMON = {
    **_NUMBERS,
    "$schema": shapes.text,
    "title": shapes.text,
    "description": shapes.text,
    "pattern": shapes.text,
    "format": shapes.text,
    "uniqueItems": shapes.boolean,
    "required": shapes.names,
    "type": shapes.types,
}
_SIX = {**_COMMON, "$id": shapes.text, "$ref": shapes.text, "examples": shapes.array, "enum": shapes.array}
_SEVEN = {
    **_SIX,
    "$comment": shapes.text,
    "readOnly": shapes.boolean,
    "contentMediaType": shapes.text,
    "contentEncoding": shapes.text,
}
_NINETEEN = {
    **_SEVEN,
    "$id": shapes.id_without_fragment,
    "$anchor": shapes.anchor_2019,
    "$recursiveRef": shapes.text,
    "$recursiveAnchor": shapes.boolean,
    "$vocabulary": shapes.vocabulary,
    "deprecated": shapes.boolean,
    "writeOnly": shapes.boolean,
    "maxContains": shapes.count,
    "minContains": shapes.count,
    "dependentRequired": shapes.names_by_name,
}
_TWENTY = {
    **_NINETEEN,
    "$anchor": shapes.anchor,
    "$dynamicRef": shapes.text,
    "$dynamicAnchor": shapes.anchor,
    "$recursiveAnchor": shapes.anchor,
}

_HOLDS_FOUR: dict[str, Holds] = {
    "properties": "map",
    "patternProperties": "map",
    "additionalProperties": "schema-or-bool",
    "items": "schema-or-schemas",
    "additionalItems": "schema-or-bool",
    "definitions": "map",
    "dependencies": "map-or-names",
    "allOf": "schemas",
    "anyOf": "schemas",
    "oneOf": "schemas",
    "not": "schema",
}
_HOLDS_SIX: dict[str, Holds] = {
    **_HOLDS_FOUR,
    "additionalProperties": "schema",
    "additionalItems": "schema",
    "contains": "schema",
    "propertyNames": "schema",
}
_HOLDS_SEVEN: dict[str, Holds] = {**_HOLDS_SIX, "if": "schema", "then": "schema", "else": "schema"}
_HOLDS_NINETEEN: dict[str, Holds] = {
    **_HOLDS_SEVEN,
    "$defs": "map",
    "dependentSchemas": "map",
    "unevaluatedItems": "schema",
    "unevaluatedProperties": "schema",
    "contentSchema": "schema",
}
_HOLDS_TWENTY: dict[str, Holds] = {**_HOLDS_NINETEEN, "items": "schema", "prefixItems": "schemas"}
del _HOLDS_TWENTY["additionalItems"]

DRAFT_4 = Dialect(
    "draft-04",
    False,
    "id",
    True,
    {
        **_COMMON,
        "id": shapes.text,
        "required": shapes.some_names,
        "enum": shapes.distinct,
        "exclusiveMaximum": shapes.boolean,
        "exclusiveMinimum": shapes.boolean,
        **{name: shapes.count_without_fraction for name, check in _NUMBERS.items() if check is shapes.count},
    },
    _HOLDS_FOUR,
    _IN_PLACE,
)
DRAFT_6 = Dialect("draft-06", True, "$id", True, _SIX, _HOLDS_SIX, _IN_PLACE)
DRAFT_7 = Dialect("draft-07", True, "$id", True, _SEVEN, _HOLDS_SEVEN, _IN_PLACE)
DRAFT_2019 = Dialect("2019-09", True, "$id", False, _NINETEEN, _HOLDS_NINETEEN, _IN_PLACE)
DRAFT_2020 = Dialect("2020-12", True, "$id", False, _TWENTY, _HOLDS_TWENTY, _IN_PLACE)

KNOWN = {
    "json-schema.org/draft-04/schema": DRAFT_4,
    "json-schema.org/draft-06/schema": DRAFT_6,
    "json-schema.org/draft-07/schema": DRAFT_7,
    "json-schema.org/draft/2019-09/schema": DRAFT_2019,
    "json-schema.org/draft/2020-12/schema": DRAFT_2020,
}


def dialect(uri: str) -> Dialect | None:
    """The dialect that a `$schema` names; None where it is unknown. http or https, with or without a final `#`."""
    for scheme in ("http://", "https://"):
        if uri.startswith(scheme):
            return KNOWN.get(uri[len(scheme) :].removesuffix("#"))
    return None
