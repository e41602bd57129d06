"""A schema of an older dialect in the words of 2020-12, with the same meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.toolschema.dialects import DRAFT_2020

if TYPE_CHECKING:
    from mcpexpose.toolschema.dialects import Dialect

_BESIDE_A_REFERENCE = frozenset({"$ref", "title", "description", "default", "examples", "definitions", "$defs"})


def modern(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """One schema, without those in it. `$schema` goes, since it would say the old name."""
    if dialect is DRAFT_2020:
        return schema
    out = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    if dialect.ref_alone and "$ref" in out:
        return {keyword: value for keyword, value in out.items() if keyword in _BESIDE_A_REFERENCE}
    if isinstance(items := out.get("items"), list):
        out["prefixItems"] = items
        del out["items"]
        if "additionalItems" in out:
            out["items"] = out["additionalItems"]
    out.pop("additionalItems", None)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(out.get(exclusive), bool) and out.pop(exclusive) and bound in out:
            out[exclusive] = out.pop(bound)
    if isinstance(own := out.get("$id"), str) and own.startswith("#"):
        out["$anchor"] = own[1:]
        del out["$id"]
    if isinstance(dependencies := out.pop("dependencies", None), dict):
        names = {name: each for name, each in dependencies.items() if isinstance(each, list)}
        schemas = {name: each for name, each in dependencies.items() if not isinstance(each, list)}
        if names:
            out["dependentRequired"] = {**out.get("dependentRequired", {}), **names}
        if schemas:
            out["dependentSchemas"] = {**out.get("dependentSchemas", {}), **schemas}
    return out
