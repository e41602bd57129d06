"""Where references lead: never over the network or to a file, and never in a circle that makes no progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from mcpexpose.toolschema.problem import pointer_of
from mcpexpose.toolschema.walk import REFERENCES, Node, Walked, absolute, children

if TYPE_CHECKING:
    from mcpexpose.toolschema.problem import Path

CHAIN_LIMIT = 100
"""Schemas that may apply to one value one inside the other; a validator's stack grows with each."""

CIRCLES = 20
"""Circles of one schema that are told."""
_DYNAMIC = -1
"""First step of the place that stands for all anchors of a name: the root of a document has no such key."""


@dataclass(frozen=True, slots=True)
class BadReference:
    """A reference that leads out of the schema, or to nothing in it."""

    path: Path
    fault: Literal["remote", "broken"]
    text: str


def follow(walked: Walked) -> tuple[dict[Path, list[tuple[Path, Path]]], list[BadReference]]:
    """Resolve every reference. Gives, for each schema's place, the places of the schemas that apply to the same value,
    each with the place of the keyword that says so; and the references that cannot be resolved.

    Schemas that only a reference leads to are walked as well.
    """
    edges: dict[Path, list[tuple[Path, Path]]] = {}
    bad: list[BadReference] = []
    waiting = list(walked.nodes.values())
    done: set[Path] = set()
    dynamic: dict[str, None] = {}
    while waiting:
        node = waiting.pop()
        if node.path in done or not isinstance(node.schema, dict):
            continue
        done.add(node.path)
        targets: list[tuple[Path, Path]] = []
        for keyword in REFERENCES:
            text = node.schema.get(keyword)
            if not isinstance(text, str):
                continue
            at = (*node.path, keyword)
            found = _resolve(walked, node, text)
            if isinstance(found, str):
                bad.append(BadReference(at, "remote" if found == "remote" else "broken", text))
                continue
            known = len(walked.nodes)
            if found not in walked.nodes:
                _walk_target(walked, found)
                waiting.extend(list(walked.nodes.values())[known:])
            if keyword in node.dialect.shapes or keyword == "$ref":
                targets.append((at, found))
            if keyword == "$dynamicRef" and (name := text.rpartition("#")[2]) in walked.dynamic:
                # All anchors of a name by way of one place that no schema has: each to each would be their square.
                targets.append((at, (_DYNAMIC, name)))
                dynamic[name] = None
        if not (node.dialect.ref_alone and "$ref" in node.schema):
            targets.extend((at, at) for keyword, at, _ in children(node) if keyword in node.dialect.in_place)
        if targets:
            edges[node.path] = targets
    for name in dynamic:
        edges[_DYNAMIC, name] = [((_DYNAMIC,), place) for place in walked.dynamic[name]]
    return edges, bad


def endless(edges: dict[Path, list[tuple[Path, Path]]]) -> tuple[list[Path], list[Path]]:
    """The places of references that close a circle without progress, and those where a chain passes CHAIN_LIMIT."""
    circles: dict[Path, None] = {}
    long: dict[Path, None] = {}
    height: dict[Path, int] = {}
    for start in edges:
        if start in height:
            continue
        stack: list[tuple[Path, int]] = [(start, 0)]
        on_stack: dict[Path, int] = {start: 0}
        through: list[Path] = []
        while stack:
            place, n = stack[-1]
            following = edges.get(place, [])
            if n < len(following):
                stack[-1] = (place, n + 1)
                keyword, target = following[n]
                if target in on_stack:
                    if len(circles) == CIRCLES:
                        continue  # each is as long as the way to it, and nobody reads more of them
                    loop = [*through[on_stack[target] :], keyword]
                    circles.setdefault(next((at for at in loop if at[-1] in REFERENCES), keyword))
                elif target not in height:
                    on_stack[target] = len(stack)
                    through.append(keyword)
                    stack.append((target, 0))
                continue
            stack.pop()
            del on_stack[place]
            if through:
                through.pop()
            height[place] = 1 + max((height.get(target, 0) for _, target in following), default=0)
            if height[place] == CHAIN_LIMIT + 1:
                long.setdefault(place)
    return list(circles), list(long)


def near(walked: Walked, text: str) -> str:
    """The reference to a definition of the document that a broken one was most likely meant to be; "" for none."""
    name = unquote(text.rpartition("/")[2] or text).lstrip("#").replace("~1", "/").replace("~0", "~")
    there = {str(path[-1]): path for path in walked.nodes if path[-2:-1] in (("$defs",), ("definitions",))}
    folded = {each.casefold(): each for each in there}
    meant = name if name in there else folded.get(name.casefold())
    if meant is None and 2 < len(name) <= 64:
        import difflib

        meant = next(iter(difflib.get_close_matches(name, there, n=1, cutoff=0.8)), None)
    return "" if meant is None else "#" + pointer_of(there[meant])


def pointer_target(document: Any, tokens: list[str]) -> tuple[Path, Any] | None:
    """The value that a JSON pointer's TOKENS lead to in DOCUMENT, with its path; None where they lead nowhere."""
    path: list[str | int] = []
    value = document
    for token in tokens:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            if name not in value:
                return None
            path.append(name)
            value = value[name]
        elif isinstance(value, list) and name.isascii() and name.isdigit() and int(name[:9]) < len(value):
            path.append(int(name))
            value = value[int(name)]
        else:
            return None
    return tuple(path), value


def _resolve(walked: Walked, node: Node, text: str) -> Path | Literal["remote", "broken"]:
    address, _, fragment = absolute(node.base, text).partition("#")
    root = walked.resources.get(address)
    if root is None:
        return "remote"
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return walked.anchors.get((address, fragment), "broken")
    start = pointer_target(walked.root, [str(token).replace("~", "~0").replace("/", "~1") for token in root])
    assert start is not None  # a resource's own place
    found = pointer_target(start[1], fragment.split("/")[1:])
    if (
        found is None
        or not isinstance(found[1], dict | bool)
        or (isinstance(found[1], bool) and not node.dialect.booleans)
    ):
        return "broken"
    return (*root, *found[0])


def _walk_target(walked: Walked, place: Path) -> None:
    """Visit the schema at PLACE by the rules of the nearest schema around it."""
    around = place
    while around not in walked.nodes and around:
        around = around[:-1]
    outer = walked.nodes.get(around)
    value = walked.root
    for token in place:
        value = value[token]
    if outer is not None:
        walked.walk(place, value, outer.dialect, outer.base)
