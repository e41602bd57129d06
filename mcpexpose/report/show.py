"""Request 1 as the model gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.report.jsonout import dump
from mcpexpose.report.words import count, share
from mcpexpose.surface.declarations import declaration_text

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen
    from mcpexpose.surface.view import View


def render_json(view: View, window: int) -> str:
    """Declarations in their order, the prompt section to the letter, tokens by part."""
    return dump(
        {
            "declared": list(view.declared),
            "prompt_section": view.prompt_section,
            "tokens": {
                "tools": view.tokens_tools,
                "search_tool": view.tokens_search_tool,
                "prompt_section": view.tokens_prompt_section,
                "total": view.tokens,
                "context_window": window,
            },
        }
    )


def render_text(view: View, window: int, screen: Screen) -> str:
    """The prompt section, then each declaration on its line, as JSON; then what they weigh."""
    lines = []
    if view.prompt_section:
        lines += [*(screen.text(line) for line in view.prompt_section.split("\n")), ""]
    lines += [screen.text(declaration_text(tool)) for tool in view.declared]
    if view.declared:
        lines.append("")
    lines.append(
        f"{count(len(view.declared), 'definition')} {view.tokens_tools + view.tokens_search_tool:,} tokens + "
        f"servers section {view.tokens_prompt_section:,} = {view.tokens:,} ({share(view.tokens, window)} of {window:,})"
    )
    return "\n".join(lines) + "\n"
