"""Frozen slotted dataclasses whose methods are made when they are first used, for what a host imports at its start.

The standard decorator compiles six methods a class and imports `inspect` for it: of a host's start that was a third.
To type checkers, `dataclasses.fields`, `dataclasses.replace`, pickles and pydantic these are dataclasses like others;
only fields with a plain default, or none, are known, and no inheritance.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace


_FEW = 20
"""Records of a kind that are made before its `__init__` is written out, which costs as much as they do."""


def _dataclass(*, frozen: bool, slots: bool) -> Callable[[type], type]:
    if not (frozen and slots):
        raise TypeError("a record is frozen and has slots")
    return _made


def _replace(record: Any, /, **changes: Any) -> Any:
    """A copy of RECORD with other values for the fields named."""
    kind = type(record)
    return kind(**{name: getattr(record, name) for name in names_of(kind) or ()} | changes)


if not TYPE_CHECKING:
    dataclass, replace = _dataclass, _replace


def names_of(kind: Any) -> tuple[str, ...] | None:
    """The fields of a record; None for any other class."""
    found: tuple[str, ...] | None = getattr(kind, "__record__", None)
    return found


def _made(plain: type) -> type:
    if plain.__bases__ != (object,):
        raise TypeError("a record inherits from nothing")
    space = {key: value for key, value in plain.__dict__.items() if key not in ("__dict__", "__weakref__")}
    names = tuple(space.get("__annotations__", ()))
    defaults = {name: space.pop(name) for name in names if name in space}
    values_of: Callable[[Any], Any] = (
        attrgetter(*names) if len(names) > 1 else lambda record: tuple(getattr(record, name) for name in names)
    )

    few = 0
    known = frozenset(names)

    def first(self: Any, *args: Any, **fields: Any) -> None:
        nonlocal few
        few += 1
        values = {**defaults, **dict(zip(names, args, strict=False)), **fields}
        twice = len(args) > len(names) or not fields.keys().isdisjoint(names[: len(args)])
        if few > _FEW or twice or values.keys() != known:
            made.__init__ = _initialiser(made, names, defaults)
            made.__init__(self, *args, **fields)
            return
        for name in names:
            object.__setattr__(self, name, values[name])

    def text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def equal(self: Any, other: object) -> Any:
        return bool(values_of(self) == values_of(other)) if type(other) is type(self) else NotImplemented

    methods: dict[str, Any] = {
        "__init__": first,
        "__repr__": text,
        "__eq__": equal,
        "__hash__": lambda self: hash(values_of(self)),
        "__setattr__": _frozen,
        "__delattr__": _frozen,
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": _restored,
        "__slots__": names,
        "__match_args__": names,
        "__record__": names,
    }
    methods |= {name: _Standard(name, defaults) for name in ("__dataclass_fields__", "__dataclass_params__")}
    made: Any = type(plain.__name__, (), methods | space)
    made.__qualname__ = plain.__qualname__
    return made  # type: ignore[no-any-return]  # what `type` of three arguments makes is known to nobody


def _initialiser(made: Any, names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """`__init__` of the fields in their order, written out, since plans have ten thousands of records."""
    space = {f"_set_{name}": getattr(made, name).__set__ for name in names}
    space |= {f"_default_{name}": value for name, value in defaults.items()}
    parameters = ", ".join(f"{name}=_default_{name}" if name in defaults else name for name in names)
    body = "".join(f"\n    _set_{name}(self, {name})" for name in names) or "\n    pass"
    exec(f"def __init__(self, {parameters}):{body}", space)
    initialiser = space["__init__"]
    initialiser.__qualname__ = f"{made.__qualname__}.__init__"
    return initialiser


def _frozen(self: Any, name: str, *value: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _restored(self: Any, state: list[Any]) -> None:
    for name, value in zip(type(self).__record__, state, strict=True):
        object.__setattr__(self, name, value)


class _Standard:
    """What the standard library keeps in a dataclass under a name, made when somebody asks for it."""

    def __init__(self, name: str, defaults: dict[str, Any]) -> None:
        self._name = name
        self._defaults = defaults

    def __get__(self, record: object, kind: Any) -> Any:
        import dataclasses

        space = {"__annotations__": kind.__annotations__, "__module__": kind.__module__, **self._defaults}
        twin: Any = dataclasses.dataclass(frozen=True)(type(kind.__name__, (), space))
        found = getattr(twin, self._name)
        type.__setattr__(kind, self._name, found)
        return found
