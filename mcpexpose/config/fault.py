"""A finding on a node of a config, and what a preview must leave out because of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.config.subjects import dotted, quoted, subject_of
from mcpexpose.model.finding import Finding, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.config.scan import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """`drop` is the node that cannot be read as it was meant; None where the value stands all the same."""

    finding: Finding
    drop: Path | None = None


def fault(
    slug: str,
    path: Path,
    message: str,
    advice: str = "",
    *,
    severity: Severity = Severity.ERROR,
    on: Literal["value", "key", "header"] = "value",
    subject: str | None = None,
    drop: Path | None = None,
    details: Mapping[str, Any] | None = None,
) -> Fault:
    """A fault at PATH. The file's name is filled in by `load`, which knows it."""
    finding = Finding(
        slug,
        severity,
        message,
        (subject if subject is not None else subject_of(path),),
        advice,
        Place("", path, on),
        details=dict(details or {}),
    )
    return Fault(finding, drop)


def warning(slug: str, path: Path, message: str, advice: str = "", **rest: Any) -> Fault:
    """As `fault`, of severity warning."""
    return fault(slug, path, message, advice, severity=Severity.WARNING, **rest)


def where(path: Path) -> str:
    """The node for a sentence: `[mcp_servers.github] exposure`, `[policy] auto_approve[0]`, `extends`."""
    if not path:
        return "the top of the file"
    depth = {"mcp_servers": 2, "profiles": 2}.get(str(path[0]), 1)
    if len(path) > 3 and path[0] == "mcp_servers" and path[2] == "tools":
        depth = 4
    head, tail = path[:depth], path[depth:]
    if not tail:
        return dotted(path) if len(path) == 1 else f"[{dotted(path)}]"
    if path[0] in ("extends", "schema_version"):
        return dotted(path)
    table = f"[[{quoted(str(head[0]))}]]" if isinstance(tail[0], int) else f"[{dotted(head)}]"
    rest = dotted(tail[1:] if isinstance(tail[0], int) else tail)
    return f"{table} {rest}" if rest else table
