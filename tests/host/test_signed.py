"""A host that demands a signature: what does not have it is not served, and the last good plan stays."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import mcpexpose
from mcpexpose import BundleRefused, HostPlan
from mcpexpose.bundle.signature import generate_key, sign
from mcpexpose.bundle.write import write
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.errors import McpexposeError
    from mcpexpose.model.plan import Compiled


@pytest.fixture
def first(tmp_path: Path, done: Compiled) -> HostPlan:
    generate_key(tmp_path / "ours.pem")
    generate_key(tmp_path / "theirs.pem")
    write(done, tmp_path / "plan")
    sign(tmp_path / "plan", tmp_path / "ours.pem")
    return mcpexpose.load_plan(tmp_path / "plan", public_key=tmp_path / "ours.pem.pub")


@pytest.mark.parametrize("fault", ["stripped", "another key", "copied", "other bytes", "spoilt"])
def test_a_reload_without_our_signature_keeps_the_last_good_plan(tmp_path: Path, first: HostPlan, fault: str) -> None:
    """C03: the reader demands; whoever can write the folder cannot talk it out of that."""
    place = tmp_path / "plan"
    shutil.copy(place / "manifest.sig", tmp_path / "old.sig")
    write(compiled(tool("gh", "new", "New")), place)
    if fault == "another key":
        sign(place, tmp_path / "theirs.pem")
    elif fault == "copied":
        shutil.copy(tmp_path / "old.sig", place / "manifest.sig")
    elif fault != "stripped":
        sign(place, tmp_path / "ours.pem")
        file = place / ("definitions.bin" if fault == "other bytes" else "manifest.sig")
        data = file.read_bytes()
        file.write_bytes(data.replace(b"New", b"Now") if fault == "other bytes" else data[:-40])
    session = first.session()
    refused: list[McpexposeError] = []
    after = first.reload(refused.append)
    assert after is first
    assert [type(error) for error in refused] == [BundleRefused]
    assert refused[0].findings[0].slug == "plan-damaged"
    with pytest.raises(BundleRefused):  # other bytes of the same size are found as soon as they are used
        mcpexpose.load_plan(place, public_key=tmp_path / "ours.pem.pub").definition(0)
    assert "gh__get_issue" in [each["name"] for each in session.declared()]
    assert session.find_tools("read the logs of a job").added
    write(compiled(tool("gh", "new", "New")), place)
    sign(place, tmp_path / "ours.pem")
    mended = first.reload()
    assert [each.alias for each in mended.plan.tools] == ["gh__new"]


def test_a_digest_can_be_demanded_in_place_of_a_key(tmp_path: Path, first: HostPlan) -> None:
    """C03: then no other bundle is ever taken, signed or not."""
    assert first.manifest
    pinned = mcpexpose.load_plan(tmp_path / "plan", expected_digest=first.manifest.digest)
    write(compiled(tool("gh", "new", "New")), tmp_path / "plan")
    sign(tmp_path / "plan", tmp_path / "ours.pem")
    assert pinned.reload() is pinned
    assert first.reload() is not first
