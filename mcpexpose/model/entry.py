"""One entry of a server's `tools`: is it a tool that a catalog can hold?"""

from __future__ import annotations

from typing import Any

from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.text import shown


def entry_fault(entry: Any) -> str:
    """Why an entry is no tool, to be read after its name; "" where it is one."""
    if not isinstance(entry, dict):
        return f"is {json_kind(entry)}, not an object"
    if "name" not in entry:
        return "has no name"
    if not isinstance(entry["name"], str):
        return f"has {json_kind(entry['name'])} for a name"
    return "" if entry["name"] else "has an empty name"


def bad_entry(server: str, index: int, fault: str, place: Place | None) -> Finding:
    """The finding about one entry that is no tool; INDEX counts from 0."""
    return Finding(
        "catalog-invalid",
        Severity.ERROR,
        f"Entry {index} of the tools of {shown(server)} {fault}",
        (f"{server}/#{index}",),
        "Have the server mended; the entry is left out.",
        place,
        details={"index": index},
    )


def json_kind(value: Any) -> str:
    """What VALUE is, as people who write JSON say it: "a string", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return {str: "a string", int: "a number", float: "a number", list: "an array", dict: "an object"}[type(value)]
