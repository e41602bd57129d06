"""Gemini generateContent: the same with parameters in the API's own subset of OpenAPI.

https://ai.google.dev/api/caching#Schema
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exporters.gemini import answer, content

if TYPE_CHECKING:
    from mcpexpose.surface.exported import Export
    from mcpexpose.surface.offered import Surface

LIMITS = "gemini"

__all__ = ["answer", "export"]


def export(surface: Surface) -> Export:
    return content(surface, "gemini-schema", LIMITS, lambda each: _parameters(each.schema))


def _parameters(schema: dict[str, Any]) -> dict[str, Any]:
    """No `parameters` at all for a tool without any: an object without properties is refused."""
    return {"parameters": _named(schema)} if schema.get("properties") else {}


def _named(schema: dict[str, Any]) -> dict[str, Any]:
    """The types by the names of the API's enumeration."""
    out = dict(schema)
    if isinstance(out.get("type"), str):
        out["type"] = out["type"].upper()
    if "properties" in out:
        out["properties"] = {name: _named(each) for name, each in out["properties"].items()}
    if "items" in out:
        out["items"] = _named(out["items"])
    if "anyOf" in out:
        out["anyOf"] = [_named(each) for each in out["anyOf"]]
    return out
