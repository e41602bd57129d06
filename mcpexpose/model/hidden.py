"""Text that a model reads and a person does not see: what kind, and how much of it; never the text itself.

Invisible characters have honest uses: joiners in Persian, Indic scripts and emoji, flags of regions, the marks that
keep punctuation in place in Hebrew and Arabic, variation selectors after emoji and ideographs. Those are let through.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

from mcpexpose.model.countries import COUNTRIES

TAG, BIDI, ZERO_WIDTH, VARIATION = "tag", "bidi", "zero-width", "variation-selector"
ANSI, CONTROL, C1, LINE = "ansi", "c0", "c1", "line-separator"

_FIRST_OF_IDEOGRAPHS, _LAST_IN_USE = "\U000e0100", "\U000e013f"
"""The selectors of ideographs, as far as a registered collection uses them; there are 240."""
_RUN = 2
"""So many in a row are a run."""
_SCATTERED = 8
"""So many single ones, each where it has no use, spell at least one hidden letter."""

_TAGS = "\U000e0000-\U000e007f"
_OVERRIDES = "\u202a-\u202e\u2066-\u2069"
_MARKS = "\u200e\u200f\u061c"
_WIDTHLESS = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
)
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPECT = re.compile(f"[{_TAGS}{_OVERRIDES}{_MARKS}{_WIDTHLESS}{_SELECTORS}]")
_FLAG = re.compile("\U0001f3f4([\U000e0061-\U000e007a]{2})[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f")
_IS_TAG = re.compile(f"[{_TAGS}]")
_IS_OVERRIDE = re.compile(f"[{_OVERRIDES}]")
_IS_MARK = re.compile(f"[{_MARKS}]")
_IS_SELECTOR = re.compile(f"[{_SELECTORS}]")
_INVISIBLE_RUN = re.compile(f"[{_MARKS}{_WIDTHLESS}{_SELECTORS}]{{{_RUN},}}")

# An escape sequence as terminals read it: CSI, OSC and its like up to their end, or ESC and one character.
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|.)?", re.DOTALL)
_C0 = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_C0_IN_NAME = re.compile("[\x00-\x1a\x1c-\x1f\x7f]")
_IS_C1 = re.compile("[\x80-\x9f]")
_IS_LINE = re.compile("[\u2028\u2029]")


def hidden_text(text: str, *, name: bool = False) -> Mapping[str, int]:
    """How many characters of each class hide something in TEXT; empty where nothing does.

    NAME: the text is an identifier or a value that a machine compares, where one invisible character is one too many.
    """
    if text.isascii() or _SUSPECT.search(text) is None:
        return {}
    plain = _FLAG.sub(_flag, text)
    found: Counter[str] = Counter()
    found[TAG] = len(_IS_TAG.findall(plain))
    found[BIDI] = len(_IS_OVERRIDE.findall(plain))
    marks_of_use = _IS_MARK.search(plain) is not None and _right_to_left(plain)
    strays: dict[int, str] = {}
    for suspect in _SUSPECT.finditer(plain):
        if (kind := _stray(plain, suspect.start(), suspect.group(), marks_of_use)) is not None:
            strays[suspect.start()] = kind
    stray = Counter(strays.values())
    runs = any(_counts(strays, run.start(), run.end()) for run in _INVISIBLE_RUN.finditer(plain))
    # Makers of documentation put one behind each heading, where it parts nothing.
    scattered = sum(plain[at : at + 2] not in ("\u200b", "\u200b\n", "\u200b\r") for at in strays)
    if runs or (name and stray) or scattered >= _SCATTERED:
        found += stray
    return {kind: count for kind, count in sorted(found.items()) if count}


def control_characters(text: str, *, name: bool = False) -> Mapping[str, int]:
    """How many characters of each class steer a terminal or break a line; empty where none does.

    Tab, line feed and carriage return are ordinary in prose, and controls in a NAME.
    """
    found: Counter[str] = Counter()
    if "\x1b" in text:
        found[ANSI] = text.count("\x1b")
        text = _ESCAPE.sub("", text)
    found[CONTROL] = len((_C0_IN_NAME if name else _C0).findall(text))
    if not text.isascii():
        found[C1] = len(_IS_C1.findall(text))
        if name:
            found[LINE] = len(_IS_LINE.findall(text))
    return {kind: count for kind, count in sorted(found.items()) if count}


def _flag(match: re.Match[str]) -> str:
    """The flag of a region without its letters; all of what is shaped like one and belongs to no country."""
    country = "".join(chr(ord(tag) - 0xE0000) for tag in match[1])
    return "\U0001f3f4" if country in COUNTRIES else match[0]


def _stray(text: str, at: int, char: str, marks_of_use: bool) -> str | None:
    """The class of a suspect character that has no use where it stands; None for every other."""
    if _IS_TAG.match(char) or _IS_OVERRIDE.match(char):
        return None
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if _IS_SELECTOR.match(char):
        return None if _takes_selector(before, char) else VARIATION
    if _IS_MARK.match(char):
        return None if marks_of_use else ZERO_WIDTH
    if char == "\u200d" and _joins_emoji(text, at):
        return None
    if char in "\u200c\u200d" and _joining(before):
        return None
    if char in "\u200b\u2060\u00ad\u034f\u17b4\u17b5\u180e" and (_without_spaces(before) or _without_spaces(after)):
        return None
    if char in "\u1160\u115f\u3164\uffa0" and (_hangul(before) or _hangul(after)):
        return None
    if char == "\ufeff" and at == 0:
        return None
    return ZERO_WIDTH


def _counts(strays: Mapping[int, str], start: int, end: int) -> bool:
    """Whether a run of invisible characters hides something: more than one of it has no use."""
    return end - start > 3 or sum(at in strays for at in range(start, end)) >= _RUN


def _takes_selector(before: str, selector: str) -> bool:
    """Whether SELECTOR has a use behind BEFORE. Behind any other base than its own kind has it is a hidden byte."""
    if not before or _IS_SELECTOR.match(before):
        return False
    kind = unicodedata.category(before)
    if selector in "\ufe0e\ufe0f":  # text or emoji presentation
        return before in "#*0123456789\u00a9\u00ae\u200d\u2139" or kind in ("So", "Sm", "Sk", "Po", "Pd")
    if selector >= _FIRST_OF_IDEOGRAPHS:
        return selector <= _LAST_IN_USE and _ideograph(before)
    # Forms of mathematical signs, of punctuation and letters of East Asia, Mongolian, Myanmar, Phags-pa.
    return before == "0" or (kind in ("Lo", "Lu", "Sm", "Nl") and before > "\u2000") or _without_spaces(before)


def _joins_emoji(text: str, at: int) -> bool:
    before = at - 1
    while before >= 0 and (text[before] in "\ufe0f\u20e3" or "\U0001f3fb" <= text[before] <= "\U0001f3ff"):
        before -= 1
    after = text[at + 1 : at + 2]
    return before >= 0 and _emoji(text[before]) and bool(after) and _emoji(after)


def _emoji(char: str) -> bool:
    return char >= "\u2190" and unicodedata.category(char) in ("So", "Sm", "Sk", "Cn")


def _joining(char: str) -> bool:
    """Whether a joiner may follow: a letter, sign or mark of a script that joins its letters."""
    if not char or not (unicodedata.category(char)[0] in "LM" or char in "\u200c\u200d"):
        return False
    return (
        "\u0600" <= char <= "\u08ff"
        or "\u0900" <= char <= "\u109f"
        or "\u1700" <= char <= "\u1c4f"
        or ("\ua800" <= char <= "\uabff" or "\ufb50" <= char <= "\ufeff" or "\U00010a00" <= char <= "\U00011fff")
    )


def _without_spaces(char: str) -> bool:
    """Whether CHAR is of a script that writes words without spaces, and marks where a line may break."""
    return bool(char) and (
        "\u0e00" <= char <= "\u0eff"
        or "\u0f00" <= char <= "\u109f"
        or "\u1780" <= char <= "\u18af"
        or "\u1950" <= char <= "\u1aaf"
        or "\u2e80" <= char <= "\ua4cf"
        or "\uf900" <= char <= "\ufaff"
        or "\uff00" <= char <= "\uffef"
    )


def _ideograph(char: str) -> bool:
    return unicodedata.name(char, "").startswith("CJK ")


def _hangul(char: str) -> bool:
    return (
        bool(char)
        and char not in "\u115f\u1160\u3164"
        and ("\u1100" <= char <= "\u11ff" or "\u3130" <= char <= "\u318f" or "\uac00" <= char <= "\ud7ff")
    )


def _right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in ("R", "AL") and char not in _MARKS for char in text)
