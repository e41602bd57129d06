"""Strict JSON: what two readers could read differently is refused, at its place."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.catalog.jsontext import MAX_DEPTH, JsonTooDeep, JsonTrouble, depth, line_and_column, read, walk

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def trouble(text: str) -> JsonTrouble:
    with pytest.raises(JsonTrouble) as caught:
        read(text)
    return caught.value


@settings(deadline=None, max_examples=60)
@given(json_values, st.sampled_from([None, 1]))
def test_whatever_json_writes_is_read_back(value: object, indent: int | None) -> None:
    """Law 5: reading changes nothing."""
    text = json.dumps(value, indent=indent)
    assert read(text) == value


@settings(deadline=None, max_examples=60)
@given(json_values)
def test_the_walk_knows_the_depth(value: object) -> None:
    """Brackets in strings are no levels."""
    text = json.dumps(value)
    open_now = deepest = 0
    for event in walk(text):
        open_now += (event.kind == "open") - (event.kind == "close")
        deepest = max(deepest, open_now)
    assert depth("[" * 300 + "]" * 300) == 300
    assert depth(text) >= deepest


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ('{"a": 1, "b": {"x": 1, "x": 2}}', '"x": 2', "twice"),
        ('{"a": 1, "\\u0061": 2}', '"\\u0061"', "twice"),
        ('{"maximum": NaN}', "NaN", "NaN"),
        ("[1, -Infinity]", "-Infinity", "Infinity"),
        ("[1e999]", "1e999", "out of range"),
        ("[-1e999]", "-1e999", "out of range"),
        ("[" + "9" * 5000 + "]", "9", "out of range"),
        ('["ok", "half \\ud800 pair"]', '"half', "surrogate"),
        ('["\\udc00\\ud800"]', '"\\udc00', "surrogate"),
        ('{"a": 1,}', *((",", "trailing comma") if sys.version_info >= (3, 13) else ("}", "property name"))),
        ('["a" "b"]', '"b"', "delimiter"),
        ("[01]", "1]", "delimiter"),
        ("['a']", "'a'", "value"),
        ('{"a": 1} x', "x", "extra data"),
        ('["tab\there"]', "\there", "control character"),
    ],
)
def test_each_fault_is_named_at_its_place(text: str, at: str, said: str) -> None:
    """catalog-invalid-json names line and column."""
    error = trouble(text)
    assert said.lower() in error.message.lower()
    assert error.offset == text.index(at)


def test_a_pointer_of_git_lfs_is_called_by_name() -> None:
    """A checkout without LFS leaves a pointer in place of the file, and "expecting value" would say nothing."""
    error = trouble("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    assert "Git LFS" in error.message
    assert error.offset == 0


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"])
def test_merge_conflict_markers_are_called_by_name(marker: str) -> None:
    """A half-merged file is a common fault, and no riddle."""
    text = '{\n "tools": [\n' + marker + "\n ]}\n"
    error = trouble(text)
    assert "merge-conflict" in error.message
    assert line_and_column(text, error.offset) == (3, 1)


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_file_is_called_empty(text: str) -> None:
    assert "empty" in trouble(text).message


def test_what_json_allows_is_no_fault() -> None:
    """Escaped pairs, keys that differ by case, big integers, equal keys of different objects."""
    text = '{"a": "\\ud83d\\ude00", "A": 9007199254740993, "b": {"a": 1.5e300}, "c": ["\\\\ud800"]}'
    assert read(text) == {"a": "😀", "A": 9007199254740993, "b": {"a": 1.5e300}, "c": ["\\ud800"]}


@pytest.mark.parametrize(("opening", "core", "closing"), [("[", "", "]"), ('{"a":', "1", "}")])
def test_two_thousand_levels_are_read_and_one_more_is_refused(opening: str, core: str, closing: str) -> None:
    """The documented limit, and no RecursionError on either side of it."""

    def nested(levels: int) -> str:
        return opening * levels + core + closing * levels

    value = read(nested(MAX_DEPTH))
    levels = 0
    while isinstance(value, dict | list):
        levels += 1
        value = (value["a"] if isinstance(value, dict) else value[0]) if value else None
    assert levels == MAX_DEPTH
    with pytest.raises(JsonTooDeep):
        read(nested(MAX_DEPTH + 1))
    with pytest.raises(JsonTooDeep):
        read(opening * 100_000)


def test_brackets_in_strings_are_no_levels() -> None:
    text = json.dumps({"a": "[{" * 5_000, "b": '\\"' + "[" * 5_000})
    assert read(text) == json.loads(text)


def test_a_fault_deep_down_is_found_too() -> None:
    """The reader of deep texts is as strict as the other."""
    text = "[" * 500 + '{"k": 1, "k": 2}' + "]" * 500
    assert trouble(text).offset == text.index('"k": 2')


def test_quotes_without_end_take_one_pass() -> None:
    """A text of quotes that are never closed is refused, and not read again from each of them (C04)."""
    with pytest.raises(JsonTrouble):
        read("[" * 300 + '"' + '\\"' * 1_000_000)
