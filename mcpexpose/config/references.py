"""`${NAME}` in the texts of a transport: what cannot be read, what only other hosts read, what is not set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault, warning, where
from mcpexpose.model import secrets
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, Template

if TYPE_CHECKING:
    from mcpexpose.config.scan import Path
    from mcpexpose.model.config import ServerTable

_TOKEN = re.compile(
    r"\$\$|\$\{\{(?P<workflow>[^{}]*)\}\}|\$\{(?P<body>[^}]*)\}|\$\{|\{env:(?P<braced>\w+)\}|\{\{\s*(?P<double>[A-Za-z_]\w*)\s*\}\}"
)
_DOLLAR = re.compile(r"\$(?:env:)?(?P<name>[A-Z_][A-Z0-9_]*)(?![\w(])")
_POWERSHELL = re.compile(r"\$env:(?P<name>\w+)", re.IGNORECASE)
_PERCENT = re.compile(r"%(?P<name>[A-Za-z_][A-Za-z0-9_]{2,})%")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOREIGN_BODY = re.compile(r"(?P<head>[A-Za-z_]\w*)(?P<mark>:-|:\?|:\+|:=|:|-|\?|\+|=|\.)(?P<rest>.*)", re.DOTALL)
_EDITOR_WORDS = frozenset({"workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator"})


def texts(server: ServerTable | Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every text of a server's transport that may hold references, with its path in the server's table."""

    def get(key: str) -> Any:
        return server.get(key) if isinstance(server, Mapping) else getattr(server, key)

    for key in ("command", "cwd", "url"):
        if isinstance(value := get(key), str):
            yield (key,), value
    args = get("args")
    for n, value in enumerate(args if isinstance(args, list | tuple) else ()):
        if isinstance(value, str):
            yield ("args", n), value
    for key in ("env", "http_headers"):
        table = get(key)
        for name, value in (table if isinstance(table, Mapping) else {}).items():
            if isinstance(value, str):
                yield (key, name), value


def check(base: Path, server: Mapping[str, Any]) -> Iterator[Fault]:
    """env-syntax and env-foreign-syntax of one server's table."""
    for tail, text in texts(server):
        if "$" in text or "%" in text or "{" in text:
            yield from check_text((*base, *tail), text)


def check_text(path: Path, text: str) -> Iterator[Fault]:
    """The first fault of syntax in one text, and each spelling of another host."""
    spellings: dict[str, str] = {}
    fault_or_none = _spellings(path, text, spellings)
    if fault_or_none is not None:
        yield fault_or_none
    else:
        yield from _foreign(path, spellings)


def foreign(text: str) -> dict[str, str]:
    """Each spelling of another host in TEXT, with what stands between the braces of ours; "" where none is known."""
    spellings: dict[str, str] = {}
    return spellings if _spellings((), text, spellings) is None else {}


def _spellings(path: Path, text: str, foreign: dict[str, str]) -> Fault | None:
    """Fills FOREIGN; a fault of syntax where there is one."""
    plain: list[str] = []
    last = 0
    for found in _TOKEN.finditer(text):
        plain.append(text[last : found.start()])
        last = found.end()
        whole, body = found.group(), found["body"]
        if whole == "$$":
            continue
        if found["workflow"] is not None:
            foreign[whole] = _last_name(found["workflow"])
        elif found["braced"] or found["double"]:
            foreign[whole] = found["braced"] or found["double"]
        elif body is None:
            return _syntax(path, "`${` is never closed", "Close it with `}`, or write `$$` for a dollar sign.")
        elif not _reads(whole):
            known = _FOREIGN_BODY.fullmatch(body) if "${" not in body else None
            if known is None:
                return _syntax(path, *_why(body))
            foreign[whole] = _meant(known)
        elif body in _EDITOR_WORDS:
            foreign[whole] = ""
    plain.append(text[last:])
    for part in plain:
        for pattern in (_POWERSHELL, _DOLLAR, _PERCENT):
            for found in pattern.finditer(part):
                foreign.setdefault(found.group(), found["name"])
    if re.fullmatch(r"\$[A-Za-z_]\w*", text):
        foreign.setdefault(text, text[1:])
    return None


def unset(base: Path, server: ServerTable, environ: Mapping[str, str]) -> Iterator[Fault]:
    """env-unset: a named variable without a default that is not in ENVIRON."""
    for tail, text in texts(server):
        if "${" not in text:
            continue
        try:
            references = Template.parse(text).references
        except ReferenceSyntax:
            continue  # said by `check`
        names = dict.fromkeys(reference.name for reference in references if reference.default is None)
        for name in names:
            if name not in environ and name not in _EDITOR_WORDS:
                yield _unset((*base, *tail), name)
    named: list[tuple[Path, str]] = [(("env_vars", n), name) for n, name in enumerate(server.inherited)]
    named += [(("env_http_headers", header), name) for header, name in server.env_http_headers.items()]
    if server.bearer_token_env_var:
        named.append((("bearer_token_env_var",), server.bearer_token_env_var))
    for tail, name in named:
        # What stands there may be a credential instead of a name; then another finding says so, without the text.
        if _NAME.fullmatch(name) and name not in environ and not secrets.find(name):
            yield _unset((*base, *tail), name)


def _unset(path: Path, name: str) -> Fault:
    return warning(
        "env-unset",
        path,
        f"{where(path)} names the variable {name}, which is not set here",
        f"Set {name} where something connects"
        + (
            f", or give a default: ${{{name}:-…}}."
            if path[2] in ("command", "args", "cwd", "env", "url", "http_headers")
            else "."
        ),
        details={"variable": name},
    )


def _reads(reference: str) -> bool:
    try:
        Template.parse(reference)
    except ReferenceSyntax:
        return False
    return True


def _why(body: str) -> tuple[str, str]:
    if "${" in body:
        return "a reference stands inside a reference", "Nothing is nested; name one variable, with a plain default."
    if not body.strip():
        return "`${}` names no variable", "Write ${NAME}, or `$$` for a dollar sign."
    if body.startswith(":-"):
        return "a reference has a default and no name", "Write ${NAME:-default}."
    if body.strip() != body:
        return "a variable's name has blanks around it", "Write ${NAME} without blanks."
    return "a reference names no variable", "A name has letters, digits and _, and starts with no digit."


def _syntax(path: Path, what: str, advice: str) -> Fault:
    return fault("env-syntax", path, f"{where(path)}: {what}", advice)


def _meant(found: re.Match[str]) -> str:
    head, mark, rest = found["head"], found["mark"], found["rest"]
    if mark in (":", "."):
        return rest if _NAME.fullmatch(rest) else f"{head}:-{rest}" if head.isupper() else ""
    return f"{head}:-{rest}" if mark in ("-", ":=", "=") else head


def _last_name(expression: str) -> str:
    """`TOKEN` of `secrets.TOKEN`; "" where an expression is more than that."""
    named = re.fullmatch(r"\s*(?:\w+\.)?([A-Za-z_]\w*)\s*", expression)
    return named[1] if named else ""


def _foreign(path: Path, foreign: Mapping[str, str]) -> Iterator[Fault]:
    for spelling, meant in foreign.items():
        short = re.sub(r"(?<=[:\-=?+])[^}:]{20,}(?=\})", "…", shown(spelling, 40))
        message = f"{where(path)} holds {short}, which only other hosts expand"
        if meant:
            # A default may be a credential: it is not repeated.
            written = f"${{{re.sub(r'(?<=:-).*', '…', meant, flags=re.DOTALL)}}}"
            yield warning("env-foreign-syntax", path, message, f"Write {written}.", details={"suggests": [written]})
        else:
            yield warning("env-foreign-syntax", path, message, "Write the value, or ${NAME} for a variable of yours.")
