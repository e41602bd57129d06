"""Frozen dataclasses to plain JSON and back, by their annotations; so that the host's path needs no pydantic."""

from __future__ import annotations

import contextlib
import sys
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from mcpexpose.model.records import names_of

T = TypeVar("T")
_PLAIN = frozenset({str, int, float, bool, type(None)})


def to_json(value: Any) -> Any:
    """A JSON value: dataclasses and mappings as objects, tuples as arrays, enums by value, None fields kept."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if (names := _fields(kind)) is not None:
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    return value


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    names = names_of(kind)
    if names is None and hasattr(kind, "__dataclass_fields__"):
        from dataclasses import fields

        names = tuple(field.name for field in fields(kind))
    return names


def from_json(kind: type[T], value: Any) -> T:
    """The dataclass KIND out of what `to_json` made of it. Raises ValueError where the shape is another."""
    return typing.cast("T", _builder(typing.cast("Any", kind))(value))


Build = Callable[[Any], Any]


@cache
def _builder(kind: Any) -> Build:
    """What makes a KIND of a JSON value. Made once a type, since a plan has ten thousand values of each."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind is Any:
        return _same
    if origin is types.UnionType or origin is typing.Union:
        return _union(arguments)
    if origin is tuple:
        return _array(_builder(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _object(_builder(arguments[1]))
    if origin is typing.Literal:
        return _choice(arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind)
    if hasattr(kind, "__dataclass_fields__") if names_of(kind) is None else True:
        return _record(typing.cast("type", kind))
    return _plain(kind) if isinstance(kind, type) else _same


def _same(value: Any) -> Any:
    return value


def _union(options: tuple[Any, ...]) -> Build:
    rest = [option for option in options if option is not type(None)]
    nullable = len(rest) < len(options)
    build = _builder(rest[0]) if len(rest) == 1 else _either([_builder(option) for option in rest])
    return lambda value: None if value is None and nullable else build(value)


def _either(builders: list[Build]) -> Build:
    def build(value: Any) -> Any:
        for each in builders:
            with contextlib.suppress(ValueError):
                return each(value)
        raise ValueError("a value of another kind is wanted")

    return build


def _array(item: Build) -> Build:
    def build(value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError("an array is wanted")
        return tuple([item(each) for each in value])

    return build


def _object(item: Build) -> Build:
    def build(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError("an object is wanted")
        return {key: item(each) for key, each in value.items()}

    return build


def _choice(options: tuple[Any, ...]) -> Build:
    def build(value: Any) -> Any:
        if value not in options:
            raise ValueError(f"not one of {options}")
        return value

    return build


def _member(kind: type[Enum]) -> Build:
    members = {member.value: member for member in kind}

    def build(value: Any) -> Any:
        member = members.get(value) if isinstance(value, str) else None
        return kind(value) if member is None else member

    return build


def _plain(kind: type) -> Build:
    def build(value: Any) -> Any:
        if type(value) is kind or (kind is float and type(value) is int):
            return value
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{kind.__name__} is wanted")
        return value

    return build


def _hints(kind: type) -> dict[str, Any]:
    """What `typing.get_type_hints` says of a record of ours, whose annotations are texts: that one's checks of each
    took a fifth of a host's first search."""
    space = vars(sys.modules[kind.__module__])
    return {name: space.get(text) or _evaluated(text, kind.__module__) for name, text in kind.__annotations__.items()}


@cache
def _evaluated(text: str, module: str) -> Any:
    return eval(text, vars(sys.modules[module]))


def _record(kind: type) -> Build:
    builders = {name: _builder(hint) for name, hint in _hints(kind).items()}

    def build(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"{kind.__name__}: an object is wanted")
        try:
            return kind(**{name: builders[name](item) for name, item in value.items()})
        except KeyError as error:
            raise ValueError(f"{kind.__name__} has no field {error.args[0]!r}") from error
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from error

    return build
