"""What rules said before of what has not changed, in the user's cache: which tools were sound, which rules spoke.

A verdict hangs on the digest of a tool's definition, on what was decided on it, on the targets, and on the sources of
this package. A rule that spoke is asked again; only silence is remembered, and what was found of a plan as a whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcpexpose
from mcpexpose.model import caches
from mcpexpose.model.catalog import Catalog
from mcpexpose.model.finding import Finding
from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.recall import Recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.lint.subjects import CapturedTool, Context

MAX_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Whole:
    """All that was found of one state of a project, but for what its clock and its environment say."""

    catalogs: Mapping[str, Catalog]
    """Those of use. Out of the cache they come without their tools."""
    found: tuple[Finding, ...]
    """By the stages after the config was read."""
    told: tuple[Finding, ...]
    """By the rules."""


class Verdicts:
    """Those of one config. What is in a file that is damaged, or of another version, is as if it were not there."""

    def __init__(self, file: Path | None, version: str) -> None:
        self._file = file
        self._version = version
        self._before = _read(file, version) if file else {}
        self._tools: dict[str, list[str]] = {}
        self._plan: dict[str, list[Any]] = {}
        self._plan_key = ""
        self._ran = ""
        self._whole: dict[str, Any] = {}
        self.recall = Recall(self._before.get("sound", ()))

    def begin(self, slugs: Iterable[str], targets: Iterable[str]) -> None:
        """These rules, whose verdicts on a tool are remembered, run under these targets."""
        self._ran = digest([sorted(slugs), sorted(targets)])
        if self._before.get("ran") != self._ran:
            self._before = {**self._before, "tools": {}}

    def key(self, tool: CapturedTool) -> str:
        """Of a tool and of what was decided on it."""
        of = tool.decision
        decided = (
            *(of.id, of.alias, of.description, of.tokens, of.in_plan, of.left_out_by, of.exposure, of.policy_state),
            *(of.side_effect, of.declared_side_effect, of.hint_side_effect, of.side_effect_before_packs, of.approval),
        )
        return digest([self.recall.key(tool.raw), [None if each is None else str(each) for each in decided]])

    def spoke(self, key: str) -> frozenset[str] | None:
        """The rules that have something to say of the tool; None where nobody knows."""
        known: list[str] | None = self._before.get("tools", {}).get(key)
        if known is None:
            return None
        self._tools[key] = known
        return frozenset(known)

    def note(self, key: str, slugs: Iterable[str]) -> None:
        """These rules, and no others that are remembered, had something to say."""
        self._tools[key] = sorted(slugs)

    def of_plan(self, slug: str, context: Context) -> list[Finding] | None:
        """What the rule found of the same plan; None where nobody knows."""
        if not self._plan_key:
            self._plan_key = _plan_key(context)
        before = self._before.get("plan", {})
        found = before.get("findings", {}).get(slug) if before.get("key") == self._plan_key else None
        if found is None:
            return None
        self._plan[slug] = found
        return [from_json(Finding, each) for each in found]

    def note_of_plan(self, slug: str, findings: Iterable[Finding]) -> None:
        """The rule found these."""
        self._plan[slug] = [to_json(finding) for finding in findings]

    def whole(self, key: str) -> Whole | None:
        """What was found of the same state; None where nobody knows."""
        kept = self._before.get("whole", {})
        return _whole(kept) if kept.get("key") == key else None

    def note_whole(self, key: str, whole: Whole) -> None:
        """That is all there is to find."""
        self._whole = {
            "key": key,
            "catalogs": [[each.server, each.file, each.captured_at, each.ttl_ms] for each in whole.catalogs.values()],
            "found": [to_json(finding) for finding in whole.found],
            "told": [to_json(finding) for finding in whole.told],
        }

    def save(self) -> None:
        """Keep what was met in this run. Where that cannot be, nothing is kept."""
        now = {
            "version": self._version,
            "ran": self._ran,
            "tools": self._tools,
            "sound": sorted(self.recall.now),
            "plan": {"key": self._plan_key, "findings": self._plan},
            "whole": self._whole,
        }
        if self._file is None or now == self._before:
            return
        temporary = self._file.with_name(f".{self._file.name}.{secrets.token_hex(8)}")
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                # Made anew and for its owner alone: what others may write is not read again.
                with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                    out.write(json.dumps(now).encode("ascii"))
                temporary.replace(self._file)
            finally:
                temporary.unlink(missing_ok=True)


def verdicts_of(config: Path) -> Verdicts:
    """What is remembered of a config."""
    folder = caches.folder()
    name = hashlib.sha256(os.fsencode(config.absolute())).hexdigest()[:32]
    return Verdicts(folder / "lint" / f"{name}.json" if folder else None, _version())


def _version() -> str:
    """Of all that may change a verdict: the sources of this package, by name, size and time, and the interpreter."""
    found = []
    waiting = [str(Path(mcpexpose.__file__).parent)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".md")):
                    status = entry.stat()
                    found.append([entry.path, status.st_size, status.st_mtime_ns])
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)
    return digest([mcpexpose.__version__, sys.version, sorted(found)])


def _plan_key(context: Context) -> str:
    plan = context.plan
    tools = []
    for tool in plan.tools:
        at = context.tool(tool.id)
        tools.append([tool.server, tool.name, tool.alias, tool.exposure, tool.definition_digest, at.file, at.index])
    return digest([tools, to_json(plan.search), plan.analyzer_version, plan.ranking_version])


def digest_of_file(content: Path | bytes) -> str:
    """SHA-256 of a file. Raises OSError, for what is no regular file and for one that is too large as well."""
    return hashlib.sha256(content if isinstance(content, bytes) else caches.read(content, MAX_BYTES)).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()


def _findings(kept: list[Any]) -> tuple[Finding, ...]:
    return tuple([from_json(Finding, each) for each in kept])


def _whole(kept: Mapping[str, Any]) -> Whole:
    catalogs = {
        server: Catalog(server=server, tools=(), file=file, captured_at=captured_at, ttl_ms=ttl_ms)
        for server, file, captured_at, ttl_ms in kept["catalogs"]
    }
    return Whole(catalogs, _findings(kept["found"]), _findings(kept["told"]))


def _read(file: Path, version: str) -> dict[str, Any]:
    try:
        found = json.loads(caches.read_own(file, MAX_BYTES))
        return found if found["version"] == version and _is_sound(found) else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _is_sound(found: dict[str, Any]) -> bool:
    """Whether all is of the right type, and nothing in it would do anything to a terminal."""
    names = [*found["sound"], *(slug for slugs in found["tools"].values() for slug in slugs), found["ran"]]
    kept = [_findings(each) for each in found["plan"]["findings"].values()]
    if found["whole"]:
        whole = _whole(found["whole"])
        kept += [whole.found, whole.told]
    for finding in chain.from_iterable(kept):
        names += [finding.slug, finding.message, finding.advice, *finding.subjects]
    return all(isinstance(name, str) and name.isprintable() for name in names)
