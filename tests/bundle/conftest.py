"""Two plans that differ, and a bundle of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.bundle.write import write
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.plan import Compiled


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test leaves a note in the user's cache, or finds one there."""
    monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def one() -> Compiled:
    return compiled(tool("a", "list_x", "List x"), tool("a", "get_y", "Get y"))


@pytest.fixture
def other() -> Compiled:
    return compiled(tool("a", "list_x", "List x"), tool("b", "get_z", "Get z", schema={"type": "object"}))


@pytest.fixture
def bundle(tmp_path: Path, one: Compiled) -> Path:
    write(one, tmp_path / "plan")
    return tmp_path / "plan"
