"""The shipped packs on tools of real servers, measured by the hints that their makers gave."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.policy import Approval, Exposure, SideEffect
from tests.policies.packed import decisions
from tests.scale.world import DATA, WHY_NOT, real_catalogs

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not DATA.is_dir(), reason=WHY_NOT)]

Name = tuple[str, str]


@pytest.fixture(scope="module")
def annotated() -> dict[str, list[dict[str, Any]]]:
    found = {
        catalog["server_id"]: [tool for tool in catalog["tools"] if isinstance(tool.get("annotations"), dict)]
        for catalog in real_catalogs()
    }
    return {server: tools for server, tools in found.items() if tools}


@pytest.fixture(scope="module")
def hinted(annotated: dict[str, list[dict[str, Any]]]) -> dict[Name, SideEffect]:
    """The class that a trusted server's hints give."""
    classes: dict[Name, SideEffect] = {}
    for server, tools in annotated.items():
        for tool in tools:
            hints = tool["annotations"]
            if hints.get("destructiveHint") is True:
                classes[server, tool["name"]] = SideEffect.DESTRUCTIVE
            elif hints.get("readOnlyHint") is True:
                classes[server, tool["name"]] = SideEffect.READ_ONLY
            elif hints.get("destructiveHint") is False:
                classes[server, tool["name"]] = SideEffect.WRITE
            else:
                classes[server, tool["name"]] = SideEffect.UNKNOWN
    return classes


def test_baseline_raises_most_of_what_destroys_and_little_of_what_reads(
    annotated: dict[str, list[dict[str, Any]]], hinted: dict[Name, SideEffect]
) -> None:
    """By names alone, were all of it called read_only: seven of ten that destroy, three of a hundred that read.

    Many hints say destructive of what merely writes, which is why raised to write counts.
    """
    bare = {server: [{**tool, "annotations": {}} for tool in tools] for server, tools in annotated.items()}
    made = decisions(["baseline"], bare, tools='side_effect = "read_only"')
    raised = {name for name, decision in made.items() if decision.side_effect is not SideEffect.READ_ONLY}
    destroys = {name for name, kind in hinted.items() if kind is SideEffect.DESTRUCTIVE}
    reads = {name for name, kind in hinted.items() if kind is SideEffect.READ_ONLY}
    assert len(raised & destroys) > 0.7 * len(destroys), sorted(destroys - raised)
    assert len(raised & reads) < 0.03 * len(reads), sorted(raised & reads)
    assert not [name for name in reads if made[name].side_effect is SideEffect.DESTRUCTIVE]


def test_baseline_leaves_alone_what_is_called_get_or_list() -> None:
    """Over every real tool, annotated or not: a name that opens with get_ or list_ is hardly ever raised."""
    catalogs = {catalog["server_id"]: catalog["tools"] for catalog in real_catalogs()}
    made = decisions(["baseline"], catalogs, tools='side_effect = "read_only"')
    read = {name for name in made if name[1].startswith(("get_", "list_", "get-", "list-"))}
    raised = {name for name in read if made[name].side_effect is not SideEffect.READ_ONLY}
    assert len(read) > 1_000
    assert len(raised) < 0.003 * len(read), sorted(raised)


def test_the_other_packs_keep_their_word(
    annotated: dict[str, list[dict[str, Any]]], hinted: dict[Name, SideEffect]
) -> None:
    """With hints trusted: read-only, unattended and strict by the class of each real tool."""
    kinds: dict[str, dict[SideEffect, set[Name]]] = {}
    for pack in ("read-only", "unattended", "strict"):
        made = decisions([pack], annotated, head='[exposure]\ndefault = "direct"', server="trust_annotations = true")
        kept = {name: decision for name, decision in made.items() if decision.in_plan}
        kinds[pack] = {kind: {name for name in kept if hinted[name] is kind} for kind in SideEffect}
        for name, decision in kept.items():
            assert decision.side_effect is hinted[name]
            if decision.side_effect is SideEffect.WRITE:
                assert decision.exposure is Exposure.DEFERRED or pack == "strict"
                assert decision.approval is Approval.ASK
    reads = {name for name, kind in hinted.items() if kind is SideEffect.READ_ONLY}
    writes = {name for name, kind in hinted.items() if kind is SideEffect.WRITE}
    nothing: set[Name] = set()
    for pack, wanted in (("read-only", nothing), ("unattended", writes), ("strict", writes)):
        assert kinds[pack] == {
            SideEffect.READ_ONLY: reads,
            SideEffect.WRITE: wanted,
            SideEffect.DESTRUCTIVE: nothing,
            SideEffect.UNKNOWN: nothing,
        }
