"""Real catalogs, where their folder is at hand, and a config over all of them: written in any order, told apart by none.

`python tests/scale/world.py FOLDER` writes the whole of it, to plan, lint and search by hand.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "MCPEXPOSE_RETRIEVAL_DATA"
DATA = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared/data/retrieval/catalogs")
WHY_NOT = f"no catalogs of real servers at hand; set {VARIABLE} to a folder of them"
CAPTURED_AT = "2026-11-30T12:00:00Z"
NOW = "2026-12-01T12:00:00Z"


def real_catalogs(folder: Path = DATA) -> list[dict[str, Any]]:
    """Every catalog of FOLDER as `{"server_id", "tools", …}`, by file name; none where there is no such folder."""
    return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]


def write_world(
    folder: Path,
    catalogs: Iterable[Mapping[str, Any]],
    *,
    head: str = "",
    shuffled: int | None = None,
    end: str = "\n",
) -> Path:
    """A config.toml with a table for each catalog, and catalogs/ beside it, in FOLDER; returns the config.

    HEAD is text to open the config with. SHUFFLED is a seed for the order of tables, of files, of tools and of keys;
    END is the line end of every file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "catalogs").mkdir()
    chance = random.Random(shuffled) if shuffled is not None else None
    servers = list(catalogs)
    if chance:
        chance.shuffle(servers)
    tables = [_table(catalog, chance) for catalog in servers]
    config = folder / "config.toml"
    config.write_bytes("\n".join([head, *tables]).replace("\n", end).encode())
    if chance:
        chance.shuffle(servers)
    for catalog in servers:
        captured = {
            "format": 1,
            "server": catalog["server_id"],
            "captured_at": CAPTURED_AT,
            "complete": True,
            "tools": catalog["tools"],
        }
        text = json.dumps(_mixed(captured, chance) if chance else captured, ensure_ascii=False, indent=1)
        (folder / "catalogs" / f"{catalog['server_id']}.json").write_bytes((text + "\n").replace("\n", end).encode())
    return config


def _table(catalog: Mapping[str, Any], chance: random.Random | None) -> str:
    server = catalog["server_id"]
    summary = " ".join(str(catalog.get("title") or f"Tools of {server}").split())
    lines = [
        f"command = {_text(f'serve-{server}')}",
        f"description = {_text(summary)}",
        'owner = "platform-team"',
        'exposure = "deferred"',
    ]
    if chance:
        chance.shuffle(lines)
    return "\n".join([f"[mcp_servers.{_text(server)}]", *lines, ""])


def _text(value: str) -> str:
    # A JSON string is a TOML one, but for the one character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _mixed(value: Any, chance: random.Random, at: str = "") -> Any:
    """VALUE with its keys in another order, and the tools too; the order of other arrays means something."""
    if isinstance(value, dict):
        keys: Sequence[str] = list(value)
        return {key: _mixed(value[key], chance, key) for key in chance.sample(keys, len(keys))}
    if isinstance(value, list):
        items = [_mixed(item, chance) for item in value]
        return chance.sample(items, len(items)) if at == "tools" else items
    return value


if __name__ == "__main__":
    print(write_world(Path(sys.argv[1]), real_catalogs()))
