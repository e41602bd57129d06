"""What providers and hosts refuse, cut or drop: one row a limit, with its source and the day it was looked up.

Lint measures against the rows of `[exposure] targets`, and exporters bring schemas into a form that the rows of theirs
let through. A row that no longer holds is one line to mend here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from mcpexpose.model.records import dataclass

Rule = Literal[
    "tool-name",
    "tool-name-length",
    "tools",
    "description-length",
    "root-object",
    "root-properties",
    "root-keywords",
    "property-name",
    "array-items",
    "only-2020-12",
    "refused-keywords",
    "one-type",
    "no-boolean-schema",
    "no-null-branch",
    "text-enum",
    "kept-keywords",
    "alone-keywords",
    "typed",
    "deferred-tools",
    "server-label",
]
"""The last five only steer exports: all keywords that there are; keywords beside which nothing may stand; whether what
belongs to one type needs it said; the most deferred tools of a request; what a server may be called."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What TARGET demands. `value` is a pattern, a number, a tuple of words, or True."""

    target: str
    rule: Rule
    value: str | int | tuple[str, ...] | bool
    source: str
    seen: str
    """The day on which the source said so, ISO 8601."""


DEFAULT_TARGETS = ("anthropic", "openai")
"""Measured against where a config names no targets."""
PORTABLE_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
"""What every provider takes as a tool's name."""
PROTOCOL_NAME = r"[A-Za-z0-9._-]{1,128}"
"""What the protocol recommends for a tool's own name (revision 2025-11-25, SEP-986)."""

_SEEN = "2026-11-30"
_ANTHROPIC = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview"
_OPENAI = "https://github.com/openai/openai-openapi/blob/master/openapi.yaml"
_AZURE = "https://learn.microsoft.com/azure/ai-services/openai/quotas-limits"
_GEMINI = "https://ai.google.dev/api/caching#Schema"
_BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"
_AGENTS = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_Function.html"
_CLAUDE_CODE = "https://code.claude.com/docs/en/mcp"
_GENAI = "https://github.com/googleapis/python-genai, 3.6.1, types.JSONSchema"
_PROTOCOL = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"

_GEMINI_REFUSES = (
    "const",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "patternProperties",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
    "$dynamicRef",
    "$recursiveRef",
)

_GEMINI_SCHEMA = (
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
)
_GEMINI_JSON_SCHEMA = (
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
)
_OPENAI_ROOT = ("oneOf", "anyOf", "allOf", "enum", "not")
_OPENAI_ROOT_SOURCE = "https://github.com/chatanywhere/GPT_API_free/issues/403"
_OPENAI_ITEMS_SOURCE = "https://github.com/apify/apify-mcp-server/issues/36"

LIMITS: tuple[Limit, ...] = (
    Limit("anthropic", "tool-name", r"[A-Za-z0-9_-]+", _ANTHROPIC, _SEEN),
    Limit("anthropic", "tool-name-length", 64, _ANTHROPIC, _SEEN),
    Limit("anthropic", "root-object", True, _ANTHROPIC, _SEEN),
    Limit(
        "anthropic",
        "root-keywords",
        ("oneOf", "anyOf", "allOf"),
        "https://github.com/makenotion/notion-mcp-server/issues/341",
        _SEEN,
    ),
    Limit("anthropic", "property-name", r"[A-Za-z0-9_.-]{1,64}", _ANTHROPIC, _SEEN),
    Limit("anthropic", "only-2020-12", True, "https://github.com/anthropics/claude-code/issues/586", _SEEN),
    Limit(
        "anthropic",
        "deferred-tools",
        10_000,
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
        _SEEN,
    ),
    Limit("openai", "tool-name", r"[A-Za-z0-9_-]+", _OPENAI, _SEEN),
    Limit("openai", "tool-name-length", 64, _OPENAI, _SEEN),
    Limit("openai", "tools", 128, _OPENAI, _SEEN),
    Limit("openai", "description-length", 1_024, _OPENAI, _SEEN),
    Limit("openai", "root-object", True, _OPENAI, _SEEN),
    Limit("openai", "root-properties", True, _OPENAI, _SEEN),
    Limit("openai", "root-keywords", _OPENAI_ROOT, _OPENAI_ROOT_SOURCE, _SEEN),
    Limit("openai", "array-items", True, _OPENAI_ITEMS_SOURCE, _SEEN),
    Limit("openai-responses", "tool-name", r"[A-Za-z0-9_-]+", _OPENAI, _SEEN),
    Limit("openai-responses", "tool-name-length", 128, _OPENAI, _SEEN),
    Limit("openai-responses", "root-object", True, _OPENAI, _SEEN),
    Limit("openai-responses", "root-properties", True, _OPENAI, _SEEN),
    Limit("openai-responses", "root-keywords", _OPENAI_ROOT, _OPENAI_ROOT_SOURCE, _SEEN),
    Limit("openai-responses", "array-items", True, _OPENAI_ITEMS_SOURCE, _SEEN),
    Limit(
        "openai-responses",
        "server-label",
        r"[A-Za-z0-9_-]+",
        "https://github.com/pomerium/mcp-app-demo/issues/18",
        _SEEN,
    ),
    Limit("azure", "tool-name", r"[A-Za-z0-9_-]+", _AZURE, _SEEN),
    Limit("azure", "tool-name-length", 64, _AZURE, _SEEN),
    Limit("azure", "tools", 128, _AZURE, _SEEN),
    Limit("azure", "description-length", 1_024, _AZURE, _SEEN),
    Limit("azure", "root-object", True, _OPENAI, _SEEN),
    Limit("azure", "root-properties", True, _OPENAI, _SEEN),
    Limit("azure", "array-items", True, _OPENAI, _SEEN),
    Limit("gemini", "tool-name", r"[A-Za-z_][A-Za-z0-9_.:-]*", _GEMINI, _SEEN),
    Limit("gemini", "tool-name-length", 64, _GEMINI, _SEEN),
    Limit("gemini", "tools", 512, _GEMINI, _SEEN),
    Limit("gemini", "root-object", True, _GEMINI, _SEEN),
    Limit("gemini", "property-name", r"[A-Za-z_][A-Za-z0-9_]{0,63}", _GEMINI, _SEEN),
    Limit("gemini", "array-items", True, _GEMINI, _SEEN),
    Limit("gemini", "refused-keywords", _GEMINI_REFUSES, _GEMINI, _SEEN),
    Limit("gemini", "one-type", True, _GEMINI, _SEEN),
    Limit("gemini", "no-boolean-schema", True, _GEMINI, _SEEN),
    Limit(
        "gemini",
        "no-null-branch",
        True,
        "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099",
        _SEEN,
    ),
    Limit("gemini", "text-enum", True, "https://github.com/microsoft/azure-devops-mcp/issues/145", _SEEN),
    Limit("gemini", "kept-keywords", _GEMINI_SCHEMA, _GEMINI, _SEEN),
    Limit("gemini", "alone-keywords", ("anyOf",), "https://github.com/anomalyco/opencode/pull/14659", _SEEN),
    Limit("gemini", "typed", True, "https://github.com/goruck/home-generative-agent/pull/527", _SEEN),
    Limit("gemini-json-schema", "tool-name", r"[A-Za-z_][A-Za-z0-9_.:-]*", _GEMINI, _SEEN),
    Limit("gemini-json-schema", "tool-name-length", 64, _GEMINI, _SEEN),
    Limit("gemini-json-schema", "tools", 512, _GEMINI, _SEEN),
    Limit("gemini-json-schema", "root-object", True, _GENAI, _SEEN),
    Limit("gemini-json-schema", "array-items", True, _GEMINI, _SEEN),
    Limit("gemini-json-schema", "kept-keywords", _GEMINI_JSON_SCHEMA, _GENAI, _SEEN),
    Limit("gemini-json-schema", "alone-keywords", ("$ref",), _GENAI, _SEEN),
    Limit("gemini-json-schema", "no-boolean-schema", True, _GENAI, _SEEN),
    Limit("mcp", "tool-name", r"[A-Za-z0-9._-]+", _PROTOCOL, _SEEN),
    Limit("mcp", "tool-name-length", 128, _PROTOCOL, _SEEN),
    Limit("mcp", "root-object", True, _PROTOCOL, _SEEN),
    Limit("bedrock", "tool-name", r"[A-Za-z0-9_-]+", _BEDROCK, _SEEN),
    Limit("bedrock", "tool-name-length", 64, _BEDROCK, _SEEN),
    Limit("bedrock-agents", "tool-name", r"[A-Za-z][A-Za-z0-9_]*", _AGENTS, _SEEN),
    Limit("bedrock-agents", "tool-name-length", 64, _AGENTS, _SEEN),
    Limit("mistral", "tool-name", r"[A-Za-z0-9_-]+", "the server's own error text", _SEEN),
    Limit("mistral", "tool-name-length", 64, "the server's own error text", _SEEN),
    Limit("deepseek", "tool-name", r"[A-Za-z0-9_-]+", "the server's own error text", _SEEN),
    Limit("deepseek", "tool-name-length", 64, "the server's own error text", _SEEN),
    Limit("claude-code", "tool-name-length", 128, _CLAUDE_CODE, _SEEN),
    Limit("claude-code", "description-length", 2_048, _CLAUDE_CODE, _SEEN),
    Limit(
        "claude-code",
        "root-keywords",
        ("oneOf", "anyOf", "allOf"),
        "https://github.com/anthropics/claude-code/issues/95504",
        _SEEN,
    ),
    Limit("cursor", "tool-name-length", 60, "https://docs.cursor.com/context/model-context-protocol", _SEEN),
    Limit("cursor", "tools", 40, "https://docs.cursor.com/context/model-context-protocol", _SEEN),
    Limit("vscode", "tools", 128, "https://code.visualstudio.com/docs/copilot/chat/mcp-servers", _SEEN),
    Limit("vscode", "array-items", True, "https://github.com/agentscope-ai/ReMe/issues/84", _SEEN),
    Limit("codex", "tool-name-length", 128, "https://github.com/openai/codex", _SEEN),
    Limit("antigravity", "tools", 100, "reports of users", _SEEN),
)

TARGETS = tuple(sorted({limit.target for limit in LIMITS}))
"""The names that `[exposure] targets` may hold."""


@cache
def rows_of(target: str) -> Mapping[Rule, str | int | tuple[str, ...] | bool]:
    """What TARGET demands, by rule."""
    return {limit.rule: limit.value for limit in LIMITS if limit.target == target}


def limits(targets: tuple[str, ...], rule: Rule) -> tuple[Limit, ...]:
    """The rows of RULE for TARGETS, or for the default ones where TARGETS is empty, in the table's order."""
    wanted = targets or DEFAULT_TARGETS
    return tuple(limit for limit in LIMITS if limit.rule == rule and limit.target in wanted)


def smallest(targets: tuple[str, ...], rule: Rule) -> tuple[int, tuple[str, ...]] | None:
    """The smallest number that RULE sets for TARGETS, and the targets that set it; None where none does."""
    rows = [(row.value, row.target) for row in limits(targets, rule) if isinstance(row.value, int)]
    if not rows:
        return None
    least = min(value for value, _ in rows)
    return least, tuple(target for value, target in rows if value == least)
