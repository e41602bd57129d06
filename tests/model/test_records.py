"""Records are dataclasses to all who ask, and are made without what dataclasses are made with."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Mapping  # noqa: TC003  # a record reads its annotations
from typing import Any

import pytest

from mcpexpose.model import records
from mcpexpose.model.jsonform import from_json, to_json


@records.dataclass(frozen=True, slots=True)
class Made:
    """One of ours."""

    name: str
    count: int = 3
    more: Mapping[str, Any] | None = None

    @property
    def twice(self) -> int:
        return 2 * self.count


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    name: str
    count: int = 3
    more: Mapping[str, Any] | None = None


@pytest.mark.parametrize("others", [0, 50], ids=["among the first", "after many"])
@pytest.mark.parametrize(
    ("args", "fields"),
    [
        ((), {}),
        (("a",), {}),
        ((), {"name": "a"}),
        (("a", 1), {"more": {}}),
        (("a", 1, None, 4), {}),
        (("a",), {"name": "b"}),
        (("a",), {"other": 1}),
        ((), {"other": 1}),
        (("a", 1), {"count": 2}),
    ],
)
def test_a_record_takes_what_a_dataclass_takes(others: int, args: Any, fields: Any) -> None:
    """The same values, or the same refusal, whether its `__init__` was written out already or not."""

    @records.dataclass(frozen=True, slots=True)
    class Local:
        name: str
        count: int = 3
        more: Mapping[str, Any] | None = None

    for n in range(others):
        Local(str(n))
    assert told(Local, args, fields) == told(Plain, args, fields)


def told(kind: Any, args: Any, fields: Any) -> Any:
    """The values of a record made so, or how it is refused."""
    try:
        made = kind(*args, **fields)
    except TypeError as error:
        return str(error).rpartition("__init__()")[2]
    return (made.name, made.count, made.more)


def test_a_record_is_compared_and_hashed_by_its_fields() -> None:
    """And is of its own class alone."""
    assert Made("a") == Made("a", 3) != Made("a", 4)
    assert hash(Made("a")) == hash(Made("a"))
    assert Made("a") != Plain("a")
    assert repr(Made("a")) == repr(Plain("a")).replace("Plain", "Made")
    assert Made("a").twice == 6
    assert Made.__doc__ == "One of ours."


def test_a_record_cannot_be_changed() -> None:
    """Nor can it be given more fields."""
    made = Made("a")
    for name in ("name", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made.name
    assert not hasattr(made, "__dict__")


def test_the_standard_library_takes_a_record_for_a_dataclass() -> None:
    """fields, replace, asdict, match, copies and pickles."""
    made = Made("a", more={"b": 1})
    assert dataclasses.is_dataclass(Made)
    ours, theirs = ([(one.name, one.type, one.default) for one in dataclasses.fields(kind)] for kind in (Made, Plain))
    assert ours == theirs
    assert dataclasses.replace(made, count=4) == records.replace(made, count=4) == Made("a", 4, {"b": 1})
    assert dataclasses.asdict(made) == {"name": "a", "count": 3, "more": {"b": 1}}
    assert copy.copy(made) == copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    match made:
        case Made(name, count):
            assert (name, count) == ("a", 3)
    assert from_json(Made, to_json(made)) == made


def test_records_are_simple() -> None:
    """What would need the standard decorator is refused when the class is made."""
    with pytest.raises(TypeError, match="frozen"):
        records.dataclass(frozen=False, slots=True)
    with pytest.raises(TypeError, match="inherits"):
        records.dataclass(frozen=True, slots=True)(type("Child", (Made,), {}))


def test_a_written_initialiser_has_a_signature() -> None:
    """For help(), once the class is in use."""
    for n in range(30):
        Made(str(n))
    assert list(inspect.signature(Made).parameters) == ["name", "count", "more"]
