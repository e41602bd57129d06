"""How far a config has to be taken for the rules that were chosen: reading it is enough for some, and far cheaper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.lint.choice import Choice
    from mcpexpose.model.config import Config, ResolvedConfig, ResolvedPack

OF_THE_CONFIG = frozenset({"config", "transport"})
"""Families whose rules look at no catalog, and whose findings come from reading the config."""


def reading_is_enough(choice: Choice, resolved: ResolvedConfig | None) -> bool:
    """Whether nothing that CHOICE wants to hear is found by compiling.

    The compiler tells of a pattern that is none, and of servers whose tables are at fault.
    """
    if resolved is None or resolved.config.readable or not choice.only(OF_THE_CONFIG):
        return False
    return not any(patterns.problem(text) for text in _patterns(resolved.config, resolved.packs))


def _patterns(config: Config, packs: tuple[ResolvedPack, ...]) -> Iterator[str]:
    for table in config.mcp_servers.values():
        yield from table.allow_patterns or ()
        yield from table.deny_patterns
        yield from table.tools
    entries = [
        *config.policy.auto_approve,
        *(entry for profile in config.profiles.values() for entry in profile.default_tools),
    ]
    entries += [constraint.match for one in packs for constraint in one.pack.constraints]
    for entry in entries:
        server, _, tool = entry.partition("/")
        yield from (entry, server, tool) if tool else (entry,)
