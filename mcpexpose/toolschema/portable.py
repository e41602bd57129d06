"""Schemas that are valid and that some provider refuses all the same: which one, and at which place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mcpexpose.model.finding import Severity
from mcpexpose.model.limits import Limit, Rule, limits
from mcpexpose.model.text import shown
from mcpexpose.toolschema.check import depth, dialect_of
from mcpexpose.toolschema.dialects import DRAFT_2020
from mcpexpose.toolschema.problem import Path, SchemaProblem
from mcpexpose.toolschema.walk import Node, start

_MOST = 30
_OLDER_CLIENTS = ("clients of MCP before 2026-07-28",)
_ADVICE = "Have the server send a simpler form, or keep the tool from these; calls are checked against the full schema."
_MENDED = "Have the server send it; what a plan declares to models has it, and clients that ask the server do not."


def not_portable(tool: Mapping[str, Any], targets: tuple[str, ...] = ()) -> tuple[SchemaProblem, ...]:
    """What TARGETS (the common ones where there are none) refuse in the schemas of a tool that has valid ones."""
    found: dict[tuple[Path, str], list[str]] = {}
    schema = tool.get("inputSchema")
    if isinstance(schema, dict) and depth(schema) is None and (rules := dialect_of(schema)) is not None:
        walked = start(schema, rules)
        if walked.misshapen or walked.unknown:
            return tuple(_output(tool))
        for check in (_root, _names, _arrays, _subset):
            for path, what, row in check(walked.nodes, targets):
                names = found.setdefault((path, what), [])
                if row.target not in names:
                    names.append(row.target)
        if rules is not DRAFT_2020 and (rows := limits(targets, "only-2020-12")):
            for path, what in start(schema, DRAFT_2020, obey=False).misshapen:
                found.setdefault((path, f"{what}, read as 2020-12"), []).extend(row.target for row in rows)
    problems = [
        SchemaProblem(
            "schema-not-portable",
            Severity.WARNING,
            "input",
            path,
            f"the input schema {what}; refused by {', '.join(names)}",
            _MENDED if path == () else _ADVICE,
            {"targets": names},
        )
        for (path, what), names in list(found.items())[:_MOST]
    ]
    return (*problems, *_output(tool))


def _output(tool: Mapping[str, Any]) -> Iterator[SchemaProblem]:
    schema = tool.get("outputSchema")
    if schema is None or (isinstance(schema, dict) and schema.get("type") == "object"):
        return
    message = f"the output schema does not say `type: object`; refused by {_OLDER_CLIENTS[0]}"
    advice = "Have the server describe an object: some clients drop the whole list of tools over this one."
    details = {"targets": list(_OLDER_CLIENTS)}
    yield SchemaProblem("schema-not-portable", Severity.WARNING, "output", (), message, advice, details)


_Found = Iterator[tuple[Path, str, Limit]]


def _root(nodes: Mapping[Path, Node], targets: tuple[str, ...]) -> _Found:
    schema = nodes[()].schema
    for row in limits(targets, "root-object"):
        if schema.get("type") != "object":
            yield (("type",) if "type" in schema else ()), "does not say `type: object`", row
    for row in limits(targets, "root-properties"):
        if "properties" not in schema:
            yield (), "has no `properties`", row
    for row in limits(targets, "root-keywords"):
        for keyword in _words(row):
            if keyword in schema:
                yield (keyword,), f"has `{keyword}` at its root", row


def _names(nodes: Mapping[Path, Node], targets: tuple[str, ...]) -> _Found:
    rows = [(row, re.compile(str(row.value))) for row in limits(targets, "property-name")]
    for path in nodes:
        if path[-2:-1] == ("properties",) and len(path) > 1 and isinstance(path[-1], str):
            for row, pattern in rows:
                if not pattern.fullmatch(path[-1]):
                    yield path, f'has a property "{shown(path[-1], 40)}", a name it does not take', row


def _arrays(nodes: Mapping[Path, Node], targets: tuple[str, ...]) -> _Found:
    rows = limits(targets, "array-items")
    for path, node in nodes.items() if rows else ():
        if (
            isinstance(node.schema, dict)
            and _says_array(node.schema)
            and not node.schema.keys() & {"items", "prefixItems"}
        ):
            for row in rows:
                yield path, "has an array without `items`", row


def _subset(nodes: Mapping[Path, Node], targets: tuple[str, ...]) -> _Found:
    rules: tuple[Rule, ...] = ("refused-keywords", "one-type", "no-boolean-schema", "no-null-branch", "text-enum")
    rows = {rule: limits(targets, rule) for rule in rules}
    if not any(rows.values()):
        return
    for path, node in nodes.items():
        schema = node.schema
        if not isinstance(schema, dict):
            if path[-1] not in ("additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems"):
                for row in rows["no-boolean-schema"]:
                    yield path, f"has `{str(schema).lower()}` for a schema", row
            continue
        for row in rows["refused-keywords"]:
            for keyword in _words(row):
                if keyword in schema:
                    yield (*path, keyword), f"uses `{keyword}`", row
        if isinstance(schema.get("type"), list):
            for row in rows["one-type"]:
                yield (*path, "type"), "gives a list of types", row
        for keyword in ("anyOf", "oneOf"):
            if any(branch == {"type": "null"} for branch in schema.get(keyword, ())):
                for row in rows["no-null-branch"]:
                    yield (*path, keyword), f"has null as a branch of `{keyword}`", row
        if any(not isinstance(value, str) for value in schema.get("enum", ())):
            for row in rows["text-enum"]:
                yield (*path, "enum"), "has values in `enum` that are no texts", row


def _says_array(schema: Mapping[str, Any]) -> bool:
    declared = schema.get("type")
    return declared == "array" or (isinstance(declared, list) and "array" in declared)


def _words(row: Limit) -> tuple[str, ...]:
    return row.value if isinstance(row.value, tuple) else ()
