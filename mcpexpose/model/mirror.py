"""Our tables as pydantic models: to say what is wrong with an unsound file, and to publish the JSON Schemas."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model
from pydantic import Field as PydanticField
from pydantic_core import PydanticKnownError

from mcpexpose.model.table import FieldInfo, Table

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T", bound=Table)


_MIRRORS: dict[type[Table], type[BaseModel]] = {}


def mirror(table: type[Table]) -> type[BaseModel]:
    """The strict model with the same name, keys, limits and descriptions; made once."""
    if table not in _MIRRORS:
        _MIRRORS[table] = _mirror(table)
    return _MIRRORS[table]


def _mirror(table: type[Table]) -> type[BaseModel]:
    unknown: Literal["forbid", "ignore"] = "forbid" if table.forbids_unknown else "ignore"
    fields: dict[str, Any] = {
        name: (_mirrored(field.annotation), _field(field)) for name, field in table.model_fields.items()
    }
    return create_model(
        table.__name__,
        __config__=ConfigDict(extra=unknown, frozen=True, strict=True, allow_inf_nan=False),
        __doc__=table.__doc__,
        __module__=table.__module__,
        **fields,
    )


def judge(table: type[T], data: Any) -> T | list[ErrorDetails]:
    """DATA as TABLE, or what is wrong with it."""
    try:
        return _table_of(table, mirror(table).model_validate(data))
    except ValidationError as error:
        return error.errors(include_url=False)


def _table_of(kind: type[T], model: BaseModel) -> T:
    """What was read by the mirror of KIND, as the table itself."""
    given = {name: _back(getattr(model, name), kind.model_fields[name].annotation) for name in model.model_fields_set}
    return kind(**given)


def _field(field: FieldInfo) -> Any:
    default = field.default
    if isinstance(default, Table):
        default = mirror(type(default))()
    return PydanticField(default, description=field.description, **field.limits)


def _mirrored(kind: Any) -> Any:
    """The type with mirrors for tables."""
    if isinstance(kind, type) and issubclass(kind, Table):
        return mirror(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return typing.Annotated[kind, BeforeValidator(_of_a_kind(inner))]
    if origin is typing.Annotated:
        return typing.Annotated[(_mirrored(inner[0]), *(PydanticField(**each.limits) for each in inner[1:]))]
    if origin in (typing.Union, types.UnionType):
        return reduce(or_, (_mirrored(one) for one in inner))
    if origin is tuple:
        return tuple[_mirrored(inner[0]), ...]  # type: ignore[misc]  # a type made at run time
    if origin is Mapping:
        return Mapping[inner[0], _mirrored(inner[1])]  # type: ignore[valid-type, misc]  # likewise
    return kind


def _of_a_kind(options: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Lets through what is of the type of an option: to pydantic `true` and 1.0 are the literal 1."""
    kinds = {type(option) for option in options}

    def same(value: Any) -> Any:
        if type(value) not in kinds:
            raise PydanticKnownError("literal_error", {"expected": " or ".join(map(repr, options))})
        return value

    return same


def _back(value: Any, kind: Any) -> Any:
    if isinstance(value, BaseModel):
        return _table_of(next(each for each in _tables(kind) if each.__name__ == type(value).__name__), value)
    if isinstance(value, tuple):
        return tuple(_back(item, kind) for item in value)
    if isinstance(value, Mapping):
        return {key: _back(item, kind) for key, item in value.items()}
    return value


def _tables(kind: Any) -> list[type[Table]]:
    if isinstance(kind, type) and issubclass(kind, Table):
        return [kind]
    return [table for inner in typing.get_args(kind) for table in _tables(inner)]
