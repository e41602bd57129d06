"""One module a target, found by being there: its first line says what it writes, `export` does, and `answer` answers
`find_tools` where the target leaves that to the host.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from mcpexpose.model.errors import UsageRefused
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.exported import Export
    from mcpexpose.surface.offered import Surface


@cache
def targets() -> Mapping[str, str]:
    """Every target with the line that says what it is, sorted."""
    names = sorted(each.name for each in iter_modules(__path__))
    return {name.replace("_", "-"): _first_line(_module(name)) for name in names}


def export(surface: Surface, target: str) -> Export:
    """The surface for TARGET. Raises UsageRefused for a name that is none, with the nearest one."""
    exported: Export = _of(target).export(surface)
    return exported


def answer(found: Answer, target: str, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """What goes back to the model of TARGET for its call CALL_ID of find_tools; FIRST are the aliases that request 1
    declares, which need no loading.

    Raises UsageRefused for a name that is no target, and for a target that searches by itself.
    """
    module = _of(target)
    if not hasattr(module, "answer"):
        raise UsageRefused(f"{target} searches by itself: there is no find_tools to answer")
    answered: dict[str, Any] = module.answer(found, call_id, first)
    return answered


def unknown(target: str) -> str:
    """What to say of a name that is no target."""
    from difflib import get_close_matches

    known = list(targets())
    near = get_close_matches(target.lower().replace("_", "-"), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}? There are" if near else "; there are"
    return f"there is no target {shown(target, 80)!r}{hint}: {', '.join(known)}"


def _of(target: str) -> Any:
    if target not in targets():
        raise UsageRefused(unknown(target))
    return _module(target.replace("-", "_"))


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def _first_line(module: Any) -> str:
    return str(module.__doc__).partition("\n")[0]
