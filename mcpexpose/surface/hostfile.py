"""A server in a host's own config, for hosts that can be told which of its tools there are; what one cannot say.

A host that declares whatever a server lists has no place here: what a plan hides, it would show.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcpexpose.model import secrets
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.fitting import Fitting
    from mcpexpose.surface.offered import Offered, Surface

Written = Callable[[str], str | None]
"""A text of a transport as the host writes it down; None where the host cannot."""
_BEARER = re.compile(r"[Bb]earer +(\$\{[A-Za-z_][A-Za-z0-9_]*\})")


class Unsaid(Exception):
    """The host's config cannot say how the server is reached; the text is why."""


def reached(
    surface: Surface, fitting: Fitting, entry: Callable[[PlannedServer], dict[str, Any]]
) -> Iterator[tuple[PlannedServer, dict[str, Any]]]:
    """Each server with the ENTRY that says how the host reaches it; one of which it cannot be said is lost."""
    for server in surface.servers:
        try:
            made = entry(server)
        except Unsaid as why:
            fitting.lose("server-left-out", server.id, str(why))
        else:
            yield server, made


def say(text: str, where: str, written: Written) -> str:
    """TEXT, of the key WHERE, as the host writes it. Raises Unsaid."""
    if secrets.find(text):
        raise Unsaid(f"{where} holds a credential")
    value = written(text)
    if value is None:
        raise Unsaid(f"{where} holds a reference that the host's config has no way to write")
    return value


def folder(text: str, written: Written) -> str:
    """A working directory, which the host would look for from another place where it is relative. Raises Unsaid."""
    if not re.match(r"[/~$]|[A-Za-z]:[\\/]", text):
        raise Unsaid("cwd is a path from the folder of this config, and the host's stands elsewhere")
    return say(text, "cwd", written)


def say_all(texts: Mapping[str, str] | None, where: str, written: Written) -> dict[str, str]:
    """Every value of a table, by sorted key. Raises Unsaid."""
    return {key: say(text, f"{where}.{shown(key, 80)}", written) for key, text in sorted((texts or {}).items())}


def bearer(server: PlannedServer) -> str:
    """The variable that alone makes the bearer token, by its own key or as `Authorization`; "" where none does."""
    way = server.transport
    if way.bearer_token_env_var:
        return way.bearer_token_env_var
    for name, text in (way.headers or {}).items():
        if name.lower() == "authorization" and (found := _BEARER.fullmatch(text)):
            return found[1][2:-1]
    return ""


def other_headers(server: PlannedServer) -> dict[str, str]:
    """The headers beside the one that `bearer` stands for."""
    taken = "authorization" if bearer(server) else ""
    return {name: text for name, text in (server.transport.headers or {}).items() if name.lower() != taken}


def template(text: str) -> Template:
    """TEXT in its parts; one that is no reference is a literal."""
    try:
        return Template.parse(text)
    except ReferenceSyntax:
        return Template(text, (text,))


def told(surface: Surface, server: PlannedServer, fitting: Fitting) -> tuple[Offered, ...]:
    """The tools of SERVER that the host is to have, and what is lost on them whatever the host is."""
    tools = surface.of(server.id)
    later = sum(each.stage != "first" for each in tools)
    if later:
        what = "a tool is" if later == 1 else f"{later:,} tools are"
        fitting.lose("deferred-declared", server.id, f"{what} declared at once that the plan defers")
    for each in tools:
        if each.tool.replaced_description_digest:
            fitting.lose("description-dropped", each, "the config's description is not told")
    fitting.lose("alias-dropped", server.id, "its tools go by the host's own names")
    fitting.lose("definition-not-pinned", server.id, f"the plan was made at revision {server.revision[:12]}")
    return tools


def asks(offered: Offered) -> bool:
    """Whether a call needs a yes."""
    return offered.tool.policy_state is not PolicyState.ALLOWED
