"""Every text of a tool's definition that a model gets to see, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]

_PROSE = frozenset({"description", "title", "$comment", "default", "examples", "example", "markdownDescription"})
_SCHEMAS = ("inputSchema", "outputSchema")
_LEVELS = 200


class VisibleText(NamedTuple):  # a tool may have thousands, and a tuple is made fastest
    """One text, and where it stands: field "description"; or field "inputSchema", path ("properties", "zone")."""

    field: str
    path: Path
    text: str
    name: bool
    """Whether it is an identifier or a value that a machine compares, rather than prose."""
    key: bool = False
    """Whether it is the last token of `path` itself, as a parameter's name is, rather than the value there."""

    @property
    def identifier(self) -> bool:
        """Whether people read it as a name in a list: the tool's, or a parameter's."""
        return self.key or self.field == "name"

    @property
    def place(self) -> Path:
        """Keys and indices from the tool's root."""
        return (self.field, *self.path)


def visible_texts(definition: Mapping[str, Any]) -> Iterator[VisibleText]:
    """The texts of a definition as `tools/list` gave it: name, titles, description, and all of both schemas.

    Goes 200 levels deep, and never by recursion; a schema that is deeper is refused for that.
    """
    for field, name in (("name", True), ("title", False), ("description", False)):
        if isinstance(text := definition.get(field), str):
            yield VisibleText(field, (), text, name)
    annotations = definition.get("annotations")
    if isinstance(annotations, dict) and isinstance(annotations.get("title"), str):
        yield VisibleText("annotations", ("title",), annotations["title"], False)
    for field in _SCHEMAS:
        yield from _inside(field, definition.get(field))


def _inside(field: str, schema: Any) -> Iterator[VisibleText]:
    stack: list[tuple[Path, Any, bool]] = [((), schema, True)]
    while stack:
        path, value, name = stack.pop()
        if isinstance(value, str):
            yield VisibleText(field, path, value, name)
        elif len(path) >= _LEVELS:
            continue
        elif isinstance(value, list):
            stack.extend(((*path, n), item, name) for n, item in reversed(list(enumerate(value))))
        elif isinstance(value, dict):
            for key in value:
                if isinstance(key, str):
                    yield VisibleText(field, (*path, key), key, True, key=True)
            stack.extend(
                ((*path, key), item, not (key in _PROSE and isinstance(item, str | list)))
                for key, item in reversed(list(value.items()))
            )
