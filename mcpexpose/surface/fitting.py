"""Declarations in the form that a target takes, by the limits that `model.limits` has of it; what is lost is noted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest
from mcpexpose.model.limits import rows_of
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown
from mcpexpose.surface.exported import Loss
from mcpexpose.toolschema.fitted import fitted
from mcpexpose.toolschema.problem import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.model.limits import Rule
    from mcpexpose.surface.exported import LossKind
    from mcpexpose.surface.offered import Offered, Surface


@dataclass(frozen=True, slots=True)
class Declared:
    """A name, a text and a schema that the target takes."""

    name: str
    description: str
    schema: dict[str, Any]


class Fitting:
    """Brings tools into the form of one target, whose limits are the rows of TARGET. `losses` grows with each."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._rules = rows_of(target)
        self.losses: list[Loss] = []

    def search_tool(self, surface: Surface) -> list[Declared]:
        """The declaration of `find_tools`, where there is one. Its own text and schema fit everywhere."""
        if surface.search_tool is None:
            return []
        return [self._declared(surface.search_tool, "find_tools")]

    def declared(self, surface: Surface, *, outputs: bool = True) -> list[Declared]:
        """The next request's list where a target cannot hold tools back: find_tools, then what is declared by now."""
        now, later = surface.at("first", "found"), surface.at("deferred")
        self.told(now, outputs=outputs)
        search = self.search_tool(surface)
        if later:
            self.lose("deferred-not-declared", "", f"{len(later)} tools are declared after a search found them")
        most = self.room("tools")
        return [*search, *self.tools(now, room=None if most is None else most - len(search))]

    def tools(self, tools: Iterable[Offered], *, room: int | None = None, of: str = "a request") -> list[Declared]:
        """The declarations of TOOLS, those that the target takes; beyond ROOM the last ones are left out."""
        declared: list[Declared] = []
        for offered in tools:
            if room is not None and len(declared) >= room:
                self.lose("tool-left-out", offered, f"there is room for {room:,} tools in {of}")
            elif (one := self.tool(offered)) is not None:
                declared.append(one)
        return declared

    def tool(self, offered: Offered) -> Declared | None:
        """One declaration, or None where the target would refuse it."""
        declaration = offered.declaration
        name = declaration["name"]
        pattern, longest = self._rules.get("tool-name"), self._rules.get("tool-name-length")
        if pattern is not None and not re.fullmatch(str(pattern), name):
            self.lose("tool-left-out", offered, "its alias holds characters that are not taken")
            return None
        if isinstance(longest, int) and len(name) > longest:
            self.lose("tool-left-out", offered, f"its alias is longer than {longest} characters")
            return None
        form = fitted(declaration["inputSchema"], self._target)
        if form.refused:
            self.lose("tool-left-out", offered, form.refused)
            return None
        for dropped in form.dropped:
            at = pointer_of(dropped.path)
            self.lose("schema-reduced", offered, f"#{shown(at, 200)} {dropped.message}", at)
        return self._declared(declaration, str(offered.tool.id), form.schema)

    def room(self, rule: Rule) -> int | None:
        """The number that RULE sets for the target; None where it sets none."""
        most = self._rules.get(rule)
        return most if isinstance(most, int) else None

    def told(self, tools: Iterable[Offered], *, outputs: bool = True) -> None:
        """Note what a plain declaration of TOOLS never says: that a call needs approval, and what comes back."""
        for offered in tools:
            if offered.tool.policy_state is PolicyState.APPROVAL_REQUIRED:
                effect = offered.tool.side_effect.value
                self.lose("approval-dropped", offered, f"a call ({effect}) must be approved")
            if outputs and offered.definition.get("outputSchema") is not None:
                self.lose("output-schema-dropped", offered, "the output schema is not told")

    def lose(self, kind: LossKind, what: Offered | str, message: str, pointer: str = "") -> None:
        """Note a loss of a tool, of a server by its id, or of the whole surface ("")."""
        subject = what if isinstance(what, str) else str(what.tool.id)
        self.losses.append(Loss(kind, subject, message, pointer))

    def label(self, server: str) -> str:
        """What the target may call a server; where that is not the id, with a mark of it, and noted."""
        pattern = self._rules.get("server-label")
        if pattern is None or re.fullmatch(str(pattern), server):
            return server
        name = re.sub(r"[^A-Za-z0-9_-]", "_", server) + f"_{digest(server)[:8]}"
        self.lose("name-changed", server, f"the target calls it {name}")
        return name

    def _declared(self, declaration: Mapping[str, Any], subject: str, schema: dict[str, Any] | None = None) -> Declared:
        if schema is None:
            schema = fitted(declaration["inputSchema"], self._target).schema
        text = declaration["description"]
        most = self.room("description-length")
        if most is not None and len(text) > most:
            self.lose("description-cut", subject, f"its description of {len(text):,} characters is cut to {most:,}")
            text = _cut(text, most)
        return Declared(declaration["name"], text, schema)


def _cut(text: str, most: int) -> str:
    """The beginning of TEXT with a mark that tells how much is missing, MOST characters together."""
    mark = f" … [cut here: {len(text):,} more characters]"
    kept = text[: most - len(mark)].rstrip()
    return f"{kept} … [cut here: {len(text) - len(kept):,} more characters]"


def with_description(declared: Declared) -> dict[str, Any]:
    """`description`, where there is one: an empty text is refused by some and tells nothing to any."""
    return {"description": declared.description} if declared.description else {}
