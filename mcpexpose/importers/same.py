"""Servers of one id, what another file says of a server, and one server under two ids."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mcpexpose.importers import write
from mcpexpose.importers.credentials import is_one
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
    """An id of ours for a host's: path separators and control characters, which no id has, become a dash.

    What has the form of a credential is no id, and stands in no config.
    """
    if is_one(name):
        return "server"
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
                    f"says the same as {shown(before.name, 80)} of {shown(before.source.name, 80)}: written once",
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


def with_fragments(drafts: Iterable[Draft], notes: Notes) -> list[Draft]:
    """The DRAFTS that are servers, each narrowed by those without a transport that have its id."""
    drafts = list(drafts)
    whole = [draft for draft in drafts if not draft.is_fragment]
    by_name: dict[str, list[Draft]] = {}
    for draft in whole:
        by_name.setdefault(draft.name, []).append(draft)
    for fragment in drafts:
        if not fragment.is_fragment:
            continue
        said = "has neither a command nor a url of its own: it changes a server of another file, "
        advice = "Import that file as well, or give it a transport."
        if met := by_name.get(fragment.name):
            said += f"that of {shown(met[0].source.name, 80)}, and only what it keeps out there is taken over"
            advice = "Write down by hand what else of it is wanted."
        else:
            said += "and is not imported"
        notes.of("import-fragment", fragment, fragment.path, said, advice, on="key")
        for draft in met or ():
            _narrow(draft, fragment)
    return whole


def _narrow(draft: Draft, by: Draft) -> None:
    """Take over what keeps out or asks, whichever file the host lets win."""
    if by.values.get("enabled") is False:
        draft.switch_off()
    if "allow" in by.values:
        draft.narrow(by.values["allow"])
    draft.keep_out(by.denied)
    if by.values.get("exposure") == "hidden":
        draft.values["exposure"] = "hidden"
    mode = by.values.get("default_tools_approval_mode")
    if mode is not None and draft.values.get("default_tools_approval_mode") != "prompt":
        draft.values["default_tools_approval_mode"] = mode
    for tool, settings in by.tools.items():
        stricter = {
            key: value
            for key, value in settings.items()
            if (key, value) in (("exposure", "hidden"), ("approval", "ask"), ("approval_mode", "writes"))
        }
        if stricter:
            draft.tools.setdefault(tool, {}).update(stricter)


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
    return leaves[0] == leaves[1] and all(
        getattr(one, each) == getattr(other, each) for each in ("values", "denied", "tools")
    )


def _free(name: str, taken: dict[str, Draft], numbers: Counter[str]) -> str:
    out = name
    while out in taken:
        numbers[name] += 1
        out = f"{name}-{numbers[name] + 1}"
    return out
