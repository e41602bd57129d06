"""What request 1 is made from: the tools of a plan by row, whoever holds them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcpexpose.model.plan import Plan, PlannedProfile


class Planned(Protocol):
    """A plan's tools, sorted by (server, name), by row."""

    @property
    def size(self) -> int:
        """Tools."""

    def alias(self, row: int) -> str:
        """What a model calls the tool."""

    def servers(self) -> Sequence[tuple[str, str, range]]:
        """Id, summary and rows of each server, sorted by id."""

    def profiles(self) -> Sequence[str]:
        """Names."""

    def pool(self, profile: str | None) -> Sequence[int]:
        """Rows that the profile reaches, ascending; all for None. Raises SelectionRefused for another one."""

    def direct(self) -> Sequence[int]:
        """Rows of the direct tools."""

    def defaults(self, profile: str | None) -> Sequence[int]:
        """Rows of the profile's default tools. Raises SelectionRefused for a profile that there is not."""


def no_profile(name: str, known: Iterable[str]) -> SelectionRefused:
    """The refusal of a profile that the plan has not."""
    names = ", ".join(shown(each) for each in known)
    there = f"it has: {names}" if names else "it has none at all"
    return SelectionRefused(f"the plan has no profile {shown(str(name), 80)!r}; {there}")


class OfPlan:
    """The tools of a plan that is in memory, whole."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    @property
    def size(self) -> int:
        return len(self._plan.tools)

    def alias(self, row: int) -> str:
        return self._plan.tools[row].alias

    def servers(self) -> Sequence[tuple[str, str, range]]:
        return self._servers

    def profiles(self) -> Sequence[str]:
        return [profile.name for profile in self._plan.profiles]

    def pool(self, profile: str | None) -> Sequence[int]:
        return range(self.size) if profile is None else sorted(self._of(self.profile(profile).tools))

    def direct(self) -> Sequence[int]:
        return [row for row, tool in enumerate(self._plan.tools) if tool.exposure is Exposure.DIRECT]

    def defaults(self, profile: str | None) -> Sequence[int]:
        return () if profile is None else self._of(self.profile(profile).default_tools)

    def profile(self, name: str) -> PlannedProfile:
        """Raises SelectionRefused where the plan has none of that name."""
        for profile in self._plan.profiles:
            if profile.name == name:
                return profile
        raise no_profile(name, self.profiles())

    def _of(self, names: Iterable[str]) -> list[int]:
        return [self._rows[name] for name in names if name in self._rows]

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {str(tool.id): row for row, tool in enumerate(self._plan.tools)}

    @cached_property
    def _servers(self) -> Sequence[tuple[str, str, range]]:
        first: dict[str, int] = {}
        count: dict[str, int] = {}
        for row, tool in enumerate(self._plan.tools):
            first.setdefault(tool.server, row)
            count[tool.server] = count.get(tool.server, 0) + 1
        return [
            (server.id, server.summary, range(first[server.id], first[server.id] + count[server.id]))
            for server in self._plan.servers
            if server.id in first
        ]
