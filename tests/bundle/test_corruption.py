"""A bundle spoilt at random, whichever file: refused, or every answer is the right one; never a wrong tool."""

from __future__ import annotations

import datetime
import random
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.bundle.verify import verify
from mcpexpose.host.plan import load_plan
from mcpexpose.model.errors import BundleRefused
from mcpexpose.workspace import Workspace
from tests.bundle.changes import relist, slugs

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.host.plan import HostPlan

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
QUERIES = (
    "show the diff of a branch",
    "git_log",
    "directory tree",
    "convert the time of another zone",
    "remmember a fact",
)
REFUSED = object()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of five real servers."""
    folder = tmp_path_factory.mktemp("whole") / "plan"
    Workspace(ROOT / "examples" / "quickstart" / "config.toml", environ={}, now=NOW).write(folder)
    return folder


def answers(path: Path, engine: Any) -> list[Any]:
    """What a host is told of the bundle at PATH, each on its own: the answer, or REFUSED."""
    try:
        plan = load_plan(path, engine=engine, clock=lambda: NOW)
        session = plan.session()
    except BundleRefused:
        return [REFUSED]
    asked: list[Callable[[], Any]] = [
        session.declared,
        session.prompt_section,
        *(lambda query=query: _found(plan, query) for query in QUERIES),
        lambda: session.lookup("git__git_log"),
        lambda: session.lookup("memory__nothing"),
        lambda: _inspected(plan, "git", "git_show"),
        lambda: _inspected(plan, "time", "convert_time"),
        lambda: plan.plan,
        lambda: [plan.definition(row) for row in range(plan.rows.size)],
    ]
    return [_or_refused(each) for each in asked]


def _or_refused(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except BundleRefused:
        return REFUSED


def _found(plan: HostPlan, query: str) -> Any:
    session = plan.session()
    answer = session.find_tools(query)
    return answer.text, answer.added, [match.tool for match in answer.matches], session.declared()


def _inspected(plan: HostPlan, server: str, name: str) -> Any:
    session = plan.session()
    got = session.inspect(server, name)
    return got.definition, got.revision  # type: ignore[union-attr]


def spoilt(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """DATA after an accident: a bit, some bytes, an end, a hole, a piece of itself or of another file in its midst."""
    at = chance.randrange(len(data))
    kind = chance.randrange(8)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at:]
    if kind == 2:
        return data[:at] + data[at + chance.randrange(1, 65) :]
    if kind == 3:
        return data[:at] + bytes(min(512, len(data) - at)) + data[at + 512 :]
    if kind == 4:
        piece = chance.choice(others)[:4_096]
        return data[:at] + piece + data[at + len(piece) :]
    if kind == 5:
        block = at & ~4_095
        piece = data[block : block + 4_096]
        to = chance.randrange(len(data)) & ~4_095
        return data[:to] + piece + data[to + len(piece) :]
    if kind == 6:
        places = {chance.randrange(len(data)) for _ in range(20)}
        return bytes(byte ^ (1 << chance.randrange(8)) if n in places else byte for n, byte in enumerate(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def holds(whole: Path, folder: Path, seeds: range) -> tuple[int, int]:
    """How many of the spoilt bundles were refused in all, and how many in part; asserts that the rest is right."""
    shutil.copytree(whole, folder)
    right = {engine: answers(folder, engine) for engine in ("table", "whoosh")}
    assert not any(answer is REFUSED for told in right.values() for answer in told)
    assert right["table"] == right["whoosh"]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    good = {path: path.read_bytes() for path in files}
    table = folder / "tools.bin"
    at_load = in_part = 0
    for seed in seeds:
        chance = random.Random(seed)
        path = table if seed % 2 else chance.choice(files)
        bad = spoilt(good[path], [data for data in good.values() if data], chance)
        path.write_bytes(bad)
        for engine, told in right.items():
            if engine == "whoosh" and path.parent.name != "index" and seed % 4:
                continue  # it reads what the table has already been asked for
            got = answers(folder, engine)
            if got == [REFUSED]:
                at_load += 1
                continue
            assert len(got) == len(told)
            for n, (one, other) in enumerate(zip(got, told, strict=True)):
                assert one is REFUSED or one == other, f"seed {seed}, {path.name}, {engine}: answer {n}"
            in_part += any(one is REFUSED for one in got)
        if seed % 20 == 0:
            assert bool(verify(folder)) is (bad != good[path]), f"seed {seed}, {path.name}"
        path.write_bytes(good[path])
    assert verify(folder) == ()
    return at_load, in_part


def test_a_hundred_accidents(whole: Path, tmp_path: Path) -> None:
    """No wrong tool, no wrong definition, no other exception (C02, C03)."""
    at_load, in_part = holds(whole, tmp_path / "plan", range(100))
    assert at_load > 30
    assert in_part > 5


@pytest.mark.slow
def test_a_thousand_accidents(whole: Path, tmp_path: Path) -> None:
    """The same of a thousand others (C02, C03)."""
    at_load, in_part = holds(whole, tmp_path / "plan", range(1_000, 2_000))
    assert at_load > 500
    assert in_part > 100


def test_a_table_of_another_version_is_refused(whole: Path, tmp_path: Path) -> None:
    """Before anything is answered, listed in the manifest or not (C02)."""
    shutil.copytree(whole, tmp_path / "plan")
    file = tmp_path / "plan" / "tools.bin"
    data = file.read_bytes()
    for listed in (False, True):
        file.write_bytes(data[:8] + struct.pack("<I", 99) + data[12:])
        if listed:
            relist(tmp_path / "plan")
        found = slugs(lambda: load_plan(tmp_path / "plan"))
        assert found
        assert found <= {"plan-damaged", "plan-version"}
