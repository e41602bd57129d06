"""Literal credentials in a transport: found, said, and replaced by references, so that no plan holds one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, warning, where
from mcpexpose.config.references import texts
from mcpexpose.model import secrets
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.config.scan import Path
    from mcpexpose.model.config import Config, ServerTable
    from mcpexpose.model.secrets import Secret

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REFERENCE = re.compile(r"\$\{(?P<name>\w+):-[^}]*\}")


@dataclass(slots=True)
class Withheld:
    """What stands in place of each text that held a credential, by path in the server's table."""

    texts: dict[Path, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def withhold(server_id: str, server: ServerTable, taken: set[str]) -> Withheld:
    """References for the literal credentials of one server. TAKEN collects the variables' names over all servers."""
    out = Withheld()
    for tail, text, found in _secrets(server):
        variable = _variable(server_id, tail, text, found, taken)
        out.texts[tail] = _replaced(tail, text, found, variable)
        out.faults.append(_fault(("mcp_servers", server_id, *tail), text, found, variable))
    for tail, value in _names_of_variables(server):
        if not _is_name(value):
            variable = _free(made(server_id, tail), taken)
            out.texts[tail] = variable
            if found := secrets.find(value, "token"):
                out.faults.append(_fault(("mcp_servers", server_id, *tail), value, found, variable))
    for tail, value in _of_host(server.oauth, ("oauth",)):
        if found := secrets.find(value, str(tail[-1])):
            out.faults.append(_fault(("mcp_servers", server_id, *tail), value, found, ""))
    return out


def references_for(config: Config) -> dict[Path, str]:
    """What is to stand in place of each text that holds a credential, by its path in the config."""
    taken: set[str] = set()
    return {
        ("mcp_servers", server_id, *tail): text
        for server_id, server in sorted(config.mcp_servers.items())
        for tail, text in withhold(server_id, server, taken).texts.items()
    }


def literals(server: ServerTable) -> Iterator[str]:
    """The credentials themselves, for whoever must strike them from a text before it is shown. Never to be printed."""
    for _, text, found in _secrets(server):
        for secret in found:
            yield text[secret.start : secret.end]
    in_place_of_names = (value for _, value in _names_of_variables(server) if not _is_name(value))
    of_host = ((value, str(tail[-1])) for tail, value in _of_host(server.oauth, ("oauth",)))
    for value, name in [*((value, "token") for value in in_place_of_names), *of_host]:
        for secret in secrets.find(value, name):
            yield value[secret.start : secret.end]


def _is_name(value: str) -> bool:
    """Whether what stands in place of a variable's name is one, and no credential that was put there by mistake."""
    return _NAME.fullmatch(value) is not None and not secrets.find(value)


def _secrets(server: ServerTable) -> Iterator[tuple[Path, str, tuple[Secret, ...]]]:
    in_args = secrets.find_in_args(server.args)
    for tail, text in texts(server):
        if tail[0] == "args":
            found = in_args[int(tail[1])]
        else:
            found = secrets.find(text, str(tail[1]) if len(tail) > 1 else "")
        if found:
            yield tail, text, found


def _names_of_variables(server: ServerTable) -> Iterator[tuple[Path, str]]:
    if server.bearer_token_env_var:
        yield ("bearer_token_env_var",), server.bearer_token_env_var
    for header, name in server.env_http_headers.items():
        yield ("env_http_headers", header), name
    for n, name in enumerate(server.inherited):
        yield ("env_vars", n), name


def _of_host(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _of_host(item, (*path, key))
    elif isinstance(value, str):
        yield path, value


def _variable(server_id: str, tail: Path, text: str, found: tuple[Secret, ...], taken: set[str]) -> str:
    """The variable to set: the one that is named already, else the environment's own name, else a made one."""
    for reference in _REFERENCE.finditer(text):
        if any(reference.end("name") <= secret.start < reference.end() for secret in found):
            return reference["name"]
    if tail[0] == "env" and _NAME.fullmatch(str(tail[1])):
        return str(tail[1])
    return _free(made(server_id, tail), taken)


def _replaced(tail: Path, text: str, found: tuple[Secret, ...], variable: str) -> str:
    reference = f"${{{variable}}}"
    if tail[0] == "env" and variable == tail[1]:
        return reference
    out, last = "", 0
    for n, secret in enumerate(found, 1):
        start, end = secret.start, secret.end
        for written in _REFERENCE.finditer(text):
            if written.start() <= start < written.end("name"):
                start, end = written.span()
            elif written.start() <= start < written.end():
                start, end = written.span()
                reference = f"${{{written['name']}}}"
        if text[start - 2 : start] == "${" and text[end : end + 1] == "}":
            start, end = start - 2, end + 1
        out += text[last:start] + (reference if n == 1 or end != secret.end else f"${{{variable}_{n}}}")
        last = end
    return out + text[last:]


def made(server_id: str, tail: Path) -> str:
    """A variable's name for what stands at TAIL of a server's table: `MONGO_ARGS_2`, `TAV_URL`, `H_AUTHORIZATION`."""
    steps = tail[1:] if tail[0] in ("http_headers", "env_http_headers", "env") else tail
    name = "_".join(re.sub(r"[^A-Za-z0-9]+", "_", str(step)).strip("_") for step in (server_id, *steps)).upper()
    return name if name[:1].isalpha() else f"MCP_{name.strip('_')}"


def _free(name: str, taken: set[str]) -> str:
    out, n = name, 1
    while out in taken:
        n += 1
        out = f"{name}_{n}"
    taken.add(out)
    return out


def _fault(path: Path, text: str, found: tuple[Secret, ...], variable: str) -> Fault:
    kinds = ", ".join(dict.fromkeys(secret.kind for secret in found))
    masked = shown(secrets.strike(text, found), 100)
    message = f"{where(path)} holds a literal credential ({shown(kinds, 80)}): {masked}"
    if not variable:
        return warning("secret-in-config", path, message, "Keep it out of the file.")
    key = str(path[2])
    written = (
        "the variable's name" if key in ("bearer_token_env_var", "env_http_headers", "env_vars") else f"${{{variable}}}"
    )
    advice = f"Write {written} here and set {variable} where something connects; the plan holds the reference alone."
    return warning("secret-in-config", path, message, advice, details={"variable": variable})
