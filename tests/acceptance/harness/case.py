"""One acceptance case: its line in cases.jsonl, its files made ready in a working folder."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shutil
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHIPPED_CASES = Path(__file__).resolve().parents[1] / "cases"
_ALSO_LINTED = re.compile(r"config\d+\.toml")
_SUFFIXES = (".catalog.json", ".catalog.json.gz")


class CaseUnreadable(Exception):
    """A case or its steps are not of the format: the run of it says so and fails."""


@dataclass(frozen=True)
class Case:
    """A line of cases.jsonl and the folder that it came from."""

    folder: Path
    """The folder that holds cases.jsonl."""
    data: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def when(self) -> list[str]:
        return list(self.data.get("when", []))

    @property
    def expect(self) -> dict[str, Any]:
        return dict(self.data.get("expect", {}))

    @property
    def env(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.data.get("env", {}).items()}

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps in order; [] where the case has none. Raises CaseUnreadable."""
        path = self.folder / self.id / "steps.json"
        if "steps.json" not in self.data.get("files", []) and not path.exists():
            return []
        try:
            steps = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CaseUnreadable(f"steps.json cannot be read: {error}") from error
        if not isinstance(steps, list) or not all(isinstance(step, dict) and "do" in step for step in steps):
            raise CaseUnreadable("steps.json is no list of steps")
        return steps


def read_cases(folder: Path) -> list[Case]:
    """Every case of FOLDER, in the order of its cases.jsonl. Raises CaseUnreadable."""
    path = folder / "cases.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [Case(folder, json.loads(line)) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise CaseUnreadable(f"{path}: {error}") from error


def prepare(case: Case, work: Path) -> None:
    """Put the inputs of CASE into WORK, made and generated ones too, and its catalogs where the product reads them."""
    work.mkdir(parents=True, exist_ok=True)
    _run_prepare(case, work)
    place_catalogs(work)


def configs_of(work: Path) -> list[str]:
    """`config.toml` and the further configs that are linted with it, as far as they are there."""
    first = ["config.toml"] if (work / "config.toml").is_file() else []
    return first + sorted(path.name for path in work.iterdir() if _ALSO_LINTED.fullmatch(path.name))


def place_catalogs(work: Path) -> None:
    """Copy `<server>.catalog.json[.gz]` to `catalogs/<server>.json[.gz]` for every server id of the configs."""
    ids = server_ids(work)
    for path in sorted(work.iterdir()):
        for suffix in _SUFFIXES:
            server = path.name.removesuffix(suffix)
            if path.name.endswith(suffix) and server in ids:
                target = catalog_path(work, server, zipped=suffix.endswith(".gz"))
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, target)


def catalog_path(work: Path, server: str, *, zipped: bool = False) -> Path:
    """Where the catalog of SERVER stands, by the name that every reader knows."""
    return work / "catalogs" / (f"{server}.json.gz" if zipped else f"{server}.json")


def server_ids(work: Path) -> set[str]:
    """The server ids of every config in WORK; from the headers alone where a file is no TOML."""
    found: set[str] = set()
    for path in work.glob("config*.toml"):
        data = _toml(path)
        if data is None:
            found |= _ids_by_header(path)
        elif isinstance(data.get("mcp_servers"), dict):
            found |= set(data["mcp_servers"])
    return found


def _toml(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _ids_by_header(path: Path) -> set[str]:
    raw = path.read_bytes()[:1_000_000]
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    header = re.compile(r"""\[\s*mcp_servers\s*\.\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))""")
    return {next(part for part in match if part) for match in header.findall(text) if any(match)}


def _run_prepare(case: Case, work: Path) -> None:
    """Let the folder's own prepare.py make the inputs (ours, where the folder has none)."""
    script = case.folder / "prepare.py"
    if not script.is_file():
        script = SHIPPED_CASES / "prepare.py"
    spec = importlib.util.spec_from_file_location("acceptance_prepare", script)
    if spec is None or spec.loader is None:
        raise CaseUnreadable(f"{script} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    arguments, sys.argv = sys.argv, [str(script), case.id, str(work)]
    try:
        spec.loader.exec_module(module)
        vars(module)["HERE"] = case.folder
        with contextlib.redirect_stdout(io.StringIO()):
            module.main()
    except (SystemExit, OSError, KeyError) as error:
        raise CaseUnreadable(f"prepare.py: {error}") from error
    finally:
        sys.argv = arguments
        sys.dont_write_bytecode = written
