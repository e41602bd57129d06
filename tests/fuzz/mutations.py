"""Ways to spoil a text: what hypothesis draws are plain tuples, so that it can make a failing case small."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

HOSTILE = (
    "\x1b[31m", "\x1b]0;x\x07", "\u202e", "\u2066", "\u200b", "\U000e0041", "\x00", "\x7f", "\x9b", "\r",
    "\u2028", "\ufffe",
    "%0A::error::x", "\n::error::x", "##[error]x", "<script>", "]]>", "&#0;", "`", "|", "@team",
    "[a](https://evil.example)",
    "$(x)", "${X}", "${X:-${Y}}", "${", "$$", "{{", "%s", "\\", '"', "'", '"""', "'''",
)  # fmt: skip
"""Texts that mean something to a terminal, a workflow, a page, XML, a shell or TOML itself."""

TOML_VALUES = (
    "0", "-1", "1e400", "nan", "inf", "9" * 30, "true", '""', "[]", "{}", '"x"', "1979-05-27",
    "1979-05-27T07:32:00Z", "07:32:00",
    '["*"]', '["*/*"]', '["[", "a/b"]', "[[1], {a = 2}]",
    '"${X}"', '"../../etc/passwd"', '"hidden"', '"auto"', '"read_only"',
    '"1d"', '"9999999999d"', '"\\u0000"', '"\\U0001F600"', "[" * 120 + "]" * 120, '"' + "x" * 5_000 + '"',
    "0x_1", "1__0",
    '"http://u:p@h:99999/"', '"-y"', '["-y", "x@latest"]', '{ TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789" }',
)  # fmt: skip
TOML_LINES = (
    "[mcp_servers]", "[mcp_servers.git]", '[mcp_servers.""]', '[mcp_servers."a/b"]', "[[mcp_servers]]",
    "[tools]", "[profiles.x]",
    "[[waivers]]", 'rule = "x"', "[lint]", "[lint.severity]", '"*" = "off"', "[groups]", '[mcp_servers.git.tools."*"]',
    'extends = ["baseline"]', 'extends = ["./pack.toml"]', 'extends = ["./config.toml", "", "/", "..", "\\u0000"]',
    "schema_version = 2", "# mcpexpose: ignore[x] y", "# mcpexpose: ignore-file[*]", "<<<<<<< HEAD",
    "=======", ">>>>>>> x",
    "a.b.c = 1", "a = 1", "mcp_servers = 1", "policy = []", "exposure.default = 'direct'",
)  # fmt: skip
JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 10**40, 1.5, "", "x",
    [], {}, [[]], {"": {}}, "é" * 300, {"$ref": "#"}, {"$ref": "https://evil.example/x"},
    {"$ref": "#/$defs/a"}, {"type": ["string", 1]}, {"pattern": "(a+)+$"}, {"enum": []}, {"$dynamicRef": "#x"}, False,
    {"type": "object", "properties": {"a": False}, "required": ["a", "b", "b"]}, "2026-11-30T12:00:00Z",
    "9999-99-99", float("inf"), float("nan"), 1e-320, "\ud800",
    *HOSTILE,
)  # fmt: skip

_VALUE = re.compile(rb"=[ \t]*([^\n#]+)")

Step = tuple[int, int, int]
"""What is done, and two numbers that say where and with what; each is taken modulo what there is."""


def steps(most: int = 6) -> st.SearchStrategy[list[Step]]:
    number = st.integers(0, 2**20)
    return st.lists(st.tuples(st.integers(0, 7), number, number), min_size=1, max_size=most)


def spoiled_bytes(data: bytes, step: Step) -> bytes:
    """One stretch gone, twice, elsewhere, or another byte or text in it."""
    kind, where, what = step
    at = where % (len(data) + 1)
    end = min(at + what % 64, len(data))
    hostile = HOSTILE[what % len(HOSTILE)].encode("utf-8", "surrogatepass")
    match kind % 6:
        case 0:
            return data[:at] + data[end:]
        case 1:
            return data[:end] + data[at:end] + data[end:]
        case 2:
            return data[:at] + bytes([what % 256]) + data[at + 1 :]
        case 3:
            return data[:at]
        case 4:
            return data[:at] + b"\xef\xbb\xbf\xff\xfe\xc3(\r\n"[what % 9 :] + data[at:]
    return data[:at] + hostile + data[at:]


def spoiled_toml(data: bytes, step: Step) -> bytes:
    """Lines gone, twice, elsewhere or new; other values; line ends; and bytes, as above."""
    kind, where, what = step
    lines = data.split(b"\n")
    at = where % len(lines)
    match kind:
        case 0:
            values = list(_VALUE.finditer(data))
            if not values:
                return data
            start, end = values[where % len(values)].span(1)
            return data[:start] + TOML_VALUES[what % len(TOML_VALUES)].encode() + data[end:]
        case 1:
            return b"\n".join([*lines[:at], TOML_LINES[what % len(TOML_LINES)].encode(), *lines[at:]])
        case 2:
            return b"\n".join([*lines[:at], *lines[at + 1 + what % 3 :]])
        case 3:
            return b"\n".join([*lines, lines[at]])
        case 4:
            values = list(_VALUE.finditer(data))
            inner = [each for each in values if each[1].startswith(b'"')]
            if not inner:
                return data
            start = inner[where % len(inner)].start(1) + 1
            text = json.dumps(HOSTILE[what % len(HOSTILE)])[1:-1].encode()
            return data[:start] + text.replace(b"\\/", b"/") + data[start:]
        case 5:
            return data.replace(b"\n", (b"\r\n", b"\r", b"\n\n")[what % 3], 1 + where % 5)
    return spoiled_bytes(data, (where ^ what, where, what))


def spoiled_json(data: bytes, step: Step) -> bytes:
    """Another value at a node, a node gone or twice, a text with something in it; and bytes, as above."""
    kind, where, what = step
    try:
        value = json.loads(data)
        nodes = list(_nodes(value))
    except (ValueError, RecursionError):
        kind = 7
    if kind == 7 or not nodes:
        return spoiled_bytes(data, (where ^ what, where, what))
    holder, key = nodes[where % len(nodes)]
    old = holder[key]
    match kind:
        case 0 | 1:
            holder[key] = JSON_VALUES[what % len(JSON_VALUES)]
        case 2:
            del holder[key]
        case 3:
            if isinstance(holder, list):
                holder.append(old)
            else:
                holder[HOSTILE[what % len(HOSTILE)]] = old
        case 4:
            for inner, name in nodes:
                # At the top it stands which server this is; names are what a config goes by.
                if inner is not value and isinstance(inner[name], str) and (where % 2 or name != "name"):
                    inner[name] += "".join(HOSTILE) if what % 2 else HOSTILE[what % len(HOSTILE)]
        case 5:
            text = HOSTILE[what % len(HOSTILE)]
            holder[key] = old[: where % 7] + text + old[where % 7 :] if isinstance(old, str) else text
        case 6:
            for _ in range(what % 150):
                old = {"items": old} if what % 2 else {"anyOf": [old]}
            holder[key] = old
    return json.dumps(value, indent=what % 3 or None, ensure_ascii=bool(what % 2)).encode("utf-8", "surrogatepass")


def _nodes(value: Any) -> Any:
    """Every (holder, key) of a document."""
    if isinstance(value, dict | list):
        for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from _nodes(inner)
