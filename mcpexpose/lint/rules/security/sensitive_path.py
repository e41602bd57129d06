"""A text that names files where keys and passwords lie."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", audit=True, remembered="tool")

_PATHS = re.compile(
    r"(?:~|\$HOME|/home/\w+|/root|%USERPROFILE%)[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|cursor|claude)\b"
    r"|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b|\.aws/credentials\b|\bmcp\.json\b",
    re.IGNORECASE,
)


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    for text in context.texts(tool) if tool.planned else ():
        if (match := _PATHS.search(text.text)) is not None:
            yield rule.finding(
                f"{shown(str(tool.id))} names {shown(match[0], 60)} in its {shown(text.field)}",
                (tool.id,),
                "Find out why a description needs it.",
                tool.at(*text.place),
            )
            return
