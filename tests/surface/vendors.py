"""The vendors' own published types, as strict as they can be read: no key that is not theirs, lists read to the end."""

from __future__ import annotations

import collections.abc
import types
import typing
from functools import cache
from typing import Annotated, Any, ForwardRef, Union, get_args, get_origin

import typing_extensions
from pydantic import TypeAdapter

_LISTS = {list, collections.abc.Iterable, collections.abc.Sequence}
_REQUIRED = {typing.Required, typing_extensions.Required}
_OPTIONAL = {typing.NotRequired, typing_extensions.NotRequired}


def strict(hint: Any) -> Any:
    """HINT with every TypedDict in it closed to other keys, and every iterable a list, which pydantic reads whole."""
    if typing_extensions.is_typeddict(hint):
        return _closed(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return strict(args[0])
    if origin in (Union, types.UnionType):
        return Union[tuple(strict(arg) for arg in args)]  # noqa: UP007 - of types that are known at run time alone
    if origin in _LISTS or getattr(origin, "__name__", "") == "SequenceNotStr":
        return list[strict(args[0])]  # type: ignore[misc]
    if origin in (dict, collections.abc.Mapping):
        return dict[args[0], strict(args[1])]  # type: ignore[misc,valid-type]
    if origin in _REQUIRED | _OPTIONAL:
        return strict(args[0])
    if isinstance(hint, ForwardRef | str):
        return Any  # what refers to itself: nothing that is exported here
    return hint


@cache
def _closed(source: Any) -> Any:
    hints = typing_extensions.get_type_hints(source, include_extras=True)
    fields = {
        name: (typing_extensions.Required if _is_required(source, name, hint) else typing_extensions.NotRequired)[
            strict(hint)
        ]
        for name, hint in hints.items()
    }
    made = typing_extensions.TypedDict(source.__name__, fields)  # type: ignore[operator]
    allowed = getattr(source, "__pydantic_config__", {}).get("extra")
    made.__pydantic_config__ = {"extra": allowed or "forbid", "arbitrary_types_allowed": True}
    return made


def _is_required(source: Any, name: str, hint: Any) -> bool:
    """By the hint itself: where annotations are texts, the class knows its required keys wrongly."""
    if get_origin(hint) in _REQUIRED:
        return True
    return get_origin(hint) not in _OPTIONAL and name in source.__required_keys__


@cache
def _adapter(source: Any, key: str) -> TypeAdapter[Any]:
    return TypeAdapter(strict(typing_extensions.get_type_hints(source, include_extras=True)[key]))


def check(source: Any, value: typing.Mapping[str, Any]) -> None:
    """Holds each key of VALUE, a part of a request, against the parameters of that request. Raises ValidationError,
    and KeyError for a key that they do not have.
    """
    for key, part in value.items():
        _adapter(source, key).validate_python(part, strict=True)


def accept(target: str, value: dict[str, Any]) -> None:
    """Holds an exported value against the types of its vendor. Raises ValidationError or KeyError."""
    _CHECKS[target](value)


def _anthropic(value: dict[str, Any]) -> None:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from anthropic.types.tool_param import InputSchemaTyped

    check(MessageCreateParamsNonStreaming, value)
    schemas = TypeAdapter(list[InputSchemaTyped])
    schemas.validate_python([tool["input_schema"] for tool in value["tools"] if "input_schema" in tool], strict=True)


def _anthropic_beta(value: dict[str, Any]) -> None:
    from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming

    check(MessageCreateParamsNonStreaming, value)


def _openai(value: dict[str, Any]) -> None:
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    check(ResponseCreateParamsNonStreaming, value)


def _openai_chat(value: dict[str, Any]) -> None:
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    check(CompletionCreateParamsNonStreaming, value)


def _gemini(value: dict[str, Any]) -> None:
    """The package's models forbid other keys by themselves; the JSON Schema in a declaration is `Any` to it, and is
    held against the model that it has of it.
    """
    from google.genai import types as genai

    allowed = {"tools": genai.Tool, "systemInstruction": genai.Content}
    for key, part in value.items():
        for each in part if isinstance(part, list) else [part]:
            allowed[key].model_validate(each)
    for tool in value["tools"]:
        for each in tool["functionDeclarations"]:
            genai.JSONSchema.model_validate(each.get("parametersJsonSchema", {}))


def _mcp(value: dict[str, Any]) -> None:
    """The SDK's models let unknown keys fall; so what they hold is compared with what went in."""
    from mcp_types import ListToolsResult

    read = ListToolsResult.model_validate(value).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert read == value


class _CodexTool(typing_extensions.TypedDict):
    approval_mode: typing.Literal["auto", "prompt", "writes", "approve"]


class _Codex(typing_extensions.TypedDict, total=False):
    """A table of Codex's `[mcp_servers]`, by its reference."""

    __pydantic_config__ = {"extra": "forbid"}  # type: ignore[misc]  # noqa: RUF012 - pydantic looks for it here
    command: str
    args: list[str]
    env: dict[str, str]
    env_vars: list[str]
    cwd: str
    url: str
    bearer_token_env_var: str
    http_headers: dict[str, str]
    env_http_headers: dict[str, str]
    startup_timeout_sec: float
    tool_timeout_sec: float
    enabled_tools: typing_extensions.Required[list[str]]
    tools: dict[str, _CodexTool]


class _GeminiCli(typing_extensions.TypedDict, total=False):
    """An entry of Gemini CLI's `mcpServers`, by its reference; `trust` is left out of it on purpose."""

    __pydantic_config__ = {"extra": "forbid"}  # type: ignore[misc]  # noqa: RUF012 - pydantic looks for it here
    command: str
    args: list[str]
    env: dict[str, str]
    cwd: str
    httpUrl: str
    url: str
    headers: dict[str, str]
    timeout: int
    description: str
    includeTools: typing_extensions.Required[list[str]]


def _codex(value: dict[str, Any]) -> None:
    TypeAdapter(dict[str, dict[str, _Codex]]).validate_python(value)
    assert list(value) == ["mcp_servers"]


def _gemini_cli(value: dict[str, Any]) -> None:
    TypeAdapter(dict[str, dict[str, _GeminiCli]]).validate_python(value)
    assert list(value) == ["mcpServers"]


_CHECKS: dict[str, typing.Callable[[dict[str, Any]], None]] = {
    "anthropic": _anthropic,
    "anthropic-regex": _anthropic,
    "anthropic-custom": _anthropic,
    "anthropic-mcp": _anthropic_beta,
    "openai": _openai,
    "openai-custom": _openai,
    "openai-mcp": _openai,
    "openai-chat": _openai_chat,
    "gemini": _gemini,
    "gemini-schema": _gemini,
    "mcp": _mcp,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
}
TARGETS = tuple(_CHECKS)
