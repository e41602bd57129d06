"""The operator's own texts that reach a model or the index: hidden in them is a fault of the config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import keys
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.hidden import hidden_text
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.model.config import ServerTable

_Text = tuple[keys.Path, str, bool, bool]
"""Path, text, whether it is a name, whether it is a key."""


def check_texts(inputs: Inputs) -> tuple[Finding, ...]:
    """Hidden text in descriptions, keywords, groups, synonyms, ids of servers and profiles.

    Entries and tables that name tools are not judged: they must be able to name what a server sends.
    """
    return tuple(
        finding
        for path, text, name, key in _texts(inputs)
        if not text.isascii()
        for finding in _check(inputs.resolved.file, path, text, name, key)
    )


def _texts(inputs: Inputs) -> Iterator[_Text]:
    config = inputs.resolved.config
    for group, description in sorted(config.groups.items()):
        yield ("groups", group), group, True, True
        yield ("groups", group), description, False, False
    for server in inputs.servers.values():
        yield ("mcp_servers", server.id), server.id, True, True
        yield from _of_server(("mcp_servers", server.id), server.table)
    for name, profile in sorted(config.profiles.items()):
        yield ("profiles", name), name, True, True
        yield ("profiles", name, "description"), profile.description, False, False
        yield from _list(("profiles", name, "groups"), profile.groups or ())
    for word, meanings in sorted(config.search.synonyms.items()):
        yield ("search", "synonyms", word), word, True, True
        yield from _list(("search", "synonyms", word), meanings)


def _of_server(path: keys.Path, table: ServerTable) -> Iterator[_Text]:
    for key, text in (("description", table.description), ("owner", table.owner)):
        if text:
            yield (*path, key), text, False, False
    yield from _list((*path, "groups"), table.groups)
    for name, tool in sorted(table.tools.items()):
        if tool.description:
            yield (*path, "tools", name, "description"), tool.description, False, False
        yield from _list((*path, "tools", name, "keywords"), tool.keywords)
        yield from _list((*path, "tools", name, "groups"), tool.groups or ())


def _list(path: keys.Path, texts: tuple[str, ...]) -> Iterator[_Text]:
    return (((*path, at), text, True, False) for at, text in enumerate(texts))


def _check(file: str, path: keys.Path, text: str, name: bool, key: bool) -> Iterator[Finding]:
    classes = hidden_text(text, name=name)
    if not classes:
        return
    subject = shown(keys.subject(path))
    counted = ", ".join(f"{count} {kind}" for kind, count in classes.items())
    yield Finding(
        "hidden-text",
        Severity.ERROR,
        f"{subject} has text in it that a person does not see ({counted})",
        (subject,),
        "Take it out: write the text again by hand.",
        Place(file, path, "key" if key else "value"),
        details={"classes": dict(classes)},
    )
