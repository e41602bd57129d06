"""Do arguments, or a result, fit a tool's schema? Asked within bounds, answered without the value.

Nothing is fetched, coerced or filled in. Integers stay integers, however large, and fractions are compared as they are
written. Schemas and values come from a model and from servers, so size, depth and time have limits.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.text import shown
from mcpexpose.toolschema.bounded import is_cheap
from mcpexpose.toolschema.check import depth, dialect_of
from mcpexpose.toolschema.problem import pointer_of
from mcpexpose.toolschema.references import follow
from mcpexpose.toolschema.walk import REFERENCES, start

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE_LEVELS = 100
"""Objects and lists, one inside the other, that a value may have."""
SECONDS = 0.75
"""For one value, all its patterns among them."""
_PATIENCE = 1.5
"""So many times as long a check may take where the machine is busy with other things."""
_ERRORS = 50
"""Of so many faults the one is chosen that is told."""
_NAMED = 200
_QUICK_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where a value does not fit, and what the schema wants there. Nothing of the value but the names of its keys."""

    pointer: str
    """JSON pointer into the value; "" is the value itself."""
    wanted: str
    """To be read after "wanted: "."""


class CannotCheck(Exception):
    """The check took too long, went too deep, or the schema leads nowhere. Nothing is known of the value."""


class _Deadline(threading.local):
    """When the check of this thread has to end."""

    soft: float = 0.0
    """By `time.monotonic()`: from here on it counts how long this thread has been at work."""
    hard: float = 0.0
    """By the same clock: however busy the machine is, somebody waits."""
    work: float = 0.0
    """By `time.thread_time()`."""

    def begin(self, seconds: float) -> None:
        now = time.monotonic()
        self.soft, self.hard, self.work = now + seconds, now + seconds * _PATIENCE, time.thread_time() + seconds


_deadline = _Deadline()


class Checker:
    """A schema that values can be held against, again and again, from several threads."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._validator: Any = None
        self._patterns: tuple[str, ...] | None = None
        self._mirrors: bool | None = None

    @property
    def mirrored(self) -> Any:
        """The schema, where it has arguments that go into HTTP headers too (`x-mcp-header`, 2026-07-28); else None."""
        if self._mirrors is None:
            waiting, self._mirrors = [self._schema], False
            while waiting and not self._mirrors:
                item = waiting.pop()
                if isinstance(item, dict):
                    self._mirrors = "x-mcp-header" in item
                    waiting += item.values()
                elif isinstance(item, list):
                    waiting += item
        return self._schema if self._mirrors else None

    def is_quick(self, size: int) -> bool:
        """Whether a value of SIZE bytes is checked so fast that an event loop may wait for it."""
        if self._patterns is None:
            self._patterns = tuple(_patterns_in(self._schema))
        return size <= _QUICK_BYTES and all(is_cheap(pattern, size) for pattern in self._patterns)

    def misfit(self, value: Any, seconds: float = SECONDS) -> Misfit | None:
        """Why VALUE does not fit; None where it does. VALUE is JSON as Python has it. Raises CannotCheck."""
        if (place := depth(value, VALUE_LEVELS)) is not None:
            return Misfit(pointer_of(place[:1]), f"at most {VALUE_LEVELS} levels, one inside the other")
        try:
            if self._validator is None:  # its import takes longer than most checks, and is not the value's fault
                self._validator = _validator(self._schema)
            _deadline.begin(seconds)
            return _first(self._validator, value)
        except CannotCheck:
            raise
        except RecursionError:
            raise CannotCheck("schema and value are nested too deeply to be checked") from None
        except Exception:  # of the library's, whose text quotes the value
            raise CannotCheck("the schema cannot be used") from None


def validate(schema: Any, value: Any, *, seconds: float = SECONDS) -> Misfit | None:
    """Why VALUE does not fit SCHEMA, by the dialect that it declares, else 2020-12; None where it does.

    Raises CannotCheck where that is not known within SECONDS, or the schema refers to what is not in it.
    """
    return Checker(schema).misfit(value, seconds)


def in_time() -> float:
    """The latest end of the check that is running, by `time.monotonic()`. Raises CannotCheck where it is over."""
    now = time.monotonic()
    if now > _deadline.soft and (now > _deadline.hard or time.thread_time() > _deadline.work):
        raise CannotCheck("the check took too long")
    return _deadline.hard


def _patterns_in(schema: Any) -> Iterator[str]:
    """All that may be a pattern of SCHEMA, wherever it stands. SCHEMA is no deeper than a plan lets it be."""
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if isinstance(item.get("pattern"), str):
                yield item["pattern"]
            if isinstance(item.get("patternProperties"), dict):
                yield from item["patternProperties"]
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _validator(schema: Any) -> Any:
    from jsonschema.exceptions import SchemaError
    from referencing import Registry

    from mcpexpose.toolschema.keywords import validator_class

    if isinstance(schema, bool):
        return validator_class("2020-12")(schema, registry=Registry())
    rules = dialect_of(schema)
    if rules is None:
        raise CannotCheck("the schema is written in a dialect that is not known")
    try:
        return validator_class(rules.name)(_sound(schema, rules), registry=Registry())
    except SchemaError as error:  # of the library's own accord; a plan holds checked schemas
        raise CannotCheck("the schema is not valid") from error


def _sound(schema: Any, rules: Any) -> Any:
    """SCHEMA, where a validator gives a right answer by it.

    A plan holds output schemas that are merely misshapen, and a library that meets one raises what it likes, or takes
    the text "id" for a list of names.
    """
    walked = start(schema, rules)
    edges, _ = follow(walked)  # what only a reference leads to is looked at as well
    if walked.misshapen or walked.unknown:
        raise CannotCheck("the schema is not valid")
    for place, targets in edges.items():
        for keyword, target in targets:
            # Another dialect begins where a schema says so; a reference into the middle of one is not told.
            one, two = walked.nodes.get(place), walked.nodes.get(target)
            if keyword[-1] not in REFERENCES or one is None or two is None or one.dialect is two.dialect:
                continue
            if isinstance(two.schema, dict) and "$schema" not in two.schema:
                raise CannotCheck("a reference leads into a schema of another dialect")
    for node in walked.nodes.values():
        # At such a border jsonschema goes by the outer dialect in what counts beside a reference.
        if (
            node.dialect.ref_alone is not rules.ref_alone
            and isinstance(node.schema, dict)
            and {"$schema", "$ref"} <= node.schema.keys()
        ):
            raise CannotCheck("a reference stands where another dialect begins")
    return schema


def _first(validator: Any, value: Any) -> Misfit | None:
    from jsonschema.exceptions import best_match
    from jsonschema.exceptions import _WrappedReferencingError as Unresolvable  # type: ignore[attr-defined]  # isort: skip

    found = []
    try:
        for error in validator.iter_errors(value):
            found.append(error)
            in_time()
            if len(found) == _ERRORS:
                break
    except Unresolvable:
        raise CannotCheck("the schema refers to what is not in it") from None
    error = best_match(found)
    return None if error is None else Misfit(pointer_of(tuple(error.absolute_path)), _wanted(error))


_BOUNDS = {
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number greater than {}",
    "exclusiveMaximum": "a number less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
}
_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def _wanted(error: Any) -> str:
    """What the schema wants, in the schema's words: never the message, which quotes the value."""
    keyword, asked = error.validator, error.validator_value
    if keyword == "type":
        kinds = [asked] if isinstance(asked, str) else asked
        return " or ".join(_TYPES.get(kind, shown(str(kind), 40)) for kind in kinds)
    if keyword in _BOUNDS:
        return _BOUNDS[keyword].format(shown(str(asked), 40))
    if keyword == "required":
        return f"the property {_compact(error.missing)}" if hasattr(error, "missing") else "its required properties"
    if keyword == "enum":
        return f"one of {_compact(asked)}"
    if keyword == "const":
        return _compact(asked)
    if keyword == "pattern":
        return f"a string that matches {_compact(asked)}"
    if keyword == "additionalProperties" and (known := error.schema.get("properties")):
        beside = " and those of its patterns" if error.schema.get("patternProperties") else ""
        return f"no other properties than {_compact(list(known)).strip('[]')}{beside}"
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        return "no other properties than those of the schema"
    if keyword in ("additionalItems", "unevaluatedItems", "items", "prefixItems"):
        return "no other items than those of the schema"
    if keyword == "uniqueItems":
        return "items of which no two are equal"
    if keyword in ("anyOf", "oneOf"):
        return f"{'exactly one' if keyword == 'oneOf' else 'at least one'} of the {len(asked)} forms of the schema"
    if keyword == "propertyNames":
        return "properties of other names"
    return f"what `{shown(str(keyword), 40)}` of the schema says" if keyword else "nothing at this place"


def _compact(value: Any) -> str:
    import json

    return shown(json.dumps(value, ensure_ascii=False), _NAMED)
