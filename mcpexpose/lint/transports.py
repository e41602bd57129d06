"""The texts of a server's transport, with their places: what several rules read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.lint.subjects import WrittenServer

_Text = tuple[tuple[str | int, ...], str, str]


def texts(server: WrittenServer) -> Iterator[_Text]:
    """Path inside the server's table, subject, and text as written, references unexpanded.

    Literal credentials are among them: whoever prints a part must know that it is none.
    """
    table = server.table
    for key, text in (("command", table.command), ("cwd", table.cwd), ("url", table.url)):
        if text:
            yield (key,), f"{server.id}:{key}", text
    for n, text in enumerate(table.args):
        yield ("args", n), f"{server.id}:args[{n}]", text
    for name, values in (("env", table.env), ("http_headers", table.http_headers)):
        for key, text in sorted(values.items()):
            yield (name, key), f"{server.id}:{name}.{key}", text
