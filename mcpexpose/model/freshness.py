"""How old a catalog may be, and whether its time stamp can be believed."""

from __future__ import annotations

import datetime
import re
from typing import Literal

from mcpexpose.model.records import dataclass

FUTURE_TOLERANCE_S = 300.0
"""How far ahead of the reader's clock a stamp may lie: two machines never agree to the second."""

State = Literal["fresh", "expired", "stale"]
Reason = Literal[
    "",
    "max-age",
    "ttl",
    "no-stamp",
    "bad-stamp",
    "future",
    "list-changed",
    "invalid-arguments",
    "other-revision",
]
"""The last three are for a running host: what a server said since its catalog was captured."""

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a time stamp is worth now."""

    state: State
    reason: Reason = ""
    age_s: float | None = None
    """Seconds since the capture, never negative; None where the stamp says nothing."""


def judge(captured_at: str | None, ttl_ms: int | None, max_age_s: float | None, now: datetime.datetime) -> Freshness:
    """Fresh, expired (too old, or no stamp where there is a limit), or stale (a stamp that cannot be right).

    NOW has a zone. A `ttl_ms` of 0 is what servers send that give no lifetime, and sets no limit here: it forbids
    caches, while a catalog is a record. Nothing is raised for any CAPTURED_AT.
    """
    if captured_at is None:
        return Freshness("fresh") if max_age_s is None else Freshness("expired", "no-stamp")
    stamp = parse_stamp(captured_at)
    if stamp is None:
        return Freshness("stale", "bad-stamp")
    age = (now - stamp).total_seconds()
    if age < -FUTURE_TOLERANCE_S:
        return Freshness("stale", "future")
    age = max(age, 0.0)
    if max_age_s is not None and age > max_age_s:
        return Freshness("expired", "max-age", age)
    if ttl_ms is not None and ttl_ms > 0 and age * 1000 > ttl_ms:  # a server may send any number of digits
        return Freshness("expired", "ttl", age)
    return Freshness("fresh", "", age)


def parse_stamp(text: str) -> datetime.datetime | None:
    """An RFC 3339 date and time with a zone, in UTC; None for everything else."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, zone_hours, zone_minutes = match.groups()[6:]
    offset = datetime.timedelta(0)
    if sign is not None:
        if int(zone_hours) > 23 or int(zone_minutes) > 59:
            return None
        offset = datetime.timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
    try:
        # A leap second is legal in RFC 3339 and unknown to datetime.
        local = datetime.datetime(year, month, day, hour, minute, 59 if second == 60 else second, tzinfo=datetime.UTC)
        local += datetime.timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))
        return local + offset if sign == "-" else local - offset
    except (ValueError, OverflowError):
        return None


def stamp_of(moment: datetime.datetime) -> str:
    """MOMENT, which has a zone, as captures write it: UTC, whole seconds, `Z`."""
    return moment.astimezone(datetime.UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
