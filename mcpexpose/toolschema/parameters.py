"""The parameters of a tool schema one by one, and schemas without wording: by them a change of contract is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDING = frozenset(
    {
        "title", "description", "$comment", "examples", "example", "markdownDescription", "enumDescriptions",
        "$schema", "$id", "deprecated",
    }
)  # fmt: skip
"""Keywords that change no argument's validity."""

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLE = frozenset(
    {
        "items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_LEVELS = 100
_MOST = 500
"""Parameters of one tool that are told apart; of a larger one any change counts as one of the whole."""
_FOLLOWED = ("properties", "required", "$defs", "definitions")


def wordless(schema: Any, level: int = 0) -> Any:
    """SCHEMA without its wording; what is nested deeper than a schema may be is kept as it is."""
    if not isinstance(schema, dict) or level > _LEVELS:
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in WORDING:
            continue
        if key in _MAPS and isinstance(value, dict):
            value = {name: wordless(each, level + 1) for name, each in value.items()}
        elif key in _LISTS and isinstance(value, list):
            value = [wordless(each, level + 1) for each in value]
        elif key in _SINGLE:
            several = isinstance(value, list)
            value = [wordless(each, level + 1) for each in value] if several else wordless(value, level + 1)
        out[key] = value
    return out


def parameters(schema: Any) -> dict[str, str]:
    """Each parameter by its path (`/filter/from`, `/rows[]`): whether it is required, its type, and a digest of what
    else it must fulfil. "" is what holds for all together.
    """
    if not isinstance(schema, dict):
        return {}
    definitions = _Definitions(schema)
    out: dict[str, str] = {"": f"{_type(schema)} {_rest(schema, definitions)}"}
    waiting: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [("", schema, ())]
    while waiting:
        path, node, seen = waiting.pop()
        for step, how, each in _steps(node, inner=bool(path)):
            if len(out) >= _MOST:
                return {"": f"many {_short(wordless(schema))}"}
            target, passed = _target(each, definitions, seen)
            out[path + step] = f"{how} {_type(target)} {_rest(target, definitions)}"
            if isinstance(target, dict):
                waiting.append((path + step, target, passed))
    return dict(sorted(out.items()))


def _steps(node: dict[str, Any], *, inner: bool) -> Iterator[tuple[str, str, Any]]:
    """What stands under a path of its own: the step there, how it is wanted, its schema."""
    properties, required = node.get("properties"), node.get("required")
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    if isinstance(properties, dict):
        for name, each in properties.items():
            step = "/" + name.replace("~", "~0").replace("/", "~1")
            yield step, "required" if name in names else "optional", each
    if isinstance(node.get("items"), dict) and inner:
        yield "[]", "each", node["items"]


class _Definitions:
    """The definitions of one schema, each made wordless and digested once."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self._known: dict[str, tuple[str, frozenset[str]]] = {}

    def resolve(self, ref: str) -> Any:
        if not ref.startswith("#/"):
            return None
        node: Any = self.root
        for token in ref[2:].split("/"):
            node = node.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
        return node

    def leaned_on(self, value: Any) -> list[tuple[str, str]]:
        """Every definition that a reference in VALUE reaches, with its digest."""
        found: dict[str, str] = {}
        waiting = _references(value)
        while waiting:
            ref = waiting.pop()
            if ref not in found:
                if ref not in self._known:
                    plain = wordless(self.resolve(ref))
                    self._known[ref] = (_short(plain), frozenset(_references(plain)))
                found[ref], more = self._known[ref]
                waiting |= more - found.keys()
        return sorted(found.items())


def _references(value: Any) -> set[str]:
    found: set[str] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                found.add(node["$ref"])
            waiting += node.values()
    return found


def _target(schema: Any, definitions: _Definitions, seen: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """What a reference that stands alone leads to; the same one is not followed twice on one way."""
    while isinstance(schema, dict) and isinstance(ref := schema.get("$ref"), str):
        if ref in seen or any(key not in WORDING and key != "$ref" for key in schema):
            break
        target = definitions.resolve(ref)
        if target is None:
            break
        schema, seen = target, (*seen, ref)
    return schema, seen


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "never" if schema is False else "any"
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    known = sorted(str(each) for each in kinds if isinstance(each, str) and each in _TYPES)
    if known:
        return "|".join(known)
    return next((key for key in ("enum", "const", "anyOf", "oneOf", "allOf", "$ref") if key in schema), "any")


def _rest(schema: Any, definitions: _Definitions) -> str:
    """A digest of what SCHEMA demands beside what stands under paths of its own, and of the definitions it leans on."""
    if not isinstance(schema, dict):
        return _short(schema)
    rest = {key: value for key, value in schema.items() if key not in _FOLLOWED}
    if isinstance(rest.get("additionalProperties"), bool):
        del rest["additionalProperties"]
    if isinstance(rest.get("items"), dict) and schema is not definitions.root:
        del rest["items"]
    rest = wordless(rest)
    return _short([rest, definitions.leaned_on(rest)])


def _short(value: Any) -> str:
    return digest(value)[:12]
