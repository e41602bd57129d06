"""What a bundle consists of: names and limits of its files, and how trouble with one is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.model.errors import BundleRefused
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding

MANIFEST = "manifest.json"
PLAN = "plan.json"
DEFINITIONS = "definitions.bin"
TABLE = "tools.bin"
INDEX = "index"
SIGNATURE = "manifest.sig"

REQUIRED = (PLAN, DEFINITIONS, TABLE)
"""Files that every bundle has beside its manifest and its index."""

MANIFEST_MAX = 4 << 20
PLAN_MAX = 512 << 20
"""Bytes of the JSON files that a reader parses; beyond them it does not begin."""
FILES_MAX = 1_000
"""Files that a manifest may list."""

NAMES = frozenset((MANIFEST, PLAN, DEFINITIONS, TABLE, INDEX, SIGNATURE))
"""All that may stand at the top of a bundle."""

_INDEX_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


def aside(name: str) -> str:
    """Name, beside a bundle of that name, of the old one while it is replaced where folders cannot be exchanged."""
    return f".{name}.old"


def work(name: str) -> str:
    """How the names of work folders beside a bundle begin; no build needs one that an earlier build left."""
    return f".{name}.tmp-"


def lock(name: str) -> str:
    """Name, beside a bundle, of the file that a build holds."""
    return f".{name}.lock"


def is_safe(path: str) -> bool:
    """Whether PATH stays within the bundle on every platform: relative, forward slashes, no `..`, no drive."""
    if not path or len(path) > 300 or "\\" in path or ":" in path or not path.isprintable():
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


def is_known(path: str) -> bool:
    """Whether a manifest of this format may list a file of that name."""
    if path in (PLAN, DEFINITIONS, TABLE):
        return True
    folder, _, name = path.partition("/")
    return folder == INDEX and _INDEX_NAME.fullmatch(name) is not None


def damaged(file: str, what: str, advice: str = "Build the plan again: mcpexpose plan --out DIR.") -> Finding:
    """`plan-damaged`: a file that is missing, changed or not listed. WHAT continues a sentence that names it."""
    return _error(
        "plan-damaged",
        f"the plan is damaged: {shown(file, 200)} {what}",
        advice,
        {"file": shown(file, 200)},
    )


def unsafe(file: str, what: str) -> Finding:
    """`plan-unsafe-path`: a link, something that is no file, or a path that leads out; its target was not opened."""
    return _error(
        "plan-unsafe-path",
        f"the plan is not safe to read: {shown(file, 200)} {what}",
        "Remove it, or build the plan again: mcpexpose plan --out DIR.",
        {"file": shown(file, 200)},
    )


def other_version(what: str, theirs: object, ours: object, maker: object) -> Finding:
    """`plan-version`: made for another format or analyzer, both named."""
    made_by = f" (by mcpexpose {shown(str(maker), 40)})" if isinstance(maker, str) else ""
    return _error(
        "plan-version",
        f"the plan was made for {what} {shown(str(theirs), 40)}{made_by}; this mcpexpose reads {what} {ours}",
        "Build the plan again with this version: mcpexpose plan --out DIR.",
        {"plan": shown(str(theirs), 40), "reads": str(ours)},
    )


def _error(slug: str, message: str, advice: str, details: dict[str, Any]) -> Finding:
    from mcpexpose.model.finding import Finding, Severity  # what loads a sound plan needs none

    return Finding(slug, Severity.ERROR, message, ("plan",), advice, details=details)


def refusal(*findings: Finding) -> BundleRefused:
    """The exception for findings about a bundle; its text is the first one's."""
    return BundleRefused(f"{findings[0].slug}: {findings[0].message}", tuple(findings))
