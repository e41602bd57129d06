"""What a case expects of a plan, a search and the servers section, checked against what was seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.acceptance.harness.checks import Checks

UNFIT_QUERY = ("search-query-empty", "search-query-too-long", "search-limit-invalid")


@dataclass(frozen=True)
class Found:
    """An answer to a query, by whatever way it was asked."""

    hits: tuple[dict[str, Any], ...] = ()
    """As JSON output has them: `server`, `tool`, `score` …"""
    code: int = 0
    """The exit code; 1 where the library raised."""
    reason: str = ""
    words: str = ""
    """Everything printed, for reasons and hints."""
    beside_hits: str = ""
    """Everything printed but the hits and the query: hints, suggestions."""
    seconds: float = 0.0

    @property
    def ids(self) -> list[str]:
        return [f"{hit.get('server')}/{hit.get('tool')}" for hit in self.hits]


@dataclass(frozen=True)
class Exposed:
    """What a plan exposes, and what else it says of captured tools."""

    tools: dict[str, dict[str, Any]]
    """server/tool: its entry; only what is neither hidden nor denied."""
    others: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def aliases(self) -> list[str]:
        return [str(entry.get("alias")) for entry in self.tools.values()]


def exposed(plan: dict[str, Any]) -> Exposed:
    """The exposed tools of a plan in JSON (`plan --format json`, or plan.json)."""
    tools: dict[str, dict[str, Any]] = {}
    others: dict[str, dict[str, Any]] = {}
    for entry in plan.get("tools") or []:
        target = others if entry.get("exposure") == "hidden" or entry.get("policy_state") == "denied" else tools
        target[tool_id(entry)] = entry
    for entry in [*(plan.get("hidden") or []), *(plan.get("left_out") or [])]:
        if isinstance(entry, dict):
            others.setdefault(tool_id(entry), entry)
    return Exposed(tools, others)


def tool_id(entry: dict[str, Any]) -> str:
    """`server/tool` of an entry, however it spells the pair."""
    if isinstance(entry.get("id"), str):
        return str(entry["id"])
    if isinstance(entry.get("id"), list):
        return "/".join(entry["id"])
    return f"{entry.get('server')}/{entry.get('name', entry.get('tool'))}"


def check_plan(checks: Checks, wanted: dict[str, Any], seen: Exposed, where: str = "plan") -> None:
    """Every field of `expect.plan` but `same_for`, which needs more than one plan."""
    ids = sorted(seen.tools)
    for key, value in wanted.items():
        what = f"{where}: {key}"
        if key == "tools":
            checks.equal(ids, sorted(value), f"{what} (exactly these are exposed)")
        elif key == "absent":
            checks.that(not set(value) & set(ids), f"{what} (none is exposed): {value}", ids)
        elif key == "count":
            checks.that(len(ids) == value, f"{what}: {value} exposed tools", ids)
        elif key == "exposed_names":
            folded = [alias.casefold() for alias in seen.aliases]
            checks.equal(value, "distinct", f"{what}: a value that the harness knows")
            checks.that(len(set(folded)) == len(folded), f"{what}: distinct, without regard to case too", seen.aliases)
        elif key == "exposed_name_max":
            checks.that(all(len(alias) <= value for alias in seen.aliases), f"{what}: {value}", seen.aliases)
        elif key == "exposed_name_pattern":
            fits = all(re.search(value, alias) for alias in seen.aliases)
            checks.that(bool(seen.aliases) and fits, f"{what}: {value}", seen.aliases)
        elif key == "exposed_names_not_in":
            checks.that(not set(value) & set(seen.aliases), f"{what}: {value}", seen.aliases)
        elif key == "side_effects":
            everything = {**seen.others, **seen.tools}
            for tool, effect in value.items():
                checks.equal(everything.get(tool, {}).get("side_effect"), effect, f"{what} of {tool}")
        elif key != "same_for":
            checks.that(False, f"{what}: a field that the harness knows", value)


def check_search(
    checks: Checks,
    wanted: dict[str, Any],
    seen: Found,
    where: str,
    unexposed: Iterable[str] = (),
    *,
    may_fail: bool = False,
) -> None:
    """Every field of an `expect.search` entry that one answer can show. UNEXPOSED: bare names.

    Where it MAY_FAIL, as its exit is looked at elsewhere, a failure alone is none.
    """
    ids = seen.ids
    failed = seen.code not in (0,)
    unfit = next((reason for reason in UNFIT_QUERY if reason in seen.words), "")
    for key, test in _SEARCH.items():
        if key in wanted:
            checks.that(test(wanted[key], ids), f"{where}: {key} {wanted[key]!r}", _answer(seen))
    if "error" in wanted:
        reported = wanted["error"] in (seen.reason, *re.findall(r"[a-z]+(?:-[a-z]+)+", seen.words))
        checks.that(failed and reported, f"{where}: refused with {wanted['error']}", _answer(seen))
    elif wanted.get("error_or_empty"):
        right = (bool(unfit) and failed) or (not failed and not ids)
        checks.that(right, f"{where}: refused with a reason, or no hit", _answer(seen))
    elif may_fail:
        pass
    elif wanted.get("exactly", wanted.get("exactly_ordered")) == []:
        checks.that(not failed or bool(unfit), f"{where}: no failure but that of an unfit query", _answer(seen))
    else:
        checks.that(not failed, f"{where}: no failure", _answer(seen))
    if "fields" in wanted:
        _check_fields(checks, wanted["fields"], seen, where)
    if wanted.get("no_suggestion"):
        named = [name for name in unexposed if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", seen.beside_hits)]
        checks.that(not named, f"{where}: no hint names a tool that is not exposed", named)
    if "stale_marked" in wanted:
        marked = {each for hit, each in zip(seen.hits, ids, strict=True) if not is_fresh(hit)}
        marked |= {each.partition("/")[0] for each in marked}
        checks.that(
            set(wanted["stale_marked"]) <= marked, f"{where}: marked as stale {wanted['stale_marked']}", _answer(seen)
        )
    if "max_seconds" in wanted:
        checks.in_time(seen.seconds, wanted["max_seconds"], where)
    for key in wanted.keys() - SEARCH_FIELDS:
        checks.that(False, f"{where}: a field that the harness knows", key)


def check_prompt(checks: Checks, wanted: dict[str, Any], section: str, where: str = "prompt section") -> None:
    """Every field of `expect.prompt` but `empty_for`, which needs more than one plan."""
    lines = section.splitlines()
    listed = {match[1] for line in lines if (match := re.match(r"- (.*?)(?:: .*)?$", line))}
    for key, value in wanted.items():
        what = f"{where}: {key} {value!r}"
        if key == "servers":
            checks.that(set(value) <= listed, what, section)
        elif key == "not_servers":
            checks.that(not set(value) & listed, what, section)
        elif key == "headings":
            checks.that(sum(line.startswith("#") for line in lines) == value, what, section)
        elif key == "chars_max":
            checks.that(len(section) <= value, what, f"{len(section)} characters")
        elif key == "line_chars_max":
            checks.that(all(len(line) <= value for line in lines), what, [len(line) for line in lines])
        elif key == "contains":
            texts = [value] if isinstance(value, str) else value
            checks.that(all(text in section for text in texts), what, section)
        elif key != "empty_for":
            checks.that(False, f"{where}: a field that the harness knows", key)


def check_imported(checks: Checks, wanted: list[dict[str, Any]], written: dict[str, Any]) -> None:
    """The servers that an import wrote, by the listed fields only. WRITTEN is the config it wrote."""
    tables = written.get("mcp_servers") or {}
    checks.equal(sorted(tables), sorted(server["id"] for server in wanted), "imported: exactly these servers")
    for server in wanted:
        table = {names.CONFIG_KEYS.get(key, key): value for key, value in tables.get(server["id"], {}).items()}
        default = (written.get("exposure") or {}).get("default", "deferred")
        full = {"enabled": True, "exposure": default, **table}
        for key, value in server.items():
            if key == "env_refs":
                checks.that(set(value) <= _references(table), f"imported {server['id']}: variables {value}", table)
            elif key != "id":
                ours = names.CONFIG_KEYS.get(key, key)
                checks.equal(full.get(ours), value, f"imported {server['id']}: {key}")


def is_fresh(hit: dict[str, Any]) -> bool:
    """Whether a hit is marked as fresh; `fresh` may be a truth value or the state's name."""
    mark = hit.get("fresh", hit.get("freshness", True))
    return mark is True or mark == "fresh"


def query_of(entry: dict[str, Any]) -> str:
    """The query of an entry, made where it is `query_make`."""
    if "query_make" in entry:
        return str(made_text(entry["query_make"]))
    return str(entry.get("query", ""))


def made_text(recipe: dict[str, Any]) -> str:
    """`prefix + unit * times + core + unit2 * times + suffix`, absent parts empty."""
    times = int(recipe.get("times", 1))
    return "".join(
        (
            recipe.get("prefix", ""),
            recipe.get("unit", "") * times,
            recipe.get("core", ""),
            recipe.get("unit2", "") * times,
            recipe.get("suffix", ""),
        )
    )


def _references(table: dict[str, Any]) -> set[str]:
    names_found = set(table.get("env_vars") or [])
    for value in (table.get("env") or {}).values():
        names_found |= set(re.findall(r"\$\{([A-Za-z_][A-Za-z0-9_]*)", str(value)))
    return names_found


def _check_fields(checks: Checks, wanted: Any, seen: Found, where: str) -> None:
    if isinstance(wanted, list):
        for name in wanted:
            has = bool(seen.hits) and all(names.hit_field(name) in hit for hit in seen.hits)
            checks.that(has, f"{where}: every hit has the field {name}", _answer(seen))
        return
    by_id = dict(zip(seen.ids, seen.hits, strict=True))
    for key, value in wanted.items():
        if isinstance(value, dict) and "/" in key:
            for name, each in value.items():
                checks.equal(by_id.get(key, {}).get(names.hit_field(name)), each, f"{where}: field {name} of {key}")
        else:
            first = seen.hits[0] if seen.hits else {}
            checks.equal(first.get(names.hit_field(key)), value, f"{where}: field {key} of the first hit")


def _answer(seen: Found) -> str:
    ending = f" ({seen.reason})" if seen.reason else ""
    return f"exit {seen.code}, hits {seen.ids}{ending}" + (f", says {seen.words[-300:]!r}" if seen.code else "")


_SEARCH: dict[str, Callable[[Any, list[str]], bool]] = {
    "first": lambda value, ids: ids[:1] == [value],
    "contains": lambda value, ids: set(value) <= set(ids),
    "excludes": lambda value, ids: not set(value) & set(ids),
    "set": lambda value, ids: sorted(ids[: len(value)]) == sorted(value),
    "set_contains": lambda value, ids: set(value) <= set(ids),
    "exactly": lambda value, ids: sorted(ids) == sorted(value),
    "exactly_ordered": lambda value, ids: ids == list(value),
    "count": lambda value, ids: len(ids) == value,
}
SEARCH_FIELDS = frozenset(
    {
        *_SEARCH,
        *("query", "query_make", "limit", "profile", "fields", "no_suggestion", "stale_marked", "max_seconds"),
        *("error", "error_or_empty", "repeat_env", "repeat_config", "exit", "diagnostics", "no_file", "note"),
        "diagnostics_in",
    }
)
