"""Numbers, shares, ages and counts as people read them."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 error`, `2 errors`, `1,204 tools`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def share(part: float, whole: float) -> str:
    """A share in percent with one decimal; what is not nothing never reads as nothing."""
    if whole <= 0:
        return "0.0 %"
    percent = 100 * part / whole
    return "<0.1 %" if 0 < percent < 0.05 else f"{percent:.1f} %"


def age(seconds: float) -> str:
    """How long ago, in the largest unit that gives at least one: `40 s`, `12 min`, `5 h`, `9 d`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(max(seconds, 0))} s"


def span(seconds: float) -> str:
    """A length of time as a config writes it: `7d`, `36h`, `90s`."""
    for size, unit in ((604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size and seconds % size == 0:
            number = int(seconds // size)
            return f"{number * 7}d" if unit == "w" and number < 5 else f"{number}{unit}"
    return f"{seconds:g}s"


def on_the_way(warnings: int) -> str:
    """Of a preview: what lint has to say of the way to the plan; its own rules are not run there."""
    if not warnings:
        return ""
    which = "it" if warnings == 1 else "them"
    return f"{count(warnings, 'warning')} on the way to the plan: mcpexpose lint shows {which}, and what its rules find"


def names(items: list[str], limit: int = 3) -> str:
    """`a, b and 4 more`."""
    if len(items) <= limit + 1:
        return ", ".join(items)
    return f"{', '.join(items[:limit])} and {len(items) - limit} more"
