"""Names that hosts and providers keep for themselves, so that no server and no tool should carry them."""

from __future__ import annotations

OWN_NAMES = frozenset(
    {
        "find_tools",
        "inspect",
        "inspect_tool",
        "execute",
        "execute_tool",
        "call",
        "call_tool",
        "mcp_servers",
        "mcpexpose",
    }
)
"""What a host built on this package declares or answers to itself."""

PROVIDER_NAMES = frozenset(
    {
        "tool_search",
        "tool_search_tool_regex",
        "tool_search_tool_bm25",
        "multi_tool_use",
        "code_execution",
        "web_search",
        "web_search_preview",
        "file_search",
        "image_generation",
        "code_interpreter",
        "computer_use_preview",
        "local_shell",
        "apply_patch",
    }
)
"""Names of providers' own tools: https://platform.openai.com/docs, https://docs.claude.com (2026-11)."""

_SERVER_IDS = OWN_NAMES | {"tool_search", "multi_tool_use", "functions"}


def folded(name: str) -> str:
    """NAME as a reader compares it: letter case, `-`, `_`, `.` and blanks make no difference, as in `findTools`."""
    return name.casefold().translate(_SEPARATORS)


_SEPARATORS = str.maketrans(dict.fromkeys("-_. "))
_OWN = frozenset(map(folded, OWN_NAMES))
_PROVIDER = frozenset(map(folded, PROVIDER_NAMES))
_IDS = frozenset(map(folded, _SERVER_IDS))


def is_own(name: str) -> bool:
    """Whether a tool of this name reads like one of the host's own."""
    return folded(name) in _OWN


def is_a_providers(name: str) -> bool:
    """Whether a tool of this name reads like one that a provider brings."""
    return folded(name) in _PROVIDER


def is_reserved_server_id(server_id: str) -> bool:
    """Whether a server of this id would stand in the way of a host's own tools."""
    return folded(server_id) in _IDS
