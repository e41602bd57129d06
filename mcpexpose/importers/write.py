"""Drafts as a config of ours: commented, in the order of the source, one line a key where it fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.config.starting import head
from mcpexpose.model.secrets import redact_forms
from mcpexpose.model.text import is_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcpexpose.importers.draft import Draft

_DESCRIPTION = '# description = "What it is for, and when to use it"    # the line that the model reads\n'
_OWNER = '# owner = "me"              # who answers for it\n'
_KEYS = (
    *("command", "args", "cwd", "env_vars", "url", "transport", "bearer_token_env_var"),
    *("startup_timeout_sec", "tool_timeout_sec", "enabled", "required", "description", "exposure", "allow", "deny"),
    "default_tools_approval_mode",
)
_TABLES = ("env", "http_headers", "env_http_headers")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_WIDTH = 110


def config(drafts: Sequence[Draft], files: Iterable[str]) -> str:
    """The text of a config, behind its schema's line; FILES are told in a comment. It holds each draft's `table`."""
    about = f"The servers are from {', '.join(_comment(file) for file in files)}."
    return head(about) + "".join("\n" + _server(draft) for draft in drafts)


def table(draft: Draft) -> dict[str, Any]:
    """A draft as our server's table."""
    out: dict[str, Any] = {}
    args = {int(tail[1]): text for tail, text in draft.texts.items() if tail[0] == "args"}
    for key in _KEYS:
        if (key,) in draft.texts:
            out[key] = draft.texts[key,]
        elif key == "args" and args:
            out[key] = [args[n] for n in sorted(args)]
        elif key == "deny" and draft.denied:
            out[key] = list(draft.denied)
        elif key in draft.values and (draft.values[key] != [] or key == "allow"):
            out[key] = draft.values[key]
    for key in _TABLES:
        inner = {str(tail[1]): text for tail, text in draft.texts.items() if tail[0] == key}
        if inner:
            out[key] = inner
    if draft.tools:
        out["tools"] = {name: dict(settings) for name, settings in draft.tools.items()}
    return out


def quoted(text: str) -> str:
    """TEXT as a string of TOML; what is unseen or steers a terminal stands as an escape."""
    return '"' + "".join(_SHORT.get(char) or (_escape(char) if is_unseen(char) else char) for char in text) + '"'


def _server(draft: Draft) -> str:
    whole = table(draft)
    name = f"mcp_servers.{_key(draft.written_as)}"
    out = ""
    if draft.written_as != draft.name:
        out += f"# {quoted(redact_forms(draft.name))} to {draft.dialect.title}\n"
    if draft.left_out:
        out += f"# left out: {', '.join(_comment(key) for key in draft.left_out)}\n"
    out += f"[{name}]\n"
    for key, value in whole.items():
        if key not in _TABLES and key != "tools":
            out += _line(key, value)
    out += ("" if "description" in whole else _DESCRIPTION) + _OWNER
    for key in _TABLES:
        if key in whole:
            out += f"[{name}.{key}]\n" + "".join(_line(inner, value) for inner, value in whole[key].items())
    for tool, settings in whole.get("tools", {}).items():
        out += f"[{name}.tools.{_key(tool)}]\n" + "".join(_line(key, value) for key, value in settings.items())
    return out


def _line(key: str, value: Any) -> str:
    line = f"{_key(key)} = {_value(value)}\n"
    if isinstance(value, list) and len(line) > _WIDTH:
        return f"{_key(key)} = [\n" + "".join(f"    {_value(item)},\n" for item in value) + "]\n"
    return line


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return quoted(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else quoted(name)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"


def _comment(text: str) -> str:
    return "".join(_escape(char) if is_unseen(char) else char for char in text)
