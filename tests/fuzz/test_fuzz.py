"""Whatever stands in a file: no exception that is not ours, no rule that fails, nothing printed that steers a terminal.

`pytest -m slow tests/fuzz` takes a minute. MCPEXPOSE_FUZZ=50 runs fifty times as many, other ones each time.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpexpose.cli.main import group
from mcpexpose.model.errors import McpexposeError
from mcpexpose.model.text import is_unseen
from tests.fuzz.mutations import HOSTILE, TOML_LINES, TOML_VALUES, spoiled_json, spoiled_toml, steps
from tests.fuzz.seeds import PACK, TESTS, World, worlds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.mutations import Step

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("MCPEXPOSE_FUZZ", "1"))
NOW = "2026-11-30T12:00:00Z"
FORMS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")
INTERNAL = 70
KEYS = [
    "command",
    "url",
    "args",
    "env",
    "exposure",
    "allow",
    "deny",
    "side_effect",
    "approval",
    "groups",
    "default",
    "until",
    "subject",
    "max_age",
    "default_tools",
    "side_effects",
    "keywords",
    "description",
    "extends",
    "targets",
    "search_limit",
    "context_window",
    "auto_approve",
    "enabled",
    "''",
    "'a.b'",
]
BOUNDED = settings(
    max_examples=15 * TIMES,
    deadline=None,
    derandomize=TIMES == 1,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def mcpexpose(*arguments: str) -> tuple[int, str]:
    """The exit code and all that was printed; every exception that is not ours goes through, and wrong usage too."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in "oe")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = group.main(
                [arguments[0], "--now", NOW, *arguments[1:]], prog_name="mcpexpose", standalone_mode=False
            )
        except McpexposeError as refused:
            code = refused.exit_code
            print(refused, file=err)
        except click.UsageError as refused:
            if "no enabled server" not in refused.message:
                raise
            code = refused.exit_code
            print(refused.format_message(), file=err)
    printed = "".join(stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    assert code != INTERNAL, printed
    return int(code or 0), printed


def quiet(text: str, what: object) -> None:
    """Nothing that a terminal acts on or a reader does not see."""
    odd = {char for char in text if char != "\n" and is_unseen(char)}
    assert not odd, (what, odd, text[:2_000])


def exercise(world: World) -> None:
    """Lint, plan, lock and look at a folder with these files, in every format."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for file, data in world.items():
            Path(file).parent.mkdir(exist_ok=True)
            Path(file).write_bytes(data)
        lint = ("lint", "config.toml", "--persona", "audit")
        code, _ = mcpexpose(*lint, *(f"--output={form}=out.{form}" for form in FORMS))
        for form in FORMS:
            text = Path(f"out.{form}").read_text("utf-8")
            quiet(text, form)
            well_formed(form, text)
        assert mcpexpose(*lint, "--format", "json") == (code, Path("out.json").read_text("utf-8"))
        told = [("lint", "--diff", "--unsafe-fixes"), ("plan", "--output=json=p.json", "--output=markdown=p.md")]
        told += [("lock", "--check"), ("lock", "--format", "json"), ("lock", "--check", "--format", "json")]
        told += [
            ("show",),
            ("show", "--format", "json"),
            ("search", "read", "file", "--explain"),
            ("search", "name", "--format", "json"),
        ]
        if "a.expose.toml" in world:
            outputs = ("--output=json=t.json", "--output=junit=t.junit")
            told += [("test", "--coverage", *outputs, "a.expose.toml")]
        for command in told:
            quiet(mcpexpose(command[0], "--config", "config.toml", *command[1:])[1], command)
        for form in ("json", "junit"):
            if (file := Path(f"t.{form}")).is_file():
                well_formed(form, file.read_text("utf-8"))
        look_at_tools()
        mend()


def well_formed(form: str, text: str) -> None:
    if form in ("json", "sarif", "gitlab"):
        json.loads(text)
    if form == "junit":
        ElementTree.fromstring(text.encode())
    if form == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in text.splitlines())
    if form == "markdown":
        assert "<script>" not in text


def look_at_tools() -> None:
    """What plan says of the first tools, one by one."""
    if not Path("p.json").is_file():
        return
    text = Path("p.json").read_text("utf-8")
    quiet(text + Path("p.md").read_text("utf-8"), "plan")
    plan: dict[str, Any] = json.loads(text)
    for tool in [*plan.get("tools", [])[:2], *plan.get("left_out", [])[:1], *plan.get("hidden", [])[:1]]:
        name = f"{tool['server']}/{tool['name']}"
        for command in (("explain",), ("explain", "--format", "json"), ("inspect",), ("inspect", "--format", "json")):
            quiet(mcpexpose(*command, "--config", "config.toml", "--", name)[1], command)
        quiet(mcpexpose("search", "file", "--config", "config.toml", f"--why-not={name}")[1], "why not")


def mend() -> None:
    """A mended config is TOML as long as it was before."""
    before = Path("config.toml").read_bytes()
    mcpexpose("lint", "config.toml", "--fix", "--unsafe-fixes")
    after = Path("config.toml").read_bytes()
    if after != before:
        tomllib.loads(after.decode("utf-8-sig"))


def spoiled(world: World, file: str, change: Callable[[bytes, Step], bytes], done: list[Step]) -> World:
    data = world[file]
    for step in done:
        data = change(data, step)
    return {**world, file: data}


SEEDS = st.integers(0, 10_000).map(lambda n: dict(worlds()[n % len(worlds())]))


@BOUNDED
@given(SEEDS, steps())
def test_a_spoiled_config(world: World, done: list[Step]) -> None:
    """Every config of ours, with lines, values and bytes that are not right (law 8)."""
    exercise(spoiled(world, "config.toml", spoiled_toml, done))


@BOUNDED
@given(SEEDS, steps(), st.integers(0, 9))
def test_a_spoiled_catalog(world: World, done: list[Step], which: int) -> None:
    """What a server sent is anything at all (law 6)."""
    files = sorted(set(world) - {"config.toml", "pack.toml"})
    if files:
        exercise(spoiled(world, files[which % len(files)], spoiled_json, done))


@BOUNDED
@given(SEEDS, steps())
def test_a_spoiled_lock(world: World, done: list[Step]) -> None:
    """A lock is merged by hand, and comes of other versions."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for file, data in world.items():
            Path(file).parent.mkdir(exist_ok=True)
            Path(file).write_bytes(data)
        mcpexpose("lock", "--config", "config.toml")
        lock = Path("mcpexpose.lock").read_bytes() if Path("mcpexpose.lock").is_file() else b'{"version": 1}'
    exercise(spoiled({**world, "mcpexpose.lock": lock}, "mcpexpose.lock", spoiled_json, done))


@BOUNDED
@given(SEEDS, steps())
def test_a_spoiled_pack(world: World, done: list[Step]) -> None:
    """A pack is a file of somebody else."""
    config = b'extends = ["./pack.toml"]\n' + world["config.toml"]
    exercise(spoiled({**world, "config.toml": config, "pack.toml": PACK}, "pack.toml", spoiled_toml, done))


@BOUNDED
@given(SEEDS, steps())
def test_a_spoiled_file_of_tests(world: World, done: list[Step]) -> None:
    """Written by hand, about tools that are not there (law 8)."""
    exercise(spoiled({**world, "a.expose.toml": TESTS}, "a.expose.toml", spoiled_toml, done))


@BOUNDED
@given(
    st.lists(
        st.one_of(
            st.sampled_from(TOML_LINES),
            st.builds(
                lambda key, value: f"{key} = {value}",
                st.sampled_from(KEYS),
                st.sampled_from(TOML_VALUES + tuple(json.dumps(text) for text in HOSTILE)),
            ),
            st.text(max_size=20),
        ),
        max_size=25,
    )
)
def test_a_config_made_of_nothing(lines: list[str]) -> None:
    """Keys and values of ours in no order, and texts that are none."""
    world = {"config.toml": "\n".join(lines).encode("utf-8", "surrogatepass"), "pack.toml": PACK}
    tools = [{"name": "read", "inputSchema": {"type": "object"}}]
    exercise({**world, "catalogs/git.json": json.dumps({"format": 1, "server": "git", "tools": tools}).encode()})
