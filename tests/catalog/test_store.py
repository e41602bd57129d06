"""Catalogs are read strictly, by name, within limits, and written in one step."""

from __future__ import annotations

import gzip
import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.catalog import store
from mcpexpose.catalog.names import file_name
from mcpexpose.catalog.unfold import MAX_BYTES
from mcpexpose.model.catalog import Catalog, revision_of
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Finding, Location, Place, Severity

if TYPE_CHECKING:
    from pathlib import Path

TOOL = {"name": "read", "description": "Reads", "inputSchema": {"type": "object"}, "x-unknown": [1]}


def put(folder: Path, name: str, content: Any) -> None:
    folder.mkdir(exist_ok=True)
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (folder / name).write_bytes(data)


def load_bytes(tmp_path: Path, content: Any, server: str = "s") -> tuple[Catalog | None, tuple[Finding, ...]]:
    put(tmp_path / "catalogs", f"{server}.json", content)
    catalogs, findings = store.load(tmp_path / "catalogs", [server])
    return catalogs.get(server), findings


def fault(tmp_path: Path, content: Any) -> Finding:
    catalog, findings = load_bytes(tmp_path, content)
    assert catalog is None
    (finding,) = findings
    assert finding.severity is Severity.ERROR
    assert finding.subjects == ("s",)
    return finding


def ours(**fields: Any) -> dict[str, Any]:
    return {"format": 1, "server": "s", "captured_at": "2026-11-01T00:00:00Z", "tools": [TOOL]} | fields


# what is read


@pytest.mark.parametrize(
    "document",
    [
        ours(),
        {"tools": [TOOL]},
        {"tools": [TOOL], "nextCursor": None, "_meta": {"a": 1}},
        {"jsonrpc": "2.0", "id": 7, "result": {"tools": [TOOL]}},
    ],
    ids=["ours", "tools/list result", "with _meta", "json-rpc answer"],
)
def test_our_files_and_plain_results_are_read(tmp_path: Path, document: Any) -> None:
    """C06: what was captured by other means is accepted too; unknown fields are kept."""
    catalog, findings = load_bytes(tmp_path, document)
    assert findings == ()
    assert catalog is not None
    assert catalog.tools == (TOOL,)
    assert catalog.revision == revision_of("s", [TOOL])
    assert catalog.file == "catalogs/s.json"
    assert catalog.indices == (0,)


def test_everything_that_a_capture_notes_comes_back(tmp_path: Path) -> None:
    """C06: a catalog survives the disk."""
    written = Catalog(
        "s",
        (TOOL, {"name": "big", "inputSchema": {"maximum": 9007199254740993}}),
        captured_at="2026-11-30T12:00:00Z",
        protocol="2026-07-28",
        server_info={"name": "S", "version": "1"},
        instructions="Use it. Well.",
        ttl_ms=5_000,
        cache_scope="private",
    )
    store.write(tmp_path, written)
    catalogs, findings = store.load(tmp_path, ["s"])
    read = catalogs["s"]
    assert findings == ()
    for field in ("captured_at", "protocol", "server_info", "instructions", "ttl_ms", "cache_scope", "complete"):
        assert getattr(read, field) == getattr(written, field)
    assert {tool["name"]: tool for tool in read.tools} == {tool["name"]: tool for tool in written.tools}
    assert "9007199254740993" in (tmp_path / "s.json").read_text(encoding="utf-8")


def test_a_compressed_catalog_is_the_same_catalog(tmp_path: Path) -> None:
    put(tmp_path, "s.json.gz", gzip.compress(json.dumps(ours()).encode()))
    catalogs, findings = store.load(tmp_path, ["s"])
    assert findings == ()
    assert catalogs["s"].revision == revision_of("s", [TOOL])
    assert catalogs["s"].file == "catalogs/s.json.gz"


def test_line_ends_key_order_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    """Law 5: the revision is of the meaning."""
    one, two = {"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}}
    plain, _ = load_bytes(tmp_path, ours(tools=[one, two]))
    swapped = json.dumps(ours(tools=[dict(reversed(two.items())), one]), indent=2).replace("\n", "\r\n")
    odd, findings = load_bytes(tmp_path, b"\xef\xbb\xbf" + swapped.encode())
    assert findings == ()
    assert plain is not None
    assert odd is not None
    assert odd.revision == plain.revision


def test_the_revision_binds_the_server(tmp_path: Path) -> None:
    """Law 4: the same tools on another server are another catalog."""
    assert revision_of("a", [TOOL]) != revision_of("b", [TOOL])


def test_only_the_servers_that_were_named_are_opened(tmp_path: Path) -> None:
    put(tmp_path, "a.json", {"tools": []})
    put(tmp_path, "other.json", b"no json")
    assert store.load(tmp_path, ["a"])[1] == ()


def test_the_real_catalogs_shape_with_other_keys_beside_the_tools_is_read(tmp_path: Path) -> None:
    """Keys of other programs are theirs."""
    catalog, findings = load_bytes(tmp_path, {"server_id": "x", "source": 5, "licence": None, "tools": [TOOL]})
    assert findings == ()
    assert catalog is not None


# what is refused


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        (b'{"tools":[{"name":"t","inputSchema":{"maximum":NaN}}]}', 1, 48, "NaN"),
        (b'{"tools":[\n{"name":"safe","name":"wipe"}]}', 2, 16, "twice"),
        (b'{"tools":[{"name":"t","description":"\\ud800"}]}', 1, 37, "surrogate"),
        (b'{\n "server": "s",\n', 3, 1, ""),
        (b'{"tools":[{"name":"t","x":1e999}]}', 1, 27, "range"),
        (b'{"a":"\xc3\xa9\xff"}', 1, 8, "UTF-8"),
        (b"\xff\xfe{\x00}\x00", 1, 1, "UTF-16"),
        (b"", 1, 1, "empty"),
    ],
)
def test_a_file_that_two_readers_could_read_differently_is_refused_at_its_place(
    tmp_path: Path, text: bytes, line: int, column: int, said: str
) -> None:
    """catalog-json-1, catalog-json-2: the usual parser takes NaN and keeps the last of two equal keys."""
    finding = fault(tmp_path, text)
    assert finding.slug == "catalog-invalid-json"
    assert finding.location == Location("catalogs/s.json", line, column, line, column + 1)
    assert said in finding.message
    assert finding.message.startswith("catalogs/s.json: ")  # reports put line and column before it


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "an array"),
        ("x", "a string"),
        ({"server": "s"}, "no `tools`"),
        ({"tools": {}}, "`tools` is an object"),
        ({"tools": None}, "`tools` is null"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m"}}, "error"),
        (ours(format=2), "`format` is 2"),
        (ours(format=True), "`format` is true"),
        (ours(complete="no"), "`complete`"),
        (ours(ttl_ms="5"), "`ttl_ms`"),
        (ours(cache_scope="all"), "`cache_scope`"),
        (ours(instructions=[]), "`instructions`"),
        (ours(server=5), "`server`"),
    ],
)
def test_json_of_another_shape_is_refused(tmp_path: Path, document: Any, said: str) -> None:
    """catalog-json-2: catalog-invalid says what is wrong."""
    finding = fault(tmp_path, document)
    assert finding.slug == "catalog-invalid"
    assert said in finding.message


def test_the_catalog_of_another_server_is_refused(tmp_path: Path) -> None:
    """catalog-json-2: a file put in the wrong place."""
    finding = fault(tmp_path, ours(server="yours"))
    assert finding.slug == "catalog-server-mismatch"
    assert "yours" in finding.message
    assert finding.place == Place("catalogs/s.json", ("server",))


@pytest.mark.parametrize("document", [ours(complete=False), {"tools": [TOOL], "nextCursor": ""}])
def test_a_list_with_a_page_left_over_is_refused(tmp_path: Path, document: Any) -> None:
    """An empty cursor is a cursor, here too."""
    assert fault(tmp_path, document).slug == "catalog-incomplete"


@pytest.mark.parametrize("entry", [5, None, "read", [], {}, {"name": 5}, {"name": ""}, {"name": None}])
def test_an_entry_that_is_no_tool_is_left_out_and_the_rest_stays(tmp_path: Path, entry: Any) -> None:
    """RULES, out: catalog-invalid of one entry leaves out that entry alone."""
    catalog, findings = load_bytes(tmp_path, ours(tools=[entry, TOOL]))
    assert catalog is not None
    assert catalog.tools == (TOOL,)
    assert catalog.indices == (1,)
    (finding,) = findings
    assert (finding.slug, finding.severity) == ("catalog-invalid", Severity.ERROR)
    assert finding.subjects == ("s/#0",)
    assert finding.place == Place("catalogs/s.json", ("tools", 0))


def test_a_name_twice_is_kept_for_whoever_judges_it(tmp_path: Path) -> None:
    """duplicate-tool is the compiler's to say."""
    catalog, findings = load_bytes(tmp_path, ours(tools=[TOOL, {"name": "read"}]))
    assert findings == ()
    assert catalog is not None
    assert len(catalog.tools) == 2


@pytest.mark.parametrize(
    ("stamp", "kept"),
    [
        ("2026-13-40T99:00:00Z", "2026-13-40T99:00:00Z"),
        ("2026-11-01T00:00:00", "2026-11-01T00:00:00"),
        (None, "null"),
        (1764500000, "1764500000"),
        ("", ""),
    ],
)
def test_a_stamp_that_is_none_is_an_error_and_leaves_nothing_out(tmp_path: Path, stamp: Any, kept: str) -> None:
    """freshness-2: such a catalog is compiled all the same, and never taken for fresh."""
    catalog, findings = load_bytes(tmp_path, ours(captured_at=stamp))
    assert [finding.slug for finding in findings] == ["catalog-bad-timestamp"]
    assert findings[0].severity is Severity.ERROR
    assert catalog is not None
    assert catalog.captured_at == kept


@pytest.mark.parametrize("folder", ["catalogs", "nowhere"])
def test_a_server_never_captured_is_named_with_the_command_to_run(tmp_path: Path, folder: str) -> None:
    (tmp_path / "catalogs").mkdir()
    catalogs, (finding,) = store.load(tmp_path / folder, ["git hub"], folder_name=folder)
    assert catalogs == {}
    assert (finding.slug, finding.subjects) == ("catalog-missing", ("git hub",))
    assert "mcpexpose capture 'git hub'" in finding.advice


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    """A pipe would hold the reader for ever."""
    os.mkfifo(tmp_path / "s.json")
    (tmp_path / "d.json").mkdir()
    _, findings = store.load(tmp_path, ["s", "d"])
    assert [finding.slug for finding in findings] == ["catalog-missing"] * 2


# limits


def test_a_bomb_is_refused_before_it_is_unfolded(tmp_path: Path) -> None:
    """catalog-size-1: by the unfolded size, with bounded memory."""
    import tracemalloc

    with gzip.open(tmp_path / "s.json.gz", "wb", 9) as file:
        file.write(b'{"tools":[')
        for _ in range(100):
            file.write(b" " * 1_000_000)
        file.write(b"]}")
    tracemalloc.start()
    try:
        _, (finding,) = store.load(tmp_path, ["s"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert finding.slug == "catalog-too-large"
    assert peak < 256 * 2**20


def test_a_large_plain_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "s.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    _, (finding,) = store.load(tmp_path, ["s"])
    assert finding.slug == "catalog-too-large"


@pytest.mark.parametrize("cut", [b"", b"\x1f\x8b", gzip.compress(b'{"tools": []}', mtime=0)[:-9], b"not gzip"])
def test_a_broken_archive_is_no_json(tmp_path: Path, cut: bytes) -> None:
    put(tmp_path, "s.json.gz", cut)
    _, (finding,) = store.load(tmp_path, ["s"])
    assert finding.slug == "catalog-invalid-json"


def test_two_thousand_levels_are_a_catalog_and_more_are_not(tmp_path: Path) -> None:
    """DESIGN 3: 2,000 levels; no RecursionError, and a revision too."""
    deep = '{"tools":[{"name":"t","x":' + "[" * 1_997 + "]" * 1_997 + "}]}"
    catalog, findings = load_bytes(tmp_path, deep.encode())
    assert findings == ()
    assert catalog is not None
    assert len(catalog.revision) == 64
    finding = fault(tmp_path, deep.replace('"x":', '"x":[').replace("}]}", "]}]}").encode())
    assert finding.slug == "catalog-too-deep"


# names


@pytest.mark.parametrize("server", ["github", "a.b-c_d", "0", "_x"])
def test_a_plain_id_is_its_own_file_name(server: str) -> None:
    assert file_name(server) == f"{server}.json"


@pytest.mark.parametrize(
    "server", ["GitHub", "a b", "con", "nul.txt", "com1", "..", "../x", "a/b", "é", ".hidden", "", "x" * 300]
)
def test_an_odd_id_has_a_cleaned_name_with_a_digest(server: str) -> None:
    """No file system folds two ids into one, and none leads out of the folder."""
    import hashlib
    import re

    name = file_name(server)
    assert re.fullmatch(r"[a-z0-9_-]*~[0-9a-f]{8}\.json", name)
    assert hashlib.sha256(server.encode()).hexdigest()[:8] in name


@pytest.mark.skipif(os.name == "nt", reason="Windows has no files of these names")
@pytest.mark.parametrize("server", ["aux", "con", "a:b", "a*b", "a?b", "GitHub", "..x"])
def test_a_catalog_under_the_plain_id_is_read_as_well(tmp_path: Path, server: str) -> None:
    """`<id>.json` and `<id>.json.gz`, wherever the system can hold such a file (C01)."""
    (tmp_path / f"{server}.json").write_text('{"tools": [{"name": "x"}]}')
    catalog, findings = store.load_one(tmp_path, server)
    assert catalog is not None
    assert not findings
    (tmp_path / f"{server}.json").unlink()
    (tmp_path / f"{server}.json.gz").write_bytes(gzip.compress(b'{"tools": []}'))
    assert store.load_one(tmp_path, server)[0] is not None


def test_ids_that_differ_by_case_alone_have_different_files() -> None:
    names = {file_name(server).lower() for server in ("github", "GitHub", "GITHUB")}
    assert len(names) == 3


def test_the_plain_name_of_an_odd_id_is_read_as_well(tmp_path: Path) -> None:
    for server in ("GitHub", "...", ".x.", "a b"):
        put(tmp_path, f"{server}.json", {"tools": []})
        assert server in store.load(tmp_path, [server])[0]


@pytest.mark.parametrize("server", ["../secret", "/secret", "..", "a/../../secret", "x\0y"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, server: str) -> None:
    """server-id-1: a server's id is no path."""
    put(tmp_path, "secret.json", {"tools": []})
    put(tmp_path / "catalogs", "kept.json", {"tools": []})
    catalogs, (finding,) = store.load(tmp_path / "catalogs", [server])
    assert catalogs == {}
    assert finding.slug == "catalog-missing"
    assert "\0" not in finding.message


# writing


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    store.write(tmp_path, Catalog("s", ({"name": "old"},)))
    (tmp_path / "s.json").chmod(0o640)
    store.write(tmp_path, Catalog("s", ({"name": "new"},)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.json"]
    assert stat.S_IMODE((tmp_path / "s.json").stat().st_mode) == 0o640
    assert store.load(tmp_path, ["s"])[0]["s"].tools == ({"name": "new"},)


def test_the_bytes_are_the_same_whatever_order_the_server_listed_in(tmp_path: Path) -> None:
    """Law 5 and 10: sorted keys, one space, LF, tools sorted by name."""
    a, b = {"name": "a", "z": 1, "b": "é"}, {"name": "b"}
    data = store.dump(Catalog("s", (a, b)))
    assert data == store.dump(Catalog("s", (b, a)))
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    assert "é".encode() in data
    assert list(json.loads(data)) == sorted(json.loads(data))


def test_a_capture_takes_the_place_of_a_compressed_or_differently_named_file(tmp_path: Path) -> None:
    """There is one catalog of a server, not two that disagree."""
    put(tmp_path, "GitHub.json", {"tools": []})
    store.write(tmp_path, Catalog("GitHub", ({"name": "new"},)))
    assert [path.name for path in tmp_path.iterdir()] == [file_name("GitHub")]


def test_a_catalog_that_no_reader_would_take_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        store.write(tmp_path, Catalog("s", ({"name": "a", "x": float("nan")},)))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputMissing, match=r"s\.json"):
        store.write(tmp_path / "file", Catalog("s", ()))


def test_entries_without_end_that_are_no_tools_are_told_and_counted(tmp_path: Path) -> None:
    """A file has room for millions of them; each is left out, and nobody reads on after a hundred (C04)."""
    catalog, findings = load_bytes(tmp_path, {"tools": [{}] * 50_000 + [TOOL]})
    assert catalog is not None
    assert [tool["name"] for tool in catalog.tools] == ["read"]
    assert catalog.indices == (50_000,)
    assert len(findings) == 101
    assert findings[-1].slug == "catalog-invalid"
    assert "49,900 more" in findings[-1].message
