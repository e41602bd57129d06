"""The argument `SERVER/TOOL`."""

from __future__ import annotations

from typing import Any

import click

from mcpexpose.model.names import ToolId


class Tool(click.ParamType):  # type: ignore[type-arg]
    """A server and a tool, split at the first slash."""

    name = "SERVER/TOOL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ToolId:
        if isinstance(value, ToolId):
            return value
        try:
            return ToolId.parse(value)
        except ValueError:
            self.fail("not of the form SERVER/TOOL, as in github/create_issue", param, ctx)
