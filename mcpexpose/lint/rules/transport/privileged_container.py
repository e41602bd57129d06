"""A container that is none: it holds the whole machine."""

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

_WHOLE = (
    (re.compile(r"--privileged(=true)?"), "runs with --privileged"),
    (re.compile(r"--(net|network|pid|ipc|userns)=host"), "shares a namespace of the host"),
    (re.compile(r"(-v|--volume)?=?/:/?.*"), "mounts the host's root"),
    (re.compile(r"(-v|--volume)?=?/var/run/docker\.sock(:.*)?"), "holds the container engine's socket"),
    (re.compile(r".*(source|src)=(/|/var/run/docker\.sock)(,.*)?"), "mounts the host's root or engine socket"),
    (re.compile(r"--cap-add=(all|sys_admin)", re.IGNORECASE), "has every capability"),
)


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    if program(server.table.command or "") not in ("docker", "podman", "nerdctl"):
        return
    args = server.table.args
    told = -1
    for n, arg in enumerate(args):
        with_value = f"{arg}={args[n + 1]}" if n + 1 < len(args) and arg.startswith("-") and "=" not in arg else arg
        what = next((what for form, what in _WHOLE if form.fullmatch(with_value) or form.fullmatch(arg)), None)
        if what is None or told == n - 1 >= 0:
            continue
        told = n
        yield rule.finding(
            f"{shown(server.id)} is a container that {what}",
            (f"{server.id}:args[{n}]",),
            "Give it what it needs and no more: one folder, one network, no socket.",
            server.key("args", n),
        )
