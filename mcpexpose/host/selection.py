"""What a host may ask for when it opens a session: tools to declare at once, and the state of an earlier session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.names import ToolId
from mcpexpose.model.records import dataclass
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mcpexpose.host.plan import HostPlan

STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class SessionState:
    """What a session remembers, as its JSON has it; tools are `server/tool`."""

    version: int
    run_id: str
    route: str | None
    profile: str | None
    answer_only: bool
    selected: tuple[str, ...]
    """Declared from request 1 by the host's choice, sorted."""
    activated: tuple[str, ...]
    """Found by searches, in the order in which they were found."""
    unavailable: tuple[str, ...]
    """Servers that the host said are not there, sorted."""
    first: tuple[str, ...] | None = None
    """Declared from request 1, in its order, so that a plan of later puts nothing in between; None in an old state."""
    has_search: bool = False
    """Whether the search tool is declared."""
    search_after: int | None = None
    """Where request 1 did not: behind so many of `activated`, so that it comes in between of nothing."""

    def to_json(self) -> dict[str, Any]:
        return dict(to_json(self))


def read_state(value: Mapping[str, Any]) -> SessionState:
    """The state that a host kept. Raises SelectionRefused where it is none, or of another version."""
    if not isinstance(value, Mapping):
        raise SelectionRefused("the state is no object, so it is no session's")
    if value.get("version") != STATE_VERSION:
        raise SelectionRefused(f"the state is not of version {STATE_VERSION}, the one that this mcpexpose reads")
    plain = {key: list(item) if isinstance(item, tuple) else item for key, item in value.items()}
    try:
        return from_json(SessionState, plain)
    except (ValueError, TypeError) as error:
        raise SelectionRefused("the state has another shape than a session's") from error


def select(plan: HostPlan, pool: Container[int], profile: str | None, tools: Iterable[str | ToolId]) -> frozenset[int]:
    """Rows of the named tools. Raises SelectionRefused for names that the plan, or the profile, does not give.

    Hidden, denied, switched-off and unknown tools are in no plan, and get one and the same answer.
    """
    if isinstance(tools, str):
        raise SelectionRefused('tools is a list of names, such as ["github/create_issue"], not a text')
    rows: set[int] = set()
    for name in tools:
        row = _row(plan, name)
        if row is None:
            raise SelectionRefused(f'the plan gives no tool "{shown(str(name), 200)}"')
        if row not in pool:
            raise SelectionRefused(f'the profile {profile!r} does not reach the tool "{shown(str(name), 200)}"')
        rows.add(row)
    return frozenset(rows)


def _row(plan: HostPlan, name: str | ToolId) -> int | None:
    if isinstance(name, ToolId):
        return plan.row(name)
    if not isinstance(name, str):
        return None
    try:
        return plan.row(ToolId.parse(name))
    except ValueError:
        return plan.row_of_alias(name)
