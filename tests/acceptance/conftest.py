"""Options, the cases as tests, and the summary of what was checked and what was left out."""

from __future__ import annotations

import collections
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.harness.case import SHIPPED_CASES, read_cases
from tests.acceptance.harness.checks import WrongCase
from tests.acceptance.harness.product import Product

if TYPE_CHECKING:
    from collections.abc import Iterator

FURTHER = Path(__file__).with_name("further")
"""Siblings of the cases, with other inputs. They are many, so only `-m slow` runs them."""
WRONG = Path(__file__).with_name("wrong_cases.toml")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("acceptance")
    group.addoption("--cases", type=Path, help="A folder of acceptance cases, in place of the project's own.")
    group.addoption("--subprocess", action="store_true", help="Run every command in a fresh interpreter.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" not in metafunc.fixturenames:
        return
    given = metafunc.config.getoption("--cases")
    cases = [pytest.param(case, id=case.id) for case in read_cases(given.resolve() if given else SHIPPED_CASES)]
    if not given:
        cases += [pytest.param(case, id=case.id, marks=pytest.mark.slow) for case in read_cases(FURTHER)]
    metafunc.parametrize("case", cases)


@pytest.fixture(scope="session")
def wrong_cases() -> dict[str, WrongCase]:
    """By case id, what we hold to be wrong in it."""
    entries = tomllib.loads(WRONG.read_text("utf-8")).get("case", [])
    return {entry["id"]: WrongCase(entry["reason"], tuple(entry["expectations"])) for entry in entries}


@pytest.fixture(scope="session")
def product(request: pytest.FixtureRequest) -> Iterator[Product]:
    """The product's commands; forked from one process unless `--subprocess`."""
    runner = Product(forked=not request.config.getoption("--subprocess"))
    yield runner
    runner.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many cases ran, how many checks, and what was left out, with reasons."""
    records = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "acceptance":
                    records[value["case"]] = value
    if not records:
        return
    ran = [record for record in records.values() if record["checks"]]
    checks = sum(record["checks"] for record in ran)
    failed = sum(len(record["failed"]) for record in ran)
    terminalreporter.section("acceptance")
    terminalreporter.write_line(
        f"{len(ran)} of {len(records)} cases ran: {checks:,} checks, {failed} failed; "
        f"{len(records) - len(ran)} cases left out whole"
    )
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for record in records.values():
        for reason in dict.fromkeys(reason for _, reason in record["left_out"]):
            reasons[reason].append(record["case"])
    for reason, cases in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        terminalreporter.write_line(f"left out in {len(cases)} cases: {reason} ({', '.join(sorted(cases))})")
