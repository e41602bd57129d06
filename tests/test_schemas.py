"""The published JSON Schemas are those of the models, and say the same as the loader."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcpexpose.config import shipped
from mcpexpose.model import schemas
from mcpexpose.model.config import Config, PolicyPack, ServerTable
from mcpexpose.model.event import Event
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.lock import Lock, LockedServer, LockedTool
from tests.config.reading import parsed
from tests.config.test_load import EVERYTHING, TYPES, UNKNOWN


def committed(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(shipped.path("schemas", name).read_bytes())
    return loaded


@pytest.mark.parametrize("name", schemas.NAMES)
def test_the_committed_schema_is_that_of_the_model(name: str) -> None:
    """Renew with `python -m mcpexpose.model.schemas --write` (C01)."""
    assert shipped.path("schemas", name).read_bytes() == schemas.dump(name)
    assert committed(name) == schemas.schema(name)


def test_every_schema_is_committed_and_no_other() -> None:
    """What ships is what the models give (C05)."""
    assert shipped.names("schemas") == schemas.NAMES
    with pytest.raises(KeyError):
        schemas.schema("nothing")


@pytest.mark.parametrize("name", schemas.NAMES)
def test_each_is_a_schema_that_explains_itself(name: str) -> None:
    """Draft 2020-12, with title, id and a description (C01)."""
    schema = committed(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:mcpexpose:schema:{name}:1"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("model", [Config, PolicyPack, ServerTable])
def test_every_key_of_the_config_is_described(model: type[Config]) -> None:
    """The description is what an editor shows (C01)."""
    for name, field in model.model_fields.items():
        assert field.description, name


def problems(name: str, value: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(committed(name)).iter_errors(value)]


def test_the_reference_config_fits_its_schema() -> None:
    """Schema and loader accept the same file (C01)."""
    data = tomllib.loads(EVERYTHING)
    data["waivers"][0]["until"] = data["waivers"][0]["until"].isoformat()
    assert problems("config", data) == []
    assert parsed(EVERYTHING)[1] == ()


# A date is a text in JSON.
SHAPES = [row[0] for row in TYPES if "until" not in row[1]]


@pytest.mark.parametrize("source", SHAPES, ids=range(len(SHAPES)))
def test_a_wrong_type_fits_no_schema(source: str) -> None:
    """What the loader refuses by its type, an editor underlines (C01)."""
    assert problems("config", tomllib.loads(source))


@pytest.mark.parametrize("source", [row[0] for row in UNKNOWN if "." in row[1] or ":" in row[1]])
def test_an_unknown_key_in_a_table_of_ours_fits_no_schema(source: str) -> None:
    """The same for a key that is not there (C01)."""
    assert problems("config", tomllib.loads(source))


@pytest.mark.parametrize("name", shipped.names("policies"))
def test_shipped_packs_fit_the_schema(name: str) -> None:
    """(C05)"""
    assert problems("policy", tomllib.loads(shipped.path("policies", name).read_text("utf-8"))) == []


def test_records_fit_their_schemas() -> None:
    """An event, a lock and a plain tools/list result (G12, C07, C06)."""
    event = to_json(Event("call", "2026-11-30T12:00:00Z", "run-1", outcome="ok", latency_ms=1.5))
    assert problems("event", event) == []
    assert problems("event", {**event, "arguments": {}})
    lock = Lock(1, {"a": LockedServer("0" * 64, "1" * 64, {"t": LockedTool(None, "2" * 64, None, None, None)})})
    assert problems("lock", to_json(lock)) == []
    assert problems("catalog", {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "_meta": {}}]}) == []
    assert problems("catalog", {"tools": [{}]})
