"""The same config and catalogs, written otherwise: another order of tables, keys and tools, other line ends."""

from __future__ import annotations

import datetime
import json
import random
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_SETS = frozenset({"extends"})
"""Lists of texts whose order means nothing: limits of packs combine by taking the stricter."""
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def copy_otherwise(source: Path, target: Path, seed: int, end: str = "\r\n") -> None:
    """Writes every config, pack and catalog of the folder SOURCE to TARGET, meaning the same."""
    chance = random.Random(seed)
    files = sorted(path for path in source.rglob("*") if path.suffix in (".toml", ".json"))
    chance.shuffle(files)
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".toml":
            text = "\ufeff" + toml_otherwise(tomllib.loads(path.read_text("utf-8")), chance)
        else:
            indent = chance.choice([None, 0, 3])
            text = json.dumps(json_otherwise(json.loads(path.read_bytes()), chance), indent=indent)
        place.write_bytes(text.replace("\n", end).encode())


def json_otherwise(value: Any, chance: random.Random, at: str = "") -> Any:
    """VALUE with its keys in another order, and a catalog's tools; the order of other arrays means something."""
    if isinstance(value, dict):
        return {key: json_otherwise(value[key], chance, key) for key in chance.sample(list(value), len(value))}
    if isinstance(value, list):
        items = [json_otherwise(item, chance) for item in value]
        return chance.sample(items, len(items)) if at == "tools" else items
    return value


def toml_otherwise(document: dict[str, Any], chance: random.Random) -> str:
    """DOCUMENT as TOML, with a comment on top, its tables and keys in another order."""
    return "# Written otherwise.\n" + "".join(_table((), document, chance))


def _table(path: tuple[str, ...], table: dict[str, Any], chance: random.Random) -> list[str]:
    lines, below = [], []
    for key in chance.sample(list(table), len(table)):
        value, at = table[key], (*path, key)
        if isinstance(value, dict):
            below.append([f"\n[{_dotted(at)}]\n", *_table(at, value, chance)])
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            entries = chance.sample(value, len(value))
            below.append([line for entry in entries for line in [f"\n[[{_dotted(at)}]]\n", *_table(at, entry, chance)]])
        else:
            lines.append(f"{_dotted((key,))}   =   {_value(value, key, chance)}\n")
    return lines + [line for part in below for line in part]


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(key if key and _BARE.issuperset(key) else json.dumps(key) for key in path)


def _value(value: Any, key: str, chance: random.Random) -> str:
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        items = value[::-1] if key in _SETS else value
        return "[\n" + "".join(f"\t{_value(item, '', chance)}, # one\n" for item in items) + "]"
    # A JSON string is a TOML one, but for the one character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
