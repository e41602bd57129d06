"""A text that imitates the layout of a prompt or of an answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown
from mcpexpose.surface.answers import NEWLY_AVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")

_FORMS = (
    ("an entry of find_tools", re.compile(r"^\s*\d+\.\s+\S+\s+\[score\s*=", re.MULTILINE)),
    ("the heading of the servers section", re.compile(r"^\s*#+\s*MCP servers\b", re.MULTILINE | re.IGNORECASE)),
    (
        "a message of the system",
        re.compile(
            r"<!--\s*system\b|</?(?:system|assistant|system-reminder|function_results|tool_result|system_prompt"
            r"|tool_calls?|function_calls?|tool_use|tool_response|invoke|important)\b[^>]*>"
            r"|<\|[a-z_]{3,30}\|>|\[/?INST\]|<<SYS>>|^\s*(?:Human|System|Assistant)\s*:\s",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    (
        "the last line of an answer or of the servers section",
        re.compile(
            rf"^\s*(?:{NEWLY_AVAILABLE.rstrip(': ')}\b|…\s*and\s+\d[\d,]*\s+more\s+servers)",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    ("the fields of an answer", re.compile(r"\bpolicy(?:_state)?\s*=\s*allowed\b|\bside_effect\s*=\s*read_only\b")),
)

_SIGNS = (
    "<",
    "[score",
    "mcp servers",
    "inst]",
    "human",
    "system",
    "assistant",
    "policy",
    "side_effect",
    "newly",
    "more servers",
)
"""Each form holds one of these."""


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.planned:
        return
    for text in context.texts(tool):
        if len(text.text) < 6 or text.identifier or not _may_imitate(text.text.lower()):
            continue
        lines = "\n".join(text.text.splitlines())  # whatever ends a line for one reader
        found = [what for what, form in _FORMS if form.search(lines)]
        if found:
            yield rule.finding(
                f"{shown(str(tool.id))} imitates {' and '.join(found)} in its {shown(text.field)}",
                (tool.id,),
                "Here it stays on one line or in quotes, and breaks out of nothing; ask its makers why, or replace it.",
                tool.at(*text.place),
                details={"imitates": found},
            )
            return


def _may_imitate(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)
