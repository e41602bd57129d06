"""The formats of a run of policy tests, by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen
    from mcpexpose.report.tested import TestsReport

FORMATS = {
    "text": "mcpexpose.report.tested_text",
    "json": "mcpexpose.report.tested_json",
    "junit": "mcpexpose.report.tested_junit",
}
"""Name of a format to the module that renders it."""


def render(form: str, report: TestsReport, screen: Screen) -> str:
    """The report in one of FORMATS."""
    text: str = import_module(FORMATS[form]).render(report, screen)
    return text
