"""Keys of other hosts whose value has another sense than that of our key: to rename them would say something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.config.nearest import fold

if TYPE_CHECKING:
    from collections.abc import Iterable


def advice(key: str, value: Any, known: Iterable[str]) -> str:
    """What to write in place of KEY, which a table with the keys KNOWN has not; "" where a new name is all it takes."""
    folded = fold(key)
    there = frozenset(known)
    if "enabled" in there and folded == "disabled":
        return "Write enabled = false." if value is True else "Remove it: a server is enabled unless it says not."
    if "exposure" in there and folded in ("deferred", "deferloading", "alwaysload", "hidden"):
        return f'Write exposure = "{_exposure(folded, value)}".'
    if "side_effect" in there and folded == "readonly":
        return 'Write side_effect = "read_only".' if value is True else 'Write side_effect = "write" or "destructive".'
    if "side_effect" in there and folded in ("deny", "denied", "disabled", "enabled", "allow"):
        return "Name the tool in deny of its server, or in allow."
    if "trust_annotations" in there and folded == "trust":
        return "Name what runs without asking in [policy] auto_approve; trust_annotations is about a server's hints."
    if "bearer_token_env_var" in there and folded in ("bearertoken", "token"):
        return 'Put the token into a variable, and write its name: bearer_token_env_var = "NAME".'
    if "tool_timeout_sec" in there and folded.startswith("timeout"):
        return "Write tool_timeout_sec, in seconds."
    return ""


def _exposure(folded: str, value: Any) -> str:
    if folded == "hidden":
        return "hidden" if value is True else "deferred"
    return "direct" if (folded == "alwaysload") == (value is True) else "deferred"
