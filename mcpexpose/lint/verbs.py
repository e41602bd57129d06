"""Verbs that say what a tool does to the world, in its name or at the start of its text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

Effect = Literal["read_only", "write", "destructive"]

_DESTRUCTIVE = """
    delete remove drop destroy purge wipe erase truncate uninstall revoke terminate overwrite shred obliterate unlink
    rmdir rm evict deprovision decommission nuke kill expunge prune flush discard
"""
_WRITE = """
    create update insert write upload publish deploy post merge rename move modify edit send reply transfer pay refund
    charge purchase buy order approve reject assign invite grant rotate restore archive commit push upsert patch append
    provision install enable disable restart reboot shutdown add set put reset cancel clear replace save submit close
    reopen lock unlock block unblock ban mark withdraw subscribe unsubscribe register unregister activate deactivate
    unpublish rollback revert undo abort trash toggle trigger stop attach detach
"""
_READ = """
    get list read fetch search find show describe view lookup look query retrieve count check inspect browse explore
    download export preview compare validate verify analyze analyse summarize explain is has can scan status stat info
    help watch monitor diff estimate calculate compute detect extract parse resolve identify generate suggest recommend
    provide return
"""
EFFECTS: dict[str, Effect] = {
    **dict.fromkeys(_READ.split(), "read_only"),
    **dict.fromkeys(_WRITE.split(), "write"),
    **dict.fromkeys(_DESTRUCTIVE.split(), "destructive"),
}
_NOUNS = frozenset(
    [
        "order",
        "post",
        "commit",
        "patch",
        "move",
        "status",
        "stat",
        "info",
        "help",
        "charge",
        "query",
        "view",
        "count",
        "check",
        "kill",
        "push",
        "add",
        "set",
        "put",
        "reset",
        "clear",
        "save",
        "close",
        "lock",
        "block",
        "ban",
        "mark",
        "register",
        "rollback",
        "revert",
        "trash",
        "trigger",
        "stop",
    ]
)
"""As often no verb as one: in a name they say something only in front, in a text only before an article or its like."""
_ARTICLES = frozenset(["a", "an", "the", "this", "that", "one", "all", "any", "your", "its", "new", "or", "and"])
_MAKING = frozenset(["create", "creates", "write", "writes", "add", "adds"])
_ANSWERS = frozenset(
    ["completion", "completions", "embedding", "embeddings", "summary", "summaries", "estimate", "estimates", "preview"]
)
"""What is made for whoever asks, and kept nowhere."""
_STATES = frozenset(["status", "info", "stats", "history", "details", "log", "logs", "count", "summary", "report"])
_ACTS = """
    order post commit patch charge push move deploy upload publish install restart reboot purchase restore archive
    transfer refund
"""
_EVENTS = frozenset(_ACTS.split())
"""What happened, where one of _STATES is asked about it: `deploy_status`."""
_JOINS = frozenset(["and", "or", "then"])
_STRONGER = "create insert update upsert edit modify write replace send upload move rename"
_JOINED = frozenset([*_DESTRUCTIVE.split(), *_STRONGER.split()])
"""Verbs that say the stronger thing behind one for reading: `get_or_create`, "Reads and deletes"."""
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORDS = re.compile(r"[A-Za-z]+")
_LEADING = frozenset(
    [
        "permanently",
        "irreversibly",
        "immediately",
        "safely",
        "completely",
        "bulk",
        "batch",
        "soft",
        "this",
        "tool",
        "will",
        "can",
        "to",
        "use",
        "used",
        "allows",
        "you",
        "the",
        "and",
        "it",
    ]
)
"""What a text may begin with before its verb."""


def verb_of_name(name: str) -> tuple[str, Effect] | None:
    """The first word of a name that is a verb of a known effect, and the effect; nouns count in front only.

    `deploy_logs_get` reads: where a word for reading follows one for writing, the first was a noun.
    """
    words = [piece.lower() for piece in _PIECES.findall(name)]
    if len(words) > 1 and words[-1] in _STATES and words[0] in _EVENTS:
        return None
    verbs = [word for n, word in enumerate(words) if word in EFFECTS and (n == 0 or word not in _NOUNS)]
    if not verbs:
        return None
    first = verbs[0]
    if EFFECTS[first] == "read_only" and (stronger := _joined(words)):
        return stronger, EFFECTS[stronger]
    if EFFECTS[first] == "write" or (EFFECTS[first] == "destructive" and first != words[0]):
        first = next((verb for verb in verbs if EFFECTS[verb] == "read_only"), first)
    return first, EFFECTS[first]


def leads(name: str, verb: str) -> bool:
    """Whether VERB is the first word of a name, or joined to it by "and" or its like."""
    words = [piece.lower() for piece in _PIECES.findall(name)]
    return words[:1] == [verb] or _joined(words) == verb


def gives_an_answer(text: str) -> bool:
    """Whether what a name or the beginning of a text says is made is but the answer: "create embeddings"."""
    words = {piece.lower() for piece in _PIECES.findall(text)}
    return bool(words & _MAKING) and bool(words & _ANSWERS)


def verb_of_text(text: str) -> tuple[str, Effect] | None:
    """The verb that a text begins with, after words like "permanently", and its effect; None for another beginning."""
    words = [word.lower() for word in _WORDS.findall(text[:200])[:9]]
    for lower, after in zip(words[:8], [*words[1:], ""], strict=False):
        for form in _forms(lower):
            if form not in EFFECTS:
                continue
            if EFFECTS[form] == "read_only" and after in _JOINS and (stronger := _joined(words)):
                return stronger, EFFECTS[stronger]
            return (form, EFFECTS[form]) if form not in _NOUNS or after in _ARTICLES else None
        if lower not in _LEADING:
            return None
    return None


def _joined(words: list[str]) -> str | None:
    """The first of the stronger verbs that "and" or its like joins to the word before; None where there is none."""
    return next(
        (form for join, word in pairwise(words) if join in _JOINS for form in _forms(word) if form in _JOINED), None
    )


def _forms(word: str) -> tuple[str, ...]:
    """WORD, and what it may be the third person or the -ing form of. A past participle describes a thing."""
    forms = [word]
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    elif word.endswith("s"):
        forms += [word[:-1], word[:-2]]
    if word.endswith("ing"):
        stem = word[:-3]
        forms += [stem, stem + "e"]
    return tuple(forms)
