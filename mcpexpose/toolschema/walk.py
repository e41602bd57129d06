"""Walks a schema along the keywords that hold schemas, without recursion, and notes what is misshapen on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from mcpexpose.model.text import shown
from mcpexpose.toolschema.dialects import Dialect, dialect
from mcpexpose.toolschema.shapes import kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.toolschema.problem import Path

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Node:
    """A schema inside a schema: where it stands, by which rules it is read, and against which address it refers."""

    path: Path
    schema: Any
    dialect: Dialect
    base: str


@dataclass(slots=True)
class Walked:
    """What a walk met. Grows while references lead to places that no keyword leads to."""

    root: Any
    obey: bool = True
    """Whether a `$schema` below changes the dialect."""
    nodes: dict[Path, Node] = field(default_factory=dict)
    resources: dict[str, Path] = field(default_factory=dict)
    """Where each address that an id claims stands, the document's own among them."""
    anchors: dict[tuple[str, str], Path] = field(default_factory=dict)
    """By address and name."""
    dynamic: dict[str, list[Path]] = field(default_factory=dict)
    """The places of each dynamic anchor's name."""
    misshapen: list[tuple[Path, str]] = field(default_factory=list)
    """Place, and a sentence that says what is wrong there."""
    unknown: list[tuple[Path, str]] = field(default_factory=list)
    """Place and value of each `$schema` that names no known dialect."""

    def walk(self, path: Path, schema: Any, read_as: Dialect, base: str) -> None:
        """Visit SCHEMA, which stands at PATH, and all schemas in it that were not visited before."""
        stack: list[tuple[Path, Any, Dialect, str]] = [(path, schema, read_as, base)]
        while stack:
            here, value, rules, address = stack.pop()
            if here in self.nodes:
                continue
            if not isinstance(value, dict):
                if isinstance(value, bool) and rules.booleans:
                    self.nodes[here] = Node(here, value, rules, address)
                else:
                    wrong = f"{_name(here)} is {kind(value)} where a schema is wanted{_beside(here, value, rules)}"
                    self.misshapen.append((here, wrong))
                continue
            declared = value.get("$schema")
            if isinstance(declared, str) and self.obey:
                found = dialect(declared)
                if found is None:
                    self.unknown.append(((*here, "$schema"), declared))
                    continue
                rules = found
            address = self._identify(here, value, rules, address)
            self.nodes[here] = Node(here, value, rules, address)
            stack.extend((at, item, rules, address) for at, item in self._visit(here, value, rules))

    def _identify(self, here: Path, schema: dict[str, Any], rules: Dialect, base: str) -> str:
        """The address that the schema's references are relative to; notes ids and anchors."""
        own = schema.get(rules.id_key)
        if rules.ref_alone and "$ref" in schema:
            own = None
        if isinstance(own, str) and own:
            if own.startswith("#"):
                self.anchors.setdefault((base, own[1:]), here)
            else:
                base = absolute(base, own).partition("#")[0]
                if self.resources.setdefault(base, here) != here:
                    self.misshapen.append(((*here, rules.id_key), f"`{rules.id_key}` is claimed by two schemas"))
        for keyword in ("$anchor", "$dynamicAnchor"):
            if keyword in rules.shapes and isinstance(name := schema.get(keyword), str):
                self.anchors.setdefault((base, name), here)
                if keyword == "$dynamicAnchor":
                    self.dynamic.setdefault(name, []).append(here)
        return base

    def _visit(self, here: Path, schema: dict[str, Any], rules: Dialect) -> list[tuple[Path, Any]]:
        """The schemas directly inside, each with its place; notes the keywords that are misshapen."""
        inside: list[tuple[Path, Any]] = []
        for keyword, value in schema.items():
            check = rules.shapes.get(keyword)
            if check is not None:
                if wrong := check(value):
                    self.misshapen.append(((*here, keyword), f"`{keyword}` {wrong}"))
                continue
            held = rules.holds.get(keyword)
            if held is None:
                continue
            at = (*here, keyword)
            if held == "schema" or (held == "schema-or-schemas" and not isinstance(value, list)):
                inside.append((at, value))
            elif held == "schema-or-bool":
                if not isinstance(value, bool):
                    inside.append((at, value))
            elif held in ("schemas", "schema-or-schemas"):
                if not isinstance(value, list) or not value:
                    wrong = "is an empty list" if value == [] else f"is {kind(value)} where a list of schemas is wanted"
                    self.misshapen.append((at, f"`{keyword}` {wrong}"))
                    continue
                for n, item in enumerate(value):
                    inside.append(((*at, n), item))
            elif not isinstance(value, dict):
                self.misshapen.append((at, f"`{keyword}` is {kind(value)} where an object of schemas is wanted"))
            else:
                for name, item in value.items():
                    if held == "map-or-names" and isinstance(item, list):
                        if wrong := rules.shapes["required"](item):
                            self.misshapen.append(((*at, name), f"`{keyword}` {wrong}"))
                    else:
                        inside.append(((*at, name), item))
        return inside


def start(schema: Any, read_as: Dialect, *, obey: bool = True) -> Walked:
    """Walk a whole document; without OBEY, all of it by the rules of READ_AS, whatever it declares."""
    walked = Walked(schema, obey, resources={"": ()})
    walked.walk((), schema, read_as, "")
    return walked


def children(node: Node) -> Iterator[tuple[str, Path, Any]]:
    """Keyword, place and value of each schema directly inside a well-shaped one."""
    if not isinstance(node.schema, dict):
        return
    for keyword, value in node.schema.items():
        held = node.dialect.holds.get(keyword)
        if held is None:
            continue
        at = (*node.path, keyword)
        if isinstance(value, list):
            for n, item in enumerate(value):
                yield keyword, (*at, n), item
        elif held in ("map", "map-or-names"):
            for name, item in value.items() if isinstance(value, dict) else ():
                if not isinstance(item, list):
                    yield keyword, (*at, name), item
        else:
            yield keyword, at, value


def absolute(base: str, reference: str) -> str:
    """REFERENCE against BASE. `urljoin` alone knows no fragments of urn: and the like."""
    if reference.startswith("#"):
        return base + reference
    if not base or _SCHEME.match(reference):
        return reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _name(path: Path) -> str:
    return f"`{shown(path[-1], 40)}`" if path and isinstance(path[-1], str) else "an entry"


def _beside(path: Path, value: Any, rules: Dialect) -> str:
    """A keyword that slipped in among the properties is told so."""
    if path[-2:-1] != ("properties",):
        return ""
    check = rules.shapes.get(str(path[-1]))
    return f"; the keyword {_name(path)} stands beside `properties`" if check is not None and not check(value) else ""
