"""How old a catalog may be."""

from __future__ import annotations

import datetime

import pytest

from mcpexpose.catalog import freshness
from mcpexpose.model.catalog import Catalog
from mcpexpose.model.finding import Place, Severity
from mcpexpose.model.freshness import judge, parse_stamp, stamp_of

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
DAY = 86_400.0


@pytest.mark.parametrize(
    ("stamp", "ttl_ms", "max_age_s", "state", "reason"),
    [
        ("2026-11-30T11:00:00Z", None, None, "fresh", ""),
        ("2026-11-30T11:00:00Z", None, 3600.0, "fresh", ""),
        ("2026-11-30T10:59:59Z", None, 3600.0, "expired", "max-age"),
        ("2026-11-30T13:59:59+03:00", None, 3600.0, "expired", "max-age"),
        ("2026-11-30T07:00:00-05:00", None, 1.0, "fresh", ""),
        ("2026-11-30T11:59:00Z", 60_000, None, "fresh", ""),
        ("2026-11-30T11:58:59Z", 60_000, None, "expired", "ttl"),
        ("2020-01-01T00:00:00Z", 0, None, "fresh", ""),
        ("2020-01-01T00:00:00Z", 10**4000, None, "fresh", ""),
        ("2026-11-30T12:05:00Z", None, None, "fresh", ""),
        ("2026-11-30T12:05:01Z", None, None, "stale", "future"),
        ("2031-01-01T00:00:00Z", None, DAY, "stale", "future"),
        (None, None, None, "fresh", ""),
        (None, None, DAY, "expired", "no-stamp"),
        ("null", None, None, "stale", "bad-stamp"),
        ("1764500000", None, None, "stale", "bad-stamp"),
        ("2026-13-40T99:00:00Z", None, None, "stale", "bad-stamp"),
        ("2026-11-30T11:00:00", None, None, "stale", "bad-stamp"),
        ("2026-11-30", None, None, "stale", "bad-stamp"),
        ("0001-01-01T00:00:00+23:59", None, None, "stale", "bad-stamp"),
        ("9999-12-31T23:59:59-01:00", None, None, "stale", "bad-stamp"),
    ],
)
def test_each_stamp_is_judged_as_the_table_says(
    stamp: str | None, ttl_ms: int | None, max_age_s: float | None, state: str, reason: str
) -> None:
    """G14: beyond its limit, or with a stamp that cannot be right, a catalog is not fresh."""
    found = judge(stamp, ttl_ms, max_age_s, NOW)
    assert (found.state, found.reason) == (state, reason)
    assert found.age_s is None or found.age_s >= 0


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-11-30t12:00:00z", "2026-11-30T12:00:00Z"),
        ("2026-11-30T12:00:00.123456789Z", "2026-11-30T12:00:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("2026-11-30T12:00:00+05:30", "2026-11-30T06:30:00Z"),
        ("２０２６-11-30T12:00:00Z", None),
        ("2026-11-30T12:00:00+24:00", None),
        ("2026-11-30T12:00:00Z\n", None),
        ("2026-02-29T00:00:00Z", None),
    ],
)
def test_stamps_are_rfc_3339(text: str, utc: str | None) -> None:
    moment = parse_stamp(text)
    assert (stamp_of(moment) if moment else None) == utc


def catalog(stamp: str | None, ttl_ms: int | None = None) -> Catalog:
    return Catalog("f", (), file="catalogs/f.json", captured_at=stamp, ttl_ms=ttl_ms)


def test_a_stamp_of_the_future_is_an_error_and_no_negative_age_is_printed() -> None:
    """freshness-1"""
    (finding,) = freshness.findings({"f": catalog("2031-01-01T00:00:00Z")}, DAY, NOW)
    assert (finding.slug, finding.severity) == ("catalog-from-future", Severity.ERROR)
    assert finding.subjects == ("f",)
    assert finding.place == Place("catalogs/f.json", ("captured_at",))
    assert " -" not in finding.message


@pytest.mark.parametrize(
    ("one", "max_age_s", "said"),
    [
        (catalog("2026-11-21T12:00:00Z"), 7 * DAY, ("9 d", "7 d")),
        (catalog("2026-11-30T11:00:00Z", 600_000), None, ("60 min", "10 min")),
        (catalog("2026-11-23T11:59:59Z"), 7 * DAY, ("7 d and 1 s old", "max_age is 7 d")),
        (catalog("2026-11-30T11:59:59.5Z"), 0, ("0 s and less than a second old",)),
        (catalog(None), DAY, ("max_age",)),
    ],
)
def test_an_old_catalog_is_a_warning_that_says_how_old(
    one: Catalog, max_age_s: float | None, said: tuple[str, ...]
) -> None:
    """stale-catalog: older than max_age, or than the server's own ttl."""
    (finding,) = freshness.findings({"f": one}, max_age_s, NOW)
    assert (finding.slug, finding.severity) == ("stale-catalog", Severity.WARNING)
    assert all(word in finding.message for word in said)
    assert "mcpexpose capture f" in finding.advice


def test_what_is_fresh_or_unreadable_is_not_said_here() -> None:
    """An unreadable stamp is the store's finding; nothing is said twice."""
    assert freshness.findings({"a": catalog("2026-11-30T11:00:00Z"), "b": catalog("null")}, DAY, NOW) == ()
