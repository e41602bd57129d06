"""Frozen tables of a TOML file, read strictly without pydantic: what `model/config.py` is declared with.

Reading says yes or no, since a sound file is the common case and pydantic takes longer to import than all of lint; what
is wrong with a file that is not sound, `model/mirror.py` lets pydantic say. Names are pydantic's where there is one.
"""

from __future__ import annotations

import datetime
import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Self

Reader = Callable[[Any], Any]


class Unfit(Exception):
    """The data is not of that shape."""


class FieldInfo:
    """One key of a table: its default, what it is for, and what its value must keep to."""

    def __init__(self, default: Any, description: str | None, limits: Mapping[str, Any]) -> None:
        self.default = default
        self.description = description
        self.limits = limits
        """ge, gt, le, min_length, pattern, strict: those that are set."""
        self._written = ""
        self._module = ""

    @property
    def annotation(self) -> Any:
        """The type of the value, without limits."""
        return _evaluated(self._written, self._module)

    def is_required(self) -> bool:
        """Whether the key must be there."""
        return self.default is ...

    def named(self, written: str, module: str) -> FieldInfo:
        """The same, knowing the annotation as it stands in a module."""
        self._written, self._module = written, module
        return self


def Field(  # noqa: N802 - named as pydantic names it
    default: Any = ..., *, description: str | None = None, **limits: Any
) -> Any:
    """A key of a table, or limits inside `Annotated`; as pydantic's."""
    return FieldInfo(default, description, limits)


class Table:
    """A table of ours: an unknown key is an error, a wrong type is never coerced. Frozen."""

    model_fields: ClassVar[Mapping[str, FieldInfo]] = {}
    forbids_unknown: ClassVar[bool] = True
    model_fields_set: frozenset[str]
    """The keys that were given."""

    def __init_subclass__(cls) -> None:
        fields = dict(cls.model_fields)
        for name, written in inspect.get_annotations(cls).items():
            value = cls.__dict__.get(name)
            if not name.startswith("_") and isinstance(value, FieldInfo):
                fields[name] = value.named(str(written), cls.__module__)
                delattr(cls, name)
        cls.model_fields = fields

    def __init__(self, **values: Any) -> None:
        """VALUES are taken as they are; `model_validate` reads what somebody wrote."""
        own = self.__dict__
        for name, field in self.model_fields.items():
            if name in values:
                own[name] = values[name]
            elif field.default is ...:
                raise TypeError(f"{type(self).__name__} has no {name}")
            else:
                own[name] = field.default
        if not values.keys() <= own.keys():
            raise TypeError(f"{type(self).__name__} has not all of these keys: {', '.join(values)}")
        own["model_fields_set"] = frozenset(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(self.__dict__[name] == other.__dict__[name] for name in self.model_fields)

    def __hash__(self) -> int:
        """The same for all of a kind: tables are compared, and hold what has no hash."""
        return hash(type(self))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.model_fields)
        return f"{type(self).__name__}({given})"

    @classmethod
    def model_validate(cls, data: Any) -> Self:
        """DATA, with tuples for arrays, as a table of this kind. Raises Unfit."""
        value: Self = _table_reader(cls)(data)
        return value

    def model_copy(self, update: Mapping[str, Any]) -> Self:
        """The same with other values."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update(update)
        copy.__dict__["model_fields_set"] = self.model_fields_set | update.keys()
        return copy

    def model_dump(self, include: Collection[str] | None = None, *, exclude_none: bool = False) -> dict[str, Any]:
        """As JSON has it: lists for tuples, values for enums; all keys, or those of INCLUDE."""
        return {
            name: _plain(self.__dict__[name], exclude_none)
            for name in self.model_fields
            if (include is None or name in include) and not (exclude_none and self.__dict__[name] is None)
        }


def _plain(value: Any, exclude_none: bool) -> Any:
    if isinstance(value, Table):
        return value.model_dump(exclude_none=exclude_none)
    if isinstance(value, Mapping):
        return {key: _plain(item, exclude_none) for key, item in value.items() if not (exclude_none and item is None)}
    if isinstance(value, tuple | list):
        return [_plain(item, exclude_none) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, datetime.date) else value


@cache
def _evaluated(written: str, module: str) -> Any:
    return eval(written, vars(sys.modules[module]))


def _table_reader(cls: type[Table]) -> Reader:
    if cls not in _READERS:
        _READERS[cls] = _new_reader(cls)
    return _READERS[cls]


def _new_reader(cls: type[Table]) -> Reader:
    readers = {
        name: _limited(_reader(field.annotation, field.limits), field.limits)
        for name, field in cls.model_fields.items()
    }
    required = [name for name, field in cls.model_fields.items() if field.is_required()]

    def read(data: Any) -> Table:
        if type(data) is not dict or not all(name in data for name in required):
            raise Unfit
        values = {}
        for key, value in data.items():
            reader = readers.get(key)
            if reader is not None:
                values[key] = reader(value)
            elif cls.forbids_unknown or type(key) is not str:
                raise Unfit
        return cls(**values)

    return read


def _reader(kind: Any, limits: Mapping[str, Any]) -> Reader:
    """What reads a value of KIND: it gives the value, or raises Unfit."""
    if isinstance(kind, type) and issubclass(kind, Table):
        return _table_reader(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        own: dict[str, Any] = {}
        for extra in inner[1:]:
            own |= extra.limits
        return _limited(_reader(inner[0], {**limits, **own}), own)
    if origin is typing.Literal:
        return _one_of(inner)
    if origin in (typing.Union, types.UnionType):
        return _any_of([_reader(one, limits) for one in inner])
    if origin is tuple:
        return _all(_reader(inner[0], limits))
    if origin is Mapping:
        return _mapped(_reader(inner[1], limits))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind)
    if kind is Any:
        return lambda value: value
    return _SCALARS[kind]


def _limited(read: Reader, limits: Mapping[str, Any]) -> Reader:
    """READ, and the limits on numbers and texts; None is held to none."""
    shortest, pattern = limits.get("min_length"), limits.get("pattern")
    expression = re.compile(f"(?:{pattern.removeprefix('^').removesuffix('$')})\\Z") if pattern else None
    if not limits.keys() - {"strict"}:
        return read

    def checked(value: Any) -> Any:
        found = read(value)
        if found is None:
            return None
        if isinstance(found, tuple | dict):
            if len(found) < (shortest or 0):
                raise Unfit
        elif isinstance(found, str):
            if len(found) < (shortest or 0) or (expression is not None and not expression.match(found)):
                raise Unfit
        elif (
            found < limits.get("ge", found)
            or found > limits.get("le", found)
            or ("gt" in limits and found <= limits["gt"])
        ):
            raise Unfit
        return found

    return checked


def _one_of(options: tuple[Any, ...]) -> Reader:
    kinds = frozenset((type(option), option) for option in options)

    def read(value: Any) -> Any:
        if not isinstance(value, str | int) or (type(value), value) not in kinds:
            raise Unfit
        return value

    return read


def _any_of(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        for reader in readers:
            try:
                return reader(value)
            except Unfit:
                continue
        raise Unfit

    return read


def _all(reader: Reader) -> Reader:
    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not tuple:
            raise Unfit
        return tuple([reader(item) for item in value])

    return read


def _mapped(reader: Reader) -> Reader:
    def read(value: Any) -> dict[str, Any]:
        if type(value) is not dict or not all(type(key) is str for key in value):
            raise Unfit
        return {key: reader(item) for key, item in value.items()}

    return read


def _member(kind: type[Enum]) -> Reader:
    members = {member.value: member for member in kind}

    def read(value: Any) -> Enum:
        if not isinstance(value, str) or value not in members:
            raise Unfit
        return members[value]

    return read


def _exactly(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Unfit
        return value

    return read


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise Unfit
    try:
        number = float(value)
    except OverflowError:
        raise Unfit from None
    if not math.isfinite(number):
        raise Unfit
    return number


_READERS: dict[type[Table], Reader] = {}
_SCALARS: dict[Any, Reader] = {
    **{kind: _exactly(kind) for kind in (str, int, bool, datetime.date, type(None))},
    float: _number,
}
