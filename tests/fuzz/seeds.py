"""What fuzzing starts from: the cases' configs and catalogs, an example made short, a pack, and a lock of each."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parent.parent.parent
CASES = ROOT / "tests" / "acceptance" / "cases"
EXAMPLES = ROOT / "examples"
MOST_BYTES = 20_000
"""Of a seed: many runs of small files find more than few of large ones."""
MOST_TOOLS = 6

TESTS = b"""\
schema_version = 1

[[tests]]
name = "what is told, found and kept away"
sees = ["*/read_*", "git/git_status"]
not_visible = ["*/delete_*"]
query = "read a file"
finds = "*/read_file"
within = 5
never_finds = ["*/drop_*"]
max_tokens = 2_000

[[tests]]
name = "classes"
profile = "ci"
side_effect = { "git/git_status" = "read_only" }
approval = { "*/write_*" = "ask" }
"""

PACK = b"""\
name = "ours"
version = "1.0.0"
description = "for the tests"

[[constraints]]
match = "*/delete_*"
min_side_effect = "destructive"
approval = "ask"
reason = "deletes"

[[constraints]]
match = "*/*"
side_effects = ["read_only", "write"]
groups = []
max_exposure = "deferred"
deny = false
"""

World = dict[str, bytes]
"""The files of a folder, by their names."""


@cache
def worlds() -> tuple[Mapping[str, bytes], ...]:
    """Every seed, in a fixed order."""
    found = [_of_case(folder) for folder in sorted(CASES.iterdir()) if (folder / "config.toml").is_file()]
    found += [_of_example(folder) for folder in sorted(EXAMPLES.iterdir()) if (folder / "config.toml").is_file()]
    return tuple(world for world in found if sum(map(len, world.values())) <= MOST_BYTES)


def _of_case(folder: Path) -> World:
    world = {"config.toml": (folder / "config.toml").read_bytes()}
    for file in sorted(folder.glob("*.catalog.json")):
        world[f"catalogs/{file.name.removesuffix('.catalog.json')}.json"] = file.read_bytes()
    return world


def _of_example(folder: Path) -> World:
    """With a few tools of a few servers, a pack of its own, and none of the rest."""
    text = (folder / "config.toml").read_text("utf-8").replace('extends = ["baseline"', 'extends = ["./pack.toml"')
    world = {"config.toml": text.encode(), "pack.toml": PACK}
    for file in sorted((folder / "catalogs").glob("*.json"))[:3]:
        catalog = json.loads(file.read_bytes())
        catalog["tools"] = [tool for tool in catalog["tools"] if len(json.dumps(tool)) < 2_000][:MOST_TOOLS]
        world[f"catalogs/{file.name}"] = json.dumps(catalog, indent=1, ensure_ascii=False).encode()
    return world
