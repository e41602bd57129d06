"""YAML by its plainest meaning, with the place of every value: no tag is obeyed, what aliases repeat is counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.importers.tree import MAX_LEVELS, MAX_NODES, Path, Tree, Unreadable
from mcpexpose.model.errors import UsageRefused

if TYPE_CHECKING:
    from yaml.nodes import Node

# YAML 1.2's core schema: what hosts written in Rust and JavaScript read. `yes`, `0o7` and `22:30` stay texts.
_WORDS: dict[str, bool | None] = {"null": None, "Null": None, "NULL": None, "~": None, "": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,3})?")
_OPENINGS = r"[\[{]|[\]}]|(?:- ){" + str(MAX_LEVELS + 1) + "}"
_QUOTED = re.compile(r" ?(?:'(?!<)[^']{2,}'|\"[^\"]*\")")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TEXT = "tag:yaml.org,2002:str"
_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map"))


def read(text: str) -> Tree:
    """The values of TEXT with their places. Raises Unreadable, and UsageRefused where PyYAML is not installed."""
    node = _composed(text)
    tree = Tree()
    if node is not None:
        _Builder(tree).build(node)
    return tree


def _composed(text: str) -> Node | None:
    try:
        import yaml
    except ModuleNotFoundError:
        raise UsageRefused("YAML is read with PyYAML, which is not installed: pip install 'mcpexpose[yaml]'") from None

    deep = _first_too_deep(text)
    if deep is not None:
        raise Unreadable(f"it nests deeper than {MAX_LEVELS} levels", deep)
    try:
        loader = yaml.SafeLoader(text)
        # Every plain scalar is composed as a text and read below; no constructor is ever asked.
        loader.yaml_implicit_resolvers = {}
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(_told(error.problem), mark.index if mark else 0) from None
    except yaml.reader.ReaderError as error:
        raise Unreadable("a control character stands in it", error.position) from None
    except RecursionError:
        raise Unreadable(f"it nests deeper than {MAX_LEVELS} levels", 0) from None


def _told(problem: str | None) -> str:
    """What the reader says, without words of the file: a password that begins with a star is an alias to it."""
    return _QUOTED.sub("", problem or "") or "it cannot be read"


def _first_too_deep(text: str) -> int | None:
    """Where brackets, or dashes on one line, are opened beyond the limit; strings and comments are not told apart."""
    depth = 0
    for found in re.finditer(_OPENINGS, text):
        if found[0][0] == "-":
            return found.start()
        depth = depth + 1 if found[0] in "[{" else max(0, depth - 1)
        if depth > 4 * MAX_LEVELS:
            return found.start()
    return None


class _Builder:
    """Turns composed nodes into values, without recursion into more than the limits allow."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = 0

    def build(self, root: Node) -> None:
        self.tree.data = self._value(root, ())

    def _value(self, node: Node, path: Path) -> Any:
        start, end = node.start_mark.index, node.end_mark.index
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise Unreadable(f"more than {MAX_NODES:,} values stand in it, aliases unfolded", start)
        if len(path) > MAX_LEVELS:
            raise Unreadable(f"it nests deeper than {MAX_LEVELS} levels", start)
        self.tree.values.setdefault(path, (start, end))
        if node.tag not in _TAGS:
            raise Unreadable("a tag stands in it, and tags are not obeyed", start)
        if node.id == "sequence":
            return [self._value(item, (*path, n)) for n, item in enumerate(node.value)]
        if node.id == "mapping":
            return self._mapping(node, path)
        return self._scalar(node)

    def _mapping(self, node: Node, path: Path) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, item in node.value:
            span = (key.start_mark.index, key.end_mark.index)
            if key.id != "scalar":
                raise Unreadable("a key is no text", span[0])
            name = _whole(str(key.value), span[0])
            here = (*path, name)
            if name in out:
                self.tree.repeats.setdefault(here, span)
                continue
            self.tree.keys.setdefault(here, span)
            out[name] = self._value(item, here)
        return _merged(out)

    def _scalar(self, node: Node) -> Any:
        text = _whole(str(node.value), node.start_mark.index)
        if node.style is not None and node.tag == _TEXT:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _NUMBER.fullmatch(text) else text


def _merged(table: dict[str, Any]) -> dict[str, Any]:
    """TABLE with what its `<<` refers to, as YAML 1.1 has it and hosts in JavaScript read it; its own keys count first.

    Left unread, a filter that servers share would be lost.
    """
    bases = table.get("<<")
    bases = bases if isinstance(bases, list) else [bases]
    if not all(isinstance(base, dict) for base in bases):
        return table
    out = {key: value for key, value in table.items() if key != "<<"}
    for base in bases:
        out = {**out, **{key: value for key, value in base.items() if key not in out}}
    return out


def _whole(text: str, start: int) -> str:
    """TEXT with pairs of escapes for one character, as JSON writes them, put together. Raises Unreadable."""
    if not _SURROGATE.search(text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Unreadable("a text holds half of a surrogate pair", start) from None
