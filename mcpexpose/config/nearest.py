"""The nearest right name to a wrong one: letter case and separators first, then other hosts' words, then edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What hosts call it, folded; each is looked up only among the names that are possible.
_OTHERS_CALL_IT = {
    "headers": "http_headers",
    "environment": "env",
    "envs": "env",
    "envkeys": "env_vars",
    "disabled": "enabled",
    "enable": "enabled",
    "active": "enabled",
    "timeout": "tool_timeout_sec",
    "timeoutsec": "tool_timeout_sec",
    "startuptimeout": "startup_timeout_sec",
    "type": "transport",
    "serverurl": "url",
    "httpurl": "url",
    "uri": "url",
    "endpoint": "url",
    "bearertoken": "bearer_token_env_var",
    "bearertokenenv": "bearer_token_env_var",
    "token": "bearer_token_env_var",
    "include": "allow",
    "includetools": "allow",
    "availabletools": "allow",
    "allowedtools": "allow",
    "allowlist": "allow",
    "exclude": "deny",
    "excludetools": "deny",
    "deniedtools": "deny",
    "blockedtools": "deny",
    "denylist": "deny",
    "summary": "description",
    "visibility": "exposure",
    "deferloading": "exposure",
    "deferred": "exposure",
    "alwaysload": "exposure",
    "cmd": "command",
    "arguments": "args",
    "directory": "cwd",
    "workingdir": "cwd",
    "workingdirectory": "cwd",
    "tags": "groups",
    "alwaysallow": "auto_approve",
    "autoapprove": "auto_approve",
    "class": "side_effect",
    "readonly": "side_effect",
    "selected": "default_tools",
    "tools": "default_tools",
    "expires": "until",
    "slug": "rule",
    "as": "profile",
    "seesdirect": "sees",
    "declared": "sees",
    "invisible": "not_visible",
    "hidden": "not_visible",
    "neversees": "not_visible",
    "notfinds": "never_finds",
    "limit": "within",
    "maxrank": "within",
}


def fold(name: str) -> str:
    """NAME without letter case and separators."""
    return "".join(char for char in name.casefold() if char.isalnum())


def nearest(name: str, options: Iterable[str], *, aliases: bool = True) -> str | None:
    """The option that NAME was most likely meant to be; None where none is near. Ties go to the first by name.

    Without ALIASES, what other hosts call a thing is not considered.
    """
    options = sorted(options)
    folded = fold(name)
    for option in options:
        if _stem(fold(option)) == _stem(folded) and folded:
            return option
    if aliases and (other := _OTHERS_CALL_IT.get(folded)) in options:
        return other
    best = min(((distance(folded, fold(option)), option) for option in options), default=None)
    if best is None:
        return None
    score, option = best
    allowed = 0 if len(folded) < 3 else 1 if len(folded) < 6 else 2 if len(folded) < 10 else 3
    return option if score <= allowed else None


def meant(name: str, options: Iterable[str]) -> str | None:
    """The option that somebody who wrote NAME had in mind: the nearest, else one with much in common; or None."""
    from difflib import get_close_matches

    known = sorted(options)
    if (found := nearest(name, known, aliases=False)) is not None:
        return found
    by_form = {fold(option): option for option in reversed(known)}
    alike = get_close_matches(fold(name), by_form, n=1)
    return by_form[alike[0]] if alike else None


def distance(one: str, other: str) -> int:
    """Edits between two words: insert, delete, replace, or swap neighbours. Long words are compared by length alone."""
    if abs(len(one) - len(other)) > 3 or max(len(one), len(other)) > 64:
        return max(len(one), len(other))
    before: list[int] = []
    row = list(range(len(other) + 1))
    for n, left in enumerate(one, 1):
        older, before, row = before, row, [n]
        for m, right in enumerate(other, 1):
            cost = min(before[m] + 1, row[m - 1] + 1, before[m - 1] + (left != right))
            if n > 1 and m > 1 and left == other[m - 2] and one[n - 2] == right:
                cost = min(cost, older[m - 2] + 1)
            row.append(cost)
    return row[-1]


def _stem(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")
