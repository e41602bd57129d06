"""What can be read of a policy pack that is at fault: its limits at their strictest, so that no preview shows more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.config import shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.config.fault import Fault
    from mcpexpose.config.scan import Path

_LIMITS: dict[str, Any] = {
    "deny": True,
    "max_exposure": "hidden",
    "approval": "ask",
    "min_side_effect": "destructive",
}


def read(data: dict[str, Any], faults: Iterable[Fault]) -> dict[str, Any]:
    """DATA without what the faults are about. A limit, or what was almost named like one, is taken at its strictest.

    A scope that cannot be read bounds nothing; a constraint goes as a whole only where nobody can say whom it is about.
    """
    keys: set[Path] = set()
    wholes: set[Path] = set()
    limits: list[tuple[Path, str]] = []
    for each in faults:
        path = each.drop or ()
        if path[:1] != ("constraints",) or len(path) < 3 or path[2] == "match":
            wholes.add(path[:2] if path[:1] == ("constraints",) else path[:1])
            continue
        keys.add(path[:3])
        limits += [
            (path[:2], name) for name in (str(path[2]), *each.finding.details.get("suggests", ())) if name in _LIMITS
        ]
    out = shape.without(data, keys)
    for (_, at), name in limits:
        out["constraints"][at][name] = _LIMITS[name]
    return shape.without(out, wholes - {()})
