"""Hundreds of real servers in one config: nothing crashes, and only what is broken is left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import validator_for

from mcpexpose.host.plan import load_plan
from tests.scale.planned import Planned, plan
from tests.scale.world import DATA, WHY_NOT, real_catalogs, write_world

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not DATA.is_dir(), reason=WHY_NOT)]


@pytest.fixture(scope="module")
def catalogs() -> list[dict[str, Any]]:
    return real_catalogs()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scale")


@pytest.fixture(scope="module")
def planned(catalogs: list[dict[str, Any]], folder: Path) -> Planned:
    return plan(write_world(folder / "world", catalogs), folder / "out")


def is_sound(schema: Any) -> bool:
    """By jsonschema's word alone: it fits its metaschema, and what it refers to within itself is there."""
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError:
        return False
    text = json.dumps(schema)
    return "#/components/" not in text or '"components"' in text


def test_what_is_left_out_is_what_is_broken(planned: Planned, catalogs: list[dict[str, Any]]) -> None:
    """Neither a sound tool lost, nor a broken schema let through (C08)."""
    names = {(catalog["server_id"], tool["name"]): tool for catalog in catalogs for tool in catalog["tools"]}
    kept = {(tool["server"], tool["name"]) for tool in planned.report["tools"]}
    assert kept | planned.left_out.keys() == names.keys()
    assert not kept & planned.left_out.keys()
    assert set(planned.left_out.values()) <= {"schema-invalid", "schema-broken-ref"}
    # Of the others a share is enough: the judge takes longer than all of the plan.
    asked = planned.left_out.keys() | set(sorted(kept)[::5])
    assert {name for name in asked if not is_sound(names[name]["inputSchema"])} == planned.left_out.keys()


def test_a_faulty_server_does_not_hold_up_the_others(planned: Planned, folder: Path) -> None:
    """Exit 1, a bundle all the same, and a host finds what is in it (C08)."""
    assert planned.code == 1
    assert planned.report["writable"]
    session = load_plan(folder / "out").session()
    assert len(session.prompt_section()) <= 4_096
    answer = session.find_tools("take a screenshot of the page")
    assert answer.matches
    assert len(session.declared()) == 1 + len(answer.added)


def test_it_fits_in_a_small_machine(planned: Planned) -> None:
    """Less than half a gigabyte for thousands of tools."""
    assert planned.peak_bytes < 512 * 2**20
