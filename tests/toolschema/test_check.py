"""What is wrong with a tool's schemas, and what only looks odd."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpexpose.model.limits import TARGETS
from mcpexpose.model.names import ToolId
from mcpexpose.toolschema import check_definition, not_portable, patterns
from mcpexpose.toolschema.dialects import KNOWN
from tests.work import steps

DIALECTS = ["https://" + address for address in KNOWN]
KEYWORDS = sorted(
    {keyword for known in KNOWN.values() for keyword in (*known.shapes, *known.holds, "const", "default")}
)


def tool(schema: Any, **more: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": schema, **more}


def slugs(schema: Any, **more: Any) -> set[str]:
    return {problem.slug for problem in check_definition(tool(schema, **more))}


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {},
        of({"a": True, "b": {"type": ["string", "null"]}}),
        of(
            {"root": {"$ref": "#/$defs/node"}},
            **{"$defs": {"node": of({"children": {"items": {"$ref": "#/$defs/node"}}})}},
        ),
        of({"parent": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}),
        of({"x": {"$ref": "#here"}}, **{"$defs": {"y": {"$anchor": "here"}}}),
        of({"x": {"$ref": "https://x.example/s#/$defs/y"}}, **{"$id": "https://x.example/s", "$defs": {"y": {}}}),
        of({"x": {"$ref": "part"}}, **{"$id": "https://x.example/s", "$defs": {"y": {"$id": "/part"}}}),
        of({"x": {"$ref": "#/x-parts/a~1b"}}, **{"x-parts": {"a/b": {"type": "string"}}}),
        of({"x": {"default": {"$ref": "#/nowhere"}, "enum": [{"$ref": "http://x.example"}, {"$ref": "#/nowhere"}]}}),
        of({"$ref": {"type": "string"}, "$schema": {"type": "string"}}),
        of({"x": {"$dynamicRef": "#node"}}, **{"$defs": {"n": {"$dynamicAnchor": "node"}}}),
        of({"x": {"pattern": r"^\p{L}+(?<year>\d{4})\/[^]$"}}),
        of({"x": {"pattern": "(?i)^[a-z]+$"}}),
        {"$schema": "http://json-schema.org/draft-07/schema#", **of({"x": {"items": [{}], "additionalItems": False}})},
        {"$schema": "http://json-schema.org/draft-04/schema", **of({"x": {"minimum": 1, "exclusiveMinimum": True}})},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", **of({"x": {"$recursiveRef": "#"}})},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/Args",
            "definitions": {"Args": of({"a": {"type": "string"}})},
        },
    ],
)
def test_valid_schemas_pass(schema: Any) -> None:
    """Odd and valid is valid (G03)."""
    assert check_definition(tool(schema)) == ()


@pytest.mark.parametrize(
    ("schema", "slug", "pointer"),
    [
        (None, "schema-invalid", ""),
        (True, "schema-invalid", ""),
        ([], "schema-invalid", ""),
        ({"type": "string"}, "schema-invalid", "/type"),
        ({"type": ["array", "null"]}, "schema-invalid", "/type"),
        (of({"s": {"pattern": "("}}), "schema-invalid", "/properties/s/pattern"),
        (of({}, patternProperties={"[": {}}), "schema-invalid", "/patternProperties/["),
        (of({"s": {"type": "strng"}}), "schema-invalid", "/properties/s/type"),
        (of({"s": {"type": "string", "required": True}}), "schema-invalid", "/properties/s/required"),
        (of({"s": "string"}), "schema-invalid", "/properties/s"),
        (of({"s": {"items": [{}]}}), "schema-invalid", "/properties/s/items"),
        (of({"x": {"$ref": "#/x-parts/a"}}, **{"x-parts": {"a": {"type": 5}}}), "schema-invalid", "/x-parts/a/type"),
        ({"$schema": "https://schemas.example/v9", "type": "object"}, "schema-unknown-dialect", "/$schema"),
        (of({"s": {"$schema": "urn:own"}}), "schema-unknown-dialect", "/properties/s/$schema"),
        (of({"s": {"$ref": "file:///etc/passwd"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "https://x.example/s#/a"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "other.json"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "../../secret"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "C:\\secret.json"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "//x.example/s"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$dynamicRef": "http://x.example/s#n"}}), "schema-remote-ref", "/properties/s/$dynamicRef"),
        (of({"s": {"$id": "http://x.example/", "$ref": "a"}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "http://["}}), "schema-remote-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "#/$defs/Nope"}}), "schema-broken-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "#nope"}}), "schema-broken-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "#/type"}}), "schema-broken-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "#/required/9"}}, required=["s"]), "schema-broken-ref", "/properties/s/$ref"),
        (of({"s": {"$ref": "#/properties/s"}}), "schema-endless-ref", "/properties/s/$ref"),
        ({"type": "object", "$ref": "#"}, "schema-endless-ref", "/$ref"),
        (of({}, **{"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}), "schema-endless-ref", "/$defs/a/not/$ref"),
        (
            of({"x": {"$ref": "#n"}}, **{"$defs": {"n": {"$dynamicAnchor": "n", "anyOf": [{"$dynamicRef": "#n"}]}}}),
            "schema-endless-ref",
            "/$defs/n/anyOf/0/$dynamicRef",
        ),
    ],
)
def test_faults_are_found_at_their_place(schema: Any, slug: str, pointer: str) -> None:
    """Each fault has its slug and its pointer, and costs the tool its place in the plan (G03)."""
    problems = check_definition(tool(schema))
    assert (slug, pointer) in [(problem.slug, problem.pointer) for problem in problems]
    assert all(problem.leaves_out for problem in problems if problem.slug == slug)


def test_a_tool_without_schema_accepts_nothing() -> None:
    """A missing schema is not "accept anything" (G06)."""
    assert [problem.slug for problem in check_definition({"name": "t"})] == ["schema-invalid"]


def test_an_output_schema_at_fault_is_named_as_such() -> None:
    """An output schema that is misshapen is told and the tool stays; one that refers to nothing takes it out (G07)."""
    misshapen, broken = (
        check_definition(tool(of({}), outputSchema=schema)) for schema in ({"type": "strng"}, {"$ref": "#/$defs/Nope"})
    )
    assert [(problem.subject(ToolId("o", "t")), problem.leaves_out) for problem in misshapen] == [
        ("o/t#output/type", False)
    ]
    assert [(problem.subject(ToolId("o", "t")), problem.leaves_out) for problem in broken] == [
        ("o/t#output/$ref", True)
    ]
    assert slugs(of({}), outputSchema=True) == slugs(of({}), outputSchema=None) == set()


def nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = of({"p": schema})
    return schema


def test_a_deep_schema_is_refused_without_recursion() -> None:
    """100 levels are allowed; a million are no stack overflow (law 8)."""
    assert slugs(nested(49)) == set()
    assert slugs(nested(51)) == {"schema-too-deep"}
    schema: Any = {}
    for _ in range(sys.getrecursionlimit() * 3):
        schema = {"not": schema}
    assert slugs(schema) == {"schema-too-deep"}


def test_a_long_chain_of_references_is_too_deep() -> None:
    """A validator's stack grows with each schema that applies to the same value (law 8)."""
    parts: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(150)}
    assert slugs(of({"x": {"$ref": "#/$defs/d0"}}, **{"$defs": parts | {"d150": {}}})) == {"schema-too-deep"}


def test_references_that_multiply_take_no_time() -> None:
    """Thirty levels of two references each are 2**30 paths, and one look (law 8)."""
    parts = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)} | {"d30": {"type": "string"}}
    schema = of({"x": {"$ref": "#/$defs/d0"}}, **{"$defs": parts})
    assert slugs(schema) == set()
    steps(lambda: slugs(schema), most=1_000_000)


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        (of({"n": {"type": "integer", "minimum": 5, "maximum": 1}}), "/properties/n/maximum"),
        (of({"n": {"type": "number", "exclusiveMinimum": 1, "maximum": 1}}), "/properties/n/maximum"),
        (of({"n": {"type": "string", "minLength": 3, "maxLength": 2}}), "/properties/n/maxLength"),
        (of({"n": {"type": "array", "minItems": 3, "maxItems": 2}}), "/properties/n/maxItems"),
        (of({"n": {"type": "string", "enum": [1, 2]}}), "/properties/n/enum"),
        (of({"n": {"enum": []}}), "/properties/n/enum"),
        (of({"n": {"type": "string", "const": 1}}), "/properties/n/const"),
        (of({"x": {}}, required=["y"], additionalProperties=False), "/required/0"),
        (of({"y": False}, required=["y"]), "/required/0"),
        (of({}, allOf=[{"type": "array"}]), "/allOf/0/type"),
        ({"type": "object", "not": {}}, "/not"),
        ({"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}, "/$defs/s/type"),
        (
            of({"a": {"$ref": "#/$defs/n"}}, **{"$defs": {"n": of({"n": {"$ref": "#/$defs/n"}}, required=["n"])}}),
            "/$defs/n/required/0",
        ),
        (of({}, anyOf=[{"type": "array"}, {"type": "string"}]), "/anyOf"),
        (of({"n": {"type": "integer", "minimum": 0.2, "maximum": 0.8}}), "/properties/n/maximum"),
        (
            of({"n": {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}}),
            "/properties/n/exclusiveMaximum",
        ),
        (of({"x": {}}, additionalProperties=False, minProperties=2), "/minProperties"),
    ],
)
def test_contradictions_are_found(schema: Any, pointer: str) -> None:
    """What no call can pass is said before the first call, and leaves nothing out (G06)."""
    problems = [problem for problem in check_definition(tool(schema)) if problem.slug == "schema-unsatisfiable"]
    assert pointer in [problem.pointer for problem in problems]
    assert not any(problem.leaves_out for problem in problems)


@pytest.mark.parametrize(
    "schema",
    [
        of({"x": False, "y": {"not": {}}}),
        of({"x": {"minimum": 5, "maximum": 1}}),
        of({"x": {"enum": ["a", None], "type": ["string", "null"]}}),
        of({}, required=["y"]),
        of({}, required=["y"], additionalProperties=False, patternProperties={"^y": {}}),
        of({"a": {"$ref": "#/$defs/n"}}, **{"$defs": {"n": of({"n": {"$ref": "#/$defs/n"}})}}),
        of({"x": {"allOf": [{"type": "integer"}, {"type": "number"}]}}),
        of({"x": {"type": ["integer", "number"], "minimum": 0.2, "maximum": 0.8}}),
        of({"x": {"type": "integer", "minimum": 0.2, "maximum": 1}}),
        of({"x": {}}, additionalProperties=False, minProperties=1),
        of({}, additionalProperties=False, minProperties=1, patternProperties={"^y": {}}),
    ],
)
def test_what_can_be_fulfilled_is_no_contradiction(schema: Any) -> None:
    """No false alarm on what is written on purpose (G06)."""
    assert slugs(schema) == set()


@pytest.mark.parametrize(
    "pattern",
    [
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(a+)+$",
        "^(a|aa)+$",
        r"^(\w+\s?)*$",
        "(x+x+)+y",
        "(a{1,50}){1,50}",
        "(a*)*b",
        r"((ab)*c?)*d",
        "(a|a)*$",
        r"(\d|\d)*x",
        "(x(?:b?|c?))*$",
        "(x(?:a?)?)*$",
        "^(a{2,5})*$",
        "^(x{1,2}x)*$",
    ],
)
def test_patterns_that_run_away_are_told(pattern: str) -> None:
    """A pattern with exponential time is a warning with its pointer (G06)."""
    problems = check_definition(tool(of({"s": {"pattern": pattern}})))
    assert [(problem.slug, problem.pointer) for problem in problems] == [
        ("schema-risky-pattern", "/properties/s/pattern")
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+(-[a-z]+)*$",
        r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        r"^https?://[^\s/]+(/\S*)?$",
        "^([0-9A-F]{2}[:-]){5}[0-9A-F]{2}$",
        ".*a.*b.*",
        "^(foo|bar)+$",
        "^(a|a)x$",
        "^(get|put)?(x|y)*$",
        r"^([A-Z]{2,5}-\d+)(,[A-Z]{2,5}-\d+)*$",
        "^(?:(?:ab|c){1,3};)+$",
        "^([0-9a-f]{1,4}:){0,7}[0-9a-f]{1,4}$",
    ],
)
def test_common_patterns_are_no_risk(pattern: str) -> None:
    """Repetition alone is no fault (G06)."""
    assert slugs(of({"s": {"pattern": pattern}})) == set()


def test_no_text_of_a_server_is_printed_raw() -> None:
    """Escapes and line feeds of a server stay out of messages (law 6)."""
    schema = of({"s\x1b[2J": {"type": "a\nb\u202e"}, "r": {"$ref": "#/\x1b[31m"}, "q": {"pattern": "(?P<\x1b"}})
    for problem in check_definition(tool(schema)):
        finding = problem.finding(ToolId("s", "t\nx"), "catalogs/s.json", 0)
        assert not {"\x1b", "\n", "\u202e"} & set(finding.message + finding.advice)


def test_no_password_of_an_address_is_quoted() -> None:
    address = "https://bob:hunter2secret9@x.example/s"
    for part in ({"$ref": address}, {"$schema": address}):
        (problem,) = check_definition(tool(of({"s": part})))
        assert "hunter2secret9" not in problem.message
        assert "x.example" in problem.message


def portable(schema: Any, *targets: str, **more: Any) -> dict[str, list[str]]:
    problems = not_portable(tool(schema, **more), targets)
    return {problem.subject(ToolId("s", "t")): problem.details["targets"] for problem in problems}


def test_root_combinators_are_told_with_the_providers() -> None:
    """Which provider refuses, and where (G03)."""
    schema = of({"id": {"type": "string"}}, oneOf=[{"required": ["id"]}])
    assert portable(schema) == {"s/t#/oneOf": ["anthropic", "openai"]}
    assert portable(schema, "anthropic") == {"s/t#/oneOf": ["anthropic"]}
    assert portable(schema, "gemini") == {}


def test_nested_combinators_and_properties_called_so_are_fine() -> None:
    """Only the root counts (G03)."""
    assert portable(of({"target": {"oneOf": [{"type": "string"}]}, "oneOf": {"type": "string"}})) == {}


def test_the_subset_of_one_provider_is_told_place_by_place() -> None:
    """One pointer a place (G03)."""
    schema = of({"args": {"type": ["array", "null"], "items": of({"value": True})}, "op": {"const": "x"}})
    assert set(portable(schema, "gemini")) == {
        "s/t#/properties/args/type",
        "s/t#/properties/args/items/properties/value",
        "s/t#/properties/op/const",
    }
    assert portable(schema, "anthropic") == {}


def test_forms_that_only_an_older_dialect_has_are_told() -> None:
    """Anthropic reads every schema as 2020-12, whatever it declares (G03)."""
    old = {"$schema": "http://json-schema.org/draft-07/schema#", **of({"x": {"type": "array", "items": [{}]}})}
    assert portable(old, "anthropic") == {"s/t#/properties/x/items": ["anthropic"]}


def test_an_output_that_is_no_object_is_told() -> None:
    """Older clients drop a whole list over it (G03)."""
    assert set(portable(of({}), outputSchema={"$id": "b.v1"})) == {"s/t#output"}
    assert portable(of({}), outputSchema={"type": "object"}) == {}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    # What is likely to be taken for something.
    | st.sampled_from(["object", "array", "#", "#/properties/a", "#/$defs/a", "a", "(", "^(a+)+$", 10**400, -1, 0.5]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*KEYWORDS, "a", "b", "$schema", "id"]) | st.text(max_size=3), inner, max_size=5
        )
    ),
    max_leaves=25,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schema=JSON, output=JSON, dialect=st.sampled_from([None, *DIALECTS]))
def test_no_schema_makes_the_check_fail(schema: Any, output: Any, dialect: str | None) -> None:
    """Whatever a server sends is judged, and what is judged valid can be measured against every target (law 8)."""
    if isinstance(schema, dict) and dialect:
        schema = schema | {"$schema": dialect, "type": "object"}
    definition = tool(schema, outputSchema=output)
    problems = check_definition(definition)
    assert all(problem.slug.startswith("schema-") for problem in problems)
    not_portable(definition, TARGETS)


@settings(max_examples=300, deadline=None)
@given(pattern=st.text(alphabet="ab(|)*+?{1,2}[]^$\\dwp.<>=!:-", max_size=24))
def test_every_pattern_can_be_judged(pattern: str) -> None:
    """What is no expression is told, and every other one can be compiled at a call (G06)."""
    if patterns.problem(pattern) is None:
        patterns.compiled(pattern)
        patterns.risk(pattern)


CLASSES = "[\0-\uffff]" * 1_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        of({f"p{n}": {"pattern": f"{n}{CLASSES}"} for n in range(20)}),
        of({f"p{n}": {"pattern": f"(?i){n}{CLASSES}"} for n in range(20)}),
        of({"p": {"pattern": "(?:" * 30 + ")" + "{7})" * 29}}),
        of({"p": {"pattern": "()" + "".join(f"(\\{n}\\{n})" for n in range(1, 60))}}),
        of({"p": {"pattern": "\\k<" * 30_000}}),
        of({"p": {"pattern": "a" * 5_000_000}}),
        of({}, **{"$defs": {f"d{n}": {"$dynamicAnchor": "a", "$dynamicRef": "#a"} for n in range(5_000)}}),
        of(
            {f"p{n}": {"$ref": "#/$defs/all"} for n in range(2_000)},
            **{
                "$defs": {
                    "all": {"type": "object", "allOf": [{"$ref": f"#/$defs/d{n}"} for n in range(2_000)]},
                    **{f"d{n}": {"required": [f"r{n}"]} for n in range(2_000)},
                }
            },
        ),
    ],
    ids=["classes", "classes without case", "empty groups", "groups of groups", "names", "long", "dynamic", "allOf"],
)
def test_no_schema_is_much_work(schema: dict[str, Any]) -> None:
    """What is cheap to send is cheap to judge: patterns are read and not compiled, places are not paired (C04)."""
    check_definition(tool(schema))
    steps(lambda: check_definition(tool(schema)), most=20_000_000)


@pytest.mark.parametrize("pattern", ["(?<=a+)b", "a(?i)b", "(?P<n>a)(?P<n>b)", "[b-a]", "(?<=(a|bc))d"])
def test_a_pattern_is_refused_where_nothing_could_compile_it(pattern: str) -> None:
    """Reading a pattern finds all that compiling it would (C04)."""
    assert patterns.problem(pattern) is not None


def test_a_pattern_beyond_the_limit_is_said() -> None:
    """No text of a server is compiled without a bound (law 6)."""
    assert slugs(of({"p": {"pattern": "a" * 100_001}})) == {"schema-invalid"}
    assert slugs(of({"p": {"pattern": "a" * 100_000}})) == set()
