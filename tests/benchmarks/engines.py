"""The product and its peers, each as its own documentation uses it, under one interface.

`build` keeps what the engine keeps in a folder; `open` gives (query, k) → (server, tool)s, best first. An engine that
keeps nothing builds anew at each opening, out of the tools that READ gives. Packages are imported within, so that a
process holds one engine alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus import fields, split

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.corpus import Tool

Search = Callable[[str, int], list[tuple[str, str]]]
Read = Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True)
class Engine:
    """One row of the table."""

    title: str
    package: str
    """Its distribution; "" for what Python brings."""
    modules: tuple[str, ...]
    """What is imported before the clock of loading starts."""
    build: Callable[[list[Tool], Path], None] | None
    """None: it keeps nothing."""
    open: Callable[[Path, Read], Search]
    most: int = 1_000_000
    """Tools up to which it is run."""


def _ours_build(tools: list[Tool], folder: Path) -> None:
    from tests.benchmarks.ranker import write

    servers: dict[str, list[Any]] = {}
    for tool in tools:
        servers.setdefault(tool["server"], []).append({key: tool[key] for key in tool if key != "server"})
    write(servers, folder)


def _ours_open(folder: Path, read: Read) -> Search:
    from tests.benchmarks.ranker import opened

    return opened(folder)


_WHOOSH_KEYS = "server", "tool"


def _whoosh_build(tools: list[Tool], folder: Path) -> None:
    from whoosh import fields as kinds
    from whoosh import index

    schema = kinds.Schema(server=kinds.STORED, tool=kinds.STORED, name=kinds.TEXT, description=kinds.TEXT)
    writer = index.create_in(folder, schema).writer()
    for tool in tools:
        writer.add_document(
            server=tool["server"], tool=tool["name"], name=tool["name"], description=tool.get("description") or ""
        )
    writer.commit()


def _whoosh_open(folder: Path, read: Read) -> Search:
    from whoosh import index, qparser

    opened = index.open_dir(folder)
    searcher = opened.searcher()
    plain = [qparser.WhitespacePlugin()]
    parser = qparser.MultifieldParser(["name", "description"], opened.schema, plugins=plain, group=qparser.OrGroup)
    return lambda text, k: [(hit["server"], hit["tool"]) for hit in searcher.search(parser.parse(text), limit=k)]


_TIMES = {"name": 15, "server": 5, "title": 5, "description": 5, "parameters": 3, "said": 2}
"""How often a word of each part stands in the one field; K1 grows by the same five, which makes it BM25F."""


def _stems(words: list[str]) -> list[str]:
    import Stemmer

    return list(Stemmer.Stemmer("english").stemWords(words))


def _field_build(tools: list[Tool], folder: Path) -> None:
    from whoosh import analysis, index
    from whoosh import fields as kinds

    text = kinds.TEXT(analyzer=analysis.SpaceSeparatedTokenizer(), phrase=False)
    writer = index.create_in(folder, kinds.Schema(server=kinds.STORED, tool=kinds.STORED, text=text)).writer()
    for tool in tools:
        parts = fields(tool)
        words = [word for part, times in _TIMES.items() for word in _stems(parts[part]) for _ in range(times)]
        writer.add_document(server=tool["server"], tool=tool["name"], text=" ".join(words))
    writer.commit()


def _field_open(folder: Path, read: Read) -> Search:
    from whoosh import index, query, scoring

    searcher = index.open_dir(folder).searcher(weighting=scoring.BM25F(B=0.6, K1=6.0))

    def search(text: str, k: int) -> list[tuple[str, str]]:
        words = dict.fromkeys(_stems(split(text)))
        asked = query.Or([query.Term("text", word) for word in words])
        return [(hit["server"], hit["tool"]) for hit in searcher.search(asked, limit=k)]

    return search


def _okapi_open(folder: Path, read: Read) -> Search:
    import numpy
    from rank_bm25 import BM25Okapi

    tools = read()
    engine = BM25Okapi([re.findall(r"\w+", _said(tool).lower()) for tool in tools])
    keys = _keys(tools)

    def search(text: str, k: int) -> list[tuple[str, str]]:
        scores = engine.get_scores(re.findall(r"\w+", text.lower()))
        best = numpy.argsort(-scores, kind="stable")[:k]
        return [keys[n] for n in best if scores[n] > 0]

    return search


def _bm25s_build(tools: list[Tool], folder: Path) -> None:
    import bm25s

    said = [f"{tool['name'].replace('_', ' ')} {tool.get('description') or ''}" for tool in tools]
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize(said, stopwords="en", show_progress=False), show_progress=False)
    engine.save(folder)
    (folder / "keys.json").write_text(json.dumps(_keys(tools)))


def _bm25s_open(folder: Path, read: Read) -> Search:
    import bm25s

    engine = bm25s.BM25.load(folder)
    keys = json.loads((folder / "keys.json").read_text())

    def search(text: str, k: int) -> list[tuple[str, str]]:
        words = bm25s.tokenize([text], stopwords="en", return_ids=False, show_progress=False)
        rows, scores = engine.retrieve(words, k=min(k, len(keys)), show_progress=False)
        return [tuple(keys[row]) for row, score in zip(rows[0], scores[0], strict=True) if score > 0]

    return search


FTS_WEIGHTS = {"name": 3.0, "title": 1.0, "description": 1.0, "parameters": 0.6, "said": 0.3, "server": 1.0}
"""Columns of the table of FTS5, and how much each counts."""
FTS_ORDER = f"bm25(t, 0, 0, {', '.join(map(str, FTS_WEIGHTS.values()))})"


def _fts_build(tools: list[Tool], folder: Path) -> None:
    import sqlite3

    database = sqlite3.connect(folder / "fts.db")
    columns = ", ".join(FTS_WEIGHTS)
    database.execute(
        f"create virtual table t using fts5(sid unindexed, tid unindexed, {columns}, tokenize='porter unicode61')"
    )
    for tool in tools:
        parts = fields(tool)
        row = [tool["server"], tool["name"], *(" ".join(parts[column]) for column in FTS_WEIGHTS)]
        database.execute(f"insert into t values ({', '.join('?' * len(row))})", row)
    database.execute("insert into t(t) values('optimize')")
    database.execute("create table d (sid text, tid text, definition text, primary key (sid, tid)) without rowid")
    database.executemany(
        "insert into d values (?, ?, ?)", ((tool["server"], tool["name"], json.dumps(tool)) for tool in tools)
    )
    database.commit()
    database.close()


def _fts_open(folder: Path, read: Read) -> Search:
    import sqlite3

    database = sqlite3.connect(f"file:{folder / 'fts.db'}?mode=ro", uri=True)
    asked = f"select sid, tid from t where t match ? order by {FTS_ORDER} limit ?"

    def search(text: str, k: int) -> list[tuple[str, str]]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(split(text)))
        return database.execute(asked, (words, k)).fetchall() if words else []

    return search


def _tantivy_build(tools: list[Tool], folder: Path) -> None:
    import tantivy

    schema = tantivy.SchemaBuilder()
    for kept in ("server", "tool"):
        schema.add_text_field(kept, stored=True, tokenizer_name="raw")
    for searched in ("name", "description"):
        schema.add_text_field(searched, stored=False, tokenizer_name="en_stem")
    writer = tantivy.Index(schema.build(), path=str(folder)).writer(num_threads=1)
    for tool in tools:
        said = {"name": tool["name"], "description": tool.get("description") or ""}
        writer.add_document(tantivy.Document(server=tool["server"], tool=tool["name"], **said))
    writer.commit()
    writer.wait_merging_threads()


def _tantivy_open(folder: Path, read: Read) -> Search:
    import tantivy

    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def search(text: str, k: int) -> list[tuple[str, str]]:
        words = " ".join(re.findall(r"\w+", text.lower()))
        parsed, _ = index.parse_query_lenient(words, ["name", "description"])
        found = [searcher.doc(place) for _, place in searcher.search(parsed, k).hits]
        return [(one["server"][0], one["tool"][0]) for one in found]

    return search


def _fastmcp_open(folder: Path, read: Read) -> Search:
    """A server whose provider hands out tools, behind the transform; its search tool is called."""
    import asyncio

    from fastmcp import FastMCP
    from fastmcp.server.providers.base import Provider
    from fastmcp.server.transforms.search import BM25SearchTransform
    from fastmcp.tools.base import Tool as Served

    keys, served = {}, []
    for tool in read():
        name = f"{tool['server']}_{tool['name']}"
        keys[name] = (tool["server"], tool["name"])
        schema = tool.get("inputSchema") or {"type": "object"}
        served.append(Served(name=name, description=tool.get("description") or "", parameters=schema))

    class Listed(Provider):  # type: ignore[misc]
        async def _list_tools(self) -> Any:
            return served

    found_at_most = 40
    server = FastMCP("benchmark", providers=[Listed()])
    server.add_transform(BM25SearchTransform(max_results=found_at_most))
    loop = asyncio.new_event_loop()

    def search(text: str, k: int) -> list[tuple[str, str]]:
        answer = loop.run_until_complete(server.call_tool("search_tools", {"query": text}))
        return [keys[one["name"]] for one in answer.structured_content["result"]][:k]

    return search


def _ratel_open(folder: Path, read: Read) -> Search:
    from ratel_ai._native import ToolRegistry

    tools = read()
    registry = ToolRegistry()
    for n, tool in enumerate(tools):
        schema = tool.get("inputSchema") or {"type": "object"}
        name = f"{tool['server']}__{tool['name']}"
        registry.register(str(n), name, tool.get("description") or "", schema, {"type": "object"})
    keys = _keys(tools)
    registry.search("begin", 1)  # the first search makes the index
    return lambda text, k: [keys[int(hit.tool_id)] for hit in registry.search(text, k)]


def _keys(tools: list[Tool]) -> list[tuple[str, str]]:
    return [(tool["server"], tool["name"]) for tool in tools]


def _said(tool: Tool) -> str:
    return f"{tool['name']} {tool.get('description') or ''}"


ENGINES = {
    "mcpexpose": Engine(
        "mcpexpose", "", ("mcpexpose.host.plan", "mcpexpose.search.table", "tests.benchmarks.ranker"),
        _ours_build, _ours_open,
    ),
    "whoosh": Engine(
        "Whoosh, as it comes", "whoosh-reloaded", ("whoosh.index", "whoosh.qparser"), _whoosh_build, _whoosh_open
    ),
    "whoosh-field": Engine(
        "Whoosh, one weighted field", "whoosh-reloaded", ("whoosh.index", "whoosh.query", "Stemmer"),
        _field_build, _field_open,
    ),
    "rank-bm25": Engine("rank-bm25", "rank-bm25", ("rank_bm25",), None, _okapi_open),
    "bm25s": Engine("bm25s", "bm25s", ("bm25s",), _bm25s_build, _bm25s_open),
    "sqlite-fts5": Engine("SQLite FTS5, porter, weighted", "", ("sqlite3",), _fts_build, _fts_open),
    "tantivy": Engine("tantivy", "tantivy", ("tantivy",), _tantivy_build, _tantivy_open),
    "fastmcp": Engine(
        "FastMCP, BM25 search transform", "fastmcp", ("fastmcp", "fastmcp.server.transforms.search"), None,
        _fastmcp_open, most=10_000,
    ),
    "ratel-ai": Engine("ratel-ai", "ratel-ai", ("ratel_ai._native",), None, _ratel_open),
}  # fmt: skip
