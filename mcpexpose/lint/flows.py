"""What a tool brings into a conversation or takes out of it, judged by its words: for the rule on toxic flows."""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRANGERS = _set(
    """
    web url urls website webpage internet crawl scrape browser browse rss feed feeds news tweet tweets reddit
    email emails mail gmail inbox message messages sms comment comments review reviews issue issues ticket tickets
    thread threads post posts transcript transcripts attachment attachments
    """
)
"""What anybody may have written."""
_PRIVATE = _set(
    """
    file files email emails mail gmail inbox message messages calendar contact contacts customer customers crm invoice
    invoices document documents drive database sql secret secrets password passwords credential credentials
    vault employee employees salary patient note notes account accounts payment payments order orders
    repository repositories private
    """
)
"""What is nobody else's business."""
_READS = _set("get list read fetch search find query show view download export open scrape crawl browse")
_SENDS = _set(
    """
    send post publish upload share tweet reply forward comment email mail notify invite push submit webhook message
    request
    """
)
"""Verbs by which something leaves the house."""
_MAKES = _set("create add update write")
_OUTSIDE = _set("issue comment post message email tweet page gist webhook pull request discussion reply")
"""What others read once it is made."""


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """The words of a tool's name, in lower case."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def brings_strangers_text(name: str, *, reads: bool) -> bool:
    """Whether what the tool gives may hold words of people whom nobody vouches for."""
    said = words(name)
    return reads and bool(_READS & set(said)) and bool(_STRANGERS & set(said))


def reads_private(name: str, *, reads: bool) -> bool:
    """Whether what the tool gives is not meant for everybody."""
    said = words(name)
    return reads and bool(_READS & set(said)) and bool(_PRIVATE & set(said))


def takes_out(name: str, *, changes: bool) -> bool:
    """Whether what the tool is given leaves the house."""
    said = words(name)
    if not changes or not said or said[0] in _READS:
        return False
    return bool(_SENDS & set(said[:2])) or (said[0] in _MAKES and bool(_OUTSIDE & set(said[1:])))
