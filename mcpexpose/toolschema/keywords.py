"""jsonschema's validators with the keywords replaced whose own version has no bound or rounds numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import canonical
from mcpexpose.toolschema import bounded
from mcpexpose.toolschema.dialects import dialect as known_dialect
from mcpexpose.toolschema.validate import CannotCheck, in_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Keyword = Any  # what jsonschema calls: (validator, value of the keyword, instance, schema) -> errors or None


@cache
def validator_class(dialect: str) -> Any:
    """The class for a dialect by its name in `dialects`."""
    import jsonschema
    from jsonschema.validators import extend

    base: Any = {
        "draft-04": jsonschema.Draft4Validator,
        "draft-06": jsonschema.Draft6Validator,
        "draft-07": jsonschema.Draft7Validator,
        "2019-09": jsonschema.Draft201909Validator,
        "2020-12": jsonschema.Draft202012Validator,
    }[dialect]
    own = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
        "uniqueItems": _unique_items,
        "required": _required,
        "enum": _enum,
        "const": _const,
    }
    replaced = {name: own.get(name, keyword) for name, keyword in base.VALIDATORS.items()}
    if dialect == "draft-04":
        replaced.pop("const", None)
    if "unevaluatedProperties" in replaced:
        replaced["unevaluatedProperties"] = _without_slow_patterns(replaced["unevaluatedProperties"])
    make: Any = extend
    made = make(base, {name: _timed(keyword) for name, keyword in replaced.items()})
    made.evolve = _evolve
    return made


def _evolve(self: Any, **changes: Any) -> Any:
    """The validator of a schema below: of the dialect that it declares, and bounded. jsonschema's own way would go on
    with the library's classes at each `$schema`."""
    made: Any = type(self)
    schema = changes.get("schema", self.schema)
    if isinstance(schema, dict) and isinstance(declared := schema.get("$schema"), str):
        rules = known_dialect(declared)
        if rules is None:
            raise CannotCheck("the schema is written in a dialect that is not known")
        made = validator_class(rules.name)
    for name, argument in _fields(made):
        if argument not in changes:
            changes[argument] = getattr(self, name)
    return made(**changes)


@cache
def _fields(made: Any) -> tuple[tuple[str, str], ...]:
    """What a validator is made of: the attribute, and what the class takes it as."""
    return tuple((each.name, each.alias) for each in made.__attrs_attrs__ if each.init)


def _timed(keyword: Keyword) -> Keyword:
    def timed(validator: Any, asked: Any, instance: Any, schema: Any) -> Any:
        in_time()
        return keyword(validator, asked, instance, schema)

    return timed


def _error(message: str, **more: Any) -> Any:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message, **more)


def _matches(pattern: str, text: str) -> bool:
    try:
        return bounded.search(pattern, text, in_time())
    except bounded.MatchTimeout:
        raise CannotCheck("a pattern of the schema took too long") from None
    except Exception as error:
        raise CannotCheck("a pattern of the schema cannot be used") from error


def _pattern(validator: Any, asked: str, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not _matches(asked, instance):
        yield _error("pattern")


def _pattern_properties(validator: Any, asked: dict[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, subschema in asked.items():
            for key, item in instance.items():
                if _matches(pattern, key):
                    yield from validator.descend(item, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    named = schema.get("patternProperties", {})
    extra = (key for key in instance if key not in known and not any(_matches(each, key) for each in named))
    for key in extra:
        if asked is False:
            yield _error("additionalProperties")
            return
        if isinstance(asked, dict):
            yield from validator.descend(instance[key], asked, path=key)


def _required(validator: Any, asked: list[str], instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for key in asked:
            if key not in instance:
                error = _error("required")
                error.missing = key
                yield error


def _multiple_of(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "number") and _exact(instance) % _exact(asked):
        yield _error("multipleOf")


def _exact(number: Any) -> Fraction:
    """NUMBER as it is written, 0.1 being a tenth."""
    if isinstance(number, int):
        return Fraction(number)
    text = repr(number)
    if abs(number) > 1e100 or (number and abs(number) < 1e-100):  # its digits would fill pages
        return Fraction(number)
    return Fraction(text)


def _unique_items(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Any]:
    # The canonical form writes 1.0 as 1, as JSON Schema has them equal, and true apart from 1.
    if asked and isinstance(instance, list) and len({canonical(item) for item in instance}) != len(instance):
        yield _error("uniqueItems")


def _enum(validator: Any, asked: list[Any], instance: Any, schema: Any) -> Iterator[Any]:
    form = canonical(instance)
    if not any(canonical(each) == form for each in asked):
        yield _error("enum")


def _const(validator: Any, asked: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if canonical(asked) != canonical(instance):
        yield _error("const")


def _without_slow_patterns(keyword: Callable[..., Any]) -> Keyword:
    """jsonschema matches `patternProperties` a second time here, by itself: let it, where that is cheap."""

    def checked(validator: Any, asked: Any, instance: Any, schema: Any) -> Any:
        if isinstance(instance, dict):
            longest = max(map(len, instance), default=0)
            for pattern in _patterns_of(validator):
                if not bounded.is_cheap(pattern, longest):
                    raise CannotCheck("a pattern of the schema may take too long")
        return keyword(validator, asked, instance, schema)

    return checked


def _patterns_of(validator: Any) -> tuple[str, ...]:
    """All keys of any `patternProperties` in the resource that VALIDATOR is at."""
    found: list[str] = []
    root = validator._resolver.lookup("").contents if validator._resolver else validator.schema
    waiting: list[Any] = [root, validator.schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if isinstance(named := item.get("patternProperties"), dict):
                found += named
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return tuple(found)
