"""Builds the Whoosh index of a plan: the same bytes for the same definitions, wherever and whenever it is built."""

from __future__ import annotations

import importlib
import json
import warnings
from typing import TYPE_CHECKING, Any

from mcpexpose.search.postings import invert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

FOLDER = "index"
"""The index's folder in a bundle."""


def build(
    definitions: Sequence[bytes],
    directory: Path,
    *,
    plan_digest: str,
    synonyms: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write the index of DEFINITIONS (canonical JSON, in the plan's order) to DIRECTORY, which is made where need be.

    PLAN_DIGEST, 64 hexadecimal digits, names the segment. Raises OSError where a file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files(definitions, plan_digest=plan_digest, synonyms=synonyms).items():
        (directory / name).write_bytes(content)


def files(
    definitions: Sequence[bytes], *, plan_digest: str, synonyms: Mapping[str, Sequence[str]] | None = None
) -> dict[str, bytes]:
    """What `build` writes, by file name: for whoever keeps it elsewhere, or compares it with what stands on disk."""
    inverted = invert(decode(definitions), synonyms or {})
    lengths = [1] * len(definitions)
    for found in inverted.values():
        for row in found.rows:
            lengths[row] += 1
    terms = {term: (inverted[term].rows, inverted[term].weights) for term in sorted(inverted, key=str.encode)}
    whoosh = whoosh_files()
    made: dict[str, bytes] = whoosh.files(terms, lengths, plan_digest[: whoosh.SEGMENT_ID_LENGTH])
    return made


def decode(definitions: Sequence[bytes]) -> list[dict[str, Any]]:
    """Each definition as the object that it is."""
    return [json.loads(definition) for definition in definitions]


def whoosh_files() -> ModuleType:
    """The module that imports whoosh. One of whoosh's own modules holds an escape that newer Pythons warn of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "invalid escape sequence")
        warnings.filterwarnings("ignore", '"\\\\.*" is an invalid escape sequence', SyntaxWarning)
        return importlib.import_module("mcpexpose.search.whoosh_files")
