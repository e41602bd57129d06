"""An engine: the ranking over somebody's postings. What a search room hands out, whatever it reads from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.errors import BundleRefused
from mcpexpose.search import ranking
from mcpexpose.search.analysis import name_key
from mcpexpose.search.blocks import TableDamaged

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from mcpexpose.model.answer import Ranking
    from mcpexpose.model.plan import MinMatch
    from mcpexpose.search.explain import Explainer
    from mcpexpose.search.postings import Postings

TABLE = "tools.bin"


class Engine:
    """Searches one plan; may be shared by threads. Rows are those of `plan.tools`."""

    def __init__(self, postings: Postings, min_match: MinMatch, close: Callable[[], None] | None = None) -> None:
        """MIN_MATCH is what the best match must score at least; "weak": it must not be weak."""
        self._postings = postings
        self._min_match = min_match
        self._close = close

    def search(self, query: str, limit: int | None = None, allowed: Container[int] | None = None) -> Ranking:
        """The LIMIT best of the ALLOWED rows for QUERY; None: no limit, all rows. What is allowed changes no score.

        A query that is empty or too long is refused by the ranking's reason. Raises BundleRefused where the index turns
        out to be damaged.
        """
        try:
            found = ranking.rank(query, limit, self._postings, allowed, min_match=self._min_match)
        except TableDamaged as error:
            raise damaged(TABLE) from error
        if any(hit.row >= self._postings.size for hit in found.hits):
            raise damaged(TABLE)
        return found

    def explainer(self, definitions: Sequence[Mapping[str, Any]], synonyms: Mapping[str, Sequence[str]]) -> Explainer:
        """What explains rankings. DEFINITIONS are all lines of definitions.bin, by row, SYNONYMS the plan's."""
        from mcpexpose.search.explain import Explainer

        return Explainer(self._postings, definitions, synonyms)

    def named(self, name: str) -> Sequence[int]:
        """Rows of the tools that NAME spells: name, alias or server/name, without regard to case and separators."""
        return self._postings.named(name_key(name))

    def close(self) -> None:
        """Let go of the index. Closing twice does no harm."""
        close, self._close = self._close, None
        if close is not None:
            close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def damaged(file: str) -> BundleRefused:
    """What is searched is not as it was written."""
    return refused(
        "plan-damaged", "The search index is not one that this plan was written with.", "Build the plan again.", file
    )


def refused(slug: str, message: str, advice: str, file: str) -> BundleRefused:
    """What is searched may not be read."""
    from mcpexpose.model.finding import Finding, Place, Severity

    return BundleRefused(message, (Finding(slug, Severity.ERROR, message, ("plan",), advice, Place(file)),))
