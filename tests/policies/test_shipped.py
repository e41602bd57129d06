"""The shipped packs: what each promises, on names as real servers have them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.config import packs, shipped
from mcpexpose.model.policy import Approval, Exposure, SideEffect, stricter

if TYPE_CHECKING:
    from mcpexpose.model.config import PolicyPack

NAMES = ("baseline", "read-only", "strict", "unattended")


@cache
def pack(name: str) -> PolicyPack:
    found, findings = packs.find([name], Path())
    assert findings == ()
    return found[0].pack


def least(tool: str) -> SideEffect:
    """What baseline makes of a tool that its config calls read_only."""
    out = SideEffect.READ_ONLY
    for constraint in pack("baseline").constraints:
        if constraint.min_side_effect is not None and fnmatchcase(f"server/{tool}", constraint.match):
            out = stricter(out, constraint.min_side_effect)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_each_opens_with_whom_it_is_for(name: str) -> None:
    """A pack can be chosen by its first lines (C05)."""
    lines = shipped.path("policies", name).read_text("utf-8").splitlines()
    assert lines[0].startswith(f"# {name}: for ")
    assert pack(name).name == name
    assert pack(name).description
    assert all(constraint.reason for constraint in pack(name).constraints)


SPELLINGS = ["{w}", "{w}_project", "{w}-project", "{w}Project", "{W}", "{W}Project", "{U}_PROJECT"]
ANYWHERE = [
    "repo_{w}",
    "repo_{w}_all",
    "repo-{w}",
    "repo-{w}-all",
    "repo.{w}",
    "repo{W}",
    "repo{W}All",
    "API-{w}-a-block",
]
DESTRUCTIVE = [
    "delete",
    "remove",
    "purge",
    "wipe",
    "destroy",
    "truncate",
    "erase",
    "kill",
    "terminate",
    "uninstall",
    "revoke",
]
WRITE = ["create", "update", "insert", "upload", "publish", "send", "add"]


@pytest.mark.parametrize("word", DESTRUCTIVE)
@pytest.mark.parametrize("spelling", [*SPELLINGS, *ANYWHERE, "GITHUB_{U}_PROJECT"])
def test_a_name_that_says_delete_is_destructive(word: str, spelling: str) -> None:
    """In each spelling, wherever the word stands (C05)."""
    assert least(spelling.format(w=word, W=word.capitalize(), U=word.upper())) is SideEffect.DESTRUCTIVE


@pytest.mark.parametrize("word", WRITE)
@pytest.mark.parametrize("spelling", [*SPELLINGS, *ANYWHERE, "GITHUB_{U}_PROJECT"])
def test_a_name_that_says_send_is_write(word: str, spelling: str) -> None:
    """The same for what writes (C05)."""
    assert least(spelling.format(w=word, W=word.capitalize(), U=word.upper())) is SideEffect.WRITE


@pytest.mark.parametrize(
    "word",
    [
        "pay",
        "transfer",
        "charge",
        "refund",
        "buy",
        "withdraw",
        "post",
        "set",
        "put",
        "deploy",
        "merge",
        "execute",
        "run",
        "write",
        "edit",
        "rename",
        "replace",
        "move",
        "install",
        "approve",
        "submit",
        "cancel",
        "assign",
        "grant",
        "archive",
    ],
)
def test_other_verbs_of_the_world(word: str) -> None:
    """Money, posts, runs and rights are at least write, at the start of a name (C05)."""
    for name in (word, f"{word}_thing", f"{word}-thing", f"{word}Thing", word.capitalize()):
        assert least(name) is SideEffect.WRITE, name


@pytest.mark.parametrize("word", ["drop", "reset", "prune", "flush", "clear", "restore", "rollback", "overwrite", "rm"])
def test_other_verbs_that_lose_something(word: str) -> None:
    """What cannot be had back is destructive (C05)."""
    assert least(f"{word}_thing") is SideEffect.DESTRUCTIVE


HARMLESS = """
get_issue list_deleted_items get_deleted_files undelete_note recreate settings_get settings postal_lookup posts_list
get_post get_posts list_runs get_last_run runtime_logs get_charges list_transfers payments_search payload_inspect
search_address get_created_at list_updates get_settings read_clipboard reader dropdown_list browser_drop
get_password_reset_link addresses_find additional_info executed_queries list_merge_requests get_merge_request_diff
describe_removed_rows sender_list get_sent_messages putative_genes mergers_list deployments_list edition_info
movement_history killer_whales terminal_read whiteboard_view renderer_info creation_date writer_profile publisher_list
editor_state inserted_rows uploads_list
"""


@pytest.mark.parametrize("name", HARMLESS.split())
def test_a_word_inside_another_is_no_verb(name: str) -> None:
    """A name that only contains the letters, or has the word as a noun, stays what it is (C05)."""
    assert least(name) is SideEffect.READ_ONLY


def test_what_is_unknown_asks() -> None:
    """Baseline: a tool of which nobody knows what it does asks (G06)."""
    first = pack("baseline").constraints[0]
    assert (first.match, first.side_effects, first.approval) == ("*/*", (SideEffect.UNKNOWN,), Approval.ASK)


def test_baseline_only_raises_and_asks() -> None:
    """Baseline hides and denies nothing (C05)."""
    for constraint in pack("baseline").constraints:
        assert not constraint.deny
        assert constraint.max_exposure is None
        assert re.fullmatch(r"\*/.+", constraint.match)


def test_read_only_leaves_nothing_that_writes() -> None:
    """Write and destructive, and with it unknown, are denied (C05)."""
    (only,) = pack("read-only").constraints
    assert only.deny
    assert only.match == "*/*"
    assert set(only.side_effects or ()) == {SideEffect.WRITE, SideEffect.DESTRUCTIVE}


def test_unattended_has_nothing_that_destroys() -> None:
    """Destructive, and with it unknown, is denied; a write is not offered (C05)."""
    destructive, write = pack("unattended").constraints
    assert destructive.deny
    assert destructive.side_effects == (SideEffect.DESTRUCTIVE,)
    assert write.side_effects == (SideEffect.WRITE,)
    assert write.max_exposure is Exposure.DEFERRED


def test_strict_hides_what_nobody_named() -> None:
    """Without a class of read_only or write a tool is hidden; a write asks (C05)."""
    unnamed, write = pack("strict").constraints
    assert unnamed.max_exposure is Exposure.HIDDEN
    assert unnamed.side_effects == (SideEffect.DESTRUCTIVE,)
    assert (write.side_effects, write.approval) == ((SideEffect.WRITE,), Approval.ASK)
