"""A bundle read without trust."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import socket
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.bundle import folder
from mcpexpose.bundle.read import open_bundle
from mcpexpose.bundle.verify import verify
from mcpexpose.bundle.write import write
from mcpexpose.host.plan import load_plan
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.errors import BundleRefused, InputMissing
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Exposure, PolicyState
from mcpexpose.search import blocks
from tests.builders import compiled, tool
from tests.bundle.changes import mend, relist, slugs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.plan import Compiled

ALL = ["manifest.json", "plan.json", "definitions.bin", "tools.bin", "index"]
OUTSIDE = "text of a file that is none of the plan's"


def _files(bundle: Path) -> list[Path]:
    return sorted(path for path in bundle.rglob("*") if path.is_file())


def _problems(bundle: Path) -> set[str]:
    return {finding.slug for finding in verify(bundle)}


@pytest.fixture(autouse=True)
def _no_hanging() -> Iterator[None]:
    """A reader that waits for a pipe's writer would wait for ever."""
    if hasattr(signal, "SIGALRM"):
        signal.alarm(120)
        yield
        signal.alarm(0)
    else:
        yield


def test_what_was_written_is_read_again(bundle: Path, one: Compiled) -> None:
    """The plan and each definition come back as they were, with no server at hand (C03)."""
    opened = open_bundle(bundle)
    assert opened.plan == one.plan
    assert [opened.definition(row) for row in (0, 1)] == [json.loads(line) for line in one.definitions]
    assert verify(bundle) == ()


def test_a_missing_folder_is_no_damage(tmp_path: Path) -> None:
    """A plan that is not there, or a file in its place, is named as such (exit 2) (C03)."""
    with pytest.raises(InputMissing, match="there is no plan"):
        open_bundle(tmp_path / "nope")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputMissing, match="no folder"):
        open_bundle(tmp_path / "file")


def test_flipped_bytes_are_found_in_every_file(bundle: Path) -> None:
    """Any flipped byte shows: at once in what loading reads, by verify in all of it (C02)."""
    chance = random.Random(7)
    for file in _files(bundle):
        good = file.read_bytes()
        spots = range(len(good)) if len(good) < 40 else sorted(chance.sample(range(len(good)), 40))
        for at in spots:
            file.write_bytes(good[:at] + bytes([good[at] ^ 0x01]) + good[at + 1 :])
            found = _problems(bundle)
            assert found, f"{file.name} at {at}"
            assert found <= {"plan-damaged", "plan-version", "plan-unsafe-path"}
            if file.name == "manifest.json":
                assert slugs(lambda: open_bundle(bundle))
            if file.name == "plan.json":
                assert slugs(lambda: open_bundle(bundle).plan)
        file.write_bytes(good)
    assert verify(bundle) == ()


def test_an_index_file_that_changed_is_not_handed_out(bundle: Path) -> None:
    """Bytes of the index are checked before an engine sees them, also when they change after loading (C02)."""
    opened = open_bundle(bundle)
    for path in opened.files.list():
        file = bundle / path
        file.write_bytes(bytes(reversed(file.read_bytes())))
        with pytest.raises(BundleRefused, match=f"{path} was changed"):
            opened.files.read(path)


def test_a_definition_that_changed_is_not_handed_out(bundle: Path) -> None:
    """A definition is checked against its digest when it is read (C02)."""
    opened = open_bundle(bundle)
    file = bundle / "definitions.bin"
    file.write_bytes(file.read_bytes().replace(b"Get y", b"Set y"))
    with pytest.raises(BundleRefused, match=r"definitions\.bin"):
        opened.definition(0)
    assert opened.definition(1)["name"] == "list_x"
    assert not slugs(lambda: open_bundle(bundle))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_cut_files_are_found_at_load(bundle: Path, share: float) -> None:
    """A truncated file is found by its size, before anything of it is used; the finding names it (C02)."""
    for file in _files(bundle):
        good = file.read_bytes()
        file.write_bytes(good[: int(len(good) * share)])
        with pytest.raises(BundleRefused) as caught:
            open_bundle(bundle)
        assert {finding.slug for finding in caught.value.findings} == {"plan-damaged"}
        assert file.name in str(caught.value)
        file.write_bytes(good + b" ")
        assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}
        file.write_bytes(good)


def test_missing_files_are_named(bundle: Path) -> None:
    """Each file that is gone is named; so is an index folder that is gone (C02)."""
    for file in _files(bundle):
        good = file.read_bytes()
        file.unlink()
        with pytest.raises(BundleRefused, match=f"plan-damaged: .*{file.name} is missing"):
            open_bundle(bundle)
        file.write_bytes(good)
    shutil.rmtree(bundle / "index")
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}


def test_files_that_are_not_listed_are_refused(bundle: Path) -> None:
    """A stranger in the folder, or in the index, is refused: a higher generation of a table of contents too (C02)."""
    for name in ("notes.txt", "index/_MAIN_9.toc", "index/sub/deep.seg", "empty/", "index/empty/", ".hidden"):
        place = bundle / name
        if name.endswith("/"):
            place.mkdir()
        else:
            place.parent.mkdir(exist_ok=True)
            place.write_text("x")
        assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}, name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        if place.parent.name == "sub":
            place.parent.rmdir()
    assert verify(bundle) == ()


def test_swapped_files_are_found(bundle: Path, tmp_path: Path, other: Compiled) -> None:
    """Files of another bundle do not pass as this one's (C02)."""
    write(other, tmp_path / "other")
    for name in ALL:
        target = tmp_path / "mixed"
        shutil.copytree(bundle, target)
        if (target / name).is_dir():
            shutil.rmtree(target / name)
            shutil.copytree(tmp_path / "other" / name, target / name)
        else:
            shutil.copy(tmp_path / "other" / name, target / name)
        assert _problems(target) == {"plan-damaged"}, name
        shutil.rmtree(target)


def test_an_index_of_another_plan_does_not_verify(bundle: Path, tmp_path: Path, other: Compiled) -> None:
    """Verify builds the index again: one that fits a mended manifest but not the plan is found (C02)."""
    write(other, tmp_path / "other")
    shutil.rmtree(bundle / "index")
    shutil.copytree(tmp_path / "other" / "index", bundle / "index")
    relist(bundle)
    assert not slugs(lambda: open_bundle(bundle))
    assert _problems(bundle) == {"plan-damaged"}


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
@pytest.mark.parametrize("name", [*ALL, "index/extra.seg", "extra", "index/MAIN"])
@pytest.mark.parametrize("kind", ["file", "folder", "copy", "dangling", "absolute"])
def test_links_are_refused_before_their_target_is_opened(bundle: Path, tmp_path: Path, name: str, kind: str) -> None:
    """No link within a bundle is followed, not even to an equal copy; nothing of its target shows (C02)."""
    (tmp_path / "outside.txt").write_text(OUTSIDE)
    place = bundle / name
    if name == "index/MAIN":
        place = next((bundle / "index").iterdir())
    copy = tmp_path / "copy"
    if place.exists():
        shutil.move(place, copy)
    else:
        copy.write_text("x")
    up = "../" * len(place.relative_to(tmp_path).parts[:-1])
    target = {
        "file": f"{up}outside.txt",
        "folder": up or ".",
        "copy": f"{up}copy",
        "dangling": "nowhere",
        "absolute": str(tmp_path / "outside.txt"),
    }[kind]
    place.symlink_to(target)
    with pytest.raises(BundleRefused) as caught:
        open_bundle(bundle)
    assert {finding.slug for finding in caught.value.findings} == {"plan-unsafe-path"}
    assert OUTSIDE not in str([caught.value, caught.value.findings])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["manifest.json", "plan.json", "definitions.bin", "index", "index/extra.seg"])
def test_a_pipe_or_socket_does_not_hang_a_reader(bundle: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no regular file is refused at once (C02)."""
    place = bundle / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    assert slugs(lambda: open_bundle(bundle)) == {"plan-unsafe-path"}
    place.unlink()
    monkeypatch.chdir(place.parent)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.bind(place.name)
        assert slugs(lambda: open_bundle(bundle)) == {"plan-unsafe-path"}


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt", "/etc/passwd", "index/../../outside.txt", "index/../plan.json", "..", ".", "", "./plan.json",
        "index//x.seg", "C:\\x", "c:/x", "..\\outside.txt", "index\\x", "\\\\host\\share", "plan.json\x00", "a\nb",
        "index/./x", "plan.json/", "\u202eplan",
    ],
)  # fmt: skip
def test_paths_that_lead_out_are_refused(bundle: Path, path: str) -> None:
    """A manifest that lists a parent, an absolute path or another odd one is refused, digest or no digest (C02)."""
    mend(bundle, lambda document: document["files"][0].update(path=path))
    (bundle.parent / "outside.txt").write_text(OUTSIDE)
    assert slugs(lambda: open_bundle(bundle)) == {"plan-unsafe-path"}


@pytest.mark.parametrize(
    "path", ["extra.json", "manifest.json", "index", "index/a/b", "sub/x", "INDEX/x.seg", "plan.JSON"]
)
def test_names_that_no_bundle_has_are_refused(bundle: Path, path: str) -> None:
    """Only the files of this format may be listed (C02)."""
    mend(bundle, lambda document: document["files"][0].update(path=path))
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}


@pytest.mark.parametrize("digest", ["", "xyz", "0" * 63, "A" * 64, "0" * 65, "\u0660" * 64])
def test_a_digest_that_is_none_is_refused_at_once(bundle: Path, digest: str) -> None:
    """What no bytes can have is damage, before any byte is read (C02)."""
    mend(bundle, lambda document: document["files"][0].update(sha256=digest))
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}
    mend(bundle, lambda document: document["files"][0].update(sha256="0" * 64) or document.update(plan_digest=digest))
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}


@pytest.mark.parametrize("version", [9999, 0, -1, 1, 10**30])
def test_another_format_is_named_with_both_versions(bundle: Path, version: int) -> None:
    """Version comes first: both are named, with the command that rebuilds (C02)."""
    mend(bundle, lambda document: document.update(format_version=version, files=[{"path": "../x"}]))
    with pytest.raises(BundleRefused) as caught:
        open_bundle(bundle)
    (finding,) = caught.value.findings
    assert finding.slug == "plan-version"
    assert str(version) in finding.message
    assert "reads format 3" in finding.message
    assert "mcpexpose plan --out" in finding.advice


@pytest.mark.parametrize("field", ["analyzer_version", "ranking_version"])
def test_another_analyzer_or_ranking_is_another_version(bundle: Path, field: str) -> None:
    """An index made by another analysis would answer otherwise than was previewed, so it is refused (C02)."""
    mend(bundle, lambda document: document.update({field: "older"}))
    assert slugs(lambda: open_bundle(bundle)) == {"plan-version"}


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", "{}", "{", '{"format_version": "1"}', '{"format_version": true}', '{"format_version": 1}',
        '{"format_version": 1, "format_version": 1}', '{"format_version": NaN}', "\xff", "[" * 200_000,
        '{"format_version": 1.0}', '{"format_version": 1e999}', '{"format_version": 1' + "0" * 5_000 + "}",
    ],
)  # fmt: skip
def test_a_manifest_that_is_none(bundle: Path, text: str) -> None:
    """Whatever stands in its place is a damaged plan, and no traceback (C02)."""
    (bundle / "manifest.json").write_bytes(text.encode("latin-1"))
    assert slugs(lambda: open_bundle(bundle)) <= {"plan-damaged", "plan-version"}
    assert slugs(lambda: open_bundle(bundle))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"exposure": "deferred"', b'"exposure": "hidden"'),
        (b'"policy_state": "allowed"', b'"policy_state": "denied"'),
        (b'"policy_state": "allowed"', b'"policy_state": "maybe"'),
        (b'"alias": "a__get_y"', b'"alias": "find_tools"'),
        (b'"alias": "a__get_y"', b'"alias": "A__LIST_X"'),
        (b'"alias": "a__get_y"', b'"alias": "a\\n2. bank"'),
        (b'"offset": 0', b'"offset": 7'),
        (b'"name": "get_y"', b'"name": "zzz"'),
        (b'"format": 1', b'"format": 2'),
        (b'"length":', b'"extra": 1, "length":'),
    ],
)
def test_a_plan_that_does_not_hold_together_is_refused(bundle: Path, old: bytes, new: bytes) -> None:
    """Hidden or denied tools, odd aliases, wrong places: refused even where all digests were made to fit (X01, F10)."""
    file = bundle / "plan.json"
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    relist(bundle)
    opened = open_bundle(bundle)
    assert slugs(lambda: opened.plan) & {"plan-damaged", "plan-version"}
    assert _problems(bundle) & {"plan-damaged", "plan-version"}
    # What a host reads one by one fits the table no more, as far as it was changed.
    assert old.startswith(b'"format"') or slugs(lambda: [opened.rows.tool(row) for row in (0, 1)]) == {"plan-damaged"}


@pytest.mark.parametrize(
    "change",
    [
        {"exposure": Exposure.HIDDEN},
        {"policy_state": PolicyState.DENIED},
        {"alias": "find_tools"},
        {"alias": "a\n2. bank"},
        {"offset": 10**9},
        {"length": 0},
    ],
)
def test_a_tool_that_no_plan_has_is_given_to_nobody(tmp_path: Path, one: Compiled, change: dict[str, Any]) -> None:
    """Nor where the whole bundle was made around it, table and all (X01, F10)."""
    tools = (replace(one.plan.tools[0], **change), one.plan.tools[1])
    write(replace(one, plan=replace(one.plan, tools=tools)), tmp_path / "plan")
    opened = open_bundle(tmp_path / "plan")
    assert slugs(lambda: opened.rows.tool(0)) == {"plan-damaged"}
    assert slugs(lambda: opened.definition(0)) == {"plan-damaged"}
    assert opened.rows.tool(1) == one.plan.tools[1]


def test_a_tool_is_read_by_row_name_and_alias(bundle: Path, one: Compiled) -> None:
    """Each as plan.json has it; what the plan has not is None (C03)."""
    rows = open_bundle(bundle).rows
    assert [rows.tool(row) for row in range(rows.size)] == list(one.plan.tools)
    assert [rows.row(tool.id) for tool in one.plan.tools] == [0, 1]
    assert [rows.row_of_alias(tool.alias) for tool in one.plan.tools] == [0, 1]
    assert rows.row(ToolId("a", "nope")) is rows.row_of_alias("nope") is rows.row(ToolId("a" * 9_000, "\ud800")) is None
    assert rows.server("a") == one.plan.servers[0]
    with pytest.raises(KeyError):
        rows.server("b")
    for row in (-1, 2):
        with pytest.raises(IndexError):
            rows.tool(row)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a table of open files")
def test_loading_reads_neither_plan_nor_definitions(bundle: Path) -> None:
    """What loading costs does not grow with them (C03)."""
    sizes: dict[str, int] = {}
    real = folder._Descriptor.read

    def read(self: Any, offset: int, length: int) -> bytes:
        data = real(self, offset, length)
        sizes[Path(f"/proc/self/fd/{self._fd}").readlink().name] = len(data)
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder._Descriptor, "read", read)
        open_bundle(bundle)
    assert set(sizes) == {"manifest.json", "tools.bin"}


def test_an_expected_digest_pins_the_bundle(bundle: Path) -> None:
    """A mended manifest fits itself, and not the digest that the host was given (C02)."""
    digest = open_bundle(bundle).manifest.digest
    assert open_bundle(bundle, expected_digest=digest).manifest.digest == digest
    relist(bundle)
    mend(bundle, lambda document: document.update(tool_version="9"))
    assert slugs(lambda: open_bundle(bundle, expected_digest=digest)) == {"plan-damaged"}


def test_what_is_loaded_outlives_its_folder(bundle: Path) -> None:
    """A host keeps what it loaded, files not read yet among them (C03)."""
    opened = open_bundle(bundle)
    shutil.rmtree(bundle)
    assert opened.definition(1)["name"] == "list_x"
    assert all(opened.files.read(name) for name in opened.files.list())


def test_reading_writes_nothing(bundle: Path) -> None:
    """Loading and verifying leave the folder and its neighbours as they were (C03)."""

    def state() -> dict[str, Any]:
        return {str(path): path.lstat().st_mtime_ns for path in [bundle.parent, *bundle.parent.rglob("*")]}

    before = state()
    open_bundle(bundle)
    verify(bundle)
    assert state() == before


def test_nothing_of_a_hidden_tool_is_in_the_bytes(tmp_path: Path) -> None:
    """What is not in the plan is in no file of the bundle (X01)."""
    write(compiled(tool("ops", "deploy_plan", exposure=Exposure.DIRECT)), tmp_path / "plan")
    assert all(b"deploy_now" not in file.read_bytes() for file in _files(tmp_path / "plan"))


def test_where_nothing_opens_relative_to_a_folder(
    bundle: Path, tmp_path: Path, one: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without such a system call files are held in memory: the same refusals, and the folder may go as well (C03)."""
    monkeypatch.setattr("mcpexpose.bundle.folder.HANDLES", False)
    opened = open_bundle(bundle)
    assert opened.plan == one.plan
    assert verify(bundle) == ()
    for link in ("index/extra.seg", "extra"):
        (bundle / link).symlink_to(tmp_path)
        assert slugs(lambda: open_bundle(bundle)) == {"plan-unsafe-path"}
        (bundle / link).unlink()
    shutil.move(bundle / "index", tmp_path / "index")
    (bundle / "index").symlink_to(tmp_path / "index")
    assert slugs(lambda: open_bundle(bundle)) == {"plan-unsafe-path"}
    (bundle / "index").unlink()
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}
    with pytest.raises(InputMissing):
        open_bundle(tmp_path / "nope")
    shutil.rmtree(bundle)
    assert opened.definition(1)["name"] == "list_x"
    assert all(opened.files.read(path) for path in opened.files.list())


@pytest.mark.parametrize(
    "change",
    [
        {"description": 7},
        {"inputSchema": None},
        {"inputSchema": [1]},
        {"inputSchema": ...},
    ],
)
def test_a_definition_of_another_shape_is_not_handed_out(tmp_path: Path, change: dict[str, Any]) -> None:
    """Refused with its reason, though every digest was made to fit, and no host stumbles over it (C03, X01)."""
    planned, line = tool("a", "get_y")
    odd = {key: value for key, value in (json.loads(line) | change).items() if value is not ...}
    line = canonical(odd)
    spoilt = replace(planned, definition_digest=digest_bytes(line), length=len(line))
    write(compiled((spoilt, line), tool("a", "list_x")), tmp_path / "odd")
    opened = open_bundle(tmp_path / "odd")
    assert slugs(lambda: opened.definition(0)) == {"plan-damaged"}
    assert opened.definition(1)["name"] == "list_x"


def test_a_line_end_inside_a_definition_does_not_verify(bundle: Path) -> None:
    """Definitions are one a line, whatever stands between them and whatever digests were made to fit (C03)."""
    file = bundle / "definitions.bin"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\xf9", 1))
    relist(bundle)
    assert _problems(bundle) == {"plan-damaged"}


def test_half_a_character_in_a_manifest_is_refused(bundle: Path) -> None:
    """A lone surrogate can be neither digested nor printed (C03)."""
    file = bundle / "manifest.json"
    file.write_bytes(file.read_bytes().replace(b'"tool_version":"', b'"tool_version":"\\ud83d'))
    assert slugs(lambda: open_bundle(bundle)) == {"plan-damaged"}


@pytest.mark.parametrize("change", [b"\xff" * 8, b"\xff\xff\xff\x7f" * 2, b"\x00" * 3, b""])
def test_numbers_of_a_table_lead_nowhere_else(bundle: Path, change: bytes) -> None:
    """Each section with its first bytes replaced and every digest made to fit: refused, or of no effect (C03)."""
    whole = (bundle / "tools.bin").read_bytes()
    digest = json.loads((bundle / "manifest.json").read_bytes())["table_digest"]
    table = blocks.Blocks(lambda at, length: whole[at : at + length], len(whole), digest)
    sections = {name: table.section(name).whole() for name in table.names()}
    for name, data in sections.items():
        packed, digest = blocks.pack({**sections, name: change + data[8:] if change else data[:-3]})
        (bundle / "tools.bin").write_bytes(packed)
        relist(bundle)
        mend(bundle, partial(dict.update, table_digest=digest))
        with contextlib.suppress(BundleRefused):
            plan = load_plan(bundle)
            session = plan.session()
            session.find_tools("get things")
            session.declared()
            session.lookup("a__get_y")
            session.inspect("a", "get_y")
