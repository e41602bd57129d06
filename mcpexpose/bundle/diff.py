"""Two plans compared: everything that a model, or whoever calls for it, will meet differently. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.bundle.diff_profiles import profiles, reach
from mcpexpose.model import changes as model
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.changes import Change, Changes, Part, Risk
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.policy import strictness
from mcpexpose.model.secrets import redact
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, Template
from mcpexpose.toolschema.review import differences, reviewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcpexpose.model.plan import Plan, PlannedServer, PlannedTool
    from mcpexpose.model.transport import Transport

    Definition = Mapping[str, Any]
    Definitions = Callable[[int], Definition]

_LIMIT = 60
_ITEMS = 4


def diff(
    before: Plan,
    after: Plan,
    *,
    against: str,
    old: Definitions | None = None,
    new: Definitions | None = None,
) -> Changes:
    """What changed from BEFORE to AFTER; AGAINST is how BEFORE is called.

    OLD and NEW give definitions by row; without OLD, what changed in a schema is told as one thing. Nothing is told of
    what no model, host or operator would notice: stamps, revisions, versions of the compiler.
    """
    found = [
        *_tools(before, after, old, new),
        *_servers(before, after),
        *profiles(before, after),
        *_rest(before, after),
    ]
    return Changes(
        against,
        model.in_order(found),
        (before.totals.direct, after.totals.direct),
        (before.totals.tokens_request_1, after.totals.tokens_request_1),
    )


def _tools(before: Plan, after: Plan, old: Definitions | None, new: Definitions | None) -> Iterator[Change]:
    was = {tool.id: row for row, tool in enumerate(before.tools)}
    now = {tool.id: row for row, tool in enumerate(after.tools)}
    for tool in sorted(was.keys() | now.keys()):
        if tool not in was:
            yield _came(after.tools[now[tool]], after)
        elif tool not in now:
            gone = before.tools[was[tool]]
            yield model.change("tool", str(tool), [Part(Risk.NARROWS, "exposure", f"{gone.exposure.value} → none")])
        else:
            one, other = before.tools[was[tool]], after.tools[now[tool]]
            parts = [*_axes(one, other), *_definition(one, other, was[tool], now[tool], old, new)]
            if not parts and one.tokens != other.tokens:
                parts = [Part(Risk.TEXT, "tokens", f"{one.tokens:,} → {other.tokens:,} tokens")]
            if parts:
                widens = any(part.risk is Risk.WIDENS for part in parts)
                yield model.change("tool", str(tool), parts, note=_note(other) if widens else "")


def _came(tool: PlannedTool, plan: Plan) -> Change:
    within = reach(tool, plan)
    note = _note(tool) + (f" · in profile {within}" if within else "")
    parts = [Part(Risk.WIDENS, "exposure", f"none → {tool.exposure.value}")]
    return model.change("tool", str(tool.id), parts, note=note)


def _note(tool: PlannedTool) -> str:
    asks = "asks" if tool.approval.value == "ask" else "runs without asking"
    return f"{tool.side_effect.value} · {asks}"


def _axes(one: PlannedTool, other: PlannedTool) -> Iterator[Part]:
    yield from model.exposure(one.exposure, other.exposure)
    approvals = model.approval(one.approval, other.approval)
    yield from approvals
    if one.policy_state is not other.policy_state and not approvals:
        wider = strictness(other.policy_state) < strictness(one.policy_state)
        text = f"policy {one.policy_state.value} → {other.policy_state.value}"
        yield Part(Risk.WIDENS if wider else Risk.NARROWS, "policy_state", text)
    yield from model.side_effect(one.side_effect, other.side_effect)
    if one.idempotent is not other.idempotent:
        risk = Risk.SAFETY if other.idempotent else Risk.NARROWS if one.idempotent else Risk.TEXT
        yield Part(risk, "idempotent", f"idempotent {_word(one.idempotent)} → {_word(other.idempotent)}")
    if one.groups != other.groups:
        yield Part(Risk.TEXT, "groups", f"groups {_list(one.groups)} → {_list(other.groups)}")


def _definition(
    one: PlannedTool, other: PlannedTool, was: int, now: int, old: Definitions | None, new: Definitions | None
) -> Iterator[Part]:
    if one.alias != other.alias:
        yield Part(Risk.SCHEMA, "alias", f"alias {_cut(one.alias)} → {_cut(other.alias)}")
    if one.title != other.title:
        yield Part(Risk.TEXT, "title", f"title {_cut(one.title)!r} → {_cut(other.title)!r}")
    if one.keywords != other.keywords:
        yield Part(Risk.TEXT, "keywords", f"keywords {_list(one.keywords)} → {_list(other.keywords)}")
    if one.description != other.description:
        yield Part(Risk.TEXT, "description", f"description {model.words(one.description, other.description)}")
    elif one.replaced_description_digest != other.replaced_description_digest:
        yield Part(Risk.TEXT, "description", "the server's own text, which the config replaces, changed")
    if one.definition_digest == other.definition_digest:
        return
    definition = dict(new(now)) if new is not None else None
    if old is not None and definition is not None:
        own = ("title", "description")  # as in force, and told above
        told = differences(reviewed(old(was)), reviewed(definition))
        yield from (part for part in told if part.field not in own)
    elif definition is None or _as_it_was(one, definition) != one.definition_digest:
        # Which of them, and how, is not known here; what may be a SAFETY is never told as less.
        yield Part(Risk.SAFETY, "inputSchema", "schema or annotations changed (a plan.json does not say how)")


def _as_it_was(tool: PlannedTool, definition: dict[str, Any]) -> str:
    """Digest of DEFINITION with the texts that TOOL had: where it is TOOL's, nothing else changed."""
    texts = {"alias": tool.alias, "title": tool.title, "description": tool.description}
    definition = definition | texts | {"keywords": list(tool.keywords)}
    if not tool.keywords:
        del definition["keywords"]
    return digest_bytes(canonical(definition))


def _servers(before: Plan, after: Plan) -> Iterator[Change]:
    """Of servers on both sides; one that came or went is told by its tools."""
    was = {server.id: server for server in before.servers}
    for server in after.servers:
        if server.id in was and (parts := [*_server(was[server.id], server)]):
            yield model.change("server", server.id, parts)


def _server(one: PlannedServer, other: PlannedServer) -> Iterator[Part]:
    if one.trust_annotations != other.trust_annotations:
        risk = Risk.SAFETY if other.trust_annotations else Risk.NARROWS
        yield Part(risk, "trust_annotations", "its hints are trusted" if other.trust_annotations else "hints untrusted")
    yield from _transport(one.transport, other.transport)
    if one.owner != other.owner:
        yield Part(Risk.TEXT, "owner", f"owner {_cut(one.owner or 'none')} → {_cut(other.owner or 'none')}")
    if one.summary != other.summary:
        yield Part(Risk.TEXT, "summary", f"summary {model.words(one.summary, other.summary)}")


def _transport(one: Transport, other: Transport) -> Iterator[Part]:
    """How it is reached, as written, references by name; of a value that is none only that it changed."""
    if one == other:
        return
    old, new = to_json(one), to_json(other)
    for key in old:
        if old[key] == new[key]:
            continue
        if key.endswith("_timeout_s"):
            yield Part(Risk.TEXT, key, f"{key} {old[key]:g} → {new[key]:g}")
        elif key in ("env", "headers", "env_headers"):
            yield Part(Risk.SAFETY, key, f"{key} {_list(_entries(old[key] or {}, new[key] or {}, key))}")
        else:
            yield Part(Risk.SAFETY, key, f"{key} {_cut(_written(old[key]))} → {_cut(_written(new[key]))}")


def _entries(old: Mapping[str, str], new: Mapping[str, str], key: str) -> list[str]:
    """`TOKEN ${OLD} → ${NEW}`: references by name; of any other text only that it changed."""
    found = []
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            one, other = _value(old.get(name), key), _value(new.get(name), key)
            found.append(f"{name} changed" if one == other else f"{name} {one} → {other}")
    return found


def _value(text: str | None, key: str) -> str:
    if text is None:
        return "unset"
    if key == "env_headers":  # the name of a variable already
        return text
    try:
        parts = Template.parse(text).parts
    except ReferenceSyntax:
        parts = (text,)
    return "".join("…" if isinstance(part, str) else f"${{{part.name}}}" for part in parts) or "empty"


def _written(value: Any) -> str:
    return redact(" ".join(value) if isinstance(value, list) else str(value)) or "none"


def _rest(before: Plan, after: Plan) -> Iterator[Change]:
    if before.prompt_section != after.prompt_section:
        came = set(after.prompt_section.splitlines()) - set(before.prompt_section.splitlines())
        went = set(before.prompt_section.splitlines()) - set(after.prompt_section.splitlines())
        text = f"+{len(came)} −{len(went)} lines"
        yield model.change("plan", "servers section", [Part(Risk.TEXT, "prompt_section", text)])
    search = []
    if before.search.limit != after.search.limit:
        search.append(Part(Risk.TEXT, "limit", f"limit {before.search.limit} → {after.search.limit}"))
    if dict(before.search.synonyms) != dict(after.search.synonyms):
        one, other = dict(before.search.synonyms), dict(after.search.synonyms)
        names = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        search.append(Part(Risk.TEXT, "synonyms", f"synonyms of {_list(names)}"))
    if before.search.min_match != after.search.min_match:
        search.append(Part(Risk.TEXT, "min_match", f"min_match {before.search.min_match} → {after.search.min_match}"))
    versions = ("analyzer_version", "ranking_version")
    if any(getattr(before, each) != getattr(after, each) for each in versions):
        search.append(Part(Risk.TEXT, "ranking_version", "another ranking of mcpexpose"))
    if search:
        yield model.change("plan", "search", search)
    limits = [*_limits(before, after)]
    if limits:
        yield model.change("plan", "limits", limits)
    if before.context_window != after.context_window:
        text = f"{before.context_window:,} → {after.context_window:,} tokens"
        yield model.change("plan", "context window", [Part(Risk.TEXT, "context_window", text)])


def _limits(before: Plan, after: Plan) -> Iterator[Part]:
    for key, old in to_json(before.limits).items():
        new = getattr(after.limits, key)
        if old != new:
            wider = new is None or (old is not None and new > old)
            text = f"{key} {'none' if old is None else f'{old:,}'} → {'none' if new is None else f'{new:,}'}"
            yield Part(Risk.WIDENS if wider else Risk.NARROWS, key, text)


def _list(items: object) -> str:
    names = [_cut(str(item)) for item in items] if isinstance(items, list | tuple) else []
    more = f" and {len(names) - _ITEMS} more" if len(names) > _ITEMS else ""
    return (", ".join(names[:_ITEMS]) or "none") + more


def _word(value: bool | None) -> str:
    return "unset" if value is None else str(value).lower()


def _cut(text: str) -> str:
    return shown(text, _LIMIT)
