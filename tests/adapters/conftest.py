"""A desk on loopback and a bundle of it, made once: what a test did to the desk is undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from mcpexpose.catalog.store import write as write_catalog
from mcpexpose.client.capture import capture
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from mcpexpose.workspace import Workspace
from tests.fakes.desk import CONFIG, Desk
from tests.fakes.web import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def open_desk() -> Desk:
    return Desk()


@pytest.fixture(scope="session")
def address(open_desk: Desk) -> Iterator[str]:
    with serving(open_desk.app) as where:
        yield where


@pytest.fixture(scope="session")
def bundle(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "config.toml").write_text(CONFIG.format(address=address))
    target = Target("desk", Transport("http", url=f"{address}/mcp"))
    (captured,) = anyio.run(lambda: capture([target], environ={}))
    assert captured.catalog is not None, captured.findings
    write_catalog(folder / "catalogs", captured.catalog)
    Workspace(folder / "config.toml", environ={}).write(folder / "plan")
    return folder / "plan"


@pytest.fixture
def desk(open_desk: Desk) -> Iterator[Desk]:
    tools = dict(open_desk.tools)
    open_desk.calls.clear()
    yield open_desk
    open_desk.tools.clear()
    open_desk.tools.update(tools)


@pytest.fixture
def plan_folder(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundle, for a host whose own files go to another folder than those of the tests before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path / "state"))
    return bundle
