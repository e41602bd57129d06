"""References of other hosts in a text, and the same text with ours; what no environment fills in stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mcpexpose.config.references import foreign
from mcpexpose.importers.dialects import HOST_WORDS
from mcpexpose.model.transport import ReferenceSyntax, Template

if TYPE_CHECKING:
    from mcpexpose.importers.dialects import Dialect
    from mcpexpose.importers.tree import Path

_TOKEN = re.compile(
    r"""(?x)
      \$\{input:(?P<input>[^{}]{1,200})\}
    | \$\{env:(?P<env>[A-Za-z_]\w*)(?::-(?P<env_default>[^{}]*))?\}
    | \{env:(?P<braced>[A-Za-z_]\w*)\}
    | \$\{\{[^{}]*\}\} | \{file:[^{}]*\} | \{\{[ ]*[A-Za-z_]\w*[ ]*\}\}
    | \$\{(?P<body>[^{}]*)\}
    | \$env:(?P<powershell>[A-Za-z_]\w*)
    | \$(?P<bare>[A-Za-z_]\w*)
    | %(?P<percent>[A-Z_][A-Z0-9_]{2,})%
    """,
    re.ASCII,
)
_BODY = re.compile(r"(?P<name>[A-Za-z_]\w*)(?::-(?P<default>.*))?", re.ASCII | re.DOTALL)
_ASSIGNED = re.compile(r"(?:^|(?<=[\s;&|(]))(?:(?:for|read)\s{1,8}(?P<named>[A-Za-z_]\w*)|(?P<assigned>[A-Za-z_]\w*)=)")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"})
_SHELL_FLAG = re.compile(r"-[a-z]*c|/[ck]|-command|-c", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of a text that is more than letters."""

    start: int
    end: int
    name: str = ""
    """The variable; "" for what stays as it is."""
    default: str | None = None
    input: str = ""
    """The id of a prompted input, which its reader gives a name."""
    doubt: str = ""
    """Why it will not work as it stands, or means more here than it did."""


def tokens(text: str, tail: Path, dialect: Dialect, *, in_shell: bool) -> list[Token]:
    """What stands in TEXT, which is to be at TAIL of our table; in order, without overlap."""
    if dialect.name == "pi" and text.startswith("!"):
        return [Token(0, len(text), doubt="a command that pi runs for the value")]
    out = []
    for found in _TOKEN.finditer(text):
        token = _token(found, tail, dialect, in_shell=in_shell)
        if token is not None:
            out.append(token)
    return out


def ours(token: Token) -> str:
    """`${NAME}`, with its default."""
    return f"${{{token.name}}}" if token.default is None else f"${{{token.name}:-{token.default}}}"


def kept(text: str) -> str:
    """A stretch that stays as it is: raw where our reader takes it for what it is, else as the letters that it has."""
    try:
        Template.parse(text)
    except ReferenceSyntax:
        return text if foreign(text) else text.replace("$", "$$")
    return text


def escaped(text: str, following: str) -> str:
    """Letters of a host as ours: a dollar sign is doubled where our reader would take it for more than one."""
    out = []
    for n, char in enumerate(text):
        after = text[n + 1] if n + 1 < len(text) else following[:1]
        out.append("$$" if char == "$" and after in ("$", "{") else char)
    return "".join(out)


def shell_lines(command: str, args: list[str]) -> frozenset[int]:
    """Which of the arguments a shell reads, and so fills in what stands in them."""
    program = re.split(r"[\\/]", command)[-1].lower().removesuffix(".exe")
    if program not in _SHELLS:
        return frozenset()
    first = next((n for n, arg in enumerate(args) if _SHELL_FLAG.fullmatch(arg)), len(args))
    return frozenset(range(first + 1, len(args)))


def _token(found: re.Match[str], tail: Path, dialect: Dialect, *, in_shell: bool) -> Token | None:
    start, end = found.span()
    if found["input"]:
        return Token(start, end, input=found["input"])
    if found["env"] or found["braced"]:
        return Token(start, end, found["env"] or found["braced"], found["env_default"])
    if found["body"] is not None:
        return _braces(found, dialect, tail, in_shell=in_shell)
    if found["powershell"]:
        return None if in_shell else Token(start, end, found["powershell"])
    if found["percent"]:
        return None if in_shell or tail[0] == "url" else Token(start, end, found["percent"])
    if found["bare"]:
        return _bare(found, dialect, tail, in_shell=in_shell)
    return Token(start, end, doubt="which no environment fills in")


def _braces(found: re.Match[str], dialect: Dialect, tail: Path, *, in_shell: bool) -> Token | None:
    start, end = found.span()
    read = _BODY.fullmatch(found["body"])
    if read is None or read["name"] in HOST_WORDS:
        return Token(start, end, doubt="which the host fills in from no environment")
    if _is_set_within(read["name"], found.string, in_shell):
        return None
    if _expands("${}", dialect, tail):
        return Token(start, end, read["name"], read["default"])
    if in_shell:
        return None
    doubt = f"which {dialect.title} does not fill in: here it is the variable {read['name']}"
    return Token(start, end, read["name"], read["default"], doubt=doubt)


def _bare(found: re.Match[str], dialect: Dialect, tail: Path, *, in_shell: bool) -> Token | None:
    name = found["bare"]
    if not _expands("$", dialect, tail) or _is_set_within(name, found.string, in_shell):
        return None
    if name.upper() == name or found.group() == found.string:
        return Token(*found.span(), name)
    if in_shell:
        return None
    return Token(*found.span(), doubt=f"which {dialect.title} fills in where a variable of that name is set")


def _expands(form: str, dialect: Dialect, tail: Path) -> bool:
    return form in dialect.expands and (not dialect.expands_in or tail[0] in dialect.expands_in)


def _is_set_within(name: str, line: str, in_shell: bool) -> bool:
    """Whether a shell's line gives the variable its value by itself."""
    return in_shell and name in _set_within(line)


@lru_cache(maxsize=64)
def _set_within(line: str) -> frozenset[str]:
    found = _ASSIGNED.finditer(line)
    return frozenset(each["named"] or each["assigned"] for each in found)
