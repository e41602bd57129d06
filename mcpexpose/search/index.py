"""Builds the Whoosh index of a plan: the same bytes for the same definitions, wherever and whenever it is built."""

from __future__ import annotations

import json
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mcpexpose.search import whoosh_write
from mcpexpose.search.postings import TermPostings, invert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

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
    return files_of(inverted(definitions, synonyms or {}), len(definitions), plan_digest=plan_digest)


def inverted(definitions: Sequence[bytes], synonyms: Mapping[str, Sequence[str]]) -> Mapping[str, TermPostings]:
    """Every term of DEFINITIONS with its documents: what index and table are written from."""
    return invert(decode(definitions), synonyms)


def files_of(terms: Mapping[str, TermPostings], documents: int, *, plan_digest: str) -> dict[str, bytes]:
    """The index of what `inverted` gave for so many definitions."""
    lengths = [1] * documents
    for found in terms.values():
        for row in found.listed()[0]:
            lengths[row] += 1
    ordered = {term: terms[term].listed() for term in sorted(terms, key=str.encode)}
    with quiet_whoosh():
        return whoosh_write.files(ordered, lengths, plan_digest[: whoosh_write.ID_LENGTH])


def decode(definitions: Sequence[bytes]) -> list[dict[str, Any]]:
    """Each definition as the object that it is."""
    return [json.loads(definition) for definition in definitions]


@contextmanager
def quiet_whoosh() -> Iterator[None]:
    """Whoosh is imported within: one of its modules holds an escape that Pythons warn of when they compile it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "invalid escape sequence")
        warnings.filterwarnings("ignore", ".* is an invalid escape sequence", SyntaxWarning)
        yield
