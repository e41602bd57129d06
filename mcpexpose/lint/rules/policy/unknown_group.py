"""A group that the vocabulary does not know, or that nothing carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.nearest import meant
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholeConfig
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.config import Config
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")

_Use = tuple[str, str, tuple[str | int, ...]]
"""Group, subject, path."""


@rule.on(WholeConfig)
def check(subject: WholeConfig, context: Context) -> Iterator[Finding]:
    config = subject.config
    carried, wanted = list(_carried(config)), list(_wanted(config))
    vocabulary = config.groups.keys()
    known = vocabulary or {group for group, _, _ in carried}
    for group, where, path in (*carried, *wanted) if vocabulary else wanted:
        if group not in known:
            near = meant(group, known)
            what = "is not in [groups]" if vocabulary else "is carried by no server and no tool"
            yield rule.finding(
                f'group "{shown(group, 60)}" {what}',
                (where,),
                f'Did you mean "{shown(near)}"?' if near else "Add it to [groups], with what it stands for.",
                context.place(*path),
                details={"suggests": [near]} if near else None,
            )
    used = {group for group, _, _ in (*carried, *wanted)}
    for group in sorted(vocabulary - used):
        yield rule.finding(
            f'group "{shown(group, 60)}" is used by no server, tool or profile',
            (f"groups.{group}",),
            "Take it out, or give it to the tools that it is for.",
            context.place("groups", group),
        )


def _carried(config: Config) -> Iterator[_Use]:
    for name, server in sorted(config.mcp_servers.items()):
        for n, group in enumerate(server.groups):
            yield group, f"{name}:groups[{n}]", ("mcp_servers", name, "groups", n)
        for tool, table in sorted(server.tools.items()):
            for n, group in enumerate(table.groups or ()):
                yield group, f"{name}:tools.{tool}.groups[{n}]", ("mcp_servers", name, "tools", tool, "groups", n)


def _wanted(config: Config) -> Iterator[_Use]:
    for name, profile in sorted(config.profiles.items()):
        for n, group in enumerate(profile.groups or ()):
            yield group, f"profiles.{name}.groups[{n}]", ("profiles", name, "groups", n)
