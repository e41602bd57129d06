"""Which tools a host lets in and keeps out, in our patterns: the same tools, or fewer where ours cannot say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcpexpose.compiler import patterns
from mcpexpose.importers.values import OFF, names, what, wrong
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.importers.draft import Draft, Notes
    from mcpexpose.importers.tree import Path

_FOREIGN = ("{", "}", "!", "^", "$", "|", "(", "\\")
"""What makes a pattern of another language, where it is no pattern of ours."""


Say = Callable[[str, str, str], None]
"""Takes a slug, what there is to say of the place that is looked at, and the advice."""


def exact(name: str) -> str:
    """NAME as a pattern that meets it alone."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def allow(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Names of tools, or patterns where the host has them."""
    _allow(draft, path, value, notes, is_pattern=draft.dialect.patterns)


def allow_patterns(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Our own key, in a file that serves another host as well."""
    _allow(draft, path, value, notes, is_pattern=True)


def _allow(draft: Draft, path: Path, value: Any, notes: Notes, *, is_pattern: bool) -> None:
    listed = names(draft, path, value, notes)
    if listed is None:
        return
    kept = (_allowed(draft, (*path, n), name, notes, is_pattern=is_pattern) for n, name in enumerate(listed))
    draft.narrow([name for name in kept if name])
    if not draft.values["allow"]:
        said = "is an empty list, and is kept empty: no tool of the server will be exposed"
        advice = "Take allow out of the server's table if all tools are meant, or name some."
        notes.of("import-allow-empty", draft, path, said, advice, ours=("allow",))


def allow_unless_empty(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Of a host to which an empty list is the same as none."""
    if value != []:
        allow(draft, path, value, notes)


def tools_list(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Names, or a star for all, of which some hosts write a text."""
    listed = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not (isinstance(listed, list) and "*" in listed):
        allow(draft, path, listed, notes)


def deny_patterns(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Our own key, in a file that serves another host as well."""
    _deny(draft, path, value, notes, is_pattern=True)


def deny(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Names of tools, or patterns where the host has them."""
    _deny(draft, path, value, notes, is_pattern=draft.dialect.patterns)


def _deny(draft: Draft, path: Path, value: Any, notes: Notes, *, is_pattern: bool) -> None:
    for n, name in enumerate(names(draft, path, value, notes) or ()):

        def say(slug: str, said: str, advice: str, place: Path = (*path, n)) -> None:
            notes.of(slug, draft, place, said, advice)

        draft.keep_out(denied(draft, name, say, is_pattern=is_pattern))


def denied(draft: Draft, name: str, say: Say, *, is_pattern: bool) -> list[str]:
    """The entries of deny for NAME; where we cannot say it, the server is switched off."""
    name = _bare(draft, name)
    if not name:
        return []
    trouble = patterns.problem(name)
    if is_pattern and (trouble or _is_foreign(name)):
        said = f'keeps out "{shown(name, 60)}", which is no pattern of ours: {OFF}'
        say("import-pattern-unsupported", said, "Name the tools in deny, and switch it on.")
        draft.switch_off()
        return [] if trouble else [name]
    if not is_pattern and exact(name) != name:
        said = f'"{shown(name, 60)}" is a plain name to {draft.dialect.title}'
        if trouble:
            return [exact(name)]
        said += ", and a pattern here: it keeps out what it meets"
        say("import-pattern-unsupported", said, "Write the tools' names if less was meant.")
        return [name, exact(name)] if "[" in name else [name]
    return [name]


def asked(name: str, say: Say) -> str:
    """The pattern of what asks for NAME, which is a pattern; all of the server's tools where we cannot say it."""
    if not (patterns.problem(name) or _is_foreign(name)):
        return name
    said = f'asks before "{shown(name, 60)}", which is no pattern of ours: every tool of the server asks'
    say("import-pattern-unsupported", said, "Name the tools.")
    return "*"


def _allowed(draft: Draft, path: Path, name: str, notes: Notes, *, is_pattern: bool) -> str | None:
    name = _bare(draft, name)
    if not name:
        notes.of("import-value", draft, path, "is no tool's name: it is left out", "Mend it by hand.")
        return None
    if is_pattern:
        if trouble := patterns.problem(name):
            said = f'"{shown(name, 60)}" is no pattern of ours ({trouble}): it is left out, and lets nothing in'
            notes.of("import-pattern-unsupported", draft, path, said, "Name the tools in allow.")
            return None
        if _is_foreign(name):
            said = f'"{shown(name, 60)}" is kept as it is, and is read letter by letter here: it lets nothing in'
            notes.of("import-pattern-unsupported", draft, path, said, "Name the tools in allow.")
        return name
    if exact(name) != name:
        said = f'"{shown(name, 60)}" is a plain name to {draft.dialect.title}: kept as that, it meets no other tool'
        notes.of(
            "import-pattern-unsupported", draft, path, said, "Write the pattern into allow if it was meant as one."
        )
    return exact(name)


def _bare(draft: Draft, name: str) -> str:
    """Gemini CLI takes `name(…)` for the tool's name."""
    return name.partition("(")[0].strip() if draft.dialect.name in ("gemini", "qwen") else name.strip()


def _is_foreign(name: str) -> bool:
    return any(mark in name for mark in _FOREIGN) or (len(name) > 2 and name.startswith("/") and name.endswith("/"))


_STRICT = ("direct", "deferred", "hidden")
_EXPOSURES = {"direct": "direct", "deferred": "deferred", "hidden": "hidden", "codemode": "deferred"}


def tool_exposure(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Patterns with an exposure each, of which the first that meets a tool counts there, and the longest here."""
    if not isinstance(value, dict):
        wrong(draft, path, value, "a table", OFF, notes)
        draft.switch_off()
        return
    before: list[tuple[int, str]] = []
    for name, item in value.items():
        place = (*path, name)
        if trouble := patterns.problem(name):
            notes.of("import-pattern-unsupported", draft, place, f"{trouble}: {OFF}", "Name the tools.")
            draft.switch_off()
            continue
        exposure = _EXPOSURES.get(item) if isinstance(item, str) else None
        if exposure is None:
            said = f"is {what(item)} that is no exposure of ours: the tool is hidden"
            notes.of("import-value", draft, place, said, "Write direct, deferred or hidden.")
            exposure = "hidden"
        draft.tools.setdefault(name, {})["exposure"] = exposure
        pattern = patterns.compiled(name)
        if pattern.exact:
            continue
        stricter = max((other for weight, other in before if weight <= pattern.weight), key=_STRICT.index, default="")
        if stricter and stricter != exposure:
            kept = max(stricter, exposure, key=_STRICT.index)
            draft.tools[name]["exposure"] = kept
            said = f"comes after a wider pattern, which counts there, and this one here: it is written as {kept}"
            notes.of("import-pattern-unsupported", draft, place, said, "Look at both, and keep the one that is meant.")
        before.append((pattern.weight, draft.tools[name]["exposure"]))
