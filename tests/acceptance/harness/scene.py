"""The stage on which one case runs: its folders, its clock and variables, what was run and what was reported."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

from tests.acceptance import not_yet
from tests.acceptance.harness import findings
from tests.acceptance.harness.case import Case, prepare, server_ids
from tests.acceptance.harness.host import Host, HostSilent
from tests.acceptance.harness.product import NOW, SHIM, Product, Ran, Surroundings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.harness.checks import Checks
    from tests.acceptance.harness.findings import Seen

DEFAULT_OUT = "plan"
INTERNAL = 70
"""The exit code of the product's own faults."""


RAW = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\U000e0000-\\U000e007f]"
)
"""What text output never holds, whoever wrote it: control characters but the line feed, bidi marks, tag characters."""


class Scene:
    """State of one run of one case; actions that several steps share."""

    def __init__(self, case: Case, folder: Path, product: Product, checks: Checks) -> None:
        self.case, self.product, self.checks = case, product, checks
        self.work = folder / "case"
        self.aside = folder / "aside"
        """Copies and scratch of the harness: nothing of it counts as written by the product."""
        self.scripts = self.aside / "servers"
        home = folder / "home"
        for path in (self.aside, self.scripts, home / "tmp"):
            path.mkdir(parents=True)
        self.around = Surroundings(self.work, home, self.aside / "bin", dict(case.env), NOW)
        prepare(case, self.work)
        self.servers = server_ids(self.work)
        self.given = file_bytes(self.work)
        self.runs: list[Ran] = []
        self.seen: list[Seen] = []
        self.last_plan: str | None = None
        self.session_open = False
        self.loaded: dict[str, Any] = {}
        """What the host showed of itself when it loaded."""
        self.opened: dict[str, Any] = {}
        """What the last load that went well asked for; a restart asks for the same."""
        self.loaded_manifest = b""
        """The manifest that stood there then."""
        self.inspected: set[tuple[str, str]] = set()
        self.voided: set[tuple[str, str]] = set()
        """Of the inspected ones those that must be inspected again before a call."""
        self.saved: dict[str, Any] = {}
        self.snapshots: dict[str, Path] = {}
        self.model_texts: list[str] = []
        self.said: list[tuple[str, tuple[str, ...]]] = []
        """What the library said, and what of it echoes the test."""
        self.secrets: list[str] = []
        """Texts of the harness that must show up nowhere."""
        self.room: int | None = None
        """Bytes left on the disk, where a step said so."""
        self.clouds: set[str] = set()
        """Step kinds that are not judged, since a step that they rest on was left out."""
        self.left_out_parts: set[str] = set()
        self._host: Host | None = None

    # commands

    def run(self, argv: list[str], *, label: str, record: bool = True, **options: Any) -> Ran:
        """Run a command, keep what it printed and found, and hold against it what no command may do."""
        if self.room is not None and argv[0] == "plan":
            room = {"ACCEPTANCE_ROOT": str(self.work), "ACCEPTANCE_ROOM": str(self.room)}
            options |= {"own_process": True, "env": {**self.shim(), **room, **options.get("env", {})}}
        ran = self.product.run(self.around, argv, label=label, **options)
        if record:
            self.keep(ran)
        return ran

    def keep(self, ran: Ran) -> None:
        self.runs.append(ran)
        if ran.in_json or ran.command == "lock":  # the same command as text tells nothing new
            self.seen += findings.of_run(ran)
        if trouble := trouble_of(ran):
            self.checks.that(False, f"{ran}: {trouble[0]}", trouble[1] + self._traceback(ran))

    def _traceback(self, ran: Ran) -> str:
        """Of an internal error: run again, with the traceback that the product prints to its makers."""
        if ran.code != INTERNAL:
            return ""
        words = [word for word in ran.argv if word not in ("--now", self.around.now)]
        again = self.product.run(self.around, words, env={"MCPEXPOSE_DEBUG": "1"}, now="--now" in ran.argv)
        return "\n" + again.err[-1500:]

    def shim(self) -> dict[str, str]:
        """The environment that puts the shim into a process."""
        return {"PYTHONPATH": f"{SHIM}:{self.around.env()['PYTHONPATH']}"}

    def lint(self, config: str, label: str) -> Ran:
        """`lint` of one config in both formats; the JSON one."""
        words = ["lint", "--config", config, "--format"]
        ran = self.run([*words, "json"], label=label)
        text = self.run([*words, "text"], label=label)
        self.checks.that(ran.code == text.code, f"{ran}: the same exit code in text", (ran.code, text.code))
        severities = {seen.severity for seen in findings.of_run(ran)} if ran.json else set()
        if ran.json and ran.code in (0, 1):
            right = 1 if "error" in severities else 0
            self.checks.that(ran.code == right, f"{ran}: exit {right} with findings of {sorted(severities)}", ran.code)
        return ran

    def plan(self, config: str, label: str, *, out: str | None = None, against: str | None = None) -> Ran:
        """`plan` in JSON, and as text too where nothing is written."""
        words = ["plan", "--config", config]
        words += ["--out", out] if out else []
        words += ["--against", against] if against else []
        ran = self.run([*words, "--format", "json"], label=label)
        if not out:
            text = self.run([*words, "--format", "text"], label=label)
            self.checks.that(ran.code == text.code, f"{ran}: the same exit code in text", (ran.code, text.code))
        return ran

    # the host

    @property
    def host(self) -> Host:
        if self._host is None:
            self._host = self.new_host()
            self._host.ask("clock", now=self.around.now)
        return self._host

    def new_host(self) -> Host:
        return Host(self.around, printed=self.aside / "host.printed")

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """One request to the host; a host that fell silent is an answer with an error."""
        try:
            answer = self.host.ask(do, **fields)
        except HostSilent as silence:
            self.checks.that(False, f"the host answers: {do}", str(silence))
            self._host = None
            self.session_open = False
            return {"error": {"type": "HostSilent", "message": str(silence), "findings": []}, "seconds": 0.0}
        self.hear(do, fields, answer)
        return answer

    def hear(self, do: str, fields: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keep what a host said for the model, and the findings of what it raised."""
        if do != "call" or answer.get("outcome") != "ok":
            echoes = tuple(value for value in fields.values() if isinstance(value, str) and value)
            self.said.append((json.dumps(answer, ensure_ascii=False), echoes))
        self.model_texts += [text for key in ("text", "section") if isinstance(text := answer.get(key), str)]
        if "definitions" in answer:
            self.model_texts.append(json.dumps(answer["definitions"], ensure_ascii=False))
        if error := answer.get("error") or answer.get("refused"):
            self.seen += [findings.from_json(each, do, f"host {len(self.seen)}") for each in error["findings"]]
            foreign = not error.get("ours", True) and not error.get("not_built")
            if foreign:
                self.checks.that(False, f"{do}: an exception of the library's own family", error)

    def kill_host(self) -> None:
        """End the host as a crash would; the next request starts another over the same state."""
        if self._host is not None:
            self._host.kill()
        self._host = None
        self.session_open = False

    def close(self) -> None:
        if self._host is not None:
            self._host.close()

    # plans on disk

    def build(self, label: str, *, out: str = DEFAULT_OUT, config: str = "config.toml") -> Ran:
        """The plan of the case, built since no step did."""
        ran = self.plan(config, label, out=out)
        if (self.work / out / "manifest.json").is_file():
            self.last_plan = out
            self.remember_plan(out, ran)
        return ran

    def remember_plan(self, out: str, ran: Ran) -> None:
        """Keep a copy of a plan that a build put there, for `plan_unchanged`."""
        if (self.work / out).is_dir() and (ran.code == 0 or out not in self.snapshots):
            self.snapshot(out)

    def snapshot(self, path: str) -> Path:
        copy = self.aside / f"snapshot-{time.monotonic_ns()}"
        copy_tree(self.work / path, copy)
        self.snapshots[path] = copy
        return copy

    def bundle(self) -> str | None:
        """The last plan built, or the one that stands where plans are put."""
        if self.last_plan is None and (self.work / DEFAULT_OUT / "manifest.json").exists():
            return DEFAULT_OUT
        return self.last_plan

    # what is left out

    def leave_out(self, what: str, part: str) -> None:
        self.left_out_parts.add(part)
        self.clouds |= set(not_yet.CLOUDS.get(part, set()))
        self.checks.leave_out(what, not_yet.PARTS.get(part, part))

    def clouded(self, kind: str) -> bool:
        return kind in self.clouds


def trouble_of(ran: Ran) -> tuple[str, str] | None:
    """What no command may do: hang, crash, print a traceback or raw controls, misread its command line."""
    if ran.timed_out:
        return "ends by itself", f"killed after {ran.seconds:.0f} s"
    if "Traceback (most recent call last)" in ran.text:
        return "no traceback", ran.text[ran.text.index("Traceback") :][-900:]
    if ran.code == INTERNAL or ran.code < 0:
        return "no internal error", f"exit {ran.code}: {ran.err[-600:]}"
    told = ran.err if ran.in_json else ran.text
    if raw := sorted(set(RAW.findall(told)) - set("".join(ran.echoes))):
        return "no raw control or hidden character for people", f"{raw!r} in {told[:600]!r}"
    if ran.not_understood:
        return "understood by the product", ran.err[-600:]
    return None


def file_bytes(folder: Path) -> dict[str, bytes]:
    """Every regular file below FOLDER with its bytes, by relative path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with contextlib.suppress(OSError):
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def copy_tree(source: Path, target: Path) -> None:
    """An exact copy, links as links; TARGET is replaced."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target, symlinks=True)
