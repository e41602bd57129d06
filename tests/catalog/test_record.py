"""A capture takes the place of the older catalog only where nothing is lost unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.catalog import store
from mcpexpose.catalog.record import compare, record
from mcpexpose.model.catalog import Catalog, revision_of

if TYPE_CHECKING:
    from pathlib import Path


def catalog(*names: str, at: str = "2026-11-30T12:00:00Z") -> Catalog:
    tools = tuple({"name": name, "inputSchema": {}} for name in names)
    return Catalog("up", tools, captured_at=at, revision=revision_of("up", tools))


def test_a_first_capture_is_written(tmp_path: Path) -> None:
    done = record(tmp_path / "catalogs", catalog("a"))
    assert done.written == tmp_path / "catalogs" / "up.json"
    assert done.differs
    assert done.findings == ()


@pytest.mark.parametrize("now", [(), ("a",)])
def test_a_list_that_lost_more_than_half_leaves_the_file_as_it_was(tmp_path: Path, now: tuple[str, ...]) -> None:
    """stale-revision-2: an empty list where there were tools is never silently taken."""
    record(tmp_path, catalog("a", "b", "c"))
    before = (tmp_path / "up.json").read_bytes()
    done = record(tmp_path, catalog(*now))
    assert done.written is None
    assert [finding.slug for finding in done.findings] == ["catalog-shrank"]
    assert done.findings[0].subjects == ("up",)
    assert "--accept-shrink" in done.findings[0].advice
    assert (tmp_path / "up.json").read_bytes() == before


def test_accept_shrink_takes_it(tmp_path: Path) -> None:
    record(tmp_path, catalog("a", "b", "c"))
    done = record(tmp_path, catalog(), accept_shrink=True)
    assert done.findings == ()
    assert store.load(tmp_path, ["up"])[0]["up"].tools == ()


@pytest.mark.parametrize("now", [("a", "b"), ("a", "b", "c", "d", "x"), ("a", "b", "x", "y")])
def test_half_may_go_at_once(tmp_path: Path, now: tuple[str, ...]) -> None:
    record(tmp_path, catalog("a", "b", "c", "d"))
    assert record(tmp_path, catalog(*now)).findings == ()


def test_an_unchanged_list_only_moves_its_stamp_on(tmp_path: Path) -> None:
    record(tmp_path, catalog("a", "b", at="2026-11-01T00:00:00Z"))
    before = (tmp_path / "up.json").read_text()
    done = record(tmp_path, catalog("b", "a", at="2026-11-30T12:00:00Z"))
    assert not done.differs
    assert (tmp_path / "up.json").read_text() == before.replace("2026-11-01T00:00:00Z", "2026-11-30T12:00:00Z")


def test_a_file_that_cannot_be_read_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "up.json").write_text("<<<<<<< HEAD")
    assert record(tmp_path, catalog("a")).written is not None


def test_comparing_writes_nothing(tmp_path: Path) -> None:
    """--check"""
    assert compare(tmp_path, catalog("a")).differs
    record(tmp_path, catalog("a"))
    before = (tmp_path / "up.json").read_bytes()
    assert not compare(tmp_path, catalog("a", at="2027-01-01T00:00:00Z")).differs
    assert compare(tmp_path, catalog("b")).differs
    assert (tmp_path / "up.json").read_bytes() == before
