"""A config at hand as what tests are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.testing.subject import Subject

if TYPE_CHECKING:
    import datetime

    from mcpexpose.workspace import Workspace


def subject_of(workspace: Workspace, name: str, now: datetime.datetime | None = None) -> Subject:
    """The plan of WORKSPACE with all that is not in it; NAME is the config's, for people.

    Raises PlanRefused where the text is no config at all, InputMissing where it is not there.
    """
    compiled = workspace.compiled
    plan = HostPlan(CompiledSource(compiled.plan, compiled.definitions), (lambda: now) if now is not None else None)
    decisions = {decision.id: decision for decision in compiled.decisions}
    return Subject(plan, name, decisions, _configured(workspace))


def _configured(workspace: Workspace) -> dict[str, str]:
    config = workspace.config
    assert config is not None
    out: dict[str, str] = {}
    for server, table in config.written.items():
        if server in config.broken:
            out[server] = "has a table that is at fault"
        elif not table.enabled:
            out[server] = "is switched off"
        else:
            out[server] = "" if server in workspace.catalogs else "has no usable catalog"
    return out
