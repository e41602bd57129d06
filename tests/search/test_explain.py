"""Explanations of a ranking: their numbers add up to the score that ranks, whatever the catalog and the query."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpexpose.search import ranking
from mcpexpose.search.postings import share
from tests.search.conftest import KINDS, Searched, searched
from tests.search.test_table import CATALOGS, QUERIES, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.search.explain import Explainer

G = {
    "g": {
        "search_issues": "Search issues",
        "compile_cpp": "Compile a C++ or C# file",
        "http_get": "GET an http: address",
        "not_found_page": "Show the page for not found",
    }
}


def explainer(one: Searched) -> Explainer:
    definitions = [json.loads(line) for line in one.definitions]
    return one.engine.explainer(definitions, one.plan.search.synonyms)


def check(one: Searched, query: str) -> None:
    """Every hit's numbers add up, and the hits are in the order of their keys."""
    made = explainer(one)
    got = one.ask(query)
    asked = made.asked(query)
    told = []
    for place, hit in enumerate(got.hits):
        known = made.row(query, hit.row, kin=place < ranking.RESCORED)
        told.append(known)
        assert (known.score, known.exact, known.covered) == (hit.score, hit.exact, hit.covered)
        factor = ranking.CLASH if known.clash else 1.0
        assert known.score == pytest.approx((known.bm25f + known.kin) * (1 + known.coverage) * factor, rel=1e-9)
        assert known.bm25f == pytest.approx(sum(term.gain for term in known.shares), rel=1e-9)
        assert known.kin == pytest.approx(sum(kin.gain for kin in known.related), rel=1e-9, abs=1e-12)
        for term in known.shares:
            assert term.gain == pytest.approx(sum(field.gain for field in term.fields), rel=1e-9)
            parts = made._parts(term.term, made_fields(made, hit.row))
            weight = sum(part for _, part, _, _ in parts)
            assert term.gain == pytest.approx(term.idf * share(weight), rel=1e-6)
        held = sum(term.idf for term in asked.terms if term.parts is None and term.term not in known.missing)
        assert known.coverage == pytest.approx(held / asked.mass if asked.mass else 0.0)
        assert set(hit.terms).isdisjoint(known.missing)
        assert {*hit.terms, *known.missing} == {term.term for term in asked.terms if term.parts is None}
        outside = made.outsider(query, json.loads(one.definitions[hit.row]))
        assert outside is not None
        assert (outside.exact, outside.covered, outside.clash) == (known.exact, known.covered, known.clash)
        if not known.kin:
            assert outside.score == pytest.approx(known.score, rel=1e-6)
    order = [(known.key, hit.row) for known, hit in zip(told, got.hits, strict=True)]
    assert order[: ranking.RESCORED] == sorted(order[: ranking.RESCORED])


def made_fields(made: Explainer, row: int) -> Any:
    from mcpexpose.search import documents

    return documents.of(made._definitions[row])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    kind=st.sampled_from(KINDS),
    catalogs=CATALOGS,
    query=st.text(max_size=30) | st.lists(st.sampled_from([*WORDS, *QUERIES]), max_size=6).map(" ".join),
)
def test_the_numbers_add_up_on_any_catalog(kind: str, catalogs: Any, query: str) -> None:
    """Fields to terms, terms and kin to the sum, the sum to the score, the keys to the order (F01, C04)."""
    one = searched(kind, catalogs, synonyms={"pr": ("pull request",), "API": ("s3",)})
    for text in (query, "get issue", "remove the issue of the repositorys"):
        check(one, text)
    one.engine.close()


def test_the_numbers_add_up_beyond_the_candidates(catalog: Any) -> None:
    """Beyond the fifty that are scored again, related words do not count (F01, C04)."""
    tools = {**catalog, "many": {f"fetch_issue_{n}": "Fetch the ticket" for n in range(90)}}
    for kind in KINDS:
        one = searched(kind, tools)
        assert len(one.ask("get issue page").hits) > ranking.RESCORED
        check(one, "get issue page")
        one.engine.close()


def test_fields_are_told(over: Callable[..., Any]) -> None:
    """Each word, where it was found with which weight, what it gave, and what is missing (C04)."""
    one = over(G)
    row = one.names().index("g/not_found_page")
    got = explainer(one).row("show found pages of gold", row)
    hit = one.hit("show found pages of gold", "g/not_found_page")
    assert (got.score, got.covered, got.exact, got.missing) == (hit.score, False, False, ("gold",))
    assert {share.term: tuple(field.field for field in share.fields) for share in got.shares} == {
        "show": ("description",), "found": ("name", "description"), "page": ("name", "description"),
    }  # fmt: skip
    (name, text) = next(share.fields for share in got.shares if share.term == "page")
    assert (name.weight, name.times, name.words, name.synonym) == (3.0, 1, 3, False)
    assert (text.weight, text.words) == (0.3, 6)
    assert text.mean == pytest.approx((2 + 6 + 4 + 6) / 4)


def test_what_becomes_of_a_query_is_told(over: Callable[..., Any]) -> None:
    """Dropped, stemmed, mended, split, run together, unknown; each word once, in its order (C04)."""
    tools = {"ha": {"tesla_ble_start": "Start", "dryer_override": "Override the dryer", "thermostat_set": ""}}
    asked = explainer(over(tools)).asked("please start the teslable, dyer thermo stat xyzzyx overriding")
    assert [(step.word, step.terms, step.how) for step in asked.steps] == [
        ("please", (), "stop"), ("start", ("start",), "kept"), ("the", (), "stop"), ("teslable", ("tesla", "ble"),
        "split"), ("dyer", ("dryer",), "edited"), ("thermo stat", ("thermostat",), "joined"),
        ("xyzzyx", ("xyzzyx",), "kept"), ("overriding", ("overrid",), "kept"),
    ]  # fmt: skip
    counts = {term.term: term.tools for term in asked.terms}
    assert counts == {"start": 1, "tesla": 1, "ble": 1, "dryer": 1, "thermostat": 1, "xyzzyx": 0, "overrid": 1}
    assert asked.left == ()


def test_identifiers_names_and_rare_words_are_told(over: Callable[..., Any]) -> None:
    """An identifier counts as a whole besides; of more than 24 words the rarest are looked up (C04)."""
    one = over(G)
    made = explainer(one)
    asked = made.asked("search_issues " + " ".join(f"wq{chr(97 + n % 6)}{chr(97 + n // 6)}x" for n in range(30)))
    (whole,) = [term for term in asked.terms if term.parts is not None]
    assert (whole.term, whole.parts, whole.tools) == ("searchissues", ("search", "issu"), 1)
    assert len(asked.left) == 8
    assert made.row("search_issues", one.names().index("g/search_issues")).exact


def test_synonyms_and_related_words_are_told(over: Callable[..., Any]) -> None:
    """Which word counted for which, and that it is the operator's or a family's (C04)."""
    tools = {"a": {"create_pull_request": "", "take_image": "", "take_notes": ""}}
    one = over(tools, synonyms={"pr": ("pull request",)})
    made = explainer(one)
    (found,) = made.row("pr", one.names().index("a/create_pull_request")).shares
    assert [(field.field, field.times, field.synonym) for field in found.fields] == [("name", 0.8, True)]
    got = made.row("take photo", one.names().index("a/take_image"))
    assert [(kin.term, kin.by) for kin in got.related] == [("photo", "imag")]
    assert got.kin > 0


def test_a_verb_of_another_class_is_told(over: Callable[..., Any]) -> None:
    """What the name does and what was asked for (C04)."""
    one = over({"a": {"get_user": "A user and what to remove", "delete_user": "A user and what to remove"}})
    made = explainer(one)
    got = made.row("remove user", one.names().index("a/get_user"))
    assert (got.clash, got.verb, made.asked("remove user").verbs) == (True, "read", ("delete",))
    assert not made.row("remove user", one.names().index("a/delete_user")).clash


def test_a_tool_that_is_not_in_the_plan_is_ranked_as_if_it_were(over: Callable[..., Any]) -> None:
    """For the operator: what a hidden tool would have got, by the plan's own counts (C04)."""
    one = over(G)
    made = explainer(one)
    hidden = {"server": "x", "name": "delete_issues", "description": "Delete issues", "title": "A field of its own"}
    got = made.outsider("search issues", hidden)
    assert got is not None
    assert (got.clash, got.missing, [share.term for share in got.shares]) == (True, ("search",), ["issu"])
    named = made.outsider("x/delete_issues", hidden)
    assert named is not None
    assert named.exact
    assert made.outsider("weather", hidden) is None
    assert made.words_of(one.names().index("g/http_get"), 2) == ["http", "get"]


def test_explained_hits_stand_in_the_order_of_their_keys(all_engines: Any) -> None:
    """Exact, covered, score, then server and name (F01)."""
    for one in all_engines:
        made = explainer(one)
        rows = [hit.row for hit in one.ask("merge s1/get_issue pull request").hits][: ranking.RESCORED]
        keys = [(made.row("merge s1/get_issue pull request", row).key, row) for row in rows]
        assert all(above < below for above, below in pairwise(keys))
