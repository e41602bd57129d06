"""Mends a config: fixes of findings applied to its text, linted again, until nothing is left to do.

The text is read again after each round: it must be TOML, and nothing outside what a fix touches may mean anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.lint.fix import Edit, Fix, Source
from mcpexpose.lint.registry import rule as rule_of
from mcpexpose.model.errors import InputMissing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mcpexpose.config.document import Document
    from mcpexpose.lint.fix import Path
    from mcpexpose.lint.runner import Linted
    from mcpexpose.model.finding import Finding
    from mcpexpose.workspace import Workspace

MAX_ROUNDS = 10
MAX_TRIALS = 50
"""Fixes of one round that are tried one by one, where all of them at once do what they must not."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A finding that can be mended, and how."""

    finding: Finding
    fix: Fix
    safe: bool


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of a config; nothing is written yet."""

    workspace: Workspace
    """With the new text; the one that was given where nothing was done."""
    linted: Linted
    """What is left."""
    done: tuple[Offer, ...]
    """In the order in which they were applied, with the places of their rounds."""


def offers(linted: Linted, workspace: Workspace) -> tuple[Offer, ...]:
    """The findings of a config's text that can be mended, in their order."""
    if workspace.document.data is None:
        return ()
    source = Source(workspace.document, workspace.config)
    out = []
    for finding in linted.findings:
        rule = rule_of(finding.slug)
        where = finding.location.file if finding.location else finding.place.file if finding.place else ""
        if rule is None or rule.mender is None or where != workspace.name:
            continue
        fix = rule.mender(finding, source)
        if fix is not None and any(source.text[edit.start : edit.end] != edit.text for edit in fix.edits):
            out.append(Offer(finding, fix, rule.fix == "safe"))
    return tuple(out)


def mend(workspace: Workspace, lint: Callable[[Workspace], Linted], *, unsafe: bool = False) -> Mended:
    """Apply the safe fixes of what LINT finds, and the UNSAFE ones too, for at most ten rounds. Writes nothing."""
    linted = lint(workspace)
    done: list[Offer] = []
    for _ in range(MAX_ROUNDS):
        wanted = [offer for offer in offers(linted, workspace) if offer.safe or unsafe]
        applied, document = _round(wanted, workspace.document)
        if not applied:
            break
        done += applied
        workspace = _rewritten(workspace, document)
        linted = lint(workspace)
    return Mended(workspace, linted, tuple(done))


def save(mended: Mended, before: Document) -> None:
    """Write the new text in place of the config, whole. Raises InputMissing where that cannot be, or the file no
    longer is what BEFORE was read from."""
    from mcpexpose.catalog.atomic import replace

    workspace = mended.workspace
    path = workspace.path.resolve()  # a link stays a link
    try:
        if path.read_bytes() != before.data_as_bytes:
            raise InputMissing(f"{workspace.name} was changed meanwhile, so nothing is written to it")
        replace(path, workspace.document.data_as_bytes)
    except OSError as error:
        raise InputMissing(f"{workspace.name} cannot be written: {error.strerror or 'unknown error'}") from error


def _rewritten(workspace: Workspace, document: Document) -> Workspace:
    """The same folder with another text of the config, which is not on disk; catalogs are not read again."""
    from mcpexpose.workspace import CATALOGS, Workspace

    catalogs = workspace.catalog_folder if workspace.catalog_folder != workspace.folder / CATALOGS else None
    other = Workspace(workspace.path, catalogs=catalogs, environ=workspace.environ, now=workspace.now)
    vars(other)["document"] = document  # in place of the step that reads the file
    if other.servers == workspace.servers:
        vars(other).update({name: made for name, made in vars(workspace).items() if name.startswith("_catalog")})
    return other


def _round(offers: Sequence[Offer], document: Document) -> tuple[list[Offer], Document]:
    """What of OFFERS could be done in one pass, and the text with it."""
    chosen, new = _applied(offers, document)
    if _is_sound(document, new, chosen):
        return chosen, new
    kept: list[Offer] = []  # one of them does what it must not: find out which
    new = document
    for offer in chosen[:MAX_TRIALS]:
        several, after = _applied([*kept, offer], document)
        if _is_sound(document, after, several):
            kept, new = several, after
    return kept, new


def _applied(offers: Iterable[Offer], document: Document) -> tuple[list[Offer], Document]:
    """Those of OFFERS whose edits do not overlap with an earlier one's, and the text with them."""
    chosen: list[Offer] = []
    edits: list[Edit] = []
    for offer in offers:
        if set(offer.fix.edits) <= set(edits):
            chosen.append(offer)  # another finding asks for the same
        elif not any(_overlap(one, other) for one in offer.fix.edits for other in edits):
            chosen.append(offer)
            edits += offer.fix.edits
    return chosen, document.edited((edit.start, edit.end, edit.text) for edit in edits)


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits reach for the same characters; two insertions at one place do."""
    if one.start == other.start:
        return True
    return one.start < other.end and other.start < one.end


def _is_sound(before: Document, after: Document, chosen: Iterable[Offer]) -> bool:
    """Whether AFTER is TOML and differs from BEFORE only where the fixes said it would."""
    if before.data is None or after.data is None:
        return False
    touched = [path for offer in chosen for path in offer.fix.touches]
    old, new = dict(_leaves(before.data)), dict(_leaves(after.data))
    changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    depths = {len(path) for path in touched}
    known = set(touched)
    return all(any(path[:depth] in known for depth in depths) for path in changed)


def _leaves(node: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(node, dict) and node:
        for key, value in node.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(node, list) and node:
        for n, value in enumerate(node):
            yield from _leaves(value, (*path, n))
    else:
        yield path, f"{type(node).__name__} {node!r}"
