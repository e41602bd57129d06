"""What of a definition is searched: its fields, their weights, and the terms that each gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcpexpose.search.analysis import Token, tokens

WEIGHTS: Mapping[str, float] = {
    "name": 3.0,
    "server": 2.5,
    "keywords": 2.5,
    "title": 1.0,
    "parameters": 0.5,
    "description": 0.3,
    "parameter descriptions": 0.3,
}
"""How much a word counts in each field; the sum over fields is saturated once (BM25F)."""
FIELDS = tuple(WEIGHTS)

MAX_TEXT = 20_000
"""Characters of one field that are indexed."""
MAX_NODES = 2_000
"""Nodes of one input schema that are looked at."""

_BRANCHES = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMAS = ("items", "additionalProperties", "not", "if", "then", "else", "contains")
_TABLES = ("$defs", "definitions", "patternProperties", "dependentSchemas")


def of(definition: Mapping[str, Any], server: str | None = None) -> dict[str, list[Token]]:
    """The tokens of each field of DEFINITION, a line of definitions.bin; fields without a word are absent.

    SERVER stands in where the definition does not name one. What is not of the type it should be counts as absent.
    """
    names, descriptions = _parameters(definition.get("inputSchema"))
    annotations = definition.get("annotations")
    title = definition.get("title") or (annotations.get("title") if isinstance(annotations, Mapping) else None)
    texts = {
        "name": _text(definition.get("name")),
        "server": _text(definition.get("server") or server),
        "keywords": _joined(definition.get("keywords")),
        "title": _text(title),
        "parameters": names,
        "description": _text(definition.get("description")),
        "parameter descriptions": descriptions,
    }
    return {field: found for field, text in texts.items() if text and (found := tokens(text[:MAX_TEXT]))}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _joined(values: object) -> str:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return ""
    return "\n".join(value for value in values if isinstance(value, str))


def _parameters(schema: object) -> tuple[str, str]:
    """Names and descriptions (and titles) of a schema's properties, at any depth; references are not followed."""
    names: list[str] = []
    descriptions: list[str] = []
    left: list[tuple[object, bool]] = [(schema, True)]
    seen = 0
    while left and seen < MAX_NODES:
        seen += 1
        node, root = left.pop()
        if not isinstance(node, Mapping):
            continue
        if not root:
            # The root's own texts name the form, not a parameter: "CreateIssueArguments".
            descriptions.extend(_text(node.get(key)) for key in ("title", "description"))
        properties = node.get("properties")
        if isinstance(properties, Mapping):
            names.extend(str(name) for name in properties)
            left.extend((child, False) for child in properties.values())
        for key in _TABLES:
            if isinstance(table := node.get(key), Mapping):
                left.extend((child, False) for child in table.values())
        for key in _BRANCHES:
            if isinstance(branches := node.get(key), list):
                left.extend((child, root) for child in branches)
        left.extend((node[key], False) for key in _SCHEMAS if key in node)
    return "\n".join(names), "\n".join(text for text in descriptions if text)
