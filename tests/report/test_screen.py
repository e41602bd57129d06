"""The layout: cells, cuts, bars, tables."""

from __future__ import annotations

from mcpexpose.report.screen import Column, Paint, Painted, Screen, cells, pad, table

ASCII = Screen(encoding="ascii")


def test_wide_characters_take_two_cells_and_marks_none() -> None:
    """Names in CJK stay in their columns (C04)."""
    assert cells("票務") == 4
    assert cells("e\u0301") == 1
    assert pad("票", 4) == "票  "
    assert pad("票", 4, ">") == "  票"


def test_a_cut_text_never_exceeds_its_width() -> None:
    """A wide character that would straddle the edge is left away."""
    screen = Screen()
    for width in range(1, 9):
        assert cells(screen.fit("票務系統的查詢", width)) <= width
    assert screen.fit("abcdef", 4) == "abc…"
    assert ASCII.fit("abcdefgh", 6) == "abc..."
    assert screen.fit_start("/very/long/path.json", 10).endswith("path.json")


def test_the_bar_keeps_its_length_and_shows_any_share() -> None:
    """One token of a million is seen; nothing is seen of nothing."""
    screen = Screen()
    for share in (0.0, 0.000_001, 0.3, 0.999, 1.0):
        assert cells(screen.bar(share, 20)) == 22
        assert len(ASCII.bar(share, 20)) == 22
    assert screen.bar(0.0, 4) == "▕    ▏"
    assert screen.bar(0.000_001, 4) == "▕▏   ▏"
    assert screen.bar(1.0, 4) == "▕████▏"
    assert ASCII.bar(0.000_001, 4) == "|#   |"


def test_text_of_servers_cannot_act_on_a_terminal() -> None:
    """Escape sequences and invisible characters are printed by their names."""
    assert Screen().text("a\x1b[31mb\u200b") == "a\\e[31mb\\u{200B}"


def test_a_table_gives_way_in_the_columns_that_may() -> None:
    """Numbers and classes stay whole, texts are cut, and nothing exceeds the width."""
    columns = [Column("NAME", least=6), Column("N", ">"), Column("TEXT", least=6)]
    rows = [["a" * 30, "1,234", "t" * 40], ["b", "5", "u"]]
    for width in (40, 60, 100):
        lines = table(columns, rows, Screen(width))
        assert all(cells(line) <= width for line in lines)
        assert any("1,234" in line for line in lines)
    assert len(table(columns, rows, Screen(100))) == 3


def test_colour_changes_no_width() -> None:
    """Columns stand at the same place with and without colour."""
    columns = [Column("A"), Column("B")]
    rows = [[Painted("x", Paint.DANGER), "y"]]
    plain = table(columns, rows, Screen())
    coloured = table(columns, rows, Screen(colour=True))
    assert plain[1] == "  x  y"
    assert coloured[1] == "  \x1b[31mx\x1b[0m  y"


def test_an_encoding_without_block_characters_gets_ascii() -> None:
    """The layout itself needs nothing beyond what the receiver has."""
    assert not Screen(encoding="cp1252").blocks
    assert not Screen(encoding="no-such").blocks
    assert ASCII.text("票") == "\\u7968"


def test_long_lines_are_broken_at_blanks() -> None:
    """A word that is longer than the line stands alone, whole."""
    lines = Screen(20).wrap("one two three four five six", "- ", "  ")
    assert lines == ["- one two three four", "  five six"]
    assert Screen(10).wrap("x" * 30) == ["x" * 30]
