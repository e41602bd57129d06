"""The examples as modules, and what is the same in the tests of all of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import mcpexpose
from mcpexpose import Connections, Ledger, Runtime
from tests.host.running import Memory

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "adapters"
QUESTION = "The printer is on fire, tell the service desk."
QUERY = {"query": "open a ticket", "limit": 1}
TITLE = {"title": "printer on fire"}
REQUEST_1 = ["find_tools", "desk__status"]
REQUEST_2 = [*REQUEST_1, "desk__open_ticket"]
SECTION = "- desk: Tickets of the service desk"


def example(name: str) -> Any:
    """The module of an example; of 40 lines at most, as users are promised."""
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text("utf-8").splitlines()) <= 40
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def session_of(plan_folder: Path, **more: Any) -> tuple[Any, Memory]:
    """A session over connections of our own, and its events."""
    memory = Memory()
    runtime = Runtime(audit=memory, ledger=Ledger("own.sqlite"), connections=Connections())
    return mcpexpose.load_plan(plan_folder, runtime=runtime).session(**more), memory
