"""What a mend changes, as a unified diff that shows no credential and nothing that a terminal would act on."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from mcpexpose.cli.console import name_of
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.workspace import Workspace


def unified(before: Workspace, after: Workspace) -> str:
    """The config of BEFORE against that of AFTER; lines with a credential have stars in its place."""
    name = name_of(before.path)
    old, new = ((each.document.text.replace("\r\n", "\n")).split("\n") for each in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="")
    return "".join(_printable(line, before) + "\n" for line in lines)


def _printable(line: str, workspace: Workspace) -> str:
    return shown(workspace.conceal(line).replace("\t", "    "))
