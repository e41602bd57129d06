"""The table: equal to the index on whatever catalogs there are, and never believed where it changed."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpexpose.model.errors import BundleRefused
from mcpexpose.search import blocks, hashed, table, table_write, texts
from mcpexpose.search.index import inverted
from mcpexpose.search.query import parse
from tests.scale.world import DATA, WHY_NOT
from tests.search.conftest import KINDS, blocks_of, definitions_of, plan_of, searched

ROOT = Path(__file__).resolve().parents[2]
WORDS = [
    "get",
    "list",
    "delete",
    "issue",
    "issues",
    "pull",
    "request",
    "repo",
    "Größe",
    "订单",
    "logs",
    "API",
    "s3",
    "the",
]
QUERIES = ["get issue", "list pull requests", "isue", "pullrequest", "repositories", "s3", "订单", "delete logs", "API",
           "get_issue", "remove the issue", "fetch ticket"]  # fmt: skip

_name = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join) | st.text(min_size=1, max_size=8)
_text = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=12).map(" ".join)
_clean = st.builds(lambda text: text.encode("utf-8", "ignore").decode(), _name).filter(bool)
_tools = st.dictionaries(_clean, st.builds(lambda text: text.encode("utf-8", "ignore").decode(), _text), max_size=12)
CATALOGS = st.dictionaries(st.sampled_from(["a", "b-1", "github", "x_y"]), _tools, max_size=4)


def packed(tools: Any, **search: Any) -> tuple[bytes, str]:
    """The table of some tools, and the digest of its head."""
    made = definitions_of(tools)
    lines = [json.dumps(one).encode() for one in made.values()]
    names = [(tool.server, tool.name, tool.alias) for tool in plan_of(made).tools]
    return blocks.pack(table_write.sections(inverted(lines, search.get("synonyms", {})), names))


def all_equal(tools: Any, queries: list[str], limits: tuple[int | None, ...] = (1, 8, None), **search: Any) -> None:
    engines = [searched(kind, tools, **search) for kind in KINDS]
    names = engines[0].names()
    some = set(names[::3])
    for query in queries:
        for limit in limits:
            for allowed in (None, some):
                first, *others = (each.ask(query, limit, allowed) for each in engines)
                assert all(first == other for other in others), (query, limit)
    for each in engines:
        each.engine.close()


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(catalogs=CATALOGS, query=st.text(max_size=30) | _text)
def test_the_engines_agree_on_any_catalogs(catalogs: Any, query: str) -> None:
    """Same hits, same scores, same order, whatever the tools are called and say (C02)."""
    all_equal(catalogs, [query, *QUERIES[:4]], (8,), synonyms={"pr": ("pull request",)})


@pytest.mark.slow
def test_the_engines_agree_where_words_are_common() -> None:
    """The cut of a common word's documents is part of the ranking, with a profile and without (C02)."""
    chance = random.Random(5)
    tools: dict[str, dict[str, str]] = {}
    for n in range(1_200):
        name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{n}"
        tools.setdefault(f"s{n % 14}", {})[name] = " ".join(chance.choices(WORDS, k=8))
    all_equal(tools, QUERIES, (10, 60))


@pytest.mark.parametrize("folder", sorted((ROOT / "examples").glob("*/catalogs")), ids=lambda path: path.parent.name)
def test_the_engines_agree_on_the_examples(folder: Path) -> None:
    """Catalogs of real servers (C02)."""
    all_equal(_catalogs(folder), [*QUERIES, "open a pull request", "show the diff", "list tables", "read a file"])


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=WHY_NOT)
def test_the_engines_agree_on_real_catalogs() -> None:
    """Some thousand tools of real servers, asked by other people, and by words of the tools' own (C02)."""
    tools = _catalogs(DATA)
    chance = random.Random(11)
    texts = [f"{name} {one.get('description')}".split() for own in tools.values() for name, one in own.items()]
    asked = chance.sample(texts, 60)
    queries = [" ".join(chance.sample(words, min(len(words), 1 + n % 6))) for n, words in enumerate(asked)]
    people = [
        json.loads(line)["query"]
        for path in sorted((DATA.parent / "queries").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    all_equal(tools, [*QUERIES, *queries, *chance.sample(people, min(len(people), 300))], (10,))


def _catalogs(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        catalog = json.loads(path.read_text("utf-8"))
        server = catalog.get("server") or catalog.get("server_id") or path.stem
        for tool in catalog.get("tools") or ():
            if isinstance(tool.get("name"), str):
                found.setdefault(server, {})[tool["name"]] = tool
    return found


def test_a_thousand_corruptions_give_no_wrong_answer(catalog: Any) -> None:
    """Flipped, cut, lengthened, written over: refused, or the answer is the right one (C02)."""
    data, digest = packed(catalog)
    queries = ["archive the repository", "merge pull request", "exprot api key", "s1/get_issue", "订单"]
    right = {query: engine_of(data, digest).search(query, 8) for query in queries}
    chance = random.Random(3)
    refused = 0
    for n in range(1_000):
        spoilt = spoil(data, chance)
        query = queries[n % len(queries)]
        try:
            got = engine_of(spoilt, digest).search(query, 8)
        except (BundleRefused, blocks.TableDamaged):
            refused += 1
            continue
        assert got == right[query], n
    assert refused > 500


def test_a_thousand_forgeries_end_no_process(catalog: Any) -> None:
    """Where every digest was made to fit, what is read stays within bounds: an answer of rows there are, or refused."""
    data, digest = packed(catalog)
    opened = blocks_of(data, digest)
    sections = {name: opened.section(name).whole() for name in opened.names()}
    chance = random.Random(4)
    answered = 0
    for n in range(1_000):
        name = chance.choice(list(sections))
        forged = blocks.pack({**sections, name: spoil(sections[name], chance)})
        try:
            got = engine_of(*forged).search(["archive api key", "get_issue", "mergee"][n % 3], 8)
        except (BundleRefused, blocks.TableDamaged):
            continue
        answered += 1
        assert all(0 <= hit.row < 60 for hit in got.hits)
    assert answered > 100


def engine_of(data: bytes, digest: str) -> Any:
    return table.open_table(blocks_of(data, digest), 60, 0.0)


def spoil(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1) if data else 0
    kind = chance.randrange(5)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at:]
    if kind == 2:
        return data[:at] + bytes(min(64, len(data) - at)) + data[at + 64 :]
    if kind == 3:
        return data[:at] + b"\xff" * min(4, len(data) - at) + data[at + 4 :]
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :] if at < len(data) else b""


def test_another_version_is_told_from_damage(catalog: Any) -> None:
    """A table of a later format is none of ours, and not called damaged (C02)."""
    data, _ = packed(catalog)
    later = data[:8] + struct.pack("<I", 99) + data[12:]
    length = len(data) - struct.unpack_from("<Q", data, 16)[0]
    with pytest.raises(blocks.OtherVersion):
        blocks_of(later, blocks.hashlib.sha256(later[:length]).hexdigest())  # type: ignore[attr-defined]


def test_what_changes_after_loading_is_not_used(catalog: Any) -> None:
    """A block is checked when it is read, and kept as it was then (C02)."""
    data, digest = packed({f"{server}{n}": tools for n in range(20) for server, tools in catalog.items()})
    held = bytearray(data)
    engine = table.open_table(blocks.Blocks(lambda at, n: bytes(held[at : at + n]), len(held), digest), 1_200, 0.0)
    before = engine.search("archive api key", 5)
    held[:] = bytes(len(held))
    assert engine.search("archive api key", 5) == before
    with pytest.raises(BundleRefused, match="not one that this plan was written with"):
        [engine.search(word, 5) for word in ("订单", "merge", "exprot", "send message", "repositories")]


def test_opening_reads_the_head_alone(catalog: Any) -> None:
    """What opening costs does not grow with the postings (F02)."""
    data, digest = packed({f"{server}{n}": tools for n in range(20) for server, tools in catalog.items()})
    read: list[int] = []

    def counted(at: int, length: int) -> bytes:
        read.append(length)
        return data[at : at + length]

    opened = table.Table(blocks.Blocks(counted, len(data), digest))
    assert sum(read) < 40_000 < len(data)
    assert opened.size == 1_200


def test_decoded_terms_are_bounded(monkeypatch: pytest.MonkeyPatch, catalog: Any) -> None:
    """However many words are asked for, few stay decoded (F02)."""
    monkeypatch.setattr(table, "KEPT", 4_000)
    opened = table.Table(blocks_of(*packed(catalog)))
    words = sorted(inverted([json.dumps(one).encode() for one in definitions_of(catalog).values()], {}))
    for word in words * 2:
        assert opened.get(word) is not None
    assert 0 < len(opened._lately) + len(opened._before) < len(words)
    assert opened.get("nothing") is None


def test_blocks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """And few blocks; a section may span many (F02)."""
    monkeypatch.setattr(blocks, "KEPT", 2)
    content = random.Random(1).randbytes(5 * blocks.BLOCK + 7)
    opened = blocks_of(*blocks.pack({"one": b"1", "many": content, "none": b""}))
    assert opened.section("many").whole() == content
    assert opened.section("one").whole() == b"1"
    assert opened.section("none").whole() == b""
    assert len(opened._kept) == 2
    for at, length in ((-1, 2), (0, len(content) + 1), (len(content), 1), (3, -1)):
        with pytest.raises(blocks.TableDamaged):
            opened.section("many").read(at, length)
    with pytest.raises(blocks.TableDamaged):
        opened.section("other")


def test_keys_of_one_checksum_are_told_apart() -> None:
    """A bucket holds keys, not checksums (F02)."""
    seen: dict[int, bytes] = {}
    for n in range(200_000):
        key = b"k%d" % n
        if crc32(key) & 0xFFFF in seen and len(seen) > 100:
            break
        seen[crc32(key) & 0xFFFF] = key
    twins = [key, seen[crc32(key) & 0xFFFF]]
    keys = sorted({*twins, *(b"x%d" % n for n in range(60_000)), b"", b"\xff" * 255})
    bounds, entries = hashed.pack((one, one[::-1]) for one in keys)
    opened = blocks_of(*blocks.pack({"bounds": bounds, "entries": entries}))
    looked = hashed.Hashed(opened.section("bounds"), opened.section("entries"))
    assert all(looked.get(one) == one[::-1] for one in (*twins, *keys[:500], b"", b"\xff" * 255))
    assert looked.get(b"absent") is None
    assert len(list(looked.items())) == len(keys)


def test_long_names_are_keys_too() -> None:
    """A name of any length is found by it (F01)."""
    name = "very_" * 200 + "long"
    engines = [searched(kind, {"a": {name: "", "other": ""}}) for kind in KINDS]
    for one in engines:
        assert one.engine.named(name) == engines[0].engine.named(name) or list(one.engine.named(name)) == [1]
        one.engine.close()


def test_mending_costs_little(catalog: Any) -> None:
    """Words that nobody has are tried by the hundred; a filter answers nearly all of them (F01)."""
    opened = table.Table(blocks_of(*packed(catalog)))
    assert "issu" in opened or "issue" in opened
    assert "isue" not in opened
    assert 5 not in opened
    read: list[bytes] = []
    get = opened._terms.get
    opened._terms.get = lambda key: read.append(key) or get(key)
    parse("qwertzuiopa sdfghjklyxcv bnmqwertzuio pasdfghjklyx cvbnmqwertz", opened)
    assert len(read) < 500  # of some 3,400 spellings


def test_a_list_of_texts() -> None:
    """One by one, a slice, and all: the same texts, in their order (C03)."""
    listed = ["", "a", "Größe", "订单", "", "z" * 9_000]
    bounds, data = texts.pack(listed)
    opened = blocks_of(*blocks.pack({"bounds": bounds, "data": data, "short": data[:-1], "odd": bounds + b"x"}))
    found = texts.Texts(opened.section("bounds"), opened.section("data"))
    assert [found[n] for n in range(len(found))] == list(found) == found[:] == listed
    for n in (-1, 6):
        with pytest.raises(IndexError):
            found[n]
    with pytest.raises(blocks.TableDamaged):
        list(texts.Texts(opened.section("bounds"), opened.section("short")))
    with pytest.raises(blocks.TableDamaged):
        texts.Texts(opened.section("odd"), opened.section("data"))
