"""The definition of each tool as the plan keeps it, and the tokens that its declaration takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.compiler.screen import misshapen
from mcpexpose.compiler.settings import in_force
from mcpexpose.model.canonical import canonical, digest
from mcpexpose.model.tokens import estimate
from mcpexpose.surface.declarations import declaration, declaration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.settings import Settings, Tables
    from mcpexpose.model.finding import Finding
    from mcpexpose.model.names import ToolId


@dataclass(frozen=True, slots=True)
class Defined:
    """One tool's definition."""

    title: str
    description: str
    """In force."""
    replaced: str | None
    """Digest of the server's text, where the operator's stands in its place."""
    keywords: tuple[str, ...]
    line: bytes
    """Its line in definitions.bin; empty where the tool can be in no plan."""
    tokens: int


def define(
    inputs: Inputs,
    tables: Tables,
    aliases: Mapping[ToolId, str],
    wanted: Callable[[ToolId], bool],
    reaches_model: Callable[[ToolId], bool],
    left_out: Container[ToolId],
) -> tuple[Mapping[ToolId, Defined], tuple[Finding, ...]]:
    """The definition of every captured tool; what is hidden, denied or left out has no line.

    Tokens are counted where the config wants the tool (WANTED), even where a pack takes it away: the share of `auto`
    needs them. A finding for each that has no canonical form: such a tool is left out too.
    """
    found: dict[ToolId, Defined] = {}
    findings: list[Finding] = []
    for tool in inputs.ids:
        entry = inputs.first(tool)
        settings = tables.get(tool)
        if tool in left_out or not wanted(tool):
            found[tool] = _defined(entry.tool, settings, b"", 0)
            continue
        definition = _definition(tool, aliases[tool], entry.tool, settings)
        try:
            line = canonical(definition)
            # A model gets the canonical form, so that is counted: the order of a catalog's keys means nothing.
            tokens = estimate(declaration_text(declaration(json.loads(line))))
            found[tool] = _defined(entry.tool, settings, line if reaches_model(tool) else b"", tokens)
        except (ValueError, RecursionError):
            found[tool] = _defined(entry.tool, settings, b"", 0)
            if not reaches_model(tool):
                continue
            catalog = inputs.servers[tool.server].catalog
            file = catalog.file if catalog else ""
            findings.append(misshapen(tool, file, entry.index, "holds a value that has no place in JSON"))
    return found, tuple(findings)


def _definition(tool: ToolId, alias: str, sent: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Only what the plan speaks for; icons, `_meta` and keys that nobody knows stay in the catalog."""
    defined = _defined(sent, settings, b"", 0)
    definition: dict[str, Any] = {
        "server": tool.server,
        "name": tool.name,
        "alias": alias,
        "title": defined.title,
        "description": defined.description,
        "inputSchema": sent.get("inputSchema"),
    }
    if isinstance(sent.get("outputSchema"), dict):
        definition["outputSchema"] = sent["outputSchema"]
    if isinstance(sent.get("annotations"), dict):
        definition["annotations"] = sent["annotations"]
    if defined.keywords:
        definition["keywords"] = list(defined.keywords)
    return definition


def _defined(sent: Mapping[str, Any], settings: Settings, line: bytes, tokens: int) -> Defined:
    own = _text(sent.get("description"))
    written = in_force(settings, "description")
    keywords = in_force(settings, "keywords")
    return Defined(
        title=_title(sent),
        description=str(written.value) if written else own,
        replaced=digest(own) if written and own else None,
        keywords=tuple(keywords.value) if keywords else (),
        line=line,
        tokens=tokens,
    )


def _title(sent: Mapping[str, Any]) -> str:
    """The tool's, else that of its annotations, where older servers put it."""
    annotations = sent.get("annotations")
    inner = annotations.get("title") if isinstance(annotations, dict) else None
    return _text(sent.get("title")) or _text(inner)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
