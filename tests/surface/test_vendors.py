"""The types that exports are held against can refuse: without that, their yes would mean nothing."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from mcpexpose.surface.exporters import targets
from tests.surface.vendors import TARGETS, accept

FUNCTION = {"type": "function", "name": "a", "parameters": {"type": "object"}, "strict": False}
CHAT = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
ANTHROPIC = {"name": "a", "input_schema": {"type": "object"}}
GOOD: dict[str, dict[str, Any]] = {
    "anthropic": {"tools": [{**ANTHROPIC, "defer_loading": True}]},
    "anthropic-mcp": {
        "mcp_servers": [{"type": "url", "name": "s", "url": "https://s.example.com"}],
        "tools": [{"type": "mcp_toolset", "mcp_server_name": "s", "configs": {"a": {"enabled": True}}}],
    },
    "openai": {
        "tools": [
            FUNCTION,
            {"type": "namespace", "name": "s", "description": "S", "tools": [{**FUNCTION, "defer_loading": True}]},
        ]
    },
    "openai-mcp": {"tools": [{"type": "mcp", "server_label": "s", "server_url": "https://s", "allowed_tools": ["a"]}]},
    "openai-chat": {"tools": [CHAT], "messages": [{"role": "system", "content": "x"}]},
    "gemini": {"tools": [{"functionDeclarations": [{"name": "a", "parametersJsonSchema": {"type": "object"}}]}]},
    "codex": {"mcp_servers": {"s": {"command": "c", "enabled_tools": [], "tools": {"a": {"approval_mode": "prompt"}}}}},
    "gemini-cli": {"mcpServers": {"s": {"httpUrl": "https://s", "includeTools": ["a"]}}},
    "mcp": {"tools": [{"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]},
}
WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("anthropic", "a key in a tool", {"tools": [{**ANTHROPIC, "inputSchema": {}}]}),
    ("anthropic", "a tool without a name", {"tools": [{"input_schema": {"type": "object"}}]}),
    ("anthropic", "a text for a switch", {"tools": [{**ANTHROPIC, "defer_loading": "true"}]}),
    ("anthropic", "a schema of no object", {"tools": [{"name": "a", "input_schema": {"type": "string"}}]}),
    ("anthropic", "another search tool", {"tools": [{"type": "tool_search_tool_bm25_2", "name": "x"}]}),
    ("anthropic", "a key of a request", {"tool": []}),
    (
        "anthropic-mcp",
        "a key in a config",
        {"tools": [{**GOOD["anthropic-mcp"]["tools"][0], "configs": {"a": {"on": 1}}}]},
    ),
    ("anthropic-mcp", "a server without url", {"mcp_servers": [{"type": "url", "name": "s"}]}),
    ("openai", "a key in a function", {"tools": [{**FUNCTION, "input_schema": {}}]}),
    ("openai", "a function without strict", {"tools": [{"type": "function", "name": "a", "parameters": {}}]}),
    (
        "openai",
        "a key deep in a namespace",
        {"tools": [{**GOOD["openai"]["tools"][1], "tools": [{**FUNCTION, "x": 1}]}]},
    ),
    ("openai-mcp", "an unknown approval", {"tools": [{**GOOD["openai-mcp"]["tools"][0], "require_approval": "maybe"}]}),
    ("openai-chat", "a key in a function", {"tools": [{"type": "function", "function": {"name": "a", "schema": {}}}]}),
    ("openai-chat", "a function outside its wrapper", {"tools": [FUNCTION]}),
    ("gemini", "a key in a declaration", {"tools": [{"functionDeclarations": [{"name": "a", "inputSchema": {}}]}]}),
    (
        "gemini",
        "a keyword of JSON Schema that is not in the subset",
        {"tools": [{"functionDeclarations": [{"name": "a", "parametersJsonSchema": {"not": {}}}]}]},
    ),
    (
        "gemini",
        "a keyword that the OpenAPI subset lacks",
        {"tools": [{"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT", "const": 1}}]}]},
    ),
    ("codex", "a server with all its tools", {"mcp_servers": {"s": {"command": "c"}}}),
    ("codex", "a key in a server", {"mcp_servers": {"s": {"enabled_tools": [], "allow": []}}}),
    ("gemini-cli", "a server that nobody is asked about", {"mcpServers": {"s": {"includeTools": [], "trust": True}}}),
    ("gemini-cli", "a server with all its tools", {"mcpServers": {"s": {"command": "c"}}}),
    ("mcp", "a tool without a schema", {"tools": [{"name": "a"}]}),
]


def test_every_target_has_types_to_be_held_against() -> None:
    assert set(TARGETS) == set(targets())


@pytest.mark.parametrize("target", GOOD)
def test_what_is_right_is_accepted(target: str) -> None:
    accept(target, GOOD[target])


@pytest.mark.parametrize(("target", "what", "value"), WRONG, ids=[f"{target}: {what}" for target, what, _ in WRONG])
def test_what_is_wrong_is_refused(target: str, what: str, value: dict[str, Any]) -> None:
    with pytest.raises((ValidationError, KeyError)):
        accept(target, value)


def test_a_key_that_mcp_does_not_know_is_refused() -> None:
    with pytest.raises(AssertionError):
        accept("mcp", {"tools": [{"name": "a", "inputSchema": {"type": "object"}, "defer_loading": True}]})
