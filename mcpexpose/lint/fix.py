"""A mend of a config as edits of its text: what a rule's mender works from, and what it gives."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcpexpose.config.document import Document
    from mcpexpose.model.config import Config
    from mcpexpose.model.finding import Finding

Path = tuple[str | int, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """TEXT in place of a stretch of the config's text; offsets in code points, the end exclusive."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What is done about one finding. Nothing outside TOUCHES may mean anything else afterwards."""

    title: str
    """An order in a few words, without values that may be credentials."""
    edits: tuple[Edit, ...]
    touches: tuple[Path, ...] = ()
    """Nodes of the config, with all below them."""


@dataclass(frozen=True, slots=True)
class Source:
    """The config as its author wrote it."""

    document: Document
    config: Config | None

    @property
    def text(self) -> str:
        return self.document.text

    def value(self, path: Path) -> Any:
        """The value at PATH; None where there is none."""
        node: Any = self.document.data
        for step in path:
            if isinstance(node, dict):
                node = node.get(step)
            elif isinstance(node, list) and isinstance(step, int) and step < len(node):
                node = node[step]
            else:
                return None
        return node

    def written(self, path: Path) -> str:
        """The value at PATH as it is written; "" where it has no stretch of its own."""
        span = self.document.value_span(path)
        return self.text[slice(*span)] if span else ""

    def new_value(self, path: Path, toml: str, title: str) -> Fix | None:
        """Put the TOML of another value in place of the one at PATH."""
        span = self.document.value_span(path)
        return Fix(title, (Edit(*span, toml),), (path,)) if span else None

    def new_text(self, path: Path, text: str, title: str) -> Fix | None:
        """Put another text in place of the one at PATH, quoted as that was."""
        return self.new_value(path, quoted(text, like=self.written(path)), title)

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """The offset behind the end of the line that OFFSET is in, its line feed included."""
        at = self.text.find("\n", offset)
        return len(self.text) if at < 0 else at + 1


def place_of(finding: Finding) -> Path:
    """The path of a finding's place; () where it has none."""
    return finding.place.path if finding.place else ()


def suggested(finding: Finding) -> list[str]:
    """The right things that a finding names, nearest first."""
    return [str(each) for each in finding.details.get("suggests") or ()]


def quoted(text: str, *, like: str = "") -> str:
    """TEXT as a TOML string on one line; in single quotes where LIKE is so and TEXT allows it."""
    literal = like.startswith("'") and "'" not in text and text.isprintable()
    # A JSON string is a TOML one, but for the one character that JSON leaves as it is.
    return f"'{text}'" if literal else json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def key(name: str) -> str:
    """NAME as a TOML key."""
    return name if _BARE.fullmatch(name) else quoted(name)
