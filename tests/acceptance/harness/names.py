"""The fixed tables by which names of the cases become the product's: keys, kinds, outcomes; never values."""

from __future__ import annotations

KINDS: dict[str, str] = {}
"""Kinds of diagnostics are the product's slugs as they stand."""

HIT_FIELDS = {
    "server_id": "server",
    "tool_name": "tool",
    "name": "tool",
    "exposed_name": "alias",
    "catalog_revision": "revision",
    "side_effect_class": "side_effect",
    "policy": "policy_state",
}
"""Fields of a search hit in JSON output."""

EVENT_FIELDS = {
    "server_id": "server",
    "catalog_revision": "revision",
    "candidate_count": "candidates",
    "selected_tool": "tool",
}
"""Fields of an audit event."""

CONFIG_KEYS = {"enabled_tools": "allow", "disabled_tools": "deny", "headers": "http_headers"}
"""Other names of keys in a server's table."""


def kind(name: str) -> str:
    """The product's slug for a kind of the cases."""
    return KINDS.get(name, name)


def hit_field(name: str) -> str:
    """The key of a search hit for a field that a case names."""
    return HIT_FIELDS.get(name, name)
