"""The manual of search is true: its terms are what the analysis gives, its numbers are the code's."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.model.errors import BundleRefused
from mcpexpose.search import analysis, documents, lexicon, postings, query, ranking, versions
from mcpexpose.surface.declarations import QUERY_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = files("mcpexpose.search").joinpath("manual.md").read_text("utf-8")
PLAIN = " ".join(TEXT.split())


def rows(head: str) -> list[tuple[str, str]]:
    table = TEXT.split(head, 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.M)


def test_its_terms_are_those_of_the_analysis() -> None:
    """What a word is, by examples (F01)."""
    examples = rows("| a text | its terms |\n|---|---|\n")
    assert len(examples) > 10
    for text, terms in examples:
        assert ", ".join(analysis.terms(text.strip("`"))) == terms


def test_its_weights_are_those_of_the_fields() -> None:
    """Every field with its weight (F01)."""
    assert {name: float(weight) for name, weight in rows("| field | weight |\n|---|---|\n")} == documents.WEIGHTS


@pytest.mark.parametrize(
    "sentence",
    [
        f"{len(lexicon.STOP)} of them (the,",
        f"{analysis.MAX_WORD} characters of a word (a sentence without blanks is no word), "
        f"{documents.MAX_TEXT:,} of a field, {documents.MAX_NODES:,} nodes",
        f"at most {query.MAX_QUERY:,} characters, and its {query.MAX_WORDS} rarest words",
        f"At most {query.MAX_MENDED} words, of at most {query.MAX_TRIED} that are tried, which have at most "
        f"{query.MAX_LETTERS} letters together",
        f"at {postings.SYNONYM_SHARE} of the word itself",
        f"idf × {postings.K1 + 1:g} w / ({postings.K1:g} + w)",
        f"weight × √times / ({1 - postings.B:g} + {postings.B:g} × length / mean length)",
        f"at most {postings.MOST} times in a field",
        f"× {ranking.CLASH:g} where the verbs clash",
        f"; {len(lexicon.FAMILIES)} families) that it has counts {ranking.KIN:g}",
        f"{len(set(lexicon.VERBS.values()))} classes",
        f"more than {postings.POSTINGS} tools have, the {postings.POSTINGS} are looked at",
        f"the best {ranking.RESCORED} are scored in full",
        f"less than {ranking.WEAK:g} × the idf of a word that one tool has",
        f"`analyzer_version` (now {versions.ANALYZER_VERSION}) and `ranking_version` (now {versions.RANKING_VERSION})",
    ],
)
def test_its_numbers_are_those_of_the_code(sentence: str) -> None:
    """Weights, bounds and versions (F01)."""
    assert sentence in PLAIN


def test_a_model_is_refused_where_the_search_is() -> None:
    """One length of a query (F01)."""
    assert query.MAX_QUERY == QUERY_MAX


@pytest.mark.parametrize(
    ("text", "how"), [("thermo stat", "joined"), ("teslable", "split"), ("isue", "edited"), ("search", "kept")]
)
def test_its_ways_of_mending_are_those_of_the_query(over: Callable[..., Any], text: str, how: str) -> None:
    """Its examples, and what they are called in JSON (F01)."""
    from tests.search.test_explain import explainer

    tools = {"a": {"thermostat_on": "", "tesla_ble": "", "get_issue": "", "search": ""}}
    assert [step.how for step in explainer(over(tools)).asked(text).steps] == [how]
    assert f"`{text}`" in TEXT


def test_another_version_is_refused_as_it_says(tmp_path: Any) -> None:
    """`plan-version`, before anything is answered (C02)."""
    from mcpexpose.bundle.write import write
    from mcpexpose.host.plan import load_plan
    from tests.builders import compiled, tool

    write(compiled(tool("a", "b"), ranking_version="2"), tmp_path / "plan")
    with pytest.raises(BundleRefused) as caught:
        load_plan(tmp_path / "plan")
    assert [finding.slug for finding in caught.value.findings] == ["plan-version"]


def test_the_command_prints_it(capfd: pytest.CaptureFixture[str], tmp_path: Any, monkeypatch: Any) -> None:
    """Where no config is at hand, too (C04)."""
    from mcpexpose.cli.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["search", "--manual"]) == 0
    assert " ".join(capfd.readouterr().out.split()) == PLAIN
    main(["search", "--help"])
    assert "--manual" in capfd.readouterr().out
