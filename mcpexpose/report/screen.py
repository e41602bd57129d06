"""What a text is laid out for: width in cells, colour or none, block characters or ASCII."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEEDED = "▕█▏▌·…→–"


class Paint(StrEnum):
    """The only things that are coloured: risk and exposure. The value is the SGR code."""

    NONE = ""
    DANGER = "31"
    CARE = "33"
    NOTE = "36"
    OPEN = "1"
    CLOSED = "2"


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a text goes. The default is what a pipe gets: 100 columns, no colour."""

    width: int = 100
    colour: bool = False
    encoding: str = "utf-8"

    @property
    def blocks(self) -> bool:
        """Whether the encoding has the block characters and dashes of the layout."""
        try:
            _NEEDED.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    @property
    def dot(self) -> str:
        return "·" if self.blocks else "-"

    @property
    def dash(self) -> str:
        return "–" if self.blocks else "-"

    @property
    def more(self) -> str:
        return "…" if self.blocks else "..."

    @property
    def arrow(self) -> str:
        return "→" if self.blocks else "->"

    def text(self, raw: str) -> str:
        """RAW, which may come from a server, as it can be printed here; to be called before anything is measured."""
        return self.safe(shown(raw))

    def safe(self, text: str) -> str:
        """TEXT of ours or already shown, with what the encoding lacks as an escape."""
        try:
            return text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        except LookupError:
            return text.encode("ascii", "backslashreplace").decode("ascii")

    def paint(self, text: str, paint: Paint) -> str:
        return f"\x1b[{paint.value}m{text}\x1b[0m" if self.colour and paint is not Paint.NONE and text else text

    def fit(self, text: str, width: int) -> str:
        """TEXT in at most WIDTH cells, its end replaced by an ellipsis where it is cut."""
        if cells(text) <= width:
            return text
        room = width - len(self.more)
        if room < 1:
            return _first_cells(text, max(width, 0))
        return _first_cells(text, room).rstrip() + self.more

    def fit_start(self, text: str, width: int) -> str:
        """As `fit`, but the start gives way: for paths, of which the end tells more."""
        if cells(text) <= width or width <= len(self.more):
            return self.fit(text, width)
        return self.more + _first_cells(text[::-1], width - len(self.more))[::-1]

    def wrap(self, text: str, first: str = "", rest: str = "  ") -> list[str]:
        """TEXT broken at blanks into lines of the screen's width; a word that is too long stands alone."""
        lines: list[str] = []
        line = first
        for word in text.split(" "):
            bare = not line or line in (first, rest)
            if not bare and cells(line) + 1 + cells(word) > self.width:
                lines.append(line)
                line = rest + word
            else:
                line += word if bare else " " + word
        return [*lines, line]

    def bar(self, share: float, width: int) -> str:
        """A frame of WIDTH cells, SHARE (0 to 1) of it filled; something is seen of any share above nothing."""
        share = min(max(share, 0.0), 1.0)
        if not self.blocks:
            full = max(round(share * width), 1 if share > 0 else 0)
            return "|" + "#" * full + " " * (width - full) + "|"
        eighths = max(round(share * width * 8), 1 if share > 0 else 0)
        filled = "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
        return "▕" + filled + " " * (width - len(filled)) + "▏"


def cells(text: str) -> int:
    """Columns that TEXT takes in a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cell(char) for char in text)


def pad(text: str, width: int, align: Literal["<", ">"] = "<") -> str:
    """TEXT filled up with blanks to WIDTH cells."""
    blanks = " " * max(width - cells(text), 0)
    return text + blanks if align == "<" else blanks + text


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. One that may give way has a `least` width; 0 keeps it whole."""

    title: str
    align: Literal["<", ">"] = "<"
    least: int = 0


@dataclass(frozen=True, slots=True)
class Painted:
    """A cell with a colour."""

    text: str
    paint: Paint


Cell = str | Painted


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], screen: Screen, *, indent: int = 2, gap: int = 2
) -> list[str]:
    """Lines of a table with its head; columns that may give way do so, the last first, until it fits the width.

    Texts of ROWS are printed as they are: whoever has text of a server calls `screen.text` first.
    """
    bare = [[cell.text if isinstance(cell, Painted) else cell for cell in row] for row in rows]
    widths = [
        max([cells(column.title), *(cells(row[n]) for row in bare)], default=0) for n, column in enumerate(columns)
    ]
    excess = indent + sum(widths) + gap * (len(widths) - 1) - screen.width
    for n in reversed(range(len(columns))):
        if excess > 0 and columns[n].least:
            cut = min(excess, max(widths[n] - max(columns[n].least, cells(columns[n].title)), 0))
            widths[n] -= cut
            excess -= cut
    lines = [_row([column.title for column in columns], columns, widths, screen, indent, gap)]
    lines += [_row(row, columns, widths, screen, indent, gap) for row in rows]
    return lines


def table_with_notes(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    more: Sequence[Column],
    notes: Sequence[Sequence[str]],
    screen: Screen,
    *,
    indent: int = 2,
) -> list[str]:
    """A table with MORE columns of NOTES where all of it fits; else each row's notes stand under it, whole."""
    wide = [[*row, *note] for row, note in zip(rows, notes, strict=True)]
    if width([*columns, *more], wide, indent=indent) <= screen.width:
        return table([*columns, *more], wide, screen, indent=indent)
    return under(table(columns, rows, screen, indent=indent), ["  ".join(filter(None, note)) for note in notes], screen)


def under(lines: Sequence[str], notes: Sequence[str], screen: Screen) -> list[str]:
    """A table's LINES, its head first, with a line under each row that has a note."""
    out = list(lines[:1])
    for line, note in zip(lines[1:], notes, strict=True):
        out += [line, *(screen.wrap(note, "      ", "      ") if note else [])]
    return out


def width(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, indent: int = 2, gap: int = 2) -> int:
    """Cells that a table takes where nothing gives way."""
    lines = table(columns, rows, Screen(1_000_000), indent=indent, gap=gap)
    return max(cells(line) for line in lines)


def _row(
    row: Sequence[Cell], columns: Sequence[Column], widths: Sequence[int], screen: Screen, indent: int, gap: int
) -> str:
    out = []
    for cell, column, width in zip(row, columns, widths, strict=True):
        text, paint = (cell.text, cell.paint) if isinstance(cell, Painted) else (cell, Paint.NONE)
        padded = pad(screen.fit(text, width) if column.least else text, width, column.align)
        stripped = padded.strip()
        out.append(padded.replace(stripped, screen.paint(stripped, paint)) if paint is not Paint.NONE else padded)
    return (" " * indent + (" " * gap).join(out)).rstrip()


def _cell(char: str) -> int:
    if char < "\x7f":
        return 1
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _first_cells(text: str, width: int) -> str:
    used = 0
    for n, char in enumerate(text):
        used += _cell(char)
        if used > width:
            return text[:n]
    return text
