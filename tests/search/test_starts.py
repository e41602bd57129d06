"""Spellings are passed over by how they begin, and only those that are no word of the index."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcpexpose.search import query
from mcpexpose.search.lexicon import IRREGULAR, KEPT
from mcpexpose.search.stemming import start, starts, stem

ENDS = re.findall(
    r"\w+",
    "s es ies ied ed ing ings tion tions sion ion ation ations ator ate ates ated ment ments mented ification ization"
    " ise ised ize e y ie oll ell olled ifying uses ches shes xes sses zzes oes pping",
)
ROOTS = st.text("abcdefghilmnoprstuvwxyz", min_size=1, max_size=7) | st.sampled_from(sorted({*IRREGULAR, *KEPT}))
WORDS = st.builds(lambda root, ends: root + "".join(ends), ROOTS, st.lists(st.sampled_from(ENDS), max_size=3))


@pytest.mark.slow
@settings(max_examples=1_500, deadline=None)
@given(WORDS)
@example("flies")
@example("foxes")
@example("qzzes")
@example("ifications")
def test_no_start_tells_a_word_to_be_none_that_is_one(word: str) -> None:
    """Whatever its stem is, an index that has the stem has the start (C08)."""
    begin = start(word)
    assert not begin or begin in starts([stem(word)])


class Index:
    """A few words, with the starts or without."""

    def __init__(self, words: set[str], begins: bool) -> None:
        self.terms = {stem(word) for word in words}
        self.known = starts(self.terms) if begins else None

    def __contains__(self, term: object) -> bool:
        return term in self.terms

    def begins(self, start: str) -> bool:
        return self.known is None or start in self.known


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(words=st.sets(WORDS, min_size=1, max_size=8), at=st.integers(0, 9), letter=st.sampled_from("aeiou"))
def test_words_are_mended_as_without_starts(words: set[str], at: int, letter: str) -> None:
    """One letter more, one less, another one: the same mending (C08)."""
    for word in words:
        for typed in (word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :]):
            asked = [query.parse(typed, Index(words, begins)) for begins in (True, False)]
            assert asked[0] == asked[1]
