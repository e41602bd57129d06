"""Diagnostics as commands report them, and the rules by which a case's expectation matches one."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import names

if TYPE_CHECKING:
    from tests.acceptance.harness.product import Ran

_HEAD = re.compile(r"(?:^|[\s:\[(])(error|warning|info)(?:[:\s\[(]+)([a-z0-9]+(?:-[a-z0-9]+)+)")
_INDEX = re.compile(r"\[\d+\]")
_ESCAPES = {"\n": r"\\n", "\r": r"\\r", "\t": r"\\t", "\x1b": r"\\e"}


@dataclass(frozen=True)
class Seen:
    """One reported finding."""

    slug: str
    severity: str
    subjects: tuple[str, ...]
    message: str
    line: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    command: str = ""
    """lint, plan, load …"""
    label: str = ""
    """Which run it came from: those of one label count together."""
    raw: str = ""
    """All of it as JSON text, for what must stand in it somewhere."""

    def __str__(self) -> str:
        place = f" line {self.line}" if self.line else ""
        return f"{self.severity} {self.slug} {list(self.subjects)}{place}: {self.message}"


def from_json(found: dict[str, Any], command: str, label: str) -> Seen:
    """A finding of JSON output, or of an exception of the library turned into JSON."""
    subjects = found.get("subjects") or ([found["subject"]] if found.get("subject") else [])
    line = found.get("line")
    if line is None and isinstance(found.get("location"), dict):
        line = found["location"].get("line")
    return Seen(
        slug=str(found.get("slug") or found.get("rule") or ""),
        severity=str(found.get("severity", "")),
        subjects=tuple(str(subject) for subject in subjects),
        message=" ".join(str(found[key]) for key in ("message", "why", "advice") if found.get(key)),
        line=line,
        details=dict(found.get("details") or {}),
        command=command,
        label=label,
        raw=json.dumps(found, ensure_ascii=False),
    )


def of_run(ran: Ran) -> list[Seen]:
    """The findings of a run: those of its JSON, else those that its text names (by slug and text alone)."""
    data = ran.json
    if isinstance(data, dict):
        found = [each for each in data.get("findings") or [] if isinstance(each, dict)]
        for server in data.get("servers") or []:
            if isinstance(server, dict) and isinstance(server.get("findings"), list):
                found += [each for each in server["findings"] if isinstance(each, dict) and each not in found]
        if found or not ran.err.strip():
            return [from_json(each, ran.command, ran.label) for each in found]
    return of_text(ran.err if isinstance(data, dict) else ran.text, ran.command, ran.label)


def of_text(text: str, command: str, label: str) -> list[Seen]:
    """The findings that a text names: severity, slug, and the passage up to the next one."""
    return [
        Seen(slug, severity, (), passage, command=command, label=label, raw=passage)
        for severity, slug, passage in passages(text)
    ]


def passages(text: str) -> list[tuple[str, str, str]]:
    """The text output cut at each line that opens a finding: severity, slug, all lines up to the next."""
    found: list[tuple[str, str, list[str]]] = []
    for line in text.splitlines():
        head = _HEAD.search(line)
        if head:
            found.append((head[1], head[2], [line]))
        elif found:
            found[-1][2].append(line)
    return [(severity, slug, "\n".join(lines)) for severity, slug, lines in found]


def subject_matches(wanted: str, seen: Seen, servers: set[str]) -> bool:
    """Whether a finding is about WANTED: it itself, what lies within it, or the bare name that its subjects share."""
    if not seen.subjects:  # known from text alone
        return named_in(wanted, seen.message)
    if any(within(wanted, subject, servers) for subject in seen.subjects):
        return True
    bare = {subject.partition("/")[2].partition("#")[0] for subject in seen.subjects}
    return len(seen.subjects) > 1 and bare == {wanted}


def within(wanted: str, subject: str, servers: set[str]) -> bool:
    """Whether SUBJECT is WANTED or lies within it: `a` holds `a/t`, `a:deny` holds `a:deny[1]`."""
    if subject == wanted:
        return True
    if not subject.startswith(wanted):
        return False
    follows = subject[len(wanted)]
    if "#" in wanted:
        return follows == "/" or wanted.endswith(("#", "/"))
    if _is_key(wanted):
        return follows in ".[?: /"
    if "/" in wanted:
        return follows == "#"
    if follows in "/:#":
        return True
    return follows in ".[" and not any(subject == server or _head(subject) == server for server in servers - {wanted})


def matches(expected: dict[str, Any], seen: Seen, servers: set[str]) -> bool:
    """Whether a finding is of the kind, severity and subject of an expected diagnostic."""
    kinds = {names.kind(kind) for kind in (expected["kind"], *expected.get("or_kind", []))}
    if seen.slug not in kinds:
        return False
    if "severity" in expected and seen.severity != expected["severity"]:
        return False
    return "subject" not in expected or subject_matches(expected["subject"], seen, servers)


def lacks(expected: dict[str, Any], found: list[Seen]) -> list[str]:
    """Which further fields of an expected diagnostic no one of FOUND has, where FOUND match it otherwise.

    One finding has all of them together, but for what is counted over several.
    """
    asked = [key for key in _FURTHER if key in expected]
    missing = [key for key in asked if not found or not _FURTHER[key](expected[key], found)]
    of_one = [key for key in asked if key not in _OF_SEVERAL]
    if (
        not missing
        and of_one
        and not any(all(_FURTHER[key](expected[key], [seen]) for key in of_one) for seen in found)
    ):
        return [f"{key} {expected[key]!r} in one finding" for key in of_one]
    return [f"{key} {expected[key]!r}" for key in missing]


def unknown_fields(expected: dict[str, Any]) -> list[str]:
    """Fields of an expected diagnostic that nobody looks at."""
    return sorted(expected.keys() - _FURTHER.keys() - {"kind", "or_kind", "severity", "subject", "note"})


def forbidden(rule: str, seen: Seen, servers: set[str]) -> bool:
    """Whether a finding is one of `kind` or `kind:subject`."""
    kind, _, subject = rule.partition(":")
    return seen.slug == names.kind(kind) and (not subject or subject_matches(subject, seen, servers))


def named_in(subject: str, text: str) -> bool:
    """Whether a text names SUBJECT: the whole of it, or each of its parts, escaped as terminals need it."""
    return _stands(subject, text) or all(_stands(part, text) for part in parts(subject))


def parts(subject: str) -> list[str]:
    """What a text must hold to name a subject: server, tool, key, pointer; no indices, no `mcp_servers`."""
    owner, hash_, pointer = subject.partition("#")
    if hash_:
        return [*parts(owner), *(["output"] if pointer.startswith("output") else []), *_pointer(pointer)]
    if _is_key(subject):
        server, _, key = subject.partition(":")
        return [server, *_keys(key)]
    if "/" in subject:
        return [part for part in subject.split("/", 1) if part]
    if subject.endswith((".toml", ".json", ".yaml", ".yml")):
        return [subject]
    if "." in subject:
        return [part for part in _keys(subject) if part != "mcp_servers"] or [subject]
    return [subject]


def _pointer(pointer: str) -> list[str]:
    path = pointer.removeprefix("output")
    return [path] if path.strip("/") else []


def _keys(path: str) -> list[str]:
    return [part for part in re.split(r"[.?]", _INDEX.sub("", path)) if part]


def _is_key(subject: str) -> bool:
    """Whether it is of the form `server:key`: a colon, and no slash before it."""
    before, colon, _ = subject.partition(":")
    return bool(colon) and "/" not in before


def _head(subject: str) -> str:
    return re.split(r"[/:#]", subject, maxsplit=1)[0]


def _stands(part: str, text: str) -> bool:
    """Whether PART stands in TEXT as a word of its own, unprintable characters escaped in one of the usual ways."""
    pattern = "".join(_escaped(char) for char in part)
    left = r"(?<![\w-])" if part[:1].isalnum() else ""
    right = r"(?![\w-])" if part[-1:].isalnum() else ""
    return re.search(left + pattern + right, text) is not None


def _escaped(char: str) -> str:
    hidden = unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} or "\ufe00" <= char <= "\ufe0f"
    if not hidden:
        return re.escape(char)
    forms = [rf"\\u\{{0*{ord(char):X}\}}", rf"\\u0*{ord(char):X}", rf"\\x0*{ord(char):X}", rf"U\+0*{ord(char):X}"]
    if char in _ESCAPES:
        forms.append(_ESCAPES[char])
    return "(?:" + "|".join(f"(?i:{form})" for form in forms) + ")"


def _named(wanted: list[str], found: list[Seen]) -> bool:
    return any(all(_stands(name, seen.raw.replace('\\"', '"')) for name in wanted) for seen in found)


def _classes(wanted: dict[str, int], found: list[Seen]) -> bool:
    counts = [dict(seen.details.get("classes") or {}) for seen in found]
    by_run: dict[str, dict[str, int]] = {}
    for seen, count in zip(found, counts, strict=True):
        total = by_run.setdefault(seen.label + seen.command, {})
        for name, number in count.items():
            total[name] = total.get(name, 0) + int(number)
    return wanted in counts or wanted in by_run.values()


def _fields(wanted: list[str], found: list[Seen]) -> bool:
    return any(sorted(seen.details.get("fields") or []) == sorted(wanted) for seen in found)


def _count(wanted: int, found: list[Seen]) -> bool:
    by_run: dict[str, int] = {}
    for seen in found:
        by_run[seen.label + seen.command] = by_run.get(seen.label + seen.command, 0) + 1
    return bool(by_run) and set(by_run.values()) == {wanted}


def _codepoints(wanted: list[str], found: list[Seen]) -> bool:
    return any(all(point.upper() in seen.raw.upper() for point in wanted) for seen in found)


_FURTHER = {
    "line": lambda wanted, found: any(seen.line == wanted for seen in found),
    "suggests": _named,
    "servers": _named,
    "fields": _fields,
    "classes": _classes,
    "codepoints": _codepoints,
    "hint": lambda wanted, found: any(wanted.lower() in seen.message.lower() for seen in found),
    "count": _count,
}
_OF_SEVERAL = frozenset({"classes", "count"})
