"""A shell between the host and the server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.packages import program
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0")

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"})
_WINDOWS = {
    "cmd": re.compile(r"/[ck]", re.IGNORECASE),
    "powershell": re.compile(r"-(c|command|enc\w*|e)", re.IGNORECASE),
}
_PIPED = re.compile(r"\|\s*(?:sudo\s+)?(?:ba|z|da|a|k)?sh\b|\b(?:curl|wget|iwr|irm)\b[^|]*\|", re.IGNORECASE)


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    command, args = server.table.command or "", server.table.args
    name = program(command)
    runs = ""
    if name in _SHELLS and any(re.fullmatch(r"-[a-z]*c", arg) for arg in args):
        runs = f"{name} -c"
    elif (option := _WINDOWS.get("powershell" if name == "pwsh" else name)) and any(map(option.fullmatch, args)):
        runs = f"{name} {next(arg for arg in args if option.fullmatch(arg))}"
    elif _PIPED.search(" ".join((command, *args))):
        runs = "a pipe"
    elif re.search(r"[;&|<>`]|\s&&\s", command) or (" " in command.strip() and name in _SHELLS):
        runs = "a command line"
    if runs:
        yield rule.finding(
            f"{shown(server.id)} is started through a shell ({shown(runs, 40)})",
            (f"{server.id}:command",),
            "Name the program in `command` and each argument in `args`: a shell expands and runs what it is given.",
            server.key("command"),
        )
