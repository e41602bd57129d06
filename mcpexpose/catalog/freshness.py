"""Findings about the age of catalogs."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.freshness import judge
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping

    from mcpexpose.model.catalog import Catalog


def findings(catalogs: Mapping[str, Catalog], max_age_s: float | None, now: datetime.datetime) -> tuple[Finding, ...]:
    """stale-catalog (warning) and catalog-from-future (error), by server. A stamp that is none is the store's."""
    return tuple(
        finding for server in sorted(catalogs) if (finding := _finding(catalogs[server], max_age_s, now)) is not None
    )


def _finding(catalog: Catalog, max_age_s: float | None, now: datetime.datetime) -> Finding | None:
    fresh = judge(catalog.captured_at, catalog.ttl_ms, max_age_s, now)
    name = shown(catalog.server)
    place = Place(catalog.file, ("captured_at",))
    again = f"Run `mcpexpose capture {shown(shlex.quote(catalog.server))}`."
    if fresh.reason == "future":
        return Finding(
            "catalog-from-future",
            Severity.ERROR,
            f"The catalog of {name} says that it was captured later than now: {shown(catalog.captured_at or '')}",
            (catalog.server,),
            "Set the clock of the machine that captured it, and capture again.",
            place,
        )
    if fresh.state != "expired":
        return None
    if fresh.reason == "no-stamp":
        message = f"The catalog of {name} does not say when it was captured, and [freshness] sets a max_age"
    elif fresh.reason == "ttl":
        lifetime = (catalog.ttl_ms or 0) / 1000
        message = f"The catalog of {name} is {_over(fresh.age_s, lifetime)}; the server gave it {span(lifetime)}"
    else:
        message = f"The catalog of {name} is {_over(fresh.age_s, max_age_s)}; max_age is {span(max_age_s)}"
    return Finding(
        "stale-catalog", Severity.WARNING, message, (catalog.server,), again, place, details={"reason": fresh.reason}
    )


def _over(age_s: float | None, limit_s: float | None) -> str:
    """How old, in words that differ from those of the limit that it is over."""
    if age_s is None or limit_s is None or span(age_s) != span(limit_s):
        return f"{span(age_s)} old"
    beyond = age_s - limit_s
    return f"{span(limit_s)} and {span(beyond) if beyond >= 1 else 'less than a second'} old"


def span(seconds: float | None) -> str:
    """SECONDS as people say it, in the largest unit of which there are two: "9 d", "36 h", "90 s"."""
    if seconds is None:
        return "of unknown age"
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"
