"""An equal plan's index is taken over, and only one that this user's builds made."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpexpose.bundle.built import index_of
from mcpexpose.bundle.read import open_bundle
from mcpexpose.bundle.verify import verify
from mcpexpose.bundle.write import write
from tests.builders import compiled, tool
from tests.bundle.changes import relist

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from mcpexpose.model.plan import Compiled


def test_an_equal_plan_keeps_its_index(bundle: Path, one: Compiled) -> None:
    """A new capture of the same tools writes plan and manifest, and takes the index over (C02)."""
    digest = open_bundle(bundle).manifest.plan_digest
    assert index_of(bundle, digest) is not None
    later = replace(one.plan.servers[0], captured_at="2026-11-29T00:00:00Z")
    manifest = write(replace(one, plan=replace(one.plan, servers=(later,))), bundle)
    assert manifest.plan_digest == digest
    assert open_bundle(bundle).plan.servers[0].captured_at == "2026-11-29T00:00:00Z"
    assert verify(bundle) == ()


def test_another_plan_does_not(bundle: Path) -> None:
    """Another plan gets an index of its own (C02)."""
    write(compiled(tool("a", "list_x", "List x"), tool("a", "get_y", "Get it")), bundle)
    assert verify(bundle) == ()


def test_an_index_with_a_mended_manifest_is_not_taken_over(bundle: Path, one: Compiled) -> None:
    """What somebody else put there, digests and all, does not survive the next build (C02)."""
    digest = open_bundle(bundle).manifest.plan_digest
    for file in (bundle / "index").iterdir():
        file.write_bytes(file.read_bytes() + b"more")
    relist(bundle)
    assert open_bundle(bundle).manifest.plan_digest == digest
    assert index_of(bundle, digest) is None
    write(one, bundle)
    assert verify(bundle) == ()


def test_without_a_cache_everything_is_built(tmp_path: Path, one: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be written, or a user without a home, stops no build (C02)."""
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path / "file"))
    digest = write(one, tmp_path / "plan").plan_digest
    assert index_of(tmp_path / "plan", digest) is None
    write(one, tmp_path / "plan")
    assert verify(tmp_path / "plan") == ()


def test_notes_do_not_pile_up(bundle: Path, one: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest notes go (C02)."""
    monkeypatch.setattr("mcpexpose.bundle.built.NOTES_MAX", 3)
    for name in "abcdef":
        write(compiled(tool("a", name)), bundle)
    notes = [path for path, _, files in os.walk(os.environ["MCPEXPOSE_STATE_DIR"]) for _ in files]
    assert len(notes) == 3
    write(one, bundle)
    assert verify(bundle) == ()


def test_a_note_that_others_may_have_written_is_none(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is taken over on this user's own word alone (C02)."""
    digest = open_bundle(bundle).manifest.plan_digest
    assert index_of(bundle, digest) is not None
    monkeypatch.setattr(os, "geteuid", lambda: bundle.stat().st_uid + 1)
    assert index_of(bundle, digest) is None
