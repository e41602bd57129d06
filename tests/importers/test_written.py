"""The config that is written: it reads back equal, lints without a fault of its own, and is the same each time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.config import document, load
from mcpexpose.importers.dialects import BY_NAME, DIALECTS
from mcpexpose.importers.importing import import_files
from mcpexpose.importers.source import of_bytes
from mcpexpose.importers.write import quoted
from mcpexpose.lint.registry import all_rules
from mcpexpose.model.errors import InputMissing, UsageRefused
from mcpexpose.model.text import is_unseen
from tests.importers.importing import imported, servers

FACTS = {
    *("config-control-characters", "env-syntax", "server-id-not-portable", "config-invalid", "config-duplicate"),
    *("server-id-separator", "reserved-name", "env-foreign-syntax", "config-description-multiline", "config-value"),
}
"""What the source itself may be at fault for: its ids, addresses, names of headers."""


@settings(deadline=None)
@given(st.text())
def test_a_text_reads_back_equal_and_shows_what_is_in_it(text: str) -> None:
    """Nothing unseen, nothing that steers a terminal stands raw in the file (law 6)."""
    written = quoted(text)
    assert tomllib.loads(f"a = {written}")["a"] == text
    assert not any(is_unseen(char) for char in written)


TEXTS = ["${X}", "${env:X}", "$X", "https://u:p4ssw0rd@h/mcp", "Bearer abcdef123456", "*", "stdio", "sse"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 70_000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["mcp__a__b", "mcp__*", "a_*", "*", "a", "Mcp(a:*)", "mcp:a:b", "a__{b", "a_[", "allow", "deny"]
)
RULES = st.recursive(
    NAMES | st.booleans() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            NAMES | st.sampled_from(["ask", "allowed", "excluded", "tool_permissions", "tools", "default", "exclude"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted({key for dialect in DIALECTS for key in dialect.keys}))
ENTRIES = st.dictionaries(KEYS, VALUES, max_size=6) | VALUES
TOPS = st.sampled_from(sorted({place[0] for dialect in DIALECTS for place in dialect.servers}))
BESIDE = st.dictionaries(
    st.sampled_from(sorted({key for dialect in DIALECTS for key in dialect.beside})), RULES | VALUES, max_size=2
)


@settings(max_examples=100, deadline=None)
@given(
    TOPS,
    st.dictionaries(st.text(max_size=8) | st.just("a"), ENTRIES, max_size=3),
    BESIDE,
    st.sampled_from(["x.json", "x.yaml"]),
    st.none() | st.sampled_from(sorted(BY_NAME)),
)
def test_whatever_a_host_s_file_holds_what_is_written_is_a_config(
    top: str, entries: dict[str, Any], beside: dict[str, Any], name: str, host: str | None
) -> None:
    """Never an exception; the config parses, and is at fault for nothing but the source's own facts (C01, C04)."""
    source = of_bytes(json.dumps({**beside, top: entries}).encode(), name)
    result = import_files([source], BY_NAME[host] if host else None)
    assert all(finding.location and finding.message and finding.subjects for finding in result.findings)
    assert all(finding.severity is all_rules()[finding.slug].severity for finding in result.findings)
    if not result.text:
        return
    read = document.of_bytes(result.text.encode(), "config.toml")
    assert read.data is not None, read.findings
    config, findings = load.parse(read)
    assert config is not None
    slugs = {finding.slug for finding in findings}
    assert slugs <= FACTS, (slugs, result.text)
    assert list(read.data["mcp_servers"]) == list(result.servers)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["x.json", "x.toml", "x.yaml", "x"]))
def test_no_bytes_are_an_exception(data: bytes, name: str) -> None:
    """A finding, or a refusal by name."""
    try:
        result = import_files([of_bytes(data, name)])
    except (InputMissing, UsageRefused):
        return
    assert result.text == "" or result.servers


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_damage_to_a_good_file_is_an_exception(data: st.DataObject) -> None:
    """A byte changed, cut out or doubled in files as people keep them."""
    path = data.draw(st.sampled_from(GOOD))
    raw = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, max(len(raw) - 1, 0)))
    raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    import_files([of_bytes(bytes(raw), path.name)])


ACCEPTANCE = Path(__file__).parent.parent / "acceptance"
GOOD = sorted(
    path
    for folder in ("cases", "further")
    for case in (ACCEPTANCE / folder).glob("import-*")
    for path in case.iterdir()
    if path.suffix in (".json", ".toml", ".yaml", ".jsonc")
)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.parent.name)
def test_the_order_of_files_as_people_keep_them_is_kept_and_nothing_is_at_fault(path: Path) -> None:
    """Keys in the operator's order; the same text each time (C01)."""
    source = of_bytes(path.read_bytes(), path.name)
    result = import_files([source])
    assert result.text == import_files([of_bytes(path.read_bytes(), path.name)]).text
    if not result.text:
        return
    config, findings = load.parse(document.of_bytes(result.text.encode(), "config.toml"))
    assert config is not None
    assert {finding.slug for finding in findings if finding.severity == "error"} == set()
    ids = list(servers(result))
    assert sorted(ids, key=lambda each: source.text.find(f'"{each}"') if source.form == "json" else 0) == ids


def test_the_file_says_what_was_left_out_and_what_is_to_be_written() -> None:
    """A reviewer needs no second window."""
    entry = {"command": "x", "args": ["a" * 60, "b" * 60], "icon": "i", "env": {"A": "1"}}
    result = imported((".mcp.json", json.dumps({"mcpServers": {"my server": entry}})))
    assert result.text.endswith(
        f"""
# left out: icon
[mcp_servers."my server"]
command = "x"
args = [
    "{"a" * 60}",
    "{"b" * 60}",
]
# description = "What it is for, and when to use it"    # the line that the model reads
# owner = "me"              # who answers for it
[mcp_servers."my server".env]
A = "1"
"""
    )
    assert result.undescribed == ("my server",)
    assert " The servers are from .mcp.json (Claude Code).\n" in result.text


def test_what_is_commented_out_can_be_switched_on_as_it_stands() -> None:
    """As in the config that `init` writes alone (C01)."""
    result = imported((".mcp.json", json.dumps({"mcpServers": {"a": {"command": "x", "icon": "i"}}})))
    text = "\n".join(
        line.removeprefix("# ") if line.startswith(("# description", "# owner")) else line
        for line in result.text.split("\n")
    )
    config, findings = load.parse(document.of_bytes(text.encode(), "config.toml"))
    assert config is not None
    assert findings == ()
    assert config.mcp_servers["a"].owner == "me"


def test_names_of_files_and_servers_cannot_end_a_comment() -> None:
    """A name with a line break writes no key."""
    entry = {"command": "x", "k\nexposure = 'direct'": 1}
    result = imported(("a\nb.json", json.dumps({"mcpServers": {"s\n[policy]": entry}})))
    found = tomllib.loads(result.text)
    assert found["policy"] == {"auto_approve": ["read_only"]}
    assert servers(result) == {"s-[policy]": {"command": "x"}}
