"""The tables of keyword shapes against the metaschemas that they stand for."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpexpose.toolschema.dialects import DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020, Dialect
from mcpexpose.toolschema.walk import start

REFEREES = {
    DRAFT_4: jsonschema.Draft4Validator,
    DRAFT_6: jsonschema.Draft6Validator,
    DRAFT_7: jsonschema.Draft7Validator,
    DRAFT_2019: jsonschema.Draft201909Validator,
    DRAFT_2020: jsonschema.Draft202012Validator,
}
REFEREES_BY_NAME = {dialect.name: (dialect, referee) for dialect, referee in REFEREES.items()}
KEYWORDS = sorted(
    {keyword for dialect in REFEREES for keyword in (*dialect.shapes, *dialect.holds, "const", "default")}
)
# `$schema` would change the dialect, and ids that are claimed twice are refused here and not by a metaschema.
PLAIN = [keyword for keyword in KEYWORDS if keyword not in ("$schema", "$id", "id")]

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 4)
    | st.sampled_from([0.5, 2.0, -1.0, "", "a", "string", "object", "x-y", "1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PLAIN, "a", "b"]), inner, max_size=3),
    max_leaves=8,
)
WELL_SHAPED = st.recursive(
    st.sampled_from([{}, {"type": "string"}, {"type": ["integer", "null"]}, {"enum": ["a"]}, {"minLength": 1}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(["a", "b", "required"]), inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "required": st.just(["a"]),
            "definitions": st.dictionaries(st.just("d"), inner, max_size=1),
            "not": inner,
        },
    ),
    max_leaves=6,
)


def accepted(schema: Any, dialect: Dialect) -> bool:
    walked = start(schema, dialect)
    return not walked.misshapen


@pytest.mark.parametrize("name", REFEREES_BY_NAME)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(keyword=st.sampled_from(PLAIN), value=VALUES, around=WELL_SHAPED, data=st.data())
def test_agrees_with_the_metaschema(name: str, keyword: str, value: Any, around: Any, data: st.DataObject) -> None:
    """What the tables accept, the dialect's metaschema accepts, and the other way round (F03, G06)."""
    dialect, referee = REFEREES_BY_NAME[name]
    schema = copy.deepcopy(around)
    places = [node.schema for node in start(schema, dialect).nodes.values() if isinstance(node.schema, dict)]
    data.draw(st.sampled_from(places))[keyword] = value
    assert accepted(schema, dialect) == referee(referee.META_SCHEMA).is_valid(schema)


@pytest.mark.parametrize("name", REFEREES_BY_NAME)
def test_every_metaschema_is_a_schema_of_its_dialect(name: str) -> None:
    dialect, referee = REFEREES_BY_NAME[name]
    assert accepted(dict(referee.META_SCHEMA), dialect)


def test_every_keyword_of_a_metaschema_has_a_shape() -> None:
    """A keyword that a new metaschema brings is noticed here."""
    for dialect in (DRAFT_4, DRAFT_6, DRAFT_7):
        known = {*dialect.shapes, *dialect.holds, "default", "const"}
        assert set(REFEREES[dialect].META_SCHEMA["properties"]) <= known
