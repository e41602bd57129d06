"""Servers of one id, and one server under two ids."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mcpexpose.importers import write
from mcpexpose.model.text import is_unseen, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.importers.draft import Draft, Notes

_RUNNERS = frozenset(
    {
        *(
            "npx",
            "bunx",
            "pnpx",
            "uvx",
            "pipx",
            "uv",
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "deno",
            "node",
            "python",
            "python3",
        ),
        *("docker", "podman", "java", "dotnet", "go", "cargo", "ruby", "php", "sh", "bash", "zsh", "cmd", "powershell"),
        *("env", "sudo", "wsl", "ssh", "mise", "nix", "poetry", "make", "npx.cmd"),
    }
)
"""Programs that run another one: their arguments tell which."""


def our_id(name: str) -> str:
    """An id of ours for a host's: path separators and control characters, which no id has, become a dash."""
    cleaned = "".join("-" if char in "/\\" or is_unseen(char) else char for char in name)
    if cleaned != name or cleaned in (".", "..") or len(name) > 128:
        cleaned = cleaned.strip("-. ")[:128]
    return cleaned if cleaned.strip() else "server"


def rename_the_same(drafts: Iterable[Draft], notes: Notes) -> list[Draft]:
    """DRAFTS with an id of ours each; one that says the same as another of its id goes, one that differs is renamed."""
    taken: dict[str, Draft] = {}
    numbers: Counter[str] = Counter()
    for draft in drafts:
        name = our_id(draft.name)
        if name != draft.name:
            said = f"is no id that a server can have here: it is written as {shown(name, 140)}"
            notes.of("import-value", draft, draft.path, said, "Rename it as you like.", on="key")
        before = taken.get(name)
        if before is not None:
            if _says_the_same(before, draft):
                notes.of(
                    "import-same-command",
                    draft,
                    draft.path,
                    "is in two files, and the same: written once",
                    "",
                    on="key",
                )
                continue
            name = _free(f"{name}-{draft.dialect.name}", taken, numbers)
            said = (
                f"is another server than that of {shown(before.source.name, 80)}: it is written as {shown(name, 140)}"
            )
            notes.of("import-value", draft, draft.path, said, "Keep one, or name them as you like.", on="key")
        draft.written_as = name
        taken[name] = draft
    return list(taken.values())


def say_same_commands(drafts: Iterable[Draft], notes: Notes) -> None:
    """One program, or one address, under two ids: the model would get its tools twice."""
    first: dict[tuple[str, ...], Draft] = {}
    for draft in drafts:
        table = write.table(draft)
        command = str(table.get("command", ""))
        program = re.split(r"[\\/]", command)[-1].lower()
        key = ("url", str(table["url"])) if "url" in table else ("command", command)
        if program in _RUNNERS:
            key = ("command", command, *table.get("args", ()))
        before = first.setdefault(key, draft)
        if before is not draft:
            said = f"is reached by the same {key[0]} as {shown(before.written_as, 80)}: both are kept"
            notes.add(
                "import-same-command", draft.source, draft.path, (draft.name, before.name),
                f"{shown(draft.name, 80)} {said}", "Keep one of them if they are one server.", on="key",
            )  # fmt: skip


def _says_the_same(one: Draft, other: Draft) -> bool:
    leaves = [{tail: leaf.raw for tail, leaf in draft.leaves.items()} for draft in (one, other)]
    return leaves[0] == leaves[1] and one.values == other.values and one.tools == other.tools


def _free(name: str, taken: dict[str, Draft], numbers: Counter[str]) -> str:
    out = name
    while out in taken:
        numbers[name] += 1
        out = f"{name}-{numbers[name] + 1}"
    return out
