"""How a server is reached, with environment references kept as names: `${NAME}`, `${NAME:-default}`, `$$`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mcpexpose.model.records import dataclass


class UnsetVariable(ValueError):
    """A variable without a default is not set. `name` is the variable's; no value is ever in the text."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the environment variable {name} is not set")
        self.name = name


class ReferenceSyntax(ValueError):
    """A reference that is unclosed, empty or nested. `offset` counts code points from the text's start."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Reference:
    """`${name}` or `${name:-default}`."""

    name: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A text of a transport: as written, and as literal parts and references."""

    text: str
    parts: tuple[str | Reference, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        """Raises ReferenceSyntax. A `$` that neither `{` nor `$` follows is an ordinary character."""
        parts: list[str | Reference] = []
        literal: list[str] = []
        at = 0
        while at < len(text):
            two = text[at : at + 2]
            if two == "$$":
                literal.append("$")
                at += 2
            elif two == "${":
                end = text.find("}", at)
                if end < 0:
                    raise ReferenceSyntax("`${` is never closed", at)
                body = text[at + 2 : end]
                name, has_default, default = body.partition(":-")
                if "${" in body:
                    raise ReferenceSyntax("a reference inside a reference", at)
                if not name.isascii() or not name.isidentifier():
                    raise ReferenceSyntax(f"{name!r} is no variable's name" if name else "`${}` names no variable", at)
                if literal:
                    parts.append("".join(literal))
                    literal = []
                parts.append(Reference(name, default if has_default else None))
                at = end + 1
            else:
                literal.append(text[at])
                at += 1
        if literal:
            parts.append("".join(literal))
        return cls(text, tuple(parts))

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(part for part in self.parts if isinstance(part, Reference))

    def expand(self, environ: Mapping[str, str]) -> str:
        """The value, expanded once. A default stands in for unset and for empty. Raises UnsetVariable."""
        out: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                out.append(part)
                continue
            value = environ.get(part.name)
            if part.default is not None and not value:
                value = part.default
            if value is None:
                raise UnsetVariable(part.name)
            out.append(value)
        return "".join(out)


@dataclass(frozen=True, slots=True)
class Transport:
    """What is needed to connect, as the config writes it; every text may hold references, none holds a value of one.

    In a plan a literal credential is replaced by a reference to the variable that must be set instead.
    """

    kind: Literal["stdio", "http", "sse"]
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: Mapping[str, str] | None = None
    env_vars: tuple[str, ...] = ()
    """Names of variables that the child inherits as they are."""
    url: str = ""
    headers: Mapping[str, str] | None = None
    env_headers: Mapping[str, str] | None = None
    """Header to the name of the variable that holds its value."""
    bearer_token_env_var: str = ""
    startup_timeout_s: float = 30.0
    """For the handshake and all list pages."""
    tool_timeout_s: float = 60.0
