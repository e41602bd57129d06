"""How servers and tools are named: a tool is always (server, name), never a bare name."""

from __future__ import annotations

from typing import NamedTuple


class ToolId(NamedTuple):
    """The identity of a tool. Sorts by server, then name, by code point."""

    server: str
    name: str

    def __str__(self) -> str:
        return f"{self.server}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> ToolId:
        """Split at the first slash, since a server's id never holds one. Raises ValueError where there is none."""
        server, slash, name = text.partition("/")
        if not slash or not server or not name:
            raise ValueError(f"not of the form server/tool: {text!r}")
        return cls(server, name)
