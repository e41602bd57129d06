"""One schema in a form without lists of types, null branches, choices beside anything else, and lists of numbers.

What the OpenAPI subset of some providers wants; each rewriting happens only where a row of the limits asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.toolschema.joined import both

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcpexpose.model.limits import Rule
    from mcpexpose.toolschema.problem import Path
    from mcpexpose.toolschema.weight import Room

_OF_TYPE = {
    "object": frozenset({"properties", "required", "minProperties", "maxProperties", "propertyOrdering"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "enum", "format"}),
    "number": frozenset({"minimum", "maximum", "format"}),
    "integer": frozenset({"minimum", "maximum", "format"}),
}
"""Keywords that stand only beside their type."""
_TIED = frozenset().union(*_OF_TYPE.values())
_WORDING = frozenset({"title", "description"})


class Plain:
    """The rewritings that RULES ask for; LOSE is told what a form no longer says, and ROOM is for what is repeated."""

    def __init__(self, rules: Mapping[Rule, Any], lose: Callable[[Path, str], None], room: Room) -> None:
        self._rules = rules
        self._lose = lose
        self._room = room

    def of(self, schema: dict[str, Any], path: Path) -> dict[str, Any]:
        """SCHEMA in form, those in it being so already."""
        out = schema
        if "no-null-branch" in self._rules:
            out = self._without_null(out, path)
        if "one-type" in self._rules:
            out = self._of_one_type(out, path)
        if "text-enum" in self._rules and "enum" in out:
            out = self._of_texts(out, path)
        if "typed" in self._rules:
            out = self._typed(out, path)
        if path != () and "anyOf" in out and len(out) > 1 and "anyOf" in self._rules.get("alone-keywords", ()):
            out = self._alone(out, path)
        return out

    def _without_null(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        branches = out.get("anyOf")
        others = [branch for branch in branches or () if not _is_null(branch)]
        if not isinstance(branches, list) or len(others) == len(branches):
            return out
        rest = {key: item for key, item in out.items() if key != "anyOf"}
        rest["nullable"] = True
        if len(others) != 1:
            return {**rest, "anyOf": others} if others else rest
        joined, lost = both(rest, others[0])
        for keyword in lost:
            self._lose((*path, "anyOf"), f"is told in part: its `{keyword}` is not")
        return joined

    def _of_one_type(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        declared = out.get("type")
        if declared == "null":
            return {**{key: item for key, item in out.items() if key != "type"}, "nullable": True}
        if not isinstance(declared, list):
            return out
        kinds = [kind for kind in declared if kind != "null"]
        rest = {key: item for key, item in out.items() if key != "type"}
        if "null" in declared:
            rest["nullable"] = True
        if path == () and "object" in kinds:
            kinds = ["object"]
        if len(kinds) == 1:
            return {**rest, "type": kinds[0]}
        if "anyOf" in rest:
            self._lose((*path, "type"), "is not told")
            return rest
        free = {key: item for key, item in rest.items() if key not in _TIED}
        branches = [{"type": kind, **_tied(rest, kind)} for kind in kinds]
        return {**free, "anyOf": branches} if kinds else free

    def _of_texts(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        values = out["enum"]
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) == len(values):
            return {**out, "type": "string"} if "type" not in out and "anyOf" not in out else out
        rest = {key: item for key, item in out.items() if key != "enum"}
        if None in values:
            rest["nullable"] = True
        if texts and len(texts) == sum(value is not None for value in values):
            return {"type": "string", **rest, "enum": texts}
        self._lose((*path, "enum"), "is not told: the target takes lists of texts alone")
        return rest

    def _typed(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """A type where the keywords leave one only, and no keyword of another type."""
        if "type" not in out and "anyOf" not in out:
            kinds = [kind for kind in ("object", "array", "string", "number") if _tied(out, kind).keys() - {"format"}]
            if len(kinds) == 1:
                out = {**out, "type": kinds[0]}
        declared = out.get("type")
        for keyword in [key for key in out if key in _TIED and key not in _OF_TYPE.get(str(declared), ())]:
            if "anyOf" in out and declared is None:
                continue  # it goes to the branches
            self._lose((*path, keyword), "is not told: it stands beside another type" if declared else "is not told")
            out = {key: item for key, item in out.items() if key != keyword}
        return out

    def _alone(self, out: dict[str, Any], path: Path) -> dict[str, Any]:
        """Everything that stands beside the choice goes into each of its branches."""
        beside = {key: item for key, item in out.items() if key != "anyOf"}
        branches: list[Any] = []
        times = sum(len(branch.get("anyOf", (branch,))) for branch in out["anyOf"])
        if not self._room.take(beside, times - 1):
            self._lose((*path, "anyOf"), "is not told: with what stands beside it, it is too large")
            return self._typed(beside, path)
        for n, branch in enumerate(out["anyOf"]):
            inner = branch.get("anyOf")
            if inner is not None:  # a choice in a choice is one choice
                branches += [self._typed(both(beside, each)[0], path) for each in inner]
                continue
            joined, lost = both(branch, beside)
            for keyword in lost:
                self._lose((*path, "anyOf", n), f"is told in part: `{keyword}` beside it is not")
            branches.append(self._typed(joined, (*path, "anyOf", n)))
        return {"anyOf": branches}


def required_known(schema: dict[str, Any]) -> dict[str, Any]:
    """SCHEMA, in form, where each required name is a property; the others ask for what nothing else tells of."""
    out = dict(schema)
    if isinstance(out.get("properties"), dict):
        out["properties"] = {name: required_known(each) for name, each in out["properties"].items()}
    if isinstance(out.get("items"), dict):
        out["items"] = required_known(out["items"])
    if "anyOf" in out:
        out["anyOf"] = [required_known(each) for each in out["anyOf"]]
    if required := out.pop("required", None):
        known = [name for name in required if name in out.get("properties", {})]
        if known:
            out["required"] = known
    return out


def _is_null(branch: Any) -> bool:
    if not isinstance(branch, dict):
        return False
    return branch.get("type") == "null" or (
        branch.get("nullable") is True and not branch.keys() - _WORDING - {"nullable"}
    )


def _tied(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {key: item for key, item in schema.items() if key in _OF_TYPE.get(kind, ())}
