"""The argument `SERVER/TOOL`."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from mcpexpose.cli import complete
from mcpexpose.model.names import ToolId


class Tool(click.ParamType):  # type: ignore[type-arg]  # generic in later clicks alone
    """A server and a tool, split at the first slash."""

    name = "SERVER/TOOL"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in complete.tools(ctx, param, incomplete)]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ToolId:
        if isinstance(value, ToolId):
            return value
        try:
            return ToolId.parse(value)
        except ValueError:
            server, _, tool = str(value).partition("__")  # what a model calls it
            example = f"{server}/{tool}" if server and tool else "github/create_issue"
            self.fail(f"not of the form SERVER/TOOL, as in {example}", param, ctx)
