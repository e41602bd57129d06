"""A Whoosh index is made of pickles: nothing in one that was tampered with ever runs."""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.model.errors import BundleRefused
from mcpexpose.search import engine, index, whoosh_read

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.model.plan import Plan

DIGEST = "ab" * 32
SEGMENT = f"MAIN_{DIGEST[:16]}.seg"
BOMB = b"c" + os.name.encode() + b"\nmkdir\n(S'MARK'\ntR."
"""A pickle that makes the folder MARK where the process stands."""
Files = dict[str, bytes]


@pytest.fixture
def files(
    lines: Callable[[Any], tuple[bytes, ...]], tools: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Files:
    """A good index, and a working folder for the bombs."""
    monkeypatch.chdir(tmp_path)
    return index.files(lines(tools), plan_digest=DIGEST)


@pytest.fixture
def tools() -> Any:
    return {"a": {f"do_{n:03}": "Common words of every tool" for n in range(200)}}


@pytest.fixture
def plan(plan_for: Callable[[Any], Plan], tools: Any) -> Plan:
    return plan_for(tools)


def marked() -> bool:
    return Path("MARK").exists()


def ours(files: Files, plan: Plan) -> None:
    """Open and search as a host does. Raises BundleRefused."""
    with engine.open_engine(engine.MemoryReader(files), plan) as opened:
        opened.search("common words of every tool")
        opened.search("comon wrods")


def theirs(files: Files) -> None:
    """Open and read as Whoosh does, in a process of its own: the proof that a bomb is live."""
    Path("theirs").mkdir()
    for name, content in files.items():
        (Path("theirs") / name).write_bytes(content)
    code = "from whoosh.index import open_dir; [*open_dir('theirs').reader().postings('text', 'common').all_ids()]"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, check=False)


def in_place(content: bytes, at: int) -> bytes:
    """BOMB over what stands at AT; a pickle ends at its own stop, so the rest does not matter."""
    return content[:at] + BOMB + content[at + len(BOMB) :]


def toc(files: Files) -> Files:
    return {**files, "_MAIN_1.toc": BOMB}


def toc_schema(files: Files) -> Files:
    content = files["_MAIN_1.toc"]
    return {**files, "_MAIN_1.toc": in_place(content, content.index(b"\x80\x02"))}


def toc_segments(files: Files) -> Files:
    content = files["_MAIN_1.toc"]
    return {**files, "_MAIN_1.toc": in_place(content, content.rindex(b"\x80\x05"))}


def second_toc(files: Files) -> Files:
    evil = toc_segments(files)["_MAIN_1.toc"]
    good = files["_MAIN_1.toc"]
    at = evil.rindex(struct.pack("!ii", 1, 0)[:8], 0, evil.index(BOMB))
    return {**files, "_MAIN_1.toc": good, "_MAIN_2.toc": evil[:at] + struct.pack("!ii", 2, 0) + evil[at + 8 :]}


def segment(files: Files) -> Files:
    return {**files, SEGMENT: BOMB}


def segment_directory(files: Files) -> Files:
    content = files[SEGMENT]
    at = struct.unpack("!q", content[:8])[0]
    return {**files, SEGMENT: in_place(content, at)}


def term_table(files: Files) -> Files:
    content = files[SEGMENT]
    at = content.rindex(b"\x80", 0, content.index(b"fieldmap"))
    return {**files, SEGMENT: in_place(content, at)}


def _common(content: bytes) -> int:
    """Where the posting block of `common` has its rows: of 200 tools, each a step after the other."""
    return content.index(pickle.dumps((0, *[1] * 199), 2)[:300])


def posting_data(files: Files) -> Files:
    content = files[SEGMENT]
    return {**files, SEGMENT: in_place(content, _common(content))}


def every_block(files: Files) -> Files:
    """All blocks that are long enough."""
    content, start = files[SEGMENT], 0
    steps = pickle.dumps((0, *[1] * 199), 2)[:300]
    while (at := content.find(steps, start)) >= 0:
        content, start = in_place(content, at), at + len(BOMB)
    return {**files, SEGMENT: content}


def block_header(files: Files) -> Files:
    content = files[SEGMENT]
    at = content.rindex(b"\x80\x02", 0, _common(content))
    return {**files, SEGMENT: in_place(content, at)}


def inlined(files: Files) -> Files:
    """Postings within a term's own entry, which Whoosh unpickles: the flag is the first byte after the key."""
    content = files[SEGMENT]
    at = content.index(b"\x00\x00common") + len(b"\x00\x00common")
    return {**files, SEGMENT: content[:at] + b"\x01" + content[at + 1 :]}


LIVE = [toc_schema, toc_segments, second_toc, segment_directory, term_table, posting_data, every_block, block_header]


@pytest.mark.parametrize("tamper", [tamper for tamper in (*LIVE, segment, inlined) if "toc_" not in tamper.__name__])
def test_nothing_runs(files: Files, plan: Plan, tamper: Callable[[Files], Files]) -> None:
    """A bomb in any place that Whoosh unpickles is refused, and not run (C03)."""
    with pytest.raises(BundleRefused) as caught:
        ours(tamper(files), plan)
    assert not marked()
    assert [(finding.slug, finding.subjects) for finding in caught.value.findings] == [("plan-damaged", ("plan",))]


@pytest.mark.parametrize("tamper", [toc, toc_schema, toc_segments])
def test_the_table_of_contents_is_never_read(files: Files, plan: Plan, tamper: Callable[[Files], Files]) -> None:
    """Schema and segment are made by our code, so it does not matter what stands there (C03)."""
    ours(tamper(files), plan)
    assert not marked()


@pytest.mark.parametrize("tamper", LIVE)
def test_the_bombs_are_live(files: Files, tamper: Callable[[Files], Files]) -> None:
    """Whoosh alone runs each of them, so the test above proves something (C03)."""
    theirs(tamper(files))
    assert marked()


def test_whoosh_is_left_as_it_was(files: Files, plan: Plan) -> None:
    """A host's own use of whoosh keeps its unpickler: our guard is in our readers alone (C03)."""
    ours(files, plan)
    from whoosh import columns
    from whoosh import index as whoosh_index
    from whoosh.codec import whoosh3
    from whoosh.filedb import structfile

    assert structfile.load_pickle is pickle.load
    assert whoosh3.loads is pickle.loads
    assert columns.loads is pickle.loads
    assert whoosh_index.pickle is pickle


@pytest.mark.parametrize(
    "value", [os.getcwd, Path("x"), {1, 2}, io.BytesIO, pickle.PickleError, complex(1, 2), bytearray(b"x"), range(3)]
)
def test_the_unpickler_knows_no_class(value: object) -> None:
    """Not even a harmless one (C03)."""
    data = pickle.dumps(value, 2)
    with pytest.raises(pickle.UnpicklingError):
        whoosh_read.plain(data)


def test_the_unpickler_reads_literals() -> None:
    """Numbers, texts, tuples, lists and dictionaries are all that an index needs (C03)."""
    value = ((1, 2), 0.5, None, {"a": [True]}, "x")
    assert whoosh_read.plain(pickle.dumps(value, 5)) == value


@pytest.mark.parametrize(
    "change",
    [
        lambda files: {},
        lambda files: {"_MAIN_1.toc": files["_MAIN_1.toc"]},
        lambda files: {SEGMENT: files[SEGMENT]},
        lambda files: {**files, "MAIN_0123456789abcdef.seg": files[SEGMENT]},
        lambda files: {**files, "MAIN_WRITELOCK": b""},
        lambda files: {**files, "_MAIN_2.toc": files["_MAIN_1.toc"]},
        lambda files: {**files, SEGMENT: b""},
        lambda files: {**files, SEGMENT: files[SEGMENT][: len(files[SEGMENT]) // 2]},
        lambda files: {**files, SEGMENT: b"\xff" * len(files[SEGMENT])},
        lambda files: {**files, SEGMENT: b"\x00" * len(files[SEGMENT])},
    ],
)
def test_what_is_no_index_of_ours_is_refused(files: Files, plan: Plan, change: Callable[[Files], Files]) -> None:
    """Missing, foreign, cut and empty files are plan-damaged, not an error of a library (C03)."""
    with pytest.raises(BundleRefused) as caught:
        ours(change(files), plan)
    assert [finding.slug for finding in caught.value.findings] == ["plan-damaged"]


def test_flipped_bytes_never_surprise(files: Files, plan: Plan) -> None:
    """Whatever byte of a segment changes, there is an answer or a refusal (C03)."""
    content = files[SEGMENT]
    slugs = set()
    for at in range(0, len(content), max(1, len(content) // 80)):
        changed = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        try:
            ours({**files, SEGMENT: changed}, plan)
        except BundleRefused as error:
            slugs.update(finding.slug for finding in error.findings)
    assert slugs == {"plan-damaged"}
    assert not marked()


def test_an_index_of_another_plan_is_refused(files: Files, plan_for: Callable[[Any], Plan]) -> None:
    """Rows beyond the plan's tools are no rows of it (C03)."""
    with pytest.raises(BundleRefused):
        ours(files, plan_for({"a": {"one": "common words of every tool"}}))


def test_an_index_of_another_analysis_is_refused(files: Files, plan: Plan) -> None:
    """Terms of another version of the analysis would silently not match (C02)."""
    from dataclasses import replace

    with pytest.raises(BundleRefused) as caught:
        engine.open_engine(engine.MemoryReader(files), replace(plan, analyzer_version="0"))
    assert caught.value.findings[0].slug == "plan-version"


def test_only_the_index_folder_is_read(files: Files, plan: Plan) -> None:
    """Other files of a bundle are neither read nor counted; every byte comes through the reader (C03)."""
    read: list[str] = []

    class Bundle:
        def list(self) -> list[str]:
            return ["manifest.json", "plan.json", *(f"index/{name}" for name in files), "index.bak/x"]

        def read(self, path: str) -> bytes:
            read.append(path)
            return files[path.removeprefix("index/")]

    with engine.open_engine(Bundle(), plan) as opened:
        assert opened.search("common").hits
    assert read == [f"index/{SEGMENT}"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02})" + b"2\x86" * 60 + b"Ns.",
        b"\x80\x02})q\x00" + b"".join(b"h%ch%c\x86q%c" % (n, n, n + 1) for n in range(60)) + b"Ns.",
        b"\x80\x04Nr\xff\xff\xff\x7f.",
        b"\x80\x04\x8e" + b"\xff" * 7 + b"\x7f.",
        b"I" + b"9" * 5000 + b"\n.",
    ],
    ids=["copies", "notes of notes", "a leap", "eight bytes of length", "digits"],
)
def test_no_pickle_takes_for_ever_or_all_memory(data: bytes) -> None:
    """Two hundred bytes can build a key that hashes for ever, or fill the memory: they are refused (C03)."""
    with pytest.raises(pickle.UnpicklingError):
        whoosh_read.plain(data)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_the_unpickler_reads_every_protocol_of_whoosh(protocol: int) -> None:
    """Notes, long texts and large numbers among them (C03)."""
    value = {"a": ("x" * 300, "x" * 300, 2**40, -1, 70_000), "b": [*range(2_000)], "c": {str(n): n for n in range(300)}}
    assert whoosh_read.plain(pickle.dumps(value, protocol)) == value


def test_an_exception_of_whoosh_itself_is_damage(files: Files, plan: Plan) -> None:
    """Whoosh raises classes of its own, and bare ones: a host sees one refusal for all of them (C03)."""
    content = files[SEGMENT]
    for magic in (b"HSH3", b"W3Bl"):
        if magic in content:
            with pytest.raises(BundleRefused):
                ours({**files, SEGMENT: content.replace(magic, b"XXXX")}, plan)
