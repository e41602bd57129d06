"""Reading files of other hosts: three notations, their places, and what is refused."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from mcpexpose.importers import jsonc
from mcpexpose.importers.source import MAX_BYTES, Source, of_bytes
from mcpexpose.importers.tree import MAX_LEVELS
from mcpexpose.model.errors import UsageRefused
from tests.importers.importing import imported, servers


def read(text: str, name: str = "x.json") -> Source:
    return of_bytes(text.encode(), name)


def test_comments_and_trailing_commas_are_no_fault_and_move_nothing() -> None:
    """Every place is that of the text as it stands (C04)."""
    text = '{\n // a "comment" {\n "a": [1, 2, /* , */ ],\n /* two\n lines */ "b": {"c": "http://x//y /* z */",},\n}\n'
    source = read(text)
    assert source.data == {"a": [1, 2], "b": {"c": "http://x//y /* z */"}}
    at = source.at(("b", "c"))
    assert (at.line, at.column) == (5, 22)
    assert source.line(5) == ' lines */ "b": {"c": "http://x//y /* z */",},'
    assert len(jsonc.plain(text)) == len(text)


@pytest.mark.parametrize("text", ['{"a": "x // y"}', '{"a": "\\" // y", "b": ",]"}', '{"a,": ", }"}', "{}"])
def test_texts_that_look_like_comments_stay(text: str) -> None:
    assert jsonc.plain(text) == text


@pytest.mark.parametrize(
    ("name", "text", "path", "place"),
    [
        ("x.json", '{"a": {"b": [10, 20]}}', ("a", "b", 1), (1, 18)),
        ("x.toml", "[a]\nb = [10, 20]\n", ("a", "b", 1), (2, 10)),
        ("x.yaml", "a:\n  b: [10, 20]\n", ("a", "b", 1), (2, 11)),
        ("x.json", '{"a": {"b": 1}}', ("a", "c"), (1, 7)),
        ("x.toml", "[a]\nb = 1\n", ("a", "c"), (1, 1)),
        ("x.yaml", "a:\n  b: 1\n", ("a", "c"), (2, 3)),
    ],
)
def test_every_notation_has_places(name: str, text: str, path: tuple[Any, ...], place: tuple[int, int]) -> None:
    """The value's, or that of what it would stand in."""
    at = read(text, name).at(path)
    assert (at.line, at.column) == place


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("mcp", "// x\n{}", "json"),
        ("config", "# x\n[mcp_servers.a]\ncommand = 'a'\n", "toml"),
        ("config", "model = 'x'\n", "toml"),
        ("config", "extensions:\n  a: {}\n", "yaml"),
        ("SETTINGS.JSON", "{}", "json"),
        ("librechat.yml", "{}", "yaml"),
    ],
)
def test_a_notation_is_told_by_the_name_else_by_the_text(name: str, text: str, form: str) -> None:
    assert read(text, name).form == form


def test_yaml_is_read_as_rust_and_javascript_read_it() -> None:
    """Words of YAML 1.1, times and octals are texts; tags are not obeyed, aliases are."""
    text = "a: [yes, on, 22:22, 0o17, 012, 1_000, 2020-01-01, ~, null, true, 1.5, -3, 'no', '1']\nb: &x {c: 1}\nd: *x\n"
    assert read(text, "x.yaml").data == {
        "a": ["yes", "on", "22:22", "0o17", 12, "1_000", "2020-01-01", None, None, True, 1.5, -3, "no", "1"],
        "b": {"c": 1},
        "d": {"c": 1},
    }
    assert read('{"a": "\\ud83d\\ude00"}', "x.yaml").data == {"a": "😀"}


DEEP = MAX_LEVELS + 1
BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 8)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "data", "hint"),
    [
        ("x.json", b"", "empty"),
        ("x.json", b"{", "expecting"),
        ("x.json", b"[]", "no table"),
        ("x.json", b'{"a": NaN}', "NaN"),
        ("x.json", b'{"a": "\\ud800"}', "surrogate"),
        ("x.json", b'{"a": "\x07"}', "control character"),
        ("x.json", b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nests deeper"),
        ("x.json", b"[" * 100_000, "nests deeper"),
        ("x.json", b'{"a": "\xff"}', "not UTF-8"),
        ("x.json", "{}".encode("utf-16"), "UTF-16"),
        ("x.json", b"<<<<<<< HEAD\n{}", "merge-conflict"),
        ("x.toml", b"a = \n", "value is missing"),
        ("x.toml", b"a = " + b"[" * DEEP + b"]" * DEEP, "nests deeper"),
        ("x.toml", b"a = '\xff'", "not UTF-8"),
        ("x.yaml", b"a: !!python/object/apply:os.system [id]\n", "tag"),
        ("x.yaml", b"a: !secret x\n", "tag"),
        ("x.yaml", b"a:\n\tb: 1\n", "line"),
        ("x.yaml", b"? [1]\n: x\n", "key is no text"),
        ("x.yaml", b"a: 1\n---\na: 2\n", "another document"),
        ("x.yaml", b"a: \x1b[31m\n", "control character"),
        ("x.yaml", b"a: &a [*a]\n", "nests deeper"),
        ("x.yaml", BOMB.encode(), "aliases unfolded"),
        ("x.yaml", b"x: " + b"[" * 5_000, "nests deeper"),
        ("x.yaml", b"- " * 5_000, "nests deeper"),
        ("x.yaml", b"? " * 5_000, "nests deeper"),
        ("x.yaml", b"- a\n", "no table"),
        ("x.yaml", b'a: "\\ud800"\n', "surrogate"),
    ],
)
def test_what_cannot_be_read_is_one_finding_at_its_place(name: str, data: bytes, hint: str) -> None:
    """Never an exception, never half of a file (C04)."""
    source = of_bytes(data, name)
    assert source.data is None
    (finding,) = source.findings
    assert finding.slug == "import-syntax"
    assert finding.location
    assert hint.casefold() in (finding.message.casefold() if hint != "line" else f"line {finding.location.line}")


@pytest.mark.parametrize("form", MAX_BYTES)
def test_a_file_beyond_its_limit_is_not_read(form: Any) -> None:
    source = of_bytes(b" " * (MAX_BYTES[form] + 1), f"x.{form}")
    assert source.data is None
    assert "larger than" in source.findings[0].message


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault() -> None:
    for name, text in (("x.json", '{\r\n"a": 1}'), ("x.toml", "\r\na = 1\r\n"), ("x.yaml", "\r\na: 1\r\n")):
        source = of_bytes(b"\xef\xbb\xbf" + text.encode(), name)
        assert source.data == {"a": 1}
        assert source.at(("a",), "key").line == 2


def test_of_a_key_that_stands_twice_the_first_stays_and_the_second_is_told() -> None:
    for name, text in (
        ("x.json", '{"a": {"b": 1, "c": {"d": 1}, "b": {"e": 2}}}'),
        ("x.yaml", "a:\n  b: 1\n  c: {d: 1}\n  b: {e: 2}\n"),
    ):
        source = read(text, name)
        assert source.data == {"a": {"b": 1, "c": {"d": 1}}}
        assert source.repeat_within(("a",)) == ("a", "b")
        assert source.repeat_within(("a", "c")) is None


def test_without_pyyaml_yaml_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON and TOML are read all the same."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "yaml":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageRefused, match=r"mcpexpose\[yaml\]"):
        read("a: 1", "x.yaml")
    assert read("{}").data == {}


def test_what_an_entry_of_yaml_refers_to_is_read() -> None:
    """Its own keys count first; a filter that servers share is not lost."""
    text = """
base: &base {command: x, disabled: false, disabledTools: [drop]}
more: &more {command: z, args: [q]}
mcpServers:
  a: {<<: [*base, *more], command: y}
  b: {<<: *base, disabled: true}
"""
    assert servers(imported(("librechat.yaml", text))) == {
        "a": {"command": "y", "args": ["q"], "deny": ["drop"]},
        "b": {"command": "x", "deny": ["drop"], "enabled": False},
    }


@pytest.mark.parametrize("value", ["*hunter2Zq9XvB7", "&hunter2Zq9XvB7 a\n  b: &hunter2Zq9XvB7 c", "!hunter2Zq9XvB7"])
def test_a_fault_of_yaml_is_told_without_words_of_the_file(value: str) -> None:
    """Unquoted, a password may be an alias, an anchor or a tag."""
    source = of_bytes(f"extensions:\n  a: {value}\n".encode(), "goose.yaml")
    assert all("hunter2" not in finding.message for finding in source.findings)
    assert source.data is not None or source.findings
