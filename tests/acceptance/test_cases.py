"""Every acceptance case, run as its README says; the case's id is the test's id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.harness.runner import run_case

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.harness.case import Case
    from tests.acceptance.harness.checks import WrongCase
    from tests.acceptance.harness.product import Product


def test_case(
    case: Case,
    product: Product,
    wrong_cases: dict[str, WrongCase],
    tmp_path_factory: pytest.TempPathFactory,
    record_property: Callable[[str, object], None],
) -> None:
    """Everything that the case expects of what is built holds (C01 to C07, X01 to X08, F01 to F10, G01 to G17)."""
    folder: Path = tmp_path_factory.getbasetemp()
    checks = run_case(case, product, folder=folder)
    wrong = wrong_cases.get(case.id)
    excused = [failure for failure in checks.failures if wrong and wrong.excuses(failure)]
    checks.failures = [failure for failure in checks.failures if failure not in excused]
    if wrong and not excused:
        checks.that(False, "wrong_cases.toml: this case fails; it passes now, so it leaves the list", wrong.reason)
    record_property("acceptance", {"case": case.id, **checks.as_json()})
    if checks.failures:
        pytest.fail(
            f"{case.id}: {case.data.get('title', '')}\nright: {case.expect.get('right', '')}\n\n{checks.report()}",
            pytrace=False,
        )
    if wrong:
        pytest.xfail(f"the case is wrong: {wrong.reason}")
    if not checks.count:
        pytest.skip("; ".join(dict.fromkeys(reason for _, reason in checks.left_out)) or "nothing to check")
