"""Literal credentials in a host's texts, and the variables that stand in their place: no value is copied."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcpexpose.config.withhold import made
from mcpexpose.importers.values import VARIABLE
from mcpexpose.model import placeholders, secrets
from mcpexpose.model.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcpexpose.importers.tree import Path

# What an example or a cleaned file has where the credential was. It is replaced like one: it can only be one's place.
_MADE_UP = r"(?:example|redacted|removed|dummy|fake|sample|test|value|api|access|password|passwd|pass|secret|token|key)"
_STANDS_IN = re.compile(rf"{_MADE_UP}(?:[-_ ]?{_MADE_UP})*[0-9]{{0,4}}", re.IGNORECASE)
_PLACE = re.compile(
    r"://[^\s/?#:@\"'<>$]*:(?P<password>[^\s/?#\"'<>@$]{1,256})@|(?i:\b(?:bearer|basic)\s+(?P<key>[\w.-]+))"
)
_AFTER_SCHEME = re.compile(r"(?i)\b(?:bearer|basic)\s+([^\s\"'\\,;]{3,})")
_ASSIGNED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.-]{0,63}+)\\?[\"']?\s{0,3}[=:]\s{0,3}\\?[\"']?(?P<value>[\w-]{3,64}+)(?![\w.:/@-])"
)
_SHORT = re.compile(r"(?:-e|-{1,2}|--env=)?(?P<name>[A-Za-z_][\w.-]{0,63}+)=(?P<value>\S{1,8})")
_LEAST = 6
"""From so many characters on `model.secrets` finds what stands under a credential's name."""
_STEP = re.compile(r"(?<=/)(?P<step>[A-Za-z0-9_-]{32,})(?=[/?#\s\"']|$)")
_WORDS = re.compile("[a-z]{9}|(?:[A-Z][a-z]{2,}){3}")
_NO_CREDENTIAL = frozenset(
    {
        *("none", "null", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "auto", "default", "disabled"),
        *("enabled", "required", "optional"),
    }
)


def find(text: str, name: str = "") -> tuple[Secret, ...]:
    """The credentials of one text, as `model.secrets` finds them, and what stands in the place of one."""
    text = _without_doubled(text)
    return secrets.find(text, name) or (*_in_paths(text), *(_stand_ins(text, name) or _short(text, name)))


def find_in_args(args: Sequence[str]) -> tuple[tuple[Secret, ...], ...]:
    """The same for each of a command's arguments."""
    plain = [_without_doubled(arg) for arg in args]
    flags = ["", *plain]
    out = []
    for arg, found, flag in zip(plain, secrets.find_in_args(plain), flags, strict=False):
        name = flag.lstrip("-") if flag.startswith("--") and "=" not in flag and not arg.startswith("-") else ""
        out.append(found or (*_in_paths(arg), *(_stand_ins(arg, name) or _short(arg, name))))
    return tuple(out)


def is_one(name: str) -> bool:
    """Whether a name (an id, a key) has the form of a credential, as when somebody pasted into the wrong place."""
    return secrets.redact_forms(name) != name


def placeholder(text: str, name: str = "") -> str | None:
    """What of TEXT only says that something belongs there, and is kept."""
    if found := placeholders.find(text):
        return found
    after = _AFTER_SCHEME.search(text)
    if after is not None and secrets.is_placeholder(after[1]) and after[1][0] not in "${%":
        return after[1]
    value = text.strip()
    if secrets.strength_of_name(name) < 2 or not value or value.lower() in _NO_CREDENTIAL or value[0] in "${%!":
        return None
    return value if secrets.is_placeholder(value) else None


def _stand_ins(text: str, name: str) -> tuple[Secret, ...]:
    out = []
    for found in _PLACE.finditer(text):
        group = "password" if found["password"] else "key"
        if _STANDS_IN.fullmatch(found[group]):
            out.append(
                Secret("password in a url" if group == "password" else "key after its scheme", *found.span(group))
            )
    for found in _ASSIGNED.finditer(text) if not out else ():
        if secrets.strength_of_name(found["name"]) == 2 and _STANDS_IN.fullmatch(found["value"]):
            out.append(Secret(f"value of {found['name']}", *found.span("value")))
    value = text.strip()
    if not out and value and secrets.strength_of_name(name) == 2 and _STANDS_IN.fullmatch(value):
        start = text.index(value)
        out.append(Secret(f"value of {name}", start, start + len(value)))
    return tuple(out)


def _short(text: str, name: str) -> tuple[Secret, ...]:
    """A value too short to be told by its looks, under a name that only credentials have, or behind one and `=`."""
    assigned = _SHORT.fullmatch(text)
    value = assigned["value"] if assigned else text.strip()
    name = assigned["name"] if assigned else name
    if not 1 < len(value) < _LEAST or secrets.strength_of_name(name) < 2 or value[0] in "${%!/~.<":
        return ()
    if value.lower() in _NO_CREDENTIAL or secrets.is_placeholder(value):
        return ()
    start = text.rindex(value)
    return (Secret(f"value of {name}", start, start + len(value)),)


def _in_paths(text: str) -> Iterator[Secret]:
    """Long keys in the path of an address, which is then as good as a password; words written together are none."""
    for found in _STEP.finditer(text) if "://" in text else ():
        step = found["step"]
        is_mixed = any(map(str.isupper, step)) and any(map(str.islower, step)) and not _WORDS.search(step)
        if is_mixed and len(re.findall("[0-9]+", step)) > 1:
            yield Secret("key in a url", *found.span("step"))


def _without_doubled(text: str) -> str:
    """TEXT of the same length without `$$`, which is no reference in other hosts and may stand in a password."""
    return text.replace("$$", "SS")


@dataclass(slots=True)
class Variables:
    """The variables that an import names: one that holds a credential here is none that means another one there."""

    named: set[str] = field(default_factory=set)
    """Those that the files refer to by themselves."""
    _values: dict[str, str] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)

    def stand_in(self, server: str, tail: Path, literal: str, *, whole: bool) -> str:
        """The variable to set for a literal that is the text at TAIL of a server's table, or a part of that text."""
        own = str(tail[-1]) if tail[0] == "env" and whole else ""
        if own and VARIABLE.fullmatch(own) and own not in self.named and self._values.get(own, literal) == literal:
            name = own
        else:
            name = self._free(made(server, tail))
        self._values[name] = literal
        return name

    def _free(self, name: str) -> str:
        out = name
        while out in self.named or out in self._values:
            self._numbers[name] += 1
            out = f"{name}_{self._numbers[name] + 1}"
        return out


class Literals:
    """Credentials that must be shown nowhere, found in a text in one pass however many they are."""

    _HEAD = 4

    def __init__(self, literals: Iterable[str]) -> None:
        self._by_head: dict[str, list[str]] = {}
        for literal in sorted({each for each in literals if len(each) >= self._HEAD}, key=len, reverse=True):
            self._by_head.setdefault(literal[: self._HEAD], []).append(literal)

    def within(self, text: str) -> tuple[str, ...]:
        """Those that stand in TEXT, the longest first."""
        if not self._by_head:
            return ()
        heads = {text[at : at + self._HEAD] for at in range(len(text))} & self._by_head.keys()
        found = [literal for head in heads for literal in self._by_head[head] if literal in text]
        return tuple(sorted(found, key=lambda literal: (-len(literal), literal)))

    def conceal(self, text: str) -> str:
        """TEXT, of the same length, without them and without what looks like one."""
        for literal in self.within(text):
            text = text.replace(literal, "*" * len(literal))
        for secret in secrets.find(text):
            text = text[: secret.start] + "*" * (secret.end - secret.start) + text[secret.end :]
        return text
