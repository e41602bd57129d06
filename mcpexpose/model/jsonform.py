"""Frozen dataclasses to plain JSON and back, by their annotations; so that the host's path needs no pydantic."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """A JSON value: dataclasses and mappings as objects, tuples as arrays, enums by value, None fields kept."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    return value


def from_json(kind: type[T], value: Any) -> T:
    """The dataclass KIND out of what `to_json` made of it. Raises ValueError where the shape is another."""
    return typing.cast("T", _build(kind, value))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: Any, value: Any) -> Any:
    if kind is Any:
        return value
    origin = typing.get_origin(kind)
    if origin is types.UnionType or origin is typing.Union:
        options = typing.get_args(kind)
        if value is None and type(None) in options:
            return None
        rest = [option for option in options if option is not type(None)]
        return _build(rest[0], value) if len(rest) == 1 else value
    if origin is tuple:
        item = typing.get_args(kind)[0]
        if not isinstance(value, list):
            raise ValueError("an array is wanted")
        return tuple(_build(item, each) for each in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        item = typing.get_args(kind)[1]
        if not isinstance(value, dict):
            raise ValueError("an object is wanted")
        return {key: _build(item, each) for key, each in value.items()}
    if origin is typing.Literal:
        if value not in typing.get_args(kind):
            raise ValueError(f"not one of {typing.get_args(kind)}")
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if dataclasses.is_dataclass(kind):
        return _record(typing.cast("type", kind), value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(kind, type) and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise ValueError(f"{kind.__name__} is wanted")
    return value


def _record(kind: type, value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{kind.__name__}: an object is wanted")
    hints = _hints(kind)
    if unknown := value.keys() - hints.keys():
        raise ValueError(f"{kind.__name__} has no field {min(unknown)!r}")
    try:
        return kind(**{name: _build(hints[name], item) for name, item in value.items()})
    except TypeError as error:
        raise ValueError(f"{kind.__name__}: {error}") from error
