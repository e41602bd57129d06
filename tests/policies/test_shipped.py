"""The packs that come with mcpexpose, each by what it promises."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from tests.compiler.build import tool
from tests.policies.packed import decisions

READ_ONLY = 'side_effect = "read_only"'
HINTED: list[Any] = [
    tool("look", annotations={"readOnlyHint": True}),
    tool("note", annotations={"readOnlyHint": False, "destructiveHint": False}),
    tool("burn", annotations={"destructiveHint": True}),
    "riddle",
]


@pytest.mark.parametrize(
    ("name", "raised"),
    [
        ("delete_file", "destructive"),
        ("file-delete", "destructive"),
        ("deleteFile", "destructive"),
        ("DELETE_FILE", "destructive"),
        ("drop_table", "destructive"),
        ("send_email", "write"),
        ("email.send", "write"),
        ("createIssue", "write"),
        ("pay_invoice", "write"),
        ("manage_contact", "write"),
        ("playlistManage", "write"),
        ("jira_move_issue", "write"),
        ("jira_assign_issue", "write"),
        ("asana_set_parent_for_task", "write"),
        ("slack_reply_to_thread", "write"),
        ("webtests_createorupdate", "write"),
        ("server_unregister", "write"),
        ("security_configure-encryption", "write"),
        ("browser_click", "write"),
        ("get_deleted_items", "read_only"),
        ("undelete_info", "read_only"),
        ("settings", "read_only"),
        ("list_posts", "read_only"),
        ("get_post", "read_only"),
        ("get_result_set", "read_only"),
        ("get_reply", "read_only"),
        ("browser_drop", "read_only"),
        ("get_address", "read_only"),
        ("list_paychecks", "read_only"),
        ("management_overview", "read_only"),
        ("clickhouse_list_tables", "read_only"),
    ],
)
def test_baseline_believes_a_name_upwards(name: str, raised: str) -> None:
    """Where a word of doing stands as a word, whatever the config says (C05)."""
    made = decisions(["baseline"], {"s": [name]}, tools=READ_ONLY)
    assert made["s", name].side_effect.value == raised


def test_baseline_asks_for_what_is_unknown() -> None:
    """Even where the config lets it run by itself."""
    made = decisions(["baseline"], {"s": ["riddle"]}, tools='approval = "auto"')
    assert made["s", "riddle"].approval is Approval.ASK


def test_read_only_leaves_what_is_known_to_read() -> None:
    """What writes, destroys or is unknown does not exist."""
    made = decisions(["read-only"], {"s": HINTED}, server="trust_annotations = true")
    assert {name for (_, name), decision in made.items() if decision.in_plan} == {"look"}
    assert all(decision.policy_state is PolicyState.DENIED for (_, name), decision in made.items() if name != "look")


def test_unattended_has_nothing_to_stop() -> None:
    """Nothing destructive or unknown; a write is found when it is looked for, and never told at once."""
    made = decisions(
        ["unattended"], {"s": HINTED}, head='[exposure]\ndefault = "direct"', server="trust_annotations = true"
    )
    exposed = {name: decision.exposure for (_, name), decision in made.items() if decision.in_plan}
    assert exposed == {"look": Exposure.DIRECT, "note": Exposure.DEFERRED}


def test_strict_hides_what_nobody_named() -> None:
    """A write asks, whatever `auto_approve` says."""
    tables = '[mcp_servers.s.tools.note]\nside_effect = "write"\napproval = "auto"\n'
    made = decisions(["strict"], {"s": HINTED}, server=tables)
    kept = {name: decision.approval for (_, name), decision in made.items() if decision.in_plan}
    assert kept == {"note": Approval.ASK}
    assert made["s", "riddle"].exposure is Exposure.HIDDEN
    assert made["s", "look"].side_effect is SideEffect.UNKNOWN
