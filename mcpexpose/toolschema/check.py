"""Is this a valid tool schema? Nothing is fetched, nothing recurses without end, nothing raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.finding import Severity
from mcpexpose.model.secrets import redact_forms
from mcpexpose.model.text import shown
from mcpexpose.toolschema import patterns
from mcpexpose.toolschema.dialects import DRAFT_2020, KNOWN, Dialect, dialect
from mcpexpose.toolschema.problem import Path, SchemaProblem, Where
from mcpexpose.toolschema.references import CHAIN_LIMIT, BadReference, endless, follow, near
from mcpexpose.toolschema.satisfiable import contradictions
from mcpexpose.toolschema.shapes import kind
from mcpexpose.toolschema.walk import Walked, start

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS = 100
"""Objects and lists, one inside the other, that a schema may have."""
_MOST = 20
"""Problems of one slug that are told of one schema."""
_MEANT = frozenset(("inputschema", "parameters", "schema", "input", "inputs", "argsschema", "params", "arguments"))
"""What other programs call the input schema, folded."""
_FIX = "Have the server send valid JSON Schema, or deny the tool."


def check_definition(tool: Mapping[str, Any]) -> tuple[SchemaProblem, ...]:
    """All that is wrong with the input and the output schema of a tool as `tools/list` gave it."""
    problems = _check(tool["inputSchema"], "input") if "inputSchema" in tool else [_missing(tool)]
    if tool.get("outputSchema") is not None:
        problems += _check(tool["outputSchema"], "output")
    return tuple(problems)


def dialect_of(schema: Any) -> Dialect | None:
    """The dialect that a schema declares, 2020-12 where it declares none; None where it is unknown."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    return dialect(declared) if isinstance(declared, str) else DRAFT_2020


def depth(value: Any, limit: int = LEVELS) -> Path | None:
    """The place of a value that stands deeper than LIMIT objects and lists; None where there is none."""
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack:
        path, here = stack.pop()
        if not isinstance(here, dict | list):
            continue
        if len(path) >= limit:
            return path
        stack.extend(
            ((*path, key), item) for key, item in (here.items() if isinstance(here, dict) else enumerate(here))
        )
    return None


def _check(schema: Any, where: Where) -> list[SchemaProblem]:
    name = f"the {where} schema"
    if not isinstance(schema, dict):
        if where == "output" and isinstance(schema, bool):
            return []
        return [_error("schema-invalid", where, (), f"{name} is {kind(schema)} where an object is wanted", _FIX)]
    if depth(schema) is not None:
        message = f"{name} is more than {LEVELS} levels deep"
        return [
            _error("schema-too-deep", where, (), message, "Have the server send a flatter schema, or deny the tool.")
        ]
    rules = dialect_of(schema)
    if rules is None:
        return [_unknown(where, ("$schema",), schema["$schema"])]
    walked = start(schema, rules)
    edges, bad = follow(walked)
    problems = [
        _error("schema-invalid", where, path, f"in {name} {what}", _FIX) for path, what in walked.misshapen[:_MOST]
    ]
    problems += [_unknown(where, path, value) for path, value in walked.unknown[:_MOST]]
    problems += _root(schema, where)
    problems += _references(walked, bad, where)
    problems += _patterns(walked, where)
    circles, long = endless(edges)
    for path in circles[:_MOST]:
        message = f"{name} refers in a circle that never ends"
        advice = "Have the server break the circle, or deny the tool: whoever follows it does not come back."
        problems.append(_error("schema-endless-ref", where, path, message, advice))
    for path in long[:1]:
        message = f"{name} has a chain of more than {CHAIN_LIMIT} schemas that apply to one value"
        problems.append(
            _error("schema-too-deep", where, path, message, "Have the server send a flatter schema, or deny the tool.")
        )
    if not any(problem.severity is Severity.ERROR for problem in problems):
        advice = "Have the server mend the schema: as it stands, no call can pass this part of it."
        problems += [
            SchemaProblem("schema-unsatisfiable", Severity.WARNING, where, path, f"in {name} {why}", advice)
            for path, why in contradictions(walked, edges)[:_MOST]
        ]
    return sorted(problems, key=lambda problem: (problem.slug, [str(token) for token in problem.path]))


def _missing(tool: Mapping[str, Any]) -> SchemaProblem:
    """There is no input schema, but perhaps what was meant to be one, under another key."""
    for key, value in tool.items():
        folded = "".join(char for char in str(key)[:40].casefold() if char.isalnum())
        if isinstance(value, dict) and folded in _MEANT:
            what = f'it has no input schema, but "{shown(key, 40)}"; did you mean "inputSchema"?'
            return _error("schema-invalid", "input", (), what, "Have the server send it as `inputSchema`.")
    return _error("schema-invalid", "input", (), "it has no input schema", _FIX)


def _root(schema: dict[str, Any], where: Where) -> list[SchemaProblem]:
    """The protocol wants an object schema for arguments. A root without `type` is let through: it accepts objects."""
    declared = schema.get("type")
    listed = declared if isinstance(declared, list) else [declared]
    if where == "output" or declared is None or "object" in listed:
        return []
    if not all(isinstance(item, str) for item in listed):
        return []  # misshapen, and told so
    message = (
        "the input schema is for "
        + " or ".join(shown(str(item), 20) for item in listed)
        + ", and arguments are an object"
    )
    return [_error("schema-invalid", where, ("type",), message, _FIX)]


def _references(walked: Walked, bad: list[BadReference], where: Where) -> list[SchemaProblem]:
    problems = []
    for reference in bad[:_MOST]:
        text = shown(redact_forms(reference.text), 80)
        if reference.fault == "remote":
            message = f"the {where} schema refers out of itself, to {text}"
            advice = "Have the server send the definition inside the schema: no network and no file is asked."
            problems.append(_error("schema-remote-ref", where, reference.path, message, advice))
        else:
            message = f"the {where} schema refers to {text}, which is not in it"
            if (meant := near(walked, reference.text)) not in ("", reference.text):
                message += f"; did you mean {shown(meant, 80)}?"
            advice = "Have the server send the definition along, or deny the tool."
            problems.append(_error("schema-broken-ref", where, reference.path, message, advice))
    return problems


def _patterns(walked: Walked, where: Where) -> list[SchemaProblem]:
    problems = []
    for node in walked.nodes.values():
        if not isinstance(node.schema, dict):
            continue
        found: list[tuple[Path, str, Any]] = []
        if isinstance(node.schema.get("pattern"), str):
            found.append(((*node.path, "pattern"), "pattern", node.schema["pattern"]))
        if isinstance(named := node.schema.get("patternProperties"), dict):
            found += [((*node.path, "patternProperties", text), "patternProperties", text) for text in named]
        for path, keyword, text in found:
            if wrong := patterns.problem(text):
                message = f"in the {where} schema `{keyword}` {shown(wrong, 120)}"
                problems.append(_error("schema-invalid", where, path, message, _FIX))
            elif patterns.risk(text):
                message = f"in the {where} schema `{keyword}` can take exponential time on a text that nearly fits"
                advice = "Have the server write it without nested repetitions; a call that takes too long is refused."
                problems.append(SchemaProblem("schema-risky-pattern", Severity.WARNING, where, path, message, advice))
    return problems[: 2 * _MOST]


def _unknown(where: Where, path: Path, declared: str) -> SchemaProblem:
    message = f"the {where} schema is written in a dialect that is not known: {shown(redact_forms(declared), 80)}"
    advice = (
        "Known are " + ", ".join(known.name for known in KNOWN.values()) + "; without `$schema` it is read as 2020-12."
    )
    return _error("schema-unknown-dialect", where, path, message, advice)


def _error(slug: str, where: Where, path: Path, message: str, advice: str) -> SchemaProblem:
    return SchemaProblem(slug, Severity.ERROR, where, path, message, advice)
