"""Anthropic Messages API: the same with the vendor's search by regular expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.surface.exporters.anthropic import hosted

if TYPE_CHECKING:
    from mcpexpose.surface.exported import Export
    from mcpexpose.surface.offered import Surface

REGEX = {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}


def export(surface: Surface) -> Export:
    return hosted(surface, "anthropic-regex", REGEX)
