"""A deferred tool of which nothing can be indexed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown
from mcpexpose.search import documents
from mcpexpose.search.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="plan")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    for row, tool in enumerate(subject.compiled.plan.tools):
        # The name alone is enough nearly always, and the rest takes long to analyse.
        if tool.exposure is not Exposure.DEFERRED or terms(tool.name) or _has_words(subject.compiled.definitions[row]):
            continue
        yield rule.finding(
            f"{shown(str(tool.id))} has no word to be found by: neither name, text, arguments nor keywords give one",
            (tool.id,),
            f'Give it a description and keywords: `tools."{shown(tool.name)}"` of {shown(tool.server)}.',
            context.tool(tool.id).place,
        )


def _has_words(definition: bytes) -> bool:
    """Whether a word of the tool itself is indexed; its server's name finds all of that server."""
    fields = documents.of(json.loads(definition))
    return any(token.term for field, tokens in fields.items() if field != "server" for token in tokens)
