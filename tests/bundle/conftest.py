"""Two plans that differ, and a bundle of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.bundle.write import write
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.plan import Compiled


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
