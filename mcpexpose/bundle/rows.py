"""The tools of a plan by row, for a host: read one at a time, out of tools.bin and the records of plan.json.

tools.bin says where each record of plan.json stands and which digest it has, so a host parses what it uses, and what it
uses was checked. It names no policy of its own: exposure, class and approval of a tool are those of its record.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from mcpexpose.bundle import layout, strict
from mcpexpose.bundle.planned import check_tool
from mcpexpose.model.canonical import canonical
from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.names import ToolId
from mcpexpose.model.plan import Limits, MinMatch, PlannedProfile, PlannedServer, PlannedTool
from mcpexpose.model.policy import Exposure
from mcpexpose.model.records import dataclass
from mcpexpose.search import hashed, texts
from mcpexpose.search.blocks import TableDamaged
from mcpexpose.search.hashed import key_of, numbers
from mcpexpose.surface.planned import no_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcpexpose.bundle.contents import Places
    from mcpexpose.model.errors import BundleRefused
    from mcpexpose.model.plan import Plan
    from mcpexpose.search.blocks import Blocks, Section

_RECORD = struct.Struct("<QI32s")
"""Offset in plan.json, bytes, SHA-256."""
_RECORD_MAX = 64 << 20
"""Bytes of one record; a catalog has no more."""
_ROW = struct.Struct("<I")
KEPT = 1_024
"""Records of tools that stay in memory."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchBounds:
    """What a session needs of the plan's `search`."""

    limit: int
    min_match: MinMatch


@dataclass(frozen=True, slots=True)
class _Profile:
    name: str
    rows: tuple[int, ...]
    """Of "profile rows": the first of those that it reaches, their number, and the number of default tools after."""


@dataclass(frozen=True, slots=True)
class _Head:
    """What every session needs, as the section "host" has it."""

    limits: Limits
    search: SearchBounds
    profiles: tuple[_Profile, ...]


def sections(plan: Plan, plan_json: bytes, places: Places) -> dict[str, bytes]:
    """The sections that `Rows` reads, of a plan whose records stand at PLACES of PLAN_JSON."""
    rows = {str(tool.id): row for row, tool in enumerate(plan.tools)}
    ids = hashed.pack((_id_key(tool.server, tool.name), _ROW.pack(row)) for row, tool in enumerate(plan.tools))
    aliases = hashed.pack((key_of(tool.alias), _ROW.pack(row)) for row, tool in enumerate(plan.tools))
    first: dict[str, int] = {}
    for row, tool in enumerate(plan.tools):
        first.setdefault(tool.server, row)
    starts = [first[server.id] for server in plan.servers]
    reached: list[int] = []
    profiles = []
    for profile in plan.profiles:
        pool = sorted(rows[name] for name in profile.tools)
        defaults = sorted(rows[name] for name in profile.default_tools)
        profiles.append(_Profile(profile.name, (len(reached), len(pool), len(defaults))))
        reached += pool + defaults
    head = _Head(
        plan.limits,
        SearchBounds(plan.search.limit, plan.search.min_match),
        tuple(profiles),
    )
    names = texts.pack(tool.name for tool in plan.tools)
    servers = texts.pack(server.id for server in plan.servers)
    summaries = texts.pack(server.summary for server in plan.servers)
    return {
        "host": canonical(to_json(head)),
        "starts": numbers("I", [*starts, len(plan.tools)]),
        "direct": numbers("I", [row for row, tool in enumerate(plan.tools) if tool.exposure is Exposure.DIRECT]),
        "profile rows": numbers("I", reached),
        "tool name bounds": names[0],
        "tool names": names[1],
        "server bounds": servers[0],
        "servers": servers[1],
        "summary bounds": summaries[0],
        "summaries": summaries[1],
        "id bounds": ids[0],
        "ids": ids[1],
        "alias bounds": aliases[0],
        "aliases": aliases[1],
        "profile records": _records(plan_json, places["profiles"]),
        "server records": _records(plan_json, places["servers"]),
        "tool records": _records(plan_json, places["tools"]),
    }


class Rows:
    """The tools of a bundle. May be shared by threads. Raises BundleRefused where anything is not as it was written."""

    def __init__(self, blocks: Blocks, read: Callable[[int, int], bytes], definitions_size: int) -> None:
        """READ gives bytes of plan.json from an offset."""
        self._blocks = blocks
        self._read = read
        self._definitions_size = definitions_size
        self._records = _section(blocks, "tool records")
        if self._records.size % _RECORD.size:
            raise _damaged("has records of another length")
        self.size = self._records.size // _RECORD.size
        self._tools: dict[int, PlannedTool] = {}
        self._servers: dict[str, PlannedServer] = {}
        self._server_ids: dict[int, str] = {}
        self._unattended: dict[str, bool] = {}
        self._ids: dict[int, ToolId] = {}

    @property
    def limits(self) -> Limits:
        """The plan's limits."""
        return self._head.limits

    @property
    def search(self) -> SearchBounds:
        """How many matches, and from which score on."""
        return self._head.search

    def tool(self, row: int) -> PlannedTool:
        """What the plan says of the tool. Raises IndexError for a row that it has not."""
        tool = self._tools.get(row)
        if tool is None:
            if not 0 <= row < self.size:
                raise IndexError(row)
            tool = self._record(self._records, row, PlannedTool)
            if finding := check_tool(tool, self._definitions_size):
                raise layout.refusal(finding)
            if tool.id != self.id(row):
                raise _damaged("has the tools of another plan")
            if len(self._tools) >= KEPT:
                self._tools = {}
            self._tools[row] = tool
        return tool

    def alias(self, row: int) -> str:
        """What a model calls the tool."""
        return self.tool(row).alias

    def id(self, row: int) -> ToolId:
        """Which tool it is, without the rest of what the plan says. Raises IndexError for a row that it has not."""
        if not 0 <= row < self.size:
            raise IndexError(row)
        known = self._ids.get(row)
        if known is None:
            if len(self._ids) >= KEPT:
                self._ids = {}
            self._ids[row] = known = ToolId(self.server_of(row), _text(self._names, row))
        return known

    def row(self, tool: ToolId) -> int | None:
        """The tool's row, or None."""
        row = self._find("id", _id_key(tool.server, tool.name))
        if row is not None and self.id(row) != tool:
            raise _damaged("has another tool at the place of one")
        return row

    def row_of_alias(self, alias: str) -> int | None:
        """The row of the tool that a model calls ALIAS, or None."""
        row = self._find("alias", key_of(alias))
        if row is not None and self.tool(row).alias != alias:
            raise _damaged("has another tool at the place of one")
        return row

    def server_of(self, row: int) -> str:
        """Id of the tool's server."""
        n = bisect_right(self._starts, row) - 1
        known = self._server_ids.get(n)
        if known is None:
            self._server_ids[n] = known = _text(self._servers_by_id, n)
        return known

    def server_ids(self) -> Sequence[str]:
        """Sorted."""
        return _all_texts(self._servers_by_id)

    def server(self, server: str) -> PlannedServer:
        """What the plan says of the server. Raises KeyError where it holds no tool of it."""
        found = self._servers.get(server)
        if found is None:
            n = _find_text(self._servers_by_id, server)
            if n is None:
                raise KeyError(server)
            found = self._record(_section(self._blocks, "server records"), n, PlannedServer)
            if found.id != server:
                raise _damaged("has another server at the place of one")
            self._servers[server] = found
        return found

    def servers(self) -> Sequence[tuple[str, str, range]]:
        """Id, summary and rows of each server, sorted by id."""
        starts = self._starts
        summaries = _all_texts(self._texts("summary bounds", "summaries"))
        spans = zip(self.server_ids(), summaries, pairwise(starts), strict=False)
        return [(server, said, range(*span)) for server, said, span in spans]

    def profiles(self) -> Sequence[str]:
        """Names, in the plan's order."""
        return [profile.name for profile in self._head.profiles]

    def pool(self, profile: str | None) -> Sequence[int]:
        """Rows that the profile reaches, ascending; all for None. Raises SelectionRefused for another one."""
        if profile is None:
            return range(self.size)
        at, count, _ = self._profile(profile)
        return self._row_list("profile rows", at, count)

    def direct(self) -> Sequence[int]:
        """Rows of the direct tools."""
        rows = self._row_list("direct", 0, _section(self._blocks, "direct").size // 4)
        if any(self.tool(row).exposure is not Exposure.DIRECT for row in rows):
            raise _damaged("calls a tool direct that is not")
        return rows

    def defaults(self, profile: str | None) -> Sequence[int]:
        """Rows of the profile's default tools. Raises SelectionRefused for a profile that there is not."""
        if profile is None:
            return ()
        at, count, defaults = self._profile(profile)
        return self._row_list("profile rows", at + count, defaults)

    def unattended(self, profile: str | None) -> bool:
        """Whether its own record says that nobody watches. Raises SelectionRefused for a profile that there is not."""
        if profile is None:
            return False
        known = self._unattended.get(profile)
        if known is None:
            if profile not in (names := list(self.profiles())):
                raise no_profile(profile, names)
            found = self._record(_section(self._blocks, "profile records"), names.index(profile), PlannedProfile)
            if found.name != profile:
                raise _damaged("has another profile at the place of one")
            self._unattended[profile] = known = found.unattended
        return known

    @cached_property
    def _head(self) -> _Head:
        try:
            head = from_json(_Head, json.loads(_section(self._blocks, "host").whole()))
        except (ValueError, TypeError) as error:
            raise _damaged("has another shape than its format") from error
        if any(len(one.rows) != 3 for one in head.profiles):
            raise _damaged("has another shape than its format")
        return head

    @cached_property
    def _starts(self) -> Sequence[int]:
        section = _section(self._blocks, "starts")
        starts = _numbers(_read(section, 0, section.size))
        if len(starts) != len(self._servers_by_id) + 1 or starts[0] or starts[-1] != self.size:
            raise _damaged("has servers of another plan")
        if self.size and any(a >= b for a, b in pairwise(starts)):
            raise _damaged("has servers without tools")
        return starts

    @cached_property
    def _names(self) -> texts.Texts:
        names = self._texts("tool name bounds", "tool names")
        if len(names) != self.size:
            raise _damaged("has the names of other tools")
        return names

    @cached_property
    def _servers_by_id(self) -> texts.Texts:
        return self._texts("server bounds", "servers")

    def _texts(self, bounds: str, data: str) -> texts.Texts:
        try:
            return texts.Texts(_section(self._blocks, bounds), _section(self._blocks, data))
        except TableDamaged:
            raise _damaged("has a list of another length") from None

    def _profile(self, name: str) -> tuple[int, ...]:
        for profile in self._head.profiles:
            if profile.name == name:
                return profile.rows
        raise no_profile(name, self.profiles())

    def _row_list(self, name: str, at: int, count: int) -> Sequence[int]:
        rows = _numbers(_read(_section(self._blocks, name), at * 4, count * 4))
        if rows and max(rows) >= self.size:
            raise _damaged("has rows that the plan has not")
        return rows

    def _find(self, kind: str, key: bytes) -> int | None:
        try:
            found = self._dictionary(kind).get(key)
        except TableDamaged:
            raise _damaged("was changed after it was written") from None
        if found is None:
            return None
        if len(found) != _ROW.size or (row := int.from_bytes(found, "little")) >= self.size:
            raise _damaged("has rows that the plan has not")
        return row

    def _dictionary(self, kind: str) -> hashed.Hashed:
        return hashed.Hashed(self._blocks.section(f"{kind} bounds"), self._blocks.section(_DICTIONARIES[kind]))

    def _record(self, records: Section, n: int, kind: type[T]) -> T:
        offset, length, digest = _RECORD.unpack(_read(records, n * _RECORD.size, _RECORD.size))
        data = self._read(offset, length) if length <= _RECORD_MAX else b""
        if sha256(data).digest() != digest:
            raise layout.refusal(layout.damaged(layout.PLAN, "was changed after it was written"))
        try:
            return from_json(kind, strict.loads(data))
        except (ValueError, TypeError):
            raise layout.refusal(layout.damaged(layout.PLAN, "has another shape than its format")) from None


_DICTIONARIES = {"id": "ids", "alias": "aliases"}


def _id_key(server: str, name: str) -> bytes:
    return key_of(json.dumps([server, name]))


def _records(plan_json: bytes, places: Iterable[tuple[int, int]]) -> bytes:
    return b"".join(_RECORD.pack(at, length, sha256(plan_json[at : at + length]).digest()) for at, length in places)


def _section(blocks: Blocks, name: str) -> Section:
    try:
        return blocks.section(name)
    except TableDamaged:
        raise _damaged(f"has no {name}") from None


def _read(section: Section, at: int, length: int) -> bytes:
    try:
        return section.read(at, length)
    except TableDamaged:
        raise _damaged("was changed after it was written") from None


def _text(listed: texts.Texts, n: int) -> str:
    try:
        return listed.at(n)
    except TableDamaged:
        raise _damaged("was changed after it was written") from None


def _all_texts(listed: texts.Texts) -> list[str]:
    try:
        return list(listed)
    except TableDamaged:
        raise _damaged("was changed after it was written") from None


def _find_text(listed: texts.Texts, text: str) -> int | None:
    """Where TEXT stands among texts that ascend, or None."""
    try:
        n = bisect_left(listed, text)
        return n if n < len(listed) and listed[n] == text else None
    except TableDamaged:
        raise _damaged("was changed after it was written") from None


def _numbers(data: bytes) -> array[int]:
    if len(data) % 4:
        raise _damaged("has numbers of another length")
    made = array("I", data)
    if sys.byteorder == "big":
        made.byteswap()
    return made


def _damaged(what: str) -> BundleRefused:
    return layout.refusal(layout.damaged(layout.TABLE, what))


__all__ = ["Rows", "SearchBounds", "sections"]
