"""`mcpexpose search --explain` and `--why-not`: an operator sees how a ranking came about, and what to change."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.search.postings import POSTINGS
from mcpexpose.search.versions import ANALYZER_VERSION, RANKING_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shop(project: Path) -> Path:
    """A second server, with look-alikes, a common word, a broken tool and text that steers a terminal."""
    tools = [
        {"name": "get_order", "description": "Read one order", "title": "Order \x1b[31m"},
        {"name": "get_invoice", "description": "Read one invoice"},
        {"name": "take_image", "description": "Takes a picture"},
        {"name": "cancel_order", "description": "Cancel an order"},
        {"name": "twin_a", "description": "Spin the sprocket"},
        {"name": "twin_b", "description": "Spin the sprocket"},
        *({"name": f"item{n:03}", "description": "Common common common"} for n in range(POSTINGS)),
        {"name": "zz_rare", "description": "One that is common, " + "among many other words of no account " * 5},
        {"name": "bad", "description": "Order of hidden\u200b\u200b\u200btext", "inputSchema": {"type": "nope"}},
    ]
    made = [{"inputSchema": {"type": "object"}, **tool} for tool in tools]
    (project / "catalogs" / "shop.json").write_text(
        json.dumps({"server": "shop", "captured_at": "2026-11-28T12:00:00Z", "tools": made})
    )
    config = project / "config.toml"
    server = '[mcp_servers.shop]\ncommand = "x"\ndescription = "Shop"\nowner = "me"\n'
    config.write_text(config.read_text().replace("[groups]", server + "[groups]"))
    return project


def explained(run: Run, *arguments: str) -> Any:
    return json.loads(run("search", *arguments, "--explain", "--format", "json").out)


def test_the_json_adds_up_to_the_score_that_ranks(run: Run, shop: Path) -> None:
    """Fields to terms to the sum to the score, in the order of the keys; beside the usual shape (C04)."""
    value = explained(run, "show the commit histroy of one order", "--limit", "20")
    told = value["explain"]["hits"]
    assert [(hit["server"], hit["tool"], hit["score"]) for hit in told] == [
        (hit["server"], hit["tool"], hit["score"]) for hit in value["hits"]
    ]
    assert len(told) > 3
    for hit in told:
        for term in hit["terms"]:
            assert term["gain"] == pytest.approx(sum(field["gain"] for field in term["fields"]))
        assert hit["bm25f"] == pytest.approx(sum(term["gain"] for term in hit["terms"]))
        assert hit["related"] == pytest.approx(sum(one["gain"] for one in hit["related_words"]))
        product = (hit["bm25f"] + hit["related"]) * (1 + hit["coverage"]) * hit["clash_factor"]
        assert hit["score"] == pytest.approx(product)
    keys = [(not hit["exact"], not hit["covered"], -hit["score"], hit["server"], hit["tool"]) for hit in told]
    assert all(one < other for one, other in pairwise(keys))


def test_the_json_has_the_promised_shape(run: Run, shop: Path) -> None:
    """Words, terms, bounds, what was taken out by whom (C04)."""
    value = explained(run, "please send the commits histroy", "--profile", "read")
    told = value["explain"]
    assert [(one["word"], one["terms"], one["how"]) for one in told["words"]] == [
        ("please", [], "stop"), ("send", ["send"], "kept"), ("the", [], "stop"), ("commits", ["commit"], "kept"),
        ("histroy", ["histori"], "edited"),
    ]  # fmt: skip
    assert [(one["term"], one["parts"]) for one in told["terms"]] == [
        ("send", None), ("commit", None), ("histori", None)
    ]  # fmt: skip
    assert (told["analyzer_version"], told["ranking_version"], told["min_match"]) == (
        ANALYZER_VERSION,
        RANKING_VERSION,
        0.0,
    )
    assert told["weak_under"] > 0
    (git_commit,) = told["taken_out"]["profile"]
    assert (git_commit["tool"], git_commit["state"]) == ("git_commit", "write")
    assert git_commit["why"] == "its class write is not among read_only"
    (git_push,) = told["taken_out"]["policy"]
    assert (git_push["tool"], git_push["state"], git_push["why"]) == ("git_push", "denied", 'deny "git_push"')
    assert git_push["place"] == "config.toml:14"


def test_the_text_says_it_in_words(run: Run, shop: Path) -> None:
    """What was dropped and mended, each field's part, the product, the clash, what was taken out and where (C04)."""
    out = run("search", "--explain", "please send the commits histroy", "--profile", "read").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "WORD SEARCHED AS TOOLS IDF"
    assert lines[1] == "please – dropped: a stop word"
    assert any(line.startswith("histroy histori 1 ") and "mended: no tool has it" in line for line in lines)
    assert any(line.startswith("1 git/git_log ") and line.endswith("2 of 3 words declared already") for line in lines)
    assert any("commits description (×0.3) " in line for line in lines)
    assert "– send in none of its fields" in lines
    assert any("weak under" in line for line in lines)
    assert "TAKEN OUT BY THE PROFILE STATE SCORE WHY" in lines
    assert any(line.startswith('git/git_push denied about ') and line.endswith('deny "git_push" config.toml:14')
               for line in lines)  # fmt: skip
    assert "\x1b" not in out


def test_a_bundle_is_explained_without_its_config(run: Run, shop: Path) -> None:
    """The numbers are the same; of policy it knows nothing (C04)."""
    assert "wrote build/plan" in run("plan", "--out", "build/plan").out
    one = explained(run, "read an invoice")["explain"]
    other = explained(run, "read an invoice", "--plan", "build/plan")["explain"]
    assert other["hits"] == one["hits"]
    assert (other["taken_out"]["policy"], one["taken_out"]["policy"]) == (None, [])
    got = run("search", "read", "--plan", "build/plan", "--why-not", "git/git_push")
    assert got.code == 0
    assert "git/git_push is not in this plan." in got.out


def test_nothing_found_is_explained_too(run: Run, shop: Path) -> None:
    """Words that no tool has, and the reason (F09)."""
    done = run("search", "--explain", "zebra")
    assert done.code == 0
    assert "no tool has it" in done.out
    assert "nothing-matched" in done.out
    assert "only a name" not in run("search", "--explain", "the").out
    assert run("search", "--explain", "").code == 2


def why(run: Run, tool: str, *query: str) -> Any:
    value = json.loads(run("search", *query, "--why-not", tool, "--format", "json").out)["why_not"]
    text = run("search", *query, "--why-not", tool).out
    assert " ".join(value["sentences"]) in " ".join(text.split())
    assert 1 <= len(value["sentences"]) <= 2
    return value


@pytest.mark.parametrize(
    ("tool", "query", "reason", "key", "sentence"),
    [
        ("shop/get_order", ("read one order",), "first", None, "no tool stands above it"),
        ("shop/get_order", ("read invoice",), "ranked", "covered", 'lacks "invoice"; that comes before any score'),
        ("shop/get_invoice", ("get_order and invoice",), "ranked", "exact", "The query names shop/get_order"),
        ("shop/twin_b", ("spin sprocket",), "ranked", "order", "equals go by server, then name"),
        ("shop/twin_a", ("spin the order please zebra",), "ranked", "score", '"order" is in none of its fields'),
        ("shop/twin_b", ("spin sprocket", "--limit", "1"), "beyond-limit", "order", "only the first is shown"),
        ("shop/cancel_order", ("show order zebra",), "ranked", "score", "the query read, which counts × 0.85"),
        ("shop/take_image", ("photo of zebra",), "no-word", None, 'It has "image", which is related to "photo"'),
        ("shop/twin_a", ("weather",), "no-word", None, "It has: twin, shop, spin, sprocket."),
        ("shop/zz_rare", ("common",), "cut", None, '"common" in 401'),
        ("shop/bad", ("order",), "left-out", None, "is left out of the plan by "),
        ("git/git_gc", ("clean objects",), "hidden", None, "Let in it would be about #1."),
        ("git/git_push", ("weather",), "denied", None, 'deny "git_push" (config.toml:14)'),
        ("git/git_commit", ("commit history", "--profile", "read"), "outside-profile", None,
         "Profile read does not reach git/git_commit: its class write is not among read_only."),
    ],
)  # fmt: skip
def test_why_not(run: Run, shop: Path, tool: str, query: tuple[str, ...], reason: str, key: Any, sentence: str) -> None:
    """The one thing that keeps this tool down, with its place where somebody wrote it (C04)."""
    value = why(run, tool, *query)
    assert (value["tool"], value["reason"], value["key"]) == (tool, reason, key)
    assert sentence in " ".join(value["sentences"])


def test_why_not_tells_of_min_match(run: Run, shop: Path) -> None:
    """An answer that the operator's bound empties (F09)."""
    config = shop / "config.toml"
    config.write_text(config.read_text() + '\n[search]\nmin_match = "weak"\n')
    value = why(run, "shop/twin_a", "spin a quick brown zebra over the lazy weather forecast")
    assert value["reason"] == "below-min-match"
    assert "[search] min_match = weak" in value["sentences"][0]


def test_a_tool_that_nobody_captured_is_a_wrong_argument(run: Run, shop: Path) -> None:
    """With the nearest name; and --as-model stays what the model reads (C04)."""
    done = run("search", "order", "--why-not", "shop/get_ordr")
    assert (done.code, done.out) == (2, "")
    assert "did you mean shop/get_order?" in done.err
    assert run("search", "order", "--as-model", "--explain").code == 2
    assert run("search", "order", "--as-model", "--why-not", "shop/get_order").code == 2
    assert run("search", "order", "--as-model", "--format", "json").code == 2
    assert "git_push" not in run("search", "send commits", "--as-model").out


def test_an_ascii_screen_gets_ascii(fresh: Callable[..., Any], shop: Path) -> None:
    """No sign that the terminal lacks (C04)."""
    done = fresh("search", "--explain", "histroy of 订单", "--why-not", "git/git_status", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b" x (1 + " in done.stdout
