"""The Whoosh index: equal input gives equal bytes, and nothing is in it that should not be."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mcpexpose.search import index
from mcpexpose.search.postings import invert
from tests.work import growth

DIGEST = hashlib.sha256(b"plan").hexdigest()
Lines = Callable[[Any], tuple[bytes, ...]]


def test_the_files_of_an_index(lines: Lines, catalog: Any, tmp_path: Path) -> None:
    """One table of contents and one segment, named by the plan; no lock, no leftovers (C02)."""
    index.build(lines(catalog), tmp_path / "deep" / "index", plan_digest=DIGEST)
    assert sorted(path.name for path in (tmp_path / "deep" / "index").iterdir()) == [
        f"MAIN_{DIGEST[:16]}.seg",
        "_MAIN_1.toc",
    ]
    assert [path.name for path in (tmp_path).iterdir()] == ["deep"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["index"]


def test_building_again_over_an_index_gives_the_same(lines: Lines, catalog: Any, tmp_path: Path) -> None:
    """The folder's past does not matter (C02)."""
    index.build(lines(catalog), tmp_path, plan_digest=DIGEST)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    index.build(lines(catalog), tmp_path, plan_digest=DIGEST)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert first == index.files(lines(catalog), plan_digest=DIGEST)


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script that builds an index from a file of definitions and prints a digest of all bytes."""
    script = tmp_path_factory.mktemp("build") / "build.py"
    script.write_text(
        "import hashlib, sys, pathlib\n"
        "from mcpexpose.search import index\n"
        "out = pathlib.Path(sys.argv[2])\n"
        f"index.build(pathlib.Path(sys.argv[1]).read_bytes().splitlines(), out, plan_digest={DIGEST!r},\n"
        "            synonyms={'pr': ('pull request',), 'ticket': ('issue',)})\n"
        "print(hashlib.sha256(b''.join(p.name.encode() + p.read_bytes() for p in sorted(out.iterdir()))).hexdigest())\n"
    )
    return script


def test_bytes_do_not_hang_on_the_machine(lines: Lines, catalog: Any, builder: Path, tmp_path: Path) -> None:
    """Hash seed, time zone, locale and working folder change no byte (C02)."""
    (tmp_path / "lines").write_bytes(b"\n".join(lines(catalog)))
    root = str(Path(__file__).resolve().parents[2])
    environments: list[Mapping[str, str]] = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "random", "TZ": "America/St_Johns", "LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
    ]
    seen = set()
    for n, environment in enumerate(environments):
        cwd = tmp_path / f"cwd{n}"
        cwd.mkdir()
        done = subprocess.run(
            [sys.executable, "-W", "error", str(builder), str(tmp_path / "lines"), str(cwd / "index")],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": root, **environment},
            cwd=cwd, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        seen.add(done.stdout)
    assert len(seen) == 1


def test_no_time_and_no_random_name_is_in_it(lines: Lines, catalog: Any) -> None:
    """Two builds at different times are equal; another plan has another segment and the same postings (C02)."""
    one = index.files(lines(catalog), plan_digest=DIGEST)
    other = index.files(lines(catalog), plan_digest="0" * 64)
    swapped = {
        name.replace("0" * 16, DIGEST[:16]): content.replace(b"0" * 16, DIGEST[:16].encode())
        for name, content in other.items()
    }
    assert swapped == one


def test_what_is_not_given_is_not_in_it(lines: Lines, catalog: Any) -> None:
    """The index holds terms of its own tools and no text: no description, no schema, no stored field (X01)."""
    files = index.files(
        lines({"a": {"deploy_plan": "Show the next deploy of the Unmistakable Marmot"}}), plan_digest=DIGEST
    )
    content = b"".join(files.values())
    assert b"marmot" in content
    assert b"Unmistakable Marmot" not in content
    assert b"deploy_plan" not in content
    assert b"deploynow" not in content


def test_rows_are_the_places_of_the_tools(lines: Lines, catalog: Any) -> None:
    """A document's number is the row of its tool in the plan (C02)."""
    definitions = lines(catalog)
    inverted = invert(index.decode(definitions), {})
    names = [json.loads(line)["name"] for line in definitions]
    assert [names[row] for row in inverted["getissue"].listed()[0]] == ["get_issue"]
    assert {names[row] for row in inverted["export"].listed()[0]} == {
        name for name in names if name.startswith("export")
    }


def test_whoosh_itself_opens_it(lines: Lines, catalog: Any, tmp_path: Path) -> None:
    """Anyone may open the index with Whoosh alone: no class of ours is named in it (C02)."""
    index.build(lines(catalog), tmp_path, plan_digest=DIGEST)
    assert not any(b"mcpexpose" in path.read_bytes() for path in tmp_path.iterdir())
    code = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from whoosh import index, query\n"
        "found = index.open_dir(sys.argv[1])\n"
        "with found.searcher() as searcher:\n"
        "    print(sorted(searcher.search(query.Term('text', 'getissue'), limit=None).docs()), searcher.doc_count())\n"
        "assert 'mcpexpose' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert re.fullmatch(r"\[\d+\] 60\n", done.stdout), done.stderr


@pytest.mark.parametrize("tools", [{}, {"a": {"---": ""}}, {"a": {"the": ""}}, {"是": {"订": "单"}}])
def test_small_and_wordless_plans(over: Callable[..., Any], tools: Any) -> None:
    """A plan without tools, or with tools without words, has an index that can be searched (C02)."""
    searched = over(tools)
    assert searched.find("anything at all") == []
    for name in searched.names():
        assert searched.first(name.split("/")[1]) == (None if name == "a/---" else name)


def test_building_costs_little(lines: Lines, catalog: Any) -> None:
    """No tool is held against all others: four times as many are at most about four times the work (C02)."""

    def built(times: int) -> Callable[[], object]:
        definitions = lines({f"{server}{n}": tools for n in range(times) for server, tools in catalog.items()})
        return lambda: index.files(definitions, plan_digest=DIGEST)

    assert growth(built, 1, 4) < 5
