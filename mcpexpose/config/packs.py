"""Policy packs that a config extends: shipped ones by bare name, others by path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.config import lists, shape, shipped, strictest, texts
from mcpexpose.config.document import read
from mcpexpose.config.fault import Fault, fault
from mcpexpose.config.nearest import nearest
from mcpexpose.model.canonical import canonical, digest
from mcpexpose.model.config import Constraint, PolicyPack, ResolvedPack
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Place
from mcpexpose.model.policy import Approval
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcpexpose.config.document import Document
    from mcpexpose.model.finding import Finding

PACK_VERSION = 1


def find(
    names: Sequence[str], base: Path, file: str = "config.toml"
) -> tuple[tuple[ResolvedPack, ...], tuple[Finding, ...]]:
    """The packs that `extends` of the config FILE in the folder BASE names, in its order.

    Those that cannot be read are findings, and left out.
    """
    packs: list[ResolvedPack] = []
    findings: list[Finding] = []
    for n, name in enumerate(names):
        source = _source(name, base)
        text = _document(source, base / file)
        if isinstance(text, Fault):
            findings.append(_of(file, _at_entry(text, n)))
            continue
        pack, trouble = parse(text)
        findings += trouble
        if pack is None:
            continue
        twin = next((each for each in packs if each.pack.name == pack.name), None)
        findings += [_of(file, _at_entry(each, n)) for each in _misfits(name, source, pack, twin)]
        if twin is None:
            packs.append(ResolvedPack(pack, text.name, _digest(pack)))
    return tuple(packs), tuple(findings)


def _digest(pack: PolicyPack) -> str:
    """Of what the pack means: limits narrow together, in whatever order they are written."""
    dumped = pack.model_dump()
    return digest({**dumped, "constraints": sorted(dumped["constraints"], key=canonical)})


def is_shipped(file: str) -> bool:
    """Whether FILE, as a ResolvedPack has it, is one that comes with the package."""
    folder, _, name = file.partition("/")
    return folder == "policies" and name.removesuffix(".toml") in shipped.names("policies")


def document(file: str, base: Path) -> Document | None:
    """The text of a pack, by the FILE of its ResolvedPack, to look up lines; None where it cannot be read."""
    try:
        if is_shipped(file):
            return read(shipped.path("policies", Path(file).stem), file)
        return read(base / file, file)
    except InputMissing:
        return None


def parse(text: Document) -> tuple[PolicyPack | None, tuple[Finding, ...]]:
    """The pack in a document, with the constraints that can be read; None where there is none."""
    if text.data is None:
        return None, text.findings
    found: list[Fault] = []
    version = text.data.get("schema_version")
    if isinstance(version, int) and version > PACK_VERSION:
        message = f"the pack has format {version}, and this mcpexpose reads {PACK_VERSION}"
        found.append(fault("pack-version", ("schema_version",), message, "Use a newer mcpexpose."))
        return None, tuple(_in_pack(text.name, each) for each in found)
    found += texts.check(text.data)
    for n, constraint in enumerate(_constraints(text)):
        for key in ("side_effects", "groups"):
            found += lists.repeats(constraint.get(key), ("constraints", n, key))
    data = dict(text.data)
    shaped = shape.shaped(PolicyPack, shape.frozen(data))
    found += shaped.faults
    for _ in range(4):
        if shaped.value is not None or not shaped.faults:
            break
        data = strictest.read(data, shaped.faults)
        shaped = shape.shaped(PolicyPack, shape.frozen(data))
    found += _without_effect(text)
    return shaped.value, tuple(_in_pack(text.name, each) for each in found)


@dataclass(frozen=True, slots=True)
class _Source:
    path: Path
    file: str
    version: str = ""


def _source(name: str, base: Path) -> _Source | Fault:
    """Where a name leads, or why it leads nowhere."""
    if "/" in name or "\\" in name or name.endswith(".toml"):
        written = name.replace("\\", "/")
        return _Source(base / written, written)
    bare, _, version = name.partition("@")
    there = shipped.names("policies")
    if bare in there:
        return _Source(shipped.path("policies", bare), f"policies/{bare}.toml", version)
    meant = nearest(bare, there, aliases=False)
    message = f'there is no policy pack "{shown(name, 80)}"' + (f'; did you mean "{meant}"?' if meant else "")
    advice = f"Shipped are {', '.join(there)}; another is named by path: ./{shown(name, 40)}.toml."
    return fault("pack-unknown", ("extends",), message, advice, details={"suggests": [meant]} if meant else {})


def _document(source: _Source | Fault, config: Path) -> Document | Fault:
    if isinstance(source, Fault):
        return source
    missing = f'there is no policy pack at "{shown(source.file, 80)}"'
    if not source.path.is_file():  # nor a pipe or a terminal, which would be waited for
        return fault("pack-unknown", ("extends",), missing, _nearest_file(source.path))
    if source.path.resolve() == config.resolve():
        message = f"extends names the config itself, {shown(source.file, 80)}"
        return fault("pack-cycle", ("extends",), message, "Name policy packs alone.")
    try:
        return read(source.path, source.file)
    except InputMissing as trouble:
        return fault("pack-unknown", ("extends",), f"the policy pack {trouble}", "Give yourself the right to read it.")


def _misfits(name: str, source: _Source | Fault, pack: PolicyPack, twin: ResolvedPack | None) -> Iterator[Fault]:
    if isinstance(source, Fault):
        return
    if source.version and source.version != str(pack.version):
        there = shown(str(pack.version), 20)
        message = f'extends wants "{shown(name, 80)}", and the pack {shown(pack.name, 60)} is version {there}'
        yield fault("pack-version", ("extends",), message, f"Name version {there}, or none.")
    if twin is not None and (twin.file != source.file or source.version):
        files = f"{shown(twin.file, 80)} and {shown(source.file, 80)}"
        message = f"extends names two packs called {shown(pack.name, 60)}: {files}"
        yield fault("config-duplicate", ("extends",), message, "Keep one of the two.")


def _at_entry(each: Fault, n: int) -> Fault:
    """The fault at the n-th entry of `extends`."""
    return replace(each, finding=replace(each.finding, subjects=(f"extends[{n}]",), place=Place("", ("extends", n))))


def _nearest_file(path: Path) -> str:
    try:
        there = sorted(entry.name for entry in path.parent.iterdir() if entry.suffix == ".toml")[:200]
    except (OSError, ValueError):  # a NUL in the path
        return "A path is relative to the config."
    meant = nearest(path.name, there, aliases=False)
    return f"Did you mean {shown(meant, 80)}?" if meant else "A path is relative to the config."


def _constraints(text: Document) -> list[dict[str, Any]]:
    """As written; an entry that is no table counts as an empty one, so that indices stay."""
    written = text.data.get("constraints") if text.data else None
    return [each if isinstance(each, dict) else {} for each in written] if isinstance(written, list) else []


def _without_effect(text: Document) -> Iterator[Fault]:
    """Constraints that would loosen, or do nothing: a reader would believe that they do."""
    for n, constraint in enumerate(_constraints(text)):
        path = ("constraints", n)
        if constraint.get("approval") == Approval.AUTO:
            message = f'constraint {n} says approval = "auto", and a pack only narrows'
            yield fault("config-value", (*path, "approval"), message, 'Write "ask", or leave it out.')
        if constraint and constraint.keys() <= _FIELDS - _LIMITS:
            message = f"constraint {n} limits nothing"
            advice = "Give it min_side_effect, approval, max_exposure or deny."
            yield fault("config-invalid", path, message, advice, on="header")


_LIMITS = frozenset({"min_side_effect", "approval", "max_exposure", "deny"})
_FIELDS = frozenset(Constraint.model_fields)


def _of(file: str, each: Fault) -> Finding:
    place = each.finding.place
    return replace(each.finding, place=replace(place, file=file)) if place is not None else each.finding


def _in_pack(name: str, each: Fault) -> Finding:
    finding = _of(name, each)
    advice = finding.advice
    if finding.slug == "config-unknown-key" and not finding.details:
        advice = "Remove it; a pack has name, version, description and constraints."
    message = f"{shown(name, 80)}: {finding.message}"
    return replace(
        finding, message=message, advice=advice, subjects=tuple(f"{name}:{subject}" for subject in finding.subjects)
    )
