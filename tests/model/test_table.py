"""Our reader of tables says yes to exactly what pydantic says yes to, and reads the same out of it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from mcpexpose.model import config
from mcpexpose.model.config import Config, ServerTable
from mcpexpose.model.expectation import ExpectationFile
from mcpexpose.model.mirror import judge
from mcpexpose.model.table import Table, Unfit

TABLES = sorted(
    (
        kind
        for kind in vars(config).values()
        if isinstance(kind, type) and issubclass(kind, Table) and kind is not Table
    ),
    key=lambda kind: kind.__name__,
)
NEEDED: dict[str, Any] = {"name": "n", "version": 1, "match": "*/*", "rule": "r", "subject": "s"}
VALUES: list[Any] = [
    *("", "x", "direct", "auto", "hidden", "deferred", "read_only", "unknown", "write", "ask", "prompt", "http", "sse"),
    *("7d", "7d\n", "1.5h", "7", "error", True, False, 0, 1, 2, -1, 20, 21, 10**15, 10**15 + 1, 10**400, 0.0, 0.5, 1.0),
    *(1.5, -0.1, float("inf"), float("nan"), (), ("a",), ("",), ("read_only",), (1,), ["a"], ({"name": "A"},), {}),
    *({"a": "b"}, {"a": 1}, {"a": ("b",)}, {"a": {}}, {"a": {"nope": 1}}, {"a": "error"}, {1: "b"}, {"name": ""}),
    *(
        {"default": "auto"},
        {"a": {"tools": {"t": {"exposure": "direct", "groups": ()}}}},
        ({"rule": "r", "subject": "s"},),
    ),
    *({"a": {"env_vars": ("A", {"name": "B"}), "startup_timeout_sec": 3}}, ({"match": "*/*", "approval": "ask"},)),
    *(datetime.date(2027, 1, 2), datetime.datetime(2027, 1, 2, 3), datetime.time(3), None),
]


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_yes_means_yes_and_no_means_no(kind: type[Table]) -> None:
    """Every key with every sort of value (law 8: a wrong type is never coerced)."""
    needed = {name: NEEDED[name] for name, field in kind.model_fields.items() if field.is_required()}
    yes = 0
    for name in kind.model_fields:
        for value in VALUES:
            data = {**needed, name: value}
            judged = judge(kind, data)
            try:
                read = kind.model_validate(data)
            except Unfit:
                assert isinstance(judged, list), (name, value)
                continue
            assert repr(read) == repr(judged), (name, value)  # nan is not itself
            assert type(getattr(read, name)) is type(getattr(judged, name)), (name, value)
            assert read.model_fields_set == data.keys()
            yes += 1
    assert yes >= len(kind.model_fields)


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_unknown_and_missing_keys(kind: type[Table]) -> None:
    """An unknown key is an error in our tables; the top of a file is shared with other programs (law 8)."""
    needed = {name: NEEDED[name] for name, field in kind.model_fields.items() if field.is_required()}
    assert kind.model_validate(needed) == kind(**needed)
    for data in ({**needed, "nope": 1}, *({} for _ in needed)):
        judged = judge(kind, data)
        if isinstance(judged, list):
            with pytest.raises(Unfit):
                kind.model_validate(data)
        else:
            assert kind.model_validate(data) == judged


def test_a_table_is_frozen_and_takes_no_other_keys() -> None:
    """What was read stays as it was read."""
    table = config.ToolTable(side_effect="write")
    with pytest.raises(AttributeError):
        table.side_effect = "read_only"
    with pytest.raises(TypeError):
        config.ToolTable(nope=1)
    with pytest.raises(TypeError):
        config.Waiver(rule="r")
    copy = table.model_copy({"side_effect": "read_only"})
    assert (table.side_effect, copy.side_effect) == ("write", "read_only")
    assert copy != table
    assert len({copy, table}) == 2


@pytest.mark.parametrize("version", [True, 1.0, "1", 2])
@pytest.mark.parametrize("kind", [Config, ExpectationFile])
def test_a_literal_is_of_its_type_for_whoever_has_the_words_too(kind: type[Table], version: Any) -> None:
    """A wrong type is an error, never an ignored line (C01, law 8): `true` is no version."""
    assert isinstance(judge(kind, {"schema_version": version}), list)
    assert isinstance(judge(kind, {"schema_version": 1}), kind)


def test_a_number_beyond_the_precision_of_floats_is_above_nothing() -> None:
    """(C01)"""
    assert ServerTable.model_validate({"tool_timeout_sec": 2**63}).tool_timeout_sec == 2.0**63
