"""Files of policy tests: where they are, and what stands in them, with every fault at its place."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.config import lists, shape
from mcpexpose.config.document import read
from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.expectation import ASSERTIONS, Expectation, ExpectationFile
from mcpexpose.model.finding import Place
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from pathlib import Path

    from mcpexpose.config.document import Document
    from mcpexpose.config.scan import Path as Node
    from mcpexpose.model.finding import Finding

SUFFIX = ".expose.toml"
_FORMAT = 1
_LISTS = ("sees", "not_visible", "query", "finds", "never_finds")
_OWN = ".mcpexpose"
_SKIPPED = frozenset({"node_modules", "venv", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Written:
    """One test that can be run, and its place among the tables of its file."""

    test: Expectation
    index: int
    file: str = ""
    """The file's name, from the config's folder, where it was read for a config."""

    def place(self, key: str) -> Place:
        """Where the test says KEY."""
        return Place(self.file, ("tests", self.index, key))


def beside(folder: Path) -> tuple[Path, ...]:
    """The test files that belong to a config in FOLDER: there, and in `tests/` beneath it; sorted."""
    return tuple(path for each in (folder, folder / "tests") for path in _in_folder(each))


def below(folder: Path) -> tuple[Path, ...]:
    """Every test file in FOLDER and beneath it, sorted; hidden folders and those of installed packages are passed by.

    Raises OSError where the folder cannot be read.
    """
    found: list[Path] = []
    os.listdir(folder)  # noqa: PTH208  # os.walk would keep the trouble to itself
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name == _OWN or not (name.startswith(".") or name in _SKIPPED)]
        at = folder / os.path.relpath(base, folder)
        found += [at / name for name in files if name.endswith(SUFFIX)]
    return tuple(sorted(found))


def parse(document: Document) -> tuple[tuple[Written, ...], tuple[Finding, ...]]:
    """The tests in DOCUMENT that can be run, and what is wrong with the others and with the file."""
    data = document.data
    if data is None:
        return (), document.findings
    version = data.get("schema_version")
    if isinstance(version, int) and not isinstance(version, bool) and version > _FORMAT:
        message = f"schema_version is {version}, and this mcpexpose reads {_FORMAT}"
        newer = fault("config-version-unsupported", ("schema_version",), message, "Use a newer mcpexpose.")
        return (), (_in_file(document.name, newer),)
    shaped = shape.shaped(ExpectationFile, shape.frozen(data))
    meant = {
        (*each.drop[:-1], each.finding.details["suggests"][0])
        for each in shaped.faults
        if each.drop and each.finding.slug == "config-unknown-key" and each.finding.details
    }
    # A table with a misspelt key is not told besides that it lacks what the key should have been.
    found = [_reworded(each, data) for each in shaped.faults if each.drop not in meant]
    found += _checked(data, {each.drop[:2] for each in found if each.drop})
    dropped = {each.drop[:2] for each in found if each.drop}
    right: list[Written] = []
    written = data.get("tests")
    for index, table in enumerate(written if isinstance(written, list) else ()):
        if isinstance(table, dict) and not any(drop in (("tests", index), ("tests",)) for drop in dropped):
            right.append(Written(Expectation.model_validate(shape.frozen(table)), index))
    return tuple(right), (*document.findings, *(_in_file(document.name, each) for each in found))


def beside_parsed(folder: Path) -> tuple[Written, ...] | None:
    """The tests that belong to a config in FOLDER; None where a file cannot be read, so that nothing is known."""
    out: list[Written] = []
    for path in beside(folder):
        try:
            document = read(path, path.name)
        except InputMissing:
            return None
        written, findings = parse(document)
        if findings:
            return None
        out += [replace(each, file=path.relative_to(folder).as_posix()) for each in written]
    return tuple(out)


def _in_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(SUFFIX))  # noqa: PTH208 - names alone
    except OSError:
        return []


def _checked(data: Mapping[str, Any], faulty: Container[Node]) -> Iterator[Fault]:
    written = data.get("tests")
    names: set[str] = set()
    for n, table in enumerate(written if isinstance(written, list) else ()):
        if not isinstance(table, dict):
            continue
        if ("tests", n) not in faulty:
            yield from _of_test(("tests", n), table)
        name = table.get("name")
        if isinstance(name, str) and name in names:
            message = f'two tests are called "{shown(name, 80)}"'
            yield fault("config-duplicate", ("tests", n, "name"), message, "Give each its own name.", drop=("tests", n))
        if isinstance(name, str):
            names.add(name)


def _of_test(path: Node, table: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with keys that are right each for itself."""
    about = f'the test "{shown(table["name"], 80)}"' if isinstance(table.get("name"), str) else where(path)
    asks = "finds" in table or "never_finds" in table
    if not any(key in table for key in (*ASSERTIONS, "query")):
        yield _refused(path, f"{about} asserts nothing", f"Give it one of {', '.join(ASSERTIONS)}.", on="header")
    if "query" in table and not asks:
        yield _refused((*path, "query"), f"{about} asks, and expects nothing", "Give it finds or never_finds.")
    for key in ("finds", "never_finds"):
        if key in table and "query" not in table:
            advice = "Give it a query." if key == "finds" else "Give it a query, or call it not_visible."
            yield _refused((*path, key), f"{about} has {key} and no query", advice)
    if "within" in table and "finds" not in table:
        advice = "Give it finds; never_finds looks at all 20 matches that a model may ask for."
        yield _refused((*path, "within"), f"{about} has within and no finds", advice)
    for key in _LISTS:
        for each in lists.repeats(table.get(key), (*path, key)):
            yield replace(each, drop=path)


def _refused(path: Node, message: str, advice: str, **rest: Any) -> Fault:
    return fault("config-invalid", path, message, advice, drop=path[:2], **rest)


def _reworded(each: Fault, data: Mapping[str, Any]) -> Fault:
    """A complaint of the model, in the words of a test file: no key of a config is offered where none is near."""
    finding = each.finding
    path = finding.place.path if finding.place is not None else ()
    if finding.slug == "config-invalid" and len(path) == 3 and data["tests"][path[1]].get(path[2]) in ([], {}):
        empty = replace(finding, message=f"{where(path)} is empty", advice="Fill it in, or leave the key out.")
        return replace(each, finding=empty)
    if finding.slug != "config-unknown-key" or finding.details:
        return each
    keys = ExpectationFile.model_fields if len(path) == 1 else Expectation.model_fields
    message = f'{where(path[:-1])} has no key "{shown(str(path[-1]), 60)}"'
    if len(path) == 1 and path[0] in Expectation.model_fields:
        message += "; it belongs in [[tests]]"
    advice = f"Remove it; there are {', '.join(keys)}."
    return replace(each, finding=replace(finding, message=message, advice=advice))


def _in_file(name: str, each: Fault) -> Finding:
    finding = each.finding
    subjects = tuple(f"{name}:{subject}" for subject in finding.subjects)
    place = replace(finding.place, file=name) if finding.place is not None else None
    return replace(finding, subjects=subjects, place=place)
