"""A config from text, as the workspace would read it, without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config import document, load, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.config.document import Document
    from mcpexpose.model.config import Config, ResolvedConfig
    from mcpexpose.model.finding import Finding

SERVER = '[mcp_servers.a]\ncommand = "x"\n'


def text(source: str | bytes) -> Document:
    return document.of_bytes(source if isinstance(source, bytes) else source.encode(), "config.toml")


def parsed(source: str | bytes) -> tuple[Config | None, tuple[Finding, ...]]:
    """The config, and every finding of document and load."""
    read = text(source)
    config, findings = load.parse(read)
    return config, (*read.findings, *findings)


def resolved(source: str, environ: Mapping[str, str] | None = None) -> tuple[ResolvedConfig, tuple[Finding, ...]]:
    config, _ = parsed(source)
    assert config is not None
    return resolve.resolve(config, "config.toml", (), environ or {})


def said(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """Slug and first subject of each."""
    return [(finding.slug, finding.subjects[0]) for finding in findings]


def line_and_column(source: str | bytes, finding: Finding) -> tuple[int, int]:
    place = finding.location
    if place is None:
        assert finding.place is not None
        place = text(source).locate(finding.place.path, finding.place.on)
    assert place is not None
    return place.line, place.column
