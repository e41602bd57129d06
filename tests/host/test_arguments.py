"""Arguments as text: what is read is what was written."""

from __future__ import annotations

import pytest

from mcpexpose.host.arguments import Arguments, read
from mcpexpose.toolschema.validate import Misfit


@pytest.mark.parametrize(
    "number",
    [
        "9007199254740993.0",
        "9.007199254740993e15",
        "12345678901234567890.5",
        "-9007199254740993.0",
        "1234567890123456789E1",
    ],
)
def test_a_number_that_a_float_would_round_is_refused(number: str) -> None:
    """No number is changed on the way (G06): an id that is written as a fraction would be another one."""
    found = read(f'{{"id": {number}}}', 100_000)
    assert isinstance(found, Misfit)
    assert "digits" in found.wanted
    assert number not in found.wanted


@pytest.mark.parametrize(
    "number",
    ["9007199254740993", "9007199254740992.0", "1e23", "1.5e300", "9007199254740994.0", "0.1", "5e-324", "1.10"],
)
def test_a_number_that_keeps_its_digits_is_taken(number: str) -> None:
    found = read(f'{{"id": {number}}}', 100_000)
    assert isinstance(found, Arguments)
    assert found.value["id"] == (int(number) if number.isdigit() else float(number))
