"""What every rule says of real catalogs, to be read by a person: `python -m tests.lint.precision [RULE …]`.

One config over all catalogs that are at hand, everything deferred, and the examples; for each rule its severity, how
often it spoke, and a seeded sample of what it said with the text that it is about.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.lint.linting import lint_folder
from tests.scale.world import NOW, ROOT, WHY_NOT, real_catalogs, write_world

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding, Place

SEED = 3
SAMPLE = 20
WIDTH = 240
LATER = datetime.datetime.fromisoformat(NOW)
HEAD = '[exposure]\ntargets = ["anthropic", "openai"]\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", help="slugs; absent: all")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="findings a rule; 0: counts alone")
    parser.add_argument("--examples", action="store_true", help="the examples alone")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = sorted(path.parent for path in (ROOT / "examples").glob("*/config.toml"))
        if not asked.examples:
            catalogs = real_catalogs()
            if not catalogs:
                sys.exit(WHY_NOT)
            folders.insert(0, write_world(Path(scratch) / "world", catalogs, HEAD).parent)
        said: dict[str, list[tuple[Path, Finding]]] = defaultdict(list)
        for folder in folders:
            linted = lint_folder(folder, now=LATER)
            for finding in (*linted.findings, *linted.waived):
                said[finding.slug].append((folder, finding))
            for crash in linted.crashes:
                print("CRASH", crash)
        for slug, found in sorted(said.items()):
            if asked.rules and slug not in asked.rules:
                continue
            kinds = "/".join(sorted({finding.severity.value for _, finding in found}))
            print(f"\n== {slug} · {kinds} · {len(found)}")
            for folder, finding in random.Random(SEED).sample(found, min(asked.sample, len(found))):
                print(f"- [{folder.name}] {finding.message}")
                for place in (finding.place, *finding.related[:1]):
                    if place is not None and (text := _text(folder, place)):
                        print(f"    {text}")


def _text(folder: Path, place: Place) -> str:
    """What stands at a place in a catalog, with the tool's name; "" in a config, where the message says it."""
    path = folder / place.file
    if path.suffix != ".json" or not path.is_file():
        return ""
    node: Any = json.loads(path.read_bytes())
    name = ""
    for step in place.path:
        if isinstance(node, dict) and "inputSchema" in node:
            name = f"{node.get('name')} · {str(node.get('description'))[:WIDTH]!r} · "
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            break
    return f"{name}{'.'.join(map(str, place.path))} = {json.dumps(node, ensure_ascii=False)[:WIDTH]}"


if __name__ == "__main__":
    main()
