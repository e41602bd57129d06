"""A plan.json that stands alone, or what `plan --format json` printed: to compare with, never to run from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.bundle import layout, strict
from mcpexpose.bundle.planned import check_plan
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.jsonform import from_json
from mcpexpose.model.plan import PLAN_FORMAT, Plan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from pathlib import Path

_BESIDE = frozenset({"hidden", "left_out", "findings", "writable", "preview", "changes"})
"""Keys that `plan --format json` adds."""
_NO_PLAN = "Name the plan.json of a bundle, or what `mcpexpose plan --format json` gave."


def read_plan(path: Path) -> Plan:
    """The plan in a file. Raises InputMissing where it cannot be read, BundleRefused where it holds no plan of ours."""
    try:
        with path.open("rb") as file:
            data = file.read(layout.PLAN_MAX + 1)
    except OSError as error:
        raise InputMissing(f"{shown(str(path))} cannot be read: {error.strerror}") from None
    name = path.name
    if len(data) > layout.PLAN_MAX:
        raise layout.refusal(layout.damaged(name, f"has more than {layout.PLAN_MAX:,} bytes"))
    try:
        value = strict.loads(data)
    except ValueError:
        raise layout.refusal(layout.damaged(name, "is not JSON", _NO_PLAN)) from None
    if not isinstance(value, dict):
        raise layout.refusal(layout.damaged(name, "is no plan", _NO_PLAN))
    if value.get("format") != PLAN_FORMAT and type(value.get("format")) is int:
        raise layout.refusal(
            layout.other_version("plan format", value["format"], PLAN_FORMAT, value.get("tool_version"))
        )
    try:
        plan = from_json(Plan, {key: each for key, each in value.items() if key not in _BESIDE})
    except (ValueError, TypeError):
        raise layout.refusal(layout.damaged(name, "is no plan, or one of another shape", _NO_PLAN)) from None
    last = plan.tools[-1] if plan.tools else None
    if finding := check_plan(plan, last.offset + last.length + 1 if last else 0):
        raise layout.refusal(finding)
    return plan
