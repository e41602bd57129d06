"""Queries of any characters: a defined answer of every engine, and work that is bounded whatever they are."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.model.answer import SearchReason
from mcpexpose.search import analysis, kinship, query, stemming
from tests.builders import compiled, tool
from tests.search.conftest import KINDS, Searched, searched
from tests.work import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MISTYPED = "naviagte to the reposotory and craete an isue"
"""What people send: four typing errors in a sentence."""
TIMES = 10
"""What the worst query may cost, in units of that one."""


def nonsense(words: int, letters: int, alphabet: str = LETTERS) -> str:
    """Words that no tool has, each of so many letters."""
    return " ".join("".join(random.Random(n).choices(alphabet, k=letters)) for n in range(words))


BAD = {
    "empty": "",
    "blanks": " \t\n\r\v\f\x1c\x85\u2028\u3000",
    "100,000 characters": "issue " * 16_667,
    "stop words": "the of and a to in please use " * 33,
    "punctuation": "!?.,;:-_/\\()[]{}" * 62,
    "one sign": "_" * 1_000,
    "signs within a word": "x" + "_" * 998 + "x",
    "signs within words": ("x" + "." * 30 + "y ") * 30,
    "quotes": "'" * 1_000,
    "regular expressions": "^(?:[\\s\\S]*)*$ (a+)+$ .*?.*?x{1,1000} " * 25,
    "Whoosh syntax": 'name:(a* OR b?) AND [x TO y] "q"~5^2 NOT z -w * ' * 20,
    "SQL": "' OR 1=1 -- ; DROP TABLE tools",
    "lone surrogates": "\ud800\udc00\udfff" * 333,
    "surrogates in words": "is\ud800sue get\udfffissue " * 40,
    "bytes that are no text": bytes(range(256)).decode("utf-8", "surrogateescape") * 3,
    "controls": "".join(map(chr, range(32))) * 31,
    "zero-width": "g\u200be\u200bt\u00ad is\u2060sue\ufeff" * 60,
    "only zero-width": "\u200b" * 1_000,
    "right to left": "\u202eeussi teg\u202c " * 60,
    "mixed scripts": "аpple订单Größe注文주문ﬁleสินค้าनमस्ते " * 30,
    "combining": "e" + "\u0301" * 999,
    "ligatures": "\ufdfa" * 1_000,
    "Han": "".join(chr(0x4E00 + random.Random(n).randrange(20_000)) for n in range(1_000)),
    "Korean": "주문을취소해줘" * 142,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 90,
    "digits": "a1" * 500,
    "numbers": "9" * 1_000,
    "capitals": "aB" * 500,
    "one identifier": "_".join(nonsense(250, 3).split()),
    "many identifiers": "get_issue s1/list_api_key " * 38,
    "many words of tools": "get list create delete issue pull request repository page " * 17,
    "one unknown word": nonsense(1, 1_000),
    "unknown words of 64": nonsense(15, 64),
    "unknown words of 30": nonsense(32, 30),
    "unknown words of 8": nonsense(111, 8),
    "unknown words of 4": nonsense(200, 4),
    "Greek": nonsense(16, 60, "αβγδεζηθικλμν"),
    "Cyrillic": nonsense(30, 30, "абвгдежзиклмн"),
}
REASONS = set(SearchReason.__args__)  # type: ignore[attr-defined]


def cold() -> None:
    for each in (analysis._known_chunk, analysis._word, stemming.stem, kinship.name_verb):
        each.cache_clear()


def operations(one: Searched, text: str) -> int:
    """Lines of Python that a search for TEXT runs with nothing remembered."""
    cold()
    return steps(lambda: one.engine.search(text, 8))


def plenty(size: int) -> dict[str, dict[str, str]]:
    """So many tools of words that repeat."""
    chance = random.Random(5)
    verbs = ["get", "list", "create", "delete", "update", "search", "export", "merge", "send", "navigate"]
    nouns = ["issue", "repository", "page", *nonsense(300, 7).split()]
    made: dict[str, dict[str, str]] = {}
    for n in range(size):
        verb, noun = chance.choice(verbs), chance.choice(nouns)
        made.setdefault(f"s{n % 20}", {})[f"{verb}_{noun}_{n}"] = (
            f"{verb} the {noun} of {' '.join(chance.choices(nouns, k=8))}"
        )
    return made


@pytest.fixture(scope="module")
def large() -> Iterator[Searched]:
    made = searched("table", plenty(1_500))
    made.engine.search(MISTYPED, 8)
    yield made
    made.engine.close()


@pytest.mark.parametrize("name", BAD)
def test_every_query_has_a_defined_answer(all_engines: Any, name: str) -> None:
    """The same of every engine: hits, or a reason, and refused where it is no query (F01, F09)."""
    answers = [one.engine.search(BAD[name], 8) for one in all_engines]
    assert answers[0] == answers[1] == answers[2]
    got = answers[0]
    assert got.reason in REASONS
    assert bool(got.hits) is (got.reason == "")
    assert (got.reason == "search-query-too-long") is (len(BAD[name]) > query.MAX_QUERY)
    assert all(0 <= hit.row < 60 for hit in got.hits)


@pytest.mark.parametrize("name", BAD)
def test_the_work_is_bounded(large: Searched, name: str) -> None:
    """No query costs more than some sentences with typing errors (F01)."""
    assert operations(large, BAD[name]) < TIMES * operations(large, MISTYPED)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, text in BAD.items() if text])
def test_no_text_takes_for_ever(name: str) -> None:
    """A description may be as long as its server likes: its words are read in one pass (F01)."""
    text = BAD[name][:1_000]
    times = 300_000 // max(len(text), len(analysis.fold(text))) + 1  # a ligature may be a sentence
    once, often = analysis.terms(text), analysis.terms(f"{text} " * times)
    assert set(once) <= set(often)
    assert len(often) >= times * len(once)


def test_the_work_hardly_grows_with_the_tools(large: Searched) -> None:
    """What a bad query costs hangs on its own length, not on how many tools there are (F01)."""
    small = searched("table", plenty(150))
    for name in ("unknown words of 64", "mixed scripts", "Greek", "many words of tools"):
        few, many = operations(small, BAD[name]), operations(large, BAD[name])
        assert many < 3 * few, (name, few, many)
    small.engine.close()


@pytest.mark.parametrize("kind", KINDS)
def test_mending_is_bounded_by_letters(kind: str) -> None:
    """Eight words, and of long ones fewer; the first is always tried (F01)."""
    one = searched(kind, {"a": {"navigate_page": "", "extraordinarily_long": ""}})
    assert one.find("extraordinarly") == ["a/extraordinarily_long"]
    assert one.find(nonsense(1, 60) + " naviagte") == []
    assert one.find(nonsense(1, 50) + " naviagte") == ["a/navigate_page"]
    one.engine.close()


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.characters(), max_size=60)
    | st.binary(max_size=60).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)
def test_any_text_is_answered_alike(all_engines: Any, text: str) -> None:
    """Whatever the characters, surrogates among them (F01)."""
    memory, whoosh, table = (one.engine.search(text, 5) for one in all_engines)
    assert memory == whoosh == table
    assert memory.reason in REASONS


@pytest.mark.parametrize("name", BAD)
def test_a_model_reads_a_defined_answer(name: str) -> None:
    """find_tools raises nothing, quotes nothing of the query, and what it gives can be sent (F04, F09)."""
    done = compiled(tool("a", "get_issue", "Read one issue"), tool("a", "list_pages", "Pages"))
    session = HostPlan(CompiledSource(done.plan, done.definitions)).session()
    answer = session.find_tools(BAD[name])
    answer.text.encode()
    assert bool(answer.matches) is (answer.reason == "")
    if not answer.matches:
        assert answer.text.isascii()
        assert len(answer.text) < 200
    json.dumps(session.state())


@pytest.mark.parametrize("name", BAD)
def test_an_operator_reads_a_defined_answer(
    name: str, tmp_path_factory: pytest.TempPathFactory, capfd: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """The command prints it, explained too, and sends no terminal anything that it would act on (C04)."""
    from mcpexpose.cli.main import main

    folder = tmp_path_factory.mktemp("project")
    (folder / "config.toml").write_text('[mcp_servers.a]\ncommand = "x"\n')
    (folder / "catalogs").mkdir()
    tools = [{"name": "get_issue", "description": "Read one issue", "inputSchema": {"type": "object"}}]
    (folder / "catalogs" / "a.json").write_text(json.dumps({"server": "a", "tools": tools}))
    monkeypatch.chdir(folder)
    for form in ("text", "json"):
        code = main(["search", "--explain", "--why-not", "a/get_issue", "--format", form, "--", BAD[name]])
        out = capfd.readouterr().out
        assert code in (0, 2)
        assert all(char == "\n" or char >= " " for char in out)
        assert not any("\ud800" <= char <= "\udfff" or char in "\u200b\u202e" for char in out)
        if form == "json":
            units = [text.encode("utf-16-le", "surrogatepass") for text in (json.loads(out)["query"], BAD[name])]
            assert units[0] == units[1]  # JSON cannot tell a pair of surrogates from what it stands for


def test_signs_around_a_name_do_not_matter() -> None:
    """A name is known with any signs around it (F01)."""
    assert query._names("(__get_logs__)!")[0] == query._names("get_logs")[0] == ((("getlogs",),),)
    assert query._names("__ ..")[0] == ((("__ ..",),),)
