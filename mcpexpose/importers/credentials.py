"""Literal credentials in a host's texts, and the variables that stand in their place: no value is copied."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])eyJ[A-Za-z0-9+/_-]{16,}={0,2}")
_NO_CREDENTIAL = frozenset(
    {
        *("none", "null", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "auto", "default", "disabled"),
        *("enabled", "required", "optional"),
    }
)


def find(text: str, name: str = "") -> tuple[Secret, ...]:
    """The credentials of one text, as `model.secrets` finds them, and what stands in the place of one."""
    text = _without_doubled(text)
    return secrets.find(text, name) or _further(text, name)


def find_in_args(args: Sequence[str]) -> tuple[tuple[Secret, ...], ...]:
    """The same for each of a command's arguments."""
    plain = [_without_doubled(arg) for arg in args]
    flags = ["", *plain]
    out = []
    for arg, found, flag in zip(plain, secrets.find_in_args(plain), flags, strict=False):
        name = flag.lstrip("-") if flag.startswith("--") and "=" not in flag and not arg.startswith("-") else ""
        out.append(found or _further(arg, name))
    return tuple(out)


def everywhere(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The credentials of a file's whole data with their places, whether anything comes of what holds them or not.

    A line of a file is shown with what stands beside the place that is meant, often the whole file.
    """
    texts: list[tuple[Path, str, tuple[Secret, ...]]] = []
    if isinstance(value, list):
        words = [item if isinstance(item, str) else "" for item in value]
        texts = [((*path, n), words[n], found) for n, found in enumerate(find_in_args(words)) if found]
    elif isinstance(value, dict):
        named = [(key, item) for key, item in value.items() if isinstance(item, str)]
        texts = [((*path, key), item, find(item, key)) for key, item in named]
    for place, text, found in texts:
        yield from ((place, text[each.start : each.end]) for each in found)
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(item, dict | list):
            yield from everywhere(item, (*path, step))


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


def _further(text: str, name: str) -> tuple[Secret, ...]:
    """What is a credential in a file that is copied, though no rule would say so of a config that was written here."""
    return (*_in_paths(text), *_encoded(text), *(_stand_ins(text, name) or _short(text, name)))


def _encoded(text: str) -> Iterator[Secret]:
    """Settings that somebody wrote as JSON in base64, as into an address or behind `--config`, with a credential."""
    for found in _BASE64.finditer(text):
        whole = found[0].rstrip("=")
        try:
            inside = urlsafe_b64decode(whole.replace("+", "-").replace("/", "_") + "=" * (-len(whole) % 4)).decode()
        except ValueError:
            continue
        if secrets.find(inside):
            yield Secret("credential in base64", *found.span())


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
        self._all = {each for each in literals if len(each) >= self._HEAD}
        self._lengths: dict[str, set[int]] = {}
        """By how they begin; thousands may begin alike."""
        for literal in self._all:
            self._lengths.setdefault(literal[: self._HEAD], set()).add(len(literal))

    def within(self, text: str) -> tuple[str, ...]:
        """Those that stand in TEXT, the longest first."""
        found = {text[start:end] for start, end in self._spans(text)}
        return tuple(sorted(found, key=lambda literal: (-len(literal), literal)))

    def conceal(self, text: str) -> str:
        """TEXT, of the same length, without them and without what looks like one."""
        spans = [*self._spans(text), *((each.start, each.end) for each in secrets.find(text))]
        out, last = [], 0
        for start, end in sorted(spans):
            if end > last:
                out += [text[last : max(start, last)], "*" * (end - max(start, last))]
                last = end
        return "".join([*out, text[last:]])

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for at in range(len(text) - self._HEAD + 1) if self._all else ():
            for length in self._lengths.get(text[at : at + self._HEAD], ()):
                if at + length <= len(text) and text[at : at + length] in self._all:
                    yield at, at + length
