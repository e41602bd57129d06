"""One analysis for texts and queries."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpexpose.search import analysis

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("get_job_logs", ["get", "job", "log"]),
        ("get-job-logs", ["get", "job", "log"]),
        ("getJobLogs", ["get", "job", "log"]),
        ("GetJobLogs", ["get", "job", "log"]),
        ("get.job/logs", ["get", "job", "log"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("parseURLs", ["parse", "url"]),
        ("oauth2Token", ["oauth", "2", "token"]),
        ("bitable_v1_appTableRecord_search", ["bitabl", "v", "1", "app", "table", "record", "search"]),
        ("searchGitHubIssues", ["search", "github", "issu"]),
        ("getIPv4Address", ["get", "ipv4", "address"]),
        ("удалитьФайл", ["удалить", "фаил"]),
    ],
)
def test_identifiers_are_split_and_kept_whole(text: str, parts: list[str]) -> None:
    """Snake, kebab, camel and digits part, and the whole identifier is a term besides (F01)."""
    found = analysis.tokens(text)
    assert [token.term for token in found if token.joins == 0] == parts
    assert analysis.name_key(text) in [token.term for token in found if token.joins > 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Größe", "GROSSE"), ("naïve café", "naive cafe"), ("Łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("ＦＩＬＥ", "file"), ("ﬁle", "file"),
        ("İstanbul", "istanbul"), ("Ελληνικά", "ελληνικα"), ("ещё", "еще"),
        ("Tiếng Việt", "tieng viet"), ("São Paulo", "sao paulo"),
        ("sea\u200brch", "search"), ("se\u00adarch", "search"),
        ("C++", "cpp"), ("C#", "csharp"), (".NET", "dotnet"), ("it's", "it"), ("don’t stop", "stop"),
        ("users’ files", "users files"), ("e\u0301dit", "edit"),
    ],
)  # fmt: skip
def test_spellings_of_one_text_meet(one: str, other: str) -> None:
    """Width, case, accents, invisible characters and signs of a name make no other word (F01)."""
    assert analysis.terms(one) == analysis.terms(other)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("查询订单的状态", "订单"), ("注文をキャンセルする", "注文"),
        ("ファイルを削除", "削除"), ("파일을삭제", "삭제"),
        ("ค้นหาไฟล์", "ไฟล์"), ("取消订单cancelOrder", "取消"), ("取消订单cancelOrder", "order"), ("删除", "删"),
    ],
)  # fmt: skip
def test_scripts_without_blanks_match_by_pairs(text: str, part: str) -> None:
    """A part of a sentence without blanks is met by its pairs of characters, a single character by itself (F01)."""
    assert {token.term for token in analysis.tokens(part) if token.joins == 0} <= set(analysis.terms(text))


def test_an_abbreviation_of_one_word_is_that_word() -> None:
    """In a name, in a text, in any case (F01)."""
    assert analysis.terms("k8s pods") == analysis.terms("Kubernetes pods")
    assert "kubernetes" in analysis.terms("list_k8s_pods")
    assert analysis.terms("exec JS") == analysis.terms("execute JavaScript".lower())


def test_words_of_india_are_whole() -> None:
    """A vowel sign is part of its word (F01)."""
    assert analysis.terms("फ़ाइलें खोजें") == analysis.terms("फ़ाइलें") + analysis.terms("खोजें")
    assert len(analysis.terms("खोजें")) == 1


def test_stop_words_are_no_terms_and_still_have_length() -> None:
    """`the` finds nothing; a name with `a` in it is as long as one with `b` (F01)."""
    assert analysis.terms("the of and") == []
    assert len(analysis.tokens("list_a")) == len(analysis.tokens("list_b"))


@pytest.mark.parametrize("text", ["", " \t\n", "!!!", "🙂 👍🏽 1️⃣", "\u200b\u2060", "\ud800", "«»—…", "\x00\x1b", "*"])
def test_nothing_to_search(text: str) -> None:
    """Blanks, punctuation, emoji and invisible characters hold no word (F09)."""
    assert not analysis.has_words(text)
    assert analysis.terms(text) == []


@pytest.mark.parametrize("text", ["a", "the", "订", "\ud800x", "2", "ß"])
def test_something_to_search(text: str) -> None:
    """A stop word is a word: it is not refused, it finds nothing (F09)."""
    assert analysis.has_words(text)


@given(st.text(st.characters(), max_size=200))
def test_any_text_has_terms_that_can_be_kept(text: str) -> None:
    """Whatever a server or a model writes, the terms are texts that have bytes, and the same each time (C02)."""
    for token in analysis.tokens(text):
        assert len(token.term.encode()) <= 4 * 4 * analysis.MAX_WORD
        assert token.term == "" or not token.term.isspace()
    assert analysis.tokens(text) == analysis.tokens(text)


def test_searching_imports_no_whoosh() -> None:
    """Analysis, ranking and the engine over memory leave whoosh out; so does importing the engine (C03)."""
    code = (
        "import sys; from mcpexpose.search import analysis, documents, engine, explain, index, ranking; "
        "assert not [m for m in sys.modules if m.split('.')[0] in ('whoosh', 'pydantic', 'jsonschema', 'mcp')]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("JSONtoCSV", ["json", "csv"]),
        ("createPDFfromHTML", ["creat", "pdf", "html"]),
        ("XMLandJSONof2", ["xml", "json", "2"]),
        ("IDToken", ["id", "token"]),
        ("NASAonline", ["nas", "aonlin"]),
    ],
)
def test_acronyms_before_a_small_word_are_whole(text: str, parts: list[str]) -> None:
    """PDFtoText is no PD Fto Text; what only begins like such a word is no such word (F01)."""
    assert [token.term for token in analysis.tokens(text) if token.joins == 0 and token.term] == parts


@pytest.mark.parametrize("filler", ["查询天气", "メールを", "สวัสดี", "날씨를"])
def test_a_sentence_without_blanks_is_searched_to_its_end(filler: str) -> None:
    """A long word is cut, a long sentence is not (F01)."""
    text = filler * 240 + "取消"
    assert "取消" in analysis.terms(text)
    assert max(map(len, analysis.terms("x" * 500 + "取消" + "é" * 500))) == analysis.MAX_WORD


def test_small_words_of_one_character_are_no_terms(over: Callable[..., Any]) -> None:
    """Neither a query nor a gap between names; within a run of characters they are kept (F01, F09)."""
    assert analysis.terms("github の issue") == ["github", "issu"]
    assert analysis.terms("查询search和trace") == ["查询", "查", "询", "search", "trace"]
    assert "的订" in analysis.terms("我的订单")
    one = over({"a": {"t": "我的订单 的 状态"}})
    assert one.find("的") == []
    assert one.find("订") == ["a/t"]
