"""Options of the whole suite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator


# A run says of a change what it says everywhere, on a slow machine too; other examples each time are for whoever looks
# for faults.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("any"), derandomize=True, database=None)
settings.load_profile("same" if os.environ.get("MCPEXPOSE_FUZZ", "1") == "1" else "any")

OF_WHOEVER_RUNS_THEM = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR", "CLICOLOR_FORCE"),
    *("GITHUB_ACTIONS", "PYTEST_ADDOPTS"),
    *("MCPEXPOSE_CONFIG", "MCPEXPOSE_DEBUG", "MCPEXPOSE_STATE_DIR"),
)
"""Variables that change what is printed, or what is read, for a reason that no test has."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite expected files; read the diff before keeping it"
    )


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is remembered between runs is kept out of the home of whoever runs the tests, and nothing that is set for
    their terminal or their CI changes what a test sees.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in OF_WHOEVER_RUNS_THEM:
            patch.delenv(name, raising=False)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
