"""The estimator, beside counts of o200k taken once with an encoder."""

from __future__ import annotations

import json

import pytest

from mcpexpose.model.tokens import ESTIMATOR, estimate

DECLARED = (
    '{"name":"github__create_issue","description":"Create an issue in a repository. Returns its number and url.",'
    '"inputSchema":{"type":"object","properties":{"owner":{"type":"string","description":"Owner of the repository"},'
    '"repo":{"type":"string"},"title":{"type":"string","minLength":1},"labels":{"type":"array",'
    '"items":{"type":"string"}}},"required":["owner","repo","title"],"additionalProperties":false}}'
)
COUNTED = [
    (DECLARED, 91),
    ("# MCP servers\n- ci: Build logs, test results, workflow runs\n- github: Issues and pull requests", 23),
    ("Use this tool when a build has failed and you want to know why; it reads the log of the last failed job.", 25),
    ("getConfluencePageWithAttachmentsAndPermissions", 8),
    ("azure_storage_account_blob_container_list_v2_2024", 11),
    ("ナレッジベースを検索して、関連する記事の一覧を返します。", 19),
    ("Удаляет запись из базы данных без возможности восстановления.", 10),
    ('{"a":[1,2,3],"b":{"c":[{"d":null}]},"e":1234567890}', 27),
]


@pytest.mark.parametrize(("text", "tokens"), COUNTED)
def test_near_the_encoders_count(text: str, tokens: int) -> None:
    """Within a fifth of what o200k counts on text of each kind; of other scripts it may err higher (X08)."""
    assert tokens - max(1, tokens // 10) <= estimate(text) <= tokens + max(5, tokens // 5)


def test_whole_and_named() -> None:
    """Nothing is nothing; the same text gives the same count; the name goes into plans (X05)."""
    assert estimate("") == 0
    assert estimate("a") == 1
    assert estimate("word " * 100) == estimate("word " * 100)
    assert ESTIMATOR == "pieces-1"


def test_errs_high_on_a_plain_declaration() -> None:
    """A budget is not broken by an estimate that flatters (X08)."""
    declared = json.dumps({"name": "s__x", "description": "Reads a file.", "inputSchema": {"type": "object"}})
    assert estimate(declared) >= 20


def test_long_runs_stay_cheap() -> None:
    """A megabyte of one character ends at once (C02)."""
    for char in ("a", "A", " ", "{", "é", "1", "\n", "漢"):
        assert estimate(char * 1_000_000) > 0
