"""Real catalogs, where their folder is at hand, and a config over all of them.

`python tests/scale/world.py FOLDER` writes the whole of it, to plan, lint and search by hand.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "MCPEXPOSE_RETRIEVAL_DATA"
DATA = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared/data/retrieval/catalogs")
WHY_NOT = f"no catalogs of real servers at hand; {VARIABLE} names a folder of them"
CAPTURED_AT = "2026-11-30T12:00:00Z"
NOW = "2026-12-01T12:00:00Z"


def real_catalogs(folder: Path = DATA) -> list[dict[str, Any]]:
    """Every catalog of FOLDER as `{"server_id", "tools", …}`, by file name; none where there is no such folder."""
    return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]


def write_world(folder: Path, catalogs: Iterable[Mapping[str, Any]], head: str = "") -> Path:
    """A config.toml with a table for each catalog, all deferred, and catalogs/ beside it; returns the config.

    HEAD is text to open the config with.
    """
    (folder / "catalogs").mkdir(parents=True)
    tables = [head]
    for catalog in catalogs:
        server = catalog["server_id"]
        tables.append(_table(server, " ".join(str(catalog.get("title") or f"Tools of {server}").split())))
        captured = {
            "format": 1,
            "server": server,
            "captured_at": CAPTURED_AT,
            "complete": True,
            "tools": catalog["tools"],
        }
        (folder / "catalogs" / f"{server}.json").write_text(json.dumps(captured, ensure_ascii=False, indent=1))
    config = folder / "config.toml"
    config.write_text("\n".join(tables))
    return config


def _table(server: str, summary: str) -> str:
    return f"""\
[mcp_servers.{json.dumps(server)}]
command = {json.dumps(f"serve-{server}")}
description = {json.dumps(summary, ensure_ascii=False)}
owner = "platform-team"
exposure = "deferred"
"""


if __name__ == "__main__":
    print(write_world(Path(sys.argv[1]), real_catalogs()))
