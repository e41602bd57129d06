"""A schema in a form that a provider takes: what the provider's limits refuse is mended, merged or dropped, and told.

What is dropped is only ever a demand, so a call that fits the full schema fits the form as well, but for properties
whose very name is refused. Calls are held against the full schema by the gate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcpexpose.model.limits import rows_of
from mcpexpose.model.text import shown
from mcpexpose.toolschema.check import depth, dialect_of
from mcpexpose.toolschema.joined import both, either, listed, one_of
from mcpexpose.toolschema.modern import modern
from mcpexpose.toolschema.plain import Plain, required_known
from mcpexpose.toolschema.portable import not_portable
from mcpexpose.toolschema.walk import start
from mcpexpose.toolschema.weight import Room

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.limits import Rule
    from mcpexpose.toolschema.problem import Path
    from mcpexpose.toolschema.walk import Walked

_NODES = 5_000
"""Schemas that a form may hold: copies of what references lead to are bounded by it."""
_ROOM = 2_000_000
"""Characters of texts and keys, and values, that a form may hold: no model has a window for more."""
_JOINED = 10_000_000
"""The same, of what branches are joined to, each time anew."""
_NESTED = 80
"""Schemas one in the other, those that references lead to among them."""
_TAKEN_AS_BOOLEAN = ("additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems")
_SAYS_NOTHING = frozenset({"$schema", "$id", "id", "$comment", "$vocabulary", "$anchor", "$dynamicAnchor"}) | {
    "$defs",
    "definitions",
}
"""Keywords that a model has nothing of by themselves, so that going without them is no loss."""
_ROOT = (
    "is told as one object with all that its branches hold; which of them go together is not told",
    "is not told",
)
_ITEMS = {"items", "prefixItems"}
_DEFINED = re.compile(r"#/(?:\$defs|definitions)/([^/]+)")
_NEVER = object()


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the form does not say, and where the schema says it."""

    path: Path
    message: str
    """A sentence without a subject; safe to print."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The form, and what it took. `refused` says why there is no form; then `schema` is empty."""

    schema: dict[str, Any]
    dropped: tuple[Dropped, ...]
    refused: str = ""


def fitted(schema: Mapping[str, Any], target: str) -> Fitted:
    """SCHEMA, a tool's input schema, in a form that TARGET takes; a new value, the schema's own stays as it is."""
    rules = rows_of(target)
    if depth(schema) is not None or (dialect := dialect_of(schema)) is None:
        return Fitted({}, (), "its input schema is too deep, or in a dialect that is not known")
    walked = start(dict(schema), dialect)
    if walked.misshapen or walked.unknown:
        return Fitted({}, (), "its input schema is not valid")
    room = Room(_ROOM)
    if not room.take(dict(schema)):
        return Fitted({}, (), f"its input schema is larger than {_ROOM:,} characters")
    work = _Fitting(walked, rules, room, loses=False)
    out = work.root()
    if work.dropped:  # then parts that tell cases apart may do so no longer
        room = Room(_ROOM)
        room.take(dict(schema))
        work = _Fitting(walked, rules, room, loses=True)
        out = work.root()
    if work.refused:
        return Fitted({}, (), work.refused)
    if left := not_portable({"inputSchema": out}, (target,)):
        return Fitted({}, (), left[0].message)
    return Fitted(out, tuple(dict.fromkeys(work.dropped)))


class _Fitting:
    """One schema on its way; children are brought into form before what holds them."""

    def __init__(self, walked: Walked, rules: Mapping[Rule, Any], room: Room, *, loses: bool) -> None:
        self._loses = loses
        self._walked = walked
        self._rules = rules
        self._room = room
        self._joins = Room(_JOINED)
        self._plain = Plain(rules, self._lose, room)
        self._alone: tuple[str, ...] = rules.get("alone-keywords", ())
        self._rewrites = bool(rules.keys() - {"tool-name", "tool-name-length", "root-object"})
        self._kept: tuple[str, ...] | None = rules.get("kept-keywords")
        self._words: frozenset[str] = frozenset(rules.get("refused-keywords", ()))
        self._name = re.compile(rules["property-name"]) if "property-name" in rules else None
        self._following: list[Path] = []
        self._made = self._level = 0
        self.dropped: list[Dropped] = []
        self.refused = ""

    def root(self) -> dict[str, Any]:
        """The whole schema in form."""
        out = self._value(self._walked.root, ())
        out = self._rooted(out if isinstance(out, dict) else {})
        return required_known(out) if "typed" in self._rules else out

    def _value(self, value: Any, path: Path) -> Any:
        if path in self._walked.nodes:
            return self._schema(value, path)
        if isinstance(value, dict):
            pairs = ((key, self._value(item, (*path, key))) for key, item in value.items())
            return {key: item for key, item in pairs if item is not _NEVER}
        if isinstance(value, list):
            items = (self._value(item, (*path, n)) for n, item in enumerate(value))
            return [item for item in items if item is not _NEVER]
        return value

    def _schema(self, value: Any, path: Path) -> Any:
        self._made += 1
        if isinstance(value, bool):
            if "no-boolean-schema" not in self._rules or path[-1] in _TAKEN_AS_BOOLEAN:
                return value
            return {} if value else _NEVER
        if self._made > _NODES or self._level >= _NESTED:
            self._lose(path, "is not told: with all that it refers to the schema is too large")
            return {}
        self._level += 1
        pairs = ((key, self._value(item, (*path, key))) for key, item in value.items())
        out = {key: item for key, item in pairs if item is not _NEVER}
        self._level -= 1
        if not self._rewrites:
            return out
        out = modern(out, self._walked.nodes[path].dialect)
        out = self._names(self._followed(out, path), path)
        out = self._reworded(self._of_items(self._of_patterns(out, path), path), path)
        out = self._plain.of(self._without(out, path), path)
        if "array-items" in self._rules and "array" in listed(out.get("type")) and not out.keys() & _ITEMS:
            out["items"] = {}
        return out

    def _followed(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """References are replaced by what they lead to where the target takes none, or not this one."""
        reference = out.get("$ref")
        if not isinstance(reference, str) or (self._takes("$ref") and self._kept is None):
            return out
        name = _DEFINED.fullmatch(reference) if self._takes("$ref") else None
        if name and (len(out) == 1 or "$ref" not in self._alone):
            return {**out, "$ref": f"#/$defs/{name[1]}"}
        beside = {key: item for key, item in out.items() if key != "$ref"}
        target = self._target(reference)
        if target is not None and target[0] not in self._following:
            return self._both(beside, self._copy(target), (*path, "$ref"))
        if name:
            self._lose(path, "is told without what stands beside its `$ref`")
            return {"$ref": f"#/$defs/{name[1]}"}
        self._lose((*path, "$ref"), "is not told: it leads back to where it stands" if target else "is not told")
        return beside

    def _copy(self, target: tuple[Path, Any]) -> dict[str, Any]:
        at, value = target
        if not self._room.take(value):
            self._lose(at, "is not told: with all that it refers to the schema is too large")
            return {}
        self._following.append(at)
        copy = self._value(value, at)
        self._following.pop()
        return copy if isinstance(copy, dict) else {}

    def _target(self, reference: Any) -> tuple[Path, Any] | None:
        """Place and value of what a reference inside the schema leads to."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        if reference[1:2] not in ("", "/"):
            path = self._walked.anchors.get(("", reference[1:]))
            return None if path is None else (path, self._walked.nodes[path].schema)
        root = self._walked.root
        if reference.startswith("#/$defs/") and "$defs" not in root:
            reference = reference.replace("$defs", "definitions", 1)
        here: Any = root
        steps: list[str | int] = []
        for token in reference[2:].split("/") if reference[1:] else ():
            step = unquote(token).replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict) and step in here:
                steps.append(step)
                here = here[step]
            elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
                steps.append(int(step))
                here = here[int(step)]
            else:
                return None
        return tuple(steps), here

    def _names(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        properties = out.get("properties")
        if self._name is None or not isinstance(properties, dict):
            return out
        bad = [name for name in properties if not self._name.fullmatch(name)]
        for name in bad:
            self._lose((*path, "properties", name), "is not told: the target does not take its name")
        if not bad:
            return out
        required = [name for name in out.get("required", ()) if name not in bad]
        if path == () and len(required) < len(out.get("required", ())):
            name = next(name for name in bad if name in out["required"])
            self.refused = f'it requires a property "{shown(name, 40)}", a name that is not taken'
        rest = {key: item for key, item in out.items() if key != "required"}
        rest["properties"] = {name: item for name, item in properties.items() if name not in bad}
        return {**rest, "required": required} if required else rest

    def _reworded(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """Keywords that the target lacks, said with those that it has."""
        if "const" in out and not self._takes("const"):
            out["enum"] = [out.pop("const")]
        for exclusive, bound, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
            if exclusive in out and not self._takes(exclusive) and self._takes(bound):
                limit = out.pop(exclusive)
                whole = out.get("type") == "integer" and (isinstance(limit, int) or limit.is_integer())
                limit = int(limit) + step if whole else limit
                if not whole:
                    self._lose((*path, exclusive), f"is told as `{bound}`")
                out = both(out, {bound: limit})[0]
        if "allOf" in out and not self._takes("allOf"):
            for n, branch in enumerate(out.pop("allOf")):
                out = self._both(out, branch, (*path, "allOf", n))
        if "oneOf" in out and not (self._takes("oneOf") and self._is_as_written(out, path, "oneOf")):
            if "anyOf" in out or not self._takes("anyOf"):
                del out["oneOf"]
                self._lose(
                    (*path, "oneOf"), "is not told" + (": there is an `anyOf` beside it" if "anyOf" in out else "")
                )
            else:
                out["anyOf"] = out.pop("oneOf")
                self._lose((*path, "oneOf"), "is told as `anyOf`: that only one may fit is not told")
        # Where more fits a part of these than before, less would fit the whole.
        for keyword, goes in (("not", ("not",)), ("if", ("if", "then", "else")), ("contains", ("maxContains",))):
            if keyword in out and not self._is_as_written(out, path, keyword):
                for each in goes:
                    if out.pop(each, None) is not None:
                        self._lose((*path, each), "is not told")
        if path == () and "definitions" in out and self._takes("$defs") and not self._takes("definitions"):
            out["$defs"] = {**out.pop("definitions"), **out.get("$defs", {})}
        return out

    def _is_as_written(self, out: dict[str, Any], path: Path, keyword: str) -> bool:
        """Whether what stands under KEYWORD asks for exactly what it asked for, whatever the rest of the form says."""
        if not self._loses:
            return True
        here = out[keyword]
        return here == self._walked.nodes[path].schema.get(keyword) and "$ref" not in repr(here)

    def _of_patterns(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """Without `patternProperties`, what they allow must not be ruled out by `additionalProperties`."""
        if "patternProperties" not in out or self._takes("patternProperties"):
            return out
        forms = list(out.pop("patternProperties").values())
        self._lose((*path, "patternProperties"), "is not told: names that fit a pattern are as any others")
        more = out.get("additionalProperties", True)
        if more is True or more == {} or not forms:
            return out
        return {**out, "additionalProperties": one_of([*forms, more] if isinstance(more, dict) else forms)}

    def _of_items(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """Without `prefixItems`, each item may be what any of them may be."""
        if "prefixItems" not in out or self._takes("prefixItems"):
            return out
        forms = out.pop("prefixItems")
        self._lose((*path, "prefixItems"), "is not told: which item is of which kind")
        written = self._walked.nodes[path].schema
        closed = False in (written.get("items"), written.get("additionalItems"))
        if "items" in out:
            return {**out, "items": one_of([*forms, out["items"]])}
        if forms and (closed or out.get("maxItems", len(forms) + 1) <= len(forms)):
            return {**out, "items": one_of(forms)}
        return out

    def _without(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        for keyword in [each for each in out if not self._takes(each)]:
            value = out.pop(keyword)
            closed = keyword == "additionalProperties" and not isinstance(value, dict)
            if keyword not in _SAYS_NOTHING and not closed:
                self._lose((*path, keyword), "is not told")
        return out

    def _rooted(self, out: dict[str, Any]) -> dict[str, Any]:
        """The root is one object, without the keywords that the target refuses there."""
        words = [*self._rules.get("root-keywords", ()), *(each for each in self._alone if each != "$ref")]
        alone = "$ref" in self._alone or "root-properties" in self._rules
        if "$ref" in out and alone and (target := self._target(out["$ref"])):
            beside = {key: item for key, item in out.items() if key != "$ref"}
            out = self._both(beside, self._copy(target), ("$ref",))
        out.pop("nullable", None)
        for keyword in words:
            if keyword not in out:
                continue
            value = out.pop(keyword)
            combined = keyword in ("allOf", "anyOf", "oneOf")
            if keyword != "allOf":
                self._lose((keyword,), _ROOT[0] if combined else _ROOT[1])
            if combined:
                branches = [self._entered(branch) for branch in value]
                for branch in branches if keyword == "allOf" else [either(branches)]:
                    out = self._both(out, branch, (keyword,))
        if "root-object" in self._rules:
            out["type"] = "object"
        if "root-properties" in self._rules:
            out.setdefault("properties", {})
        return out

    def _entered(self, branch: Any) -> Any:
        """A branch, or what it refers to, joined with what stands beside the reference."""
        if isinstance(branch, dict) and "$ref" in branch and (target := self._target(branch["$ref"])):
            beside = {key: item for key, item in branch.items() if key != "$ref"}
            return both(beside, self._copy(target))[0]
        return branch

    def _both(self, one: dict[str, Any], two: Any, path: Path) -> dict[str, Any]:
        if not isinstance(two, dict):
            return one
        if not self._joins.take(one):
            self._lose(path, "is not told: what it is joined with is too large")
            return one
        out, lost = both(one, two)
        for keyword in lost:
            self._lose(path, f"is told in part: its `{shown(keyword, 40)}` is not")
        return out

    def _takes(self, keyword: str) -> bool:
        return keyword not in self._words and (self._kept is None or keyword in self._kept)

    def _lose(self, path: Path, message: str) -> None:
        self.dropped.append(Dropped(path, message))
