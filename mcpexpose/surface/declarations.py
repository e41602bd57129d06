"""What a model is told of a tool, and of the search tool: the definitions that a request carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.plan import SEARCH_TOOL
from mcpexpose.model.policy import SideEffect
from mcpexpose.surface import wording

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT_MAX = 20
"""The most matches that one search gives; a greater limit is cut to it (F10)."""
SEARCH_SIDE_EFFECT = SideEffect.READ_ONLY
"""What permissions of a host are to make of `find_tools`: it changes the session's tools, and nothing else (F05)."""
QUERY_MAX = 1_000
"""Characters of a query that are searched; a longer one is refused."""


def declaration(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The tool as a request declares it: `name` (the alias), `description`, `inputSchema` (see `declared_schema`).

    DEFINITION is a line of definitions.bin. An absent description is the empty text; a long one is cut with a mark.
    """
    return {
        "name": definition["alias"],
        "description": wording.description(definition.get("description")),
        "inputSchema": declared_schema(definition["inputSchema"]),
    }


def declared_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """An input schema as models are told it: as the server gave it, and with `type` and `properties` where it has none.

    Providers refuse a request over their absence, and nothing else is meant by it: arguments are an object. What calls
    are checked against, and what an inspection shows, is the server's own.
    """
    if "properties" in schema and "type" in schema:
        return schema
    return dict(sorted({"type": "object", "properties": {}, **schema}.items()))


def declaration_text(declared: Mapping[str, Any]) -> str:
    """A declaration as compact JSON: what tokens are counted on."""
    return wording.compact(declared)


def search_tool(limit_default: int) -> dict[str, Any]:
    """The declaration of `find_tools`, whose limit is LIMIT_DEFAULT where the model names none."""
    return {
        "name": SEARCH_TOOL,
        "description": (
            "Search the tools of the connected MCP servers. Most of them are not declared to you until a search "
            "finds them: when no tool at hand fits the task, search for what is to be done and on what, or for a "
            "tool's name. The answer shows each match with its description and parameters; tools listed in it as "
            "newly available can be called from your next call on."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": 'Plain words for action and object, such as "read job logs", or a tool\'s name.',
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": LIMIT_MAX,
                    "default": limit_default,
                    "description": "How many matches to show at most.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    }
