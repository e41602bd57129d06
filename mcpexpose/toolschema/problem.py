"""What can be wrong with a tool's schemas, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.names import ToolId

Where = Literal["input", "output"]
Path = tuple[str | int, ...]
_FIELDS: Mapping[Where, str] = {"input": "inputSchema", "output": "outputSchema"}


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One fault of one schema of a tool, with the slug and severity of its lint rule."""

    slug: str
    severity: Severity
    where: Where
    path: Path
    """Keys and indices from the schema's root."""
    message: str
    """A sentence without the tool's name; text of servers in it is safe to print."""
    advice: str
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def pointer(self) -> str:
        """The JSON pointer, "" for the schema itself."""
        return pointer_of(self.path)

    @property
    def leaves_out(self) -> bool:
        """Whether a plan goes without the tool: every error but an output schema that is merely misshapen."""
        return self.severity is Severity.ERROR and (self.where == "input" or self.slug != "schema-invalid")

    def subject(self, tool: ToolId) -> str:
        """`server/tool`, `server/tool#/pointer` or `server/tool#output/pointer`."""
        return schema_subject(tool, self.where, self.path)

    def finding(self, tool: ToolId, file: str = "", index: int | None = None) -> Finding:
        """The finding about TOOL, which stands at INDEX of the tools in the catalog FILE."""
        place = None
        if file and index is not None:
            place = Place(file, ("tools", index, _FIELDS[self.where], *self.path))
        at = f" (at #{shown(self.pointer, 200)})" if self.path else ""
        return Finding(
            self.slug,
            self.severity,
            f"{shown(str(tool))}: {self.message}{at}",
            (self.subject(tool),),
            self.advice,
            place,
            details=self.details,
        )


def schema_subject(tool: ToolId, where: Where, path: Path) -> str:
    """The subject of what is said about a place in a schema of TOOL."""
    pointer = pointer_of(path)
    if where == "output":
        return f"{tool}#output{pointer}"
    return f"{tool}#{pointer}" if pointer else str(tool)


def pointer_of(path: Path) -> str:
    """PATH as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)
