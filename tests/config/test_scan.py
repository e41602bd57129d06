"""The places of keys and values."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest

from mcpexpose.config.scan import scan
from tests.config.reading import text

HAND = [
    "a = 1",
    "a=1\r\nb = 'x'\r\n",
    '"a b" = 1\n\'c.d\' = 2\n"" = 3',
    "a.b.c = 1\na . d = 2",
    '"a.b".c = 1',
    '"\\u00e9\\"x" = 1',
    "[a]\nb = 1\n[a.c]\nd = 2",
    "[ a . 'b c' ]\nd = 1",
    "[a.b.c]\nx = 1\n[a]\ny = 2",
    "[[r]]\nx = 1\n[[r]]\nx = 2\n[r.sub]\ny = 3\n[[r.deep]]\nz = 4\n[[r.deep]]\nz = 5",
    "[a]\n[[a.b]]\nc = 1\n[[a.b]]\nc = 2",
    "a = { b = 1, 'c d' = { e = [1, 2] } }",
    "a = {}\nb = []\nc = [ ]",
    "a = [ # one ] }\n 1, # two\n 2,\n]",
    "a = [ [1, 2], [ ], ['x', \"]\"] ]",
    "a = [ { b = 1 }, { b = 2, c = '}' } ]",
    'a = """\nline " one ""\n  line two\\\n   joined"""',
    'a = """"quoted""""',
    'a = """x""\\""""',
    "a = '''\nraw ' '' \\ '''",
    "a = ''''x''''",
    'a = """\r\ncr lf\r\n"""',
    "a = 'C:\\dir\\'\nb = \"C:\\\\dir\\\\\"",
    "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.5\nc = 07:32:00\nd = 1979-05-27",
    "a = 1_000\nb = 0xff\nc = -1.5e+3\nd = inf\ne = true # no",
    "# only a comment",
    "",
    "\n\n\t  \n",
    "a = 1 # c\n# d\nb = '# e' # f",
    '[mcp_servers."my.server".tools.\'get_*\']\nexposure = "direct"',
    "[a] # c\nb=1",
    "a = 'é😀' # x\nb = 1",
]


def paths(node: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    out: list[tuple[tuple[str | int, ...], Any]] = [(path, node)] if path else []
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        out += paths(value, (*path, key))
    return out


def holds(source: str) -> None:
    spans = scan(source)
    assert spans.complete
    assert not spans.repeats
    for path, value in paths(tomllib.loads(source)):
        if path in spans.values:
            start, end = spans.values[path]
            assert tomllib.loads(f"k={source[start:end]}")["k"] == value, path
        else:
            assert isinstance(value, dict | list), path
            assert path in spans.headers or path in spans.keys, path
        if isinstance(path[-1], str):
            start, end = spans.keys[path]
            assert list(tomllib.loads(f"{source[start:end]}=1")) == [path[-1]], path


@pytest.mark.parametrize("source", HAND)
def test_every_span_reads_as_its_node(source: str) -> None:
    """A finding points at the value or key that it is about, in each form that TOML has (C04)."""
    holds(source)
    holds(source.replace("\r\n", "\n").replace("\n", "\r\n"))


def made(rng: random.Random) -> str:
    """A document of random shape, without a key twice."""
    count = iter(range(10_000))

    def key() -> str:
        name = f"k{next(count)}"
        return rng.choice([name, f'"{name}"', f"'{name} x'", f"{name}.n{next(count)}", f'"{name}" . "é{next(count)}"'])

    def value(depth: int) -> str:
        kinds = ["1", "-2.5", "true", "'a # b'", '"c\\t\\"d"', '"""\nm\n"" n"""', "'''o'''", "1979-05-27", '"é]}"']
        if depth:
            inner = [value(depth - 1) for _ in range(rng.randrange(4))]
            kinds += ["[" + rng.choice([", ", ",\n # c ]\n "]).join(inner) + "]"] * 3
            kinds += ["{ " + ", ".join(f"{key()} = {value(depth - 1)}" for _ in range(rng.randrange(3))) + " }"] * 3
        return rng.choice(kinds)

    lines: list[str] = []
    for _ in range(rng.randrange(6)):
        name = f"t{next(count)}"
        for _ in range(rng.randrange(1, 3)) if (many := rng.random() < 0.4) else range(1):
            lines.append(f"[[{name}]]" if many else rng.choice([f"[{name}]", f"[ {name} . s ] # c"]))
            lines += [f"{key()} = {value(3)}" for _ in range(rng.randrange(4))]
    first = [f"{key()} = {value(2)}" for _ in range(rng.randrange(3))]
    return rng.choice(["\n", "\r\n"]).join([*first, *lines])


@pytest.mark.parametrize("seed", range(150))
def test_spans_of_made_documents(seed: int) -> None:
    """The same on documents of any shape (C04)."""
    holds(made(random.Random(seed)))


def test_comments_are_not_in_strings() -> None:
    """What suppresses a finding is a comment, and knows whether it stands alone (C04)."""
    source = "# one\r\na = '# no' # two\nb = [ # three\n 1, # four\n]\nc = '''\n# no\n'''\n"
    comments = text(source).comments
    assert [(c.text, c.line, c.column, c.alone) for c in comments] == [
        ("# one", 1, 1, True),
        ("# two", 2, 12, False),
        ("# three", 3, 7, False),
        ("# four", 4, 5, False),
    ]


def test_a_place_that_is_not_there_is_its_ancestors() -> None:
    """Every finding has a line, of the nearest table where its own node is not written (C04)."""
    read = text("a = 1\n[mcp_servers.x.tools.y]\nexposure = 'direct'\n")
    missing = read.locate(("mcp_servers", "x", "tools", "y", "side_effect"))
    assert missing is not None
    assert (missing.line, missing.column) == (2, 1)
    server = read.locate(("mcp_servers", "x"), "header")
    assert server is not None
    assert (server.line, server.column) == (2, 14)
    nowhere = read.locate(("policy", "auto_approve"))
    assert nowhere is not None
    assert (nowhere.line, nowhere.column) == (1, 1)


def test_a_mark_at_the_start_moves_no_column() -> None:
    """Columns count from 1, in code points, with a byte order mark as without one (C04)."""
    for source in (b"\xef\xbb\xbfa = 'x'", b"a = 'x'"):
        place = text(source).locate(("a",))
        assert place is not None
        assert (place.line, place.column, place.end_column) == (1, 5, 8)
