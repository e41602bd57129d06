"""Large catalogs out of real ones, by seeded recombination: real words as often as they really are, in new tools."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Tool = dict[str, Any]

SHIPPED = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*/catalogs"))
"""The project's own corpus: the catalogs of the examples."""
SEED = 20

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can for from if in into is it its no not of on only or that the their this to"
        " use used using was when where which will with you your",
    )
)


def read(folders: Iterable[Path]) -> list[Tool]:
    """The tools of every catalog in FOLDERS, each with its `server`; of equal (server, name) the first."""
    found: dict[tuple[str, str], Tool] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.json")):
            catalog = json.loads(path.read_text("utf-8"))
            server = catalog.get("server") or catalog.get("server_id") or path.stem
            for tool in catalog["tools"]:
                found.setdefault((server, tool["name"]), {**tool, "server": server})
    return list(found.values())


def recombined(real: Sequence[Tool], count: int, seed: int = SEED) -> Iterator[Tool]:
    """COUNT tools: equal arguments give equal ones.

    Kept from the real ones: how many tools a server has, whole names or their first word with another's rest, how many
    sentences a description has and each of these whole, how many parameters a tool has and each of these whole. So
    words keep their frequencies. Not kept: sense; and no new word comes with more tools, so common words are more
    common here than in a real catalog of that size.
    """
    chance = random.Random(seed)
    servers = sorted({tool["server"] for tool in real})
    sizes = [sum(tool["server"] == server for tool in real) for server in servers]
    sentences = [_sentences(tool) for tool in real]
    openings = [own[0] for own in sentences if own]
    others = [text for own in sentences for text in own[1:]] or openings
    names = [(verb, tool["name"][len(verb) :]) for tool in real if (verb := _first_word(tool["name"]))]
    parameters = [(name, schema) for tool in real for name, schema in _properties(tool).items()]
    made = number = 0
    while made < count:
        server = f"{chance.choice(servers)}-{chance.choice(servers)}-{number}"
        number += 1
        taken: set[str] = set()
        for _ in range(min(chance.choice(sizes), count - made)):
            like = chance.randrange(len(real))
            name = real[chance.randrange(len(real))]["name"]
            if chance.random() < 0.5:
                name = chance.choice(names)[0] + chance.choice(names)[1]
            while name in taken:
                name = chance.choice(names)[0] + chance.choice(names)[1] + (f"_{made}" if len(taken) > 200 else "")
            taken.add(name)
            own = sentences[like]
            text = [chance.choice(openings) if n == 0 else chance.choice(others) for n in range(len(own))]
            chosen = dict(chance.choice(parameters) for _ in _properties(real[like]))
            schema = {"type": "object", "properties": chosen}
            yield {"server": server, "name": name, "description": " ".join(text), "inputSchema": schema}
            made += 1


def queries(tools: Sequence[Tool], words: int, count: int, seed: int = SEED) -> list[tuple[str, str, str]]:
    """COUNT of (text, server, tool): so many WORDS of one tool, half of them of its name, none of the commonest."""
    chance = random.Random(seed * 1_000 + words)
    found = []
    while len(found) < count:
        tool = chance.choice(tools)
        named = _words(tool["name"])
        said = _words(tool["description"])
        chance.shuffle(said)
        pool = list(dict.fromkeys(named[: words // 2 + 1] + said))
        if len(pool) >= words:
            text = chance.choice(pool) if words == 1 else " ".join(pool[:words])
            found.append((text, tool["server"], tool["name"]))
    return found


def fields(tool: Tool) -> dict[str, list[str]]:
    """The words of each part of a tool, split and lowered: what peers that take several fields are given."""
    properties = _properties(tool)
    said = [schema.get("description") for schema in properties.values() if isinstance(schema, dict)]
    texts = {
        "name": tool["name"],
        "title": tool.get("title") or "",
        "description": tool.get("description") or "",
        "parameters": " ".join(properties),
        "said": " ".join(text for text in said if isinstance(text, str)),
        "server": tool["server"],
    }
    return {field: split(text) for field, text in texts.items()}


def split(text: str) -> list[str]:
    """The words of TEXT, split at case and punctuation, lowered, the commonest left out."""
    found = [part.lower() for part in _PARTS.findall(text)] if text.isascii() else re.findall(r"[^\W_]+", text.lower())
    return [word for word in found if word not in _COMMON]


def _words(text: str) -> list[str]:
    return [word for word in split(text) if len(word) > 2 and word.isalpha()]


def _sentences(tool: Tool) -> list[str]:
    return [text.strip() for text in _SENTENCE.split(tool.get("description") or "") if text.strip()]


def _properties(tool: Tool) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _first_word(name: str) -> str:
    found = re.match(r"[A-Za-z]+?(?=[_-]|[A-Z])", name)
    return found[0] if found else ""
