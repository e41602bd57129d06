"""How text of a server is shown to people."""

from __future__ import annotations

import json

import pytest

from mcpexpose.model.text import shown
from mcpexpose.report.jsonout import dump

UNSEEN = "\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u2028\u202e\u2066\u2800\u3164\ufe0f\uffa0\ufeff\U000e0041"
UNSEEN += "\U000e0100\x00\x1b\x7f\x9b"


@pytest.mark.parametrize("char", UNSEEN, ids=lambda char: f"{ord(char):04X}")
def test_what_is_drawn_as_nothing_is_written_out(char: str) -> None:
    """A name cannot look like another by a filler or a control in it, in a terminal or in JSON (law 6)."""
    assert char not in shown(f"get{char}item")
    assert shown(f"get{char}item") != shown("getitem") != shown("get item")
    written = dump(f"get{char}item")
    assert char not in written
    assert json.loads(written) == f"get{char}item"


@pytest.mark.parametrize("text", ["naïve café", "読む", "שלום", "🦄", "a|b", "–…"])
def test_what_people_read_stays(text: str) -> None:
    assert shown(text) == text
