"""A plan of three servers on disk, loaded."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pytest

import mcpexpose
from mcpexpose.bundle.write import write
from mcpexpose.model.policy import Exposure, SideEffect
from tests.builders import compiled, profile, tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcpexpose import HostPlan
    from mcpexpose.model.plan import Compiled

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def done() -> Compiled:
    issue = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    return compiled(
        tool("ci", "get_job_logs", "Read the logs of a job"),
        tool("ci", "retry_job", "Run a job again", side_effect=SideEffect.WRITE),
        tool("gh", "create_issue", "Open a new issue", side_effect=SideEffect.WRITE, schema=issue),
        tool("gh", "search_issues", "Find issues by words", outputSchema={"type": "object"}),
        tool("gh", "get_issue", "Read one issue", exposure=Exposure.DIRECT),
        tool("zz", "status", "Health of all services", exposure=Exposure.DIRECT),
        profiles=[
            profile("ci", ["ci/get_job_logs", "ci/retry_job", "zz/status"], ["ci/get_job_logs"]),
            profile("none", []),
            profile("read", ["ci/get_job_logs", "gh/get_issue", "gh/search_issues", "zz/status"]),
        ],
    )


@pytest.fixture
def load(tmp_path: Path, done: Compiled) -> Callable[..., HostPlan]:
    """Writes a plan and loads it, on the 30th of November 2026 at noon."""

    def make(other: Compiled | None = None) -> HostPlan:
        write(other or done, tmp_path / "plan")
        return mcpexpose.load_plan(tmp_path / "plan", clock=lambda: NOW)

    return make


@pytest.fixture
def plan(load: Callable[..., HostPlan]) -> HostPlan:
    return load()
