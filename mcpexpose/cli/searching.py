"""What `mcpexpose search` tells an operator: the ranking, how it came about, and what kept a tool from it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcpexpose.host import finder
from mcpexpose.model.finding import Place
from mcpexpose.model.policy import PolicyState
from mcpexpose.report.preview import because_text
from mcpexpose.report.search import Found, SearchReport
from mcpexpose.report.search_explain import Explained, TakenOut, reach_reason
from mcpexpose.report.why_not import WhyNot
from mcpexpose.search import kinship
from mcpexpose.search.analysis import terms
from mcpexpose.search.postings import POSTINGS
from mcpexpose.search.ranking import RESCORED, weak_under
from mcpexpose.search.versions import ANALYZER_VERSION, RANKING_VERSION
from mcpexpose.surface.request import first_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import Hit, Ranking
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import ToolDecision
    from mcpexpose.search.explain import Explainer, Explanation
    from mcpexpose.workspace import Workspace


class Search:
    """One query of one plan, under a profile or none. WORKSPACE is the config's, where that is at hand."""

    def __init__(self, held: HostPlan, workspace: Workspace | None, query: str, profile: str | None) -> None:
        self._held = held
        self._workspace = workspace
        self._query = query
        self._profile = profile
        pool = held.rows.pool(profile)
        self._reach = finder.Reach(held.rows, pool if isinstance(pool, range) else frozenset(pool))

    def report(self, limit: int | str | None) -> SearchReport:
        """What find_tools would answer; the reason where what was asked for is refused."""
        held, query = self._held, self._query
        if reason := finder.refused_query(query, limit):
            asked = limit if isinstance(limit, int) else None
            return SearchReport(query, self._profile, asked, reason, False, 0, (), (), ())
        most = finder.effective_limit(limit, held.rows.search.limit)
        ranking = finder.rank(held, query, most, self._reach)
        declared = frozenset(first_rows(held.rows, self._profile))
        beyond = self._beyond.hits if self._beyond else ()
        return SearchReport(
            query=query,
            profile=self._profile,
            limit=most,
            reason=ranking.reason,
            weak=ranking.weak,
            total=ranking.total,
            terms=ranking.terms,
            found=tuple(self._found(hit, declared) for hit in ranking.hits),
            filtered=tuple(held.tool(hit.row) for hit in beyond),
        )

    def explained(self, report: SearchReport) -> Explained:
        """How the scores of REPORT came about, and what profile and policy took out."""
        search = self._held.plan.search
        return Explained(
            asked=self._explainer.asked(self._query),
            tools=self._held.rows.size,
            analyzer=ANALYZER_VERSION,
            ranking=RANKING_VERSION,
            weak_under=weak_under(self._held.rows.size),
            min_match=search.min_match,
            hits=tuple(self._explainer.row(self._query, one.hit.row) for one in report.found),
            by_profile=tuple(self._outside(hit.row) for hit in (self._beyond.hits if self._beyond else ())),
            by_policy=None if self._workspace is None else tuple(self._withheld(self._workspace)),
        )

    def why_not(self, tool: ToolId, report: SearchReport) -> WhyNot | None:
        """Why TOOL is not higher; None where the config at hand knows no such tool."""
        row = self._held.row(tool)
        if row is None:
            return self._not_planned(tool)
        if row in self._reach.outside:
            return self._not_reached(row)
        allowed = self._reach.allowed
        whole = self._held.engine.search(self._query, None, allowed)
        place = next((n for n, hit in enumerate(whole.hits) if hit.row == row), None)
        if place is None:
            return self._not_found(row, whole)
        if place == 0:
            return WhyNot(str(tool), "first", 1, whole.total, len(report.found))
        above = whole.hits[place - 1].row
        return WhyNot(
            tool=str(tool),
            reason="ranked" if place < len(report.found) else "beyond-limit",
            rank=place + 1,
            total=len(whole.hits),
            shown=len(report.found),
            above=str(self._held.rows.id(above)),
            own=self._explainer.row(self._query, row, kin=place < RESCORED),
            its=self._explainer.row(self._query, above, kin=place - 1 < RESCORED),
            verbs=self._explainer.asked(self._query).verbs,
            written=self._explainer.asked(self._query).written,
        )

    @cached_property
    def _beyond(self) -> Ranking | None:
        """What matches outside the profile."""
        outside = self._reach.outside
        return self._held.search(self._query, len(outside), outside) if outside else None

    @cached_property
    def _explainer(self) -> Explainer:
        definitions = [self._held.definition(row) for row in range(self._held.rows.size)]
        return self._held.engine.explainer(definitions, self._held.plan.search.synonyms)

    def _found(self, hit: Hit, declared: frozenset[int]) -> Found:
        tool = self._held.tool(hit.row)
        asked = {term: word for word in self._query.split() for term in terms(word)}
        name = frozenset(terms(f"{tool.name} {tool.alias}"))
        words = {
            place: tuple(dict.fromkeys(asked.get(term, term) for term in hit.terms if (term in name) is place))
            for place in (True, False)
        }
        fresh = self._held.freshness(tool.server).state == "fresh"
        return Found(hit, tool, hit.row in declared, fresh, words[True], words[False])

    def _outside(self, row: int) -> TakenOut:
        tool = self._held.tool(row)
        state = tool.side_effect.value
        return TakenOut(tool.server, tool.name, state, self._reason(row), "", self._explainer.row(self._query, row))

    def _reason(self, row: int) -> str:
        """Why the profile does not reach the tool of ROW."""
        profile = next(each for each in self._held.plan.profiles if each.name == self._profile)
        classes = None if profile.side_effects is None else [each.value for each in profile.side_effects]
        return reach_reason(self._held.tool(row), profile.groups, classes)

    def _withheld(self, workspace: Workspace) -> Iterable[TakenOut]:
        """Captured tools that match and are not in the plan, best first."""
        found = []
        for decision in workspace.compiled.decisions:
            if not decision.in_plan:
                explanation = self._explainer.outsider(self._query, _definition(workspace, decision))
                if explanation is not None:
                    state, why, place = _barred(workspace, decision)
                    found.append(TakenOut(decision.id.server, decision.id.name, state, why, place, explanation))
        return sorted(found, key=lambda one: (one.explanation.key, one.server, one.tool))

    def _not_planned(self, tool: ToolId) -> WhyNot | None:
        workspace = self._workspace
        if workspace is None:
            return WhyNot(str(tool), "not-in-plan")
        decision = next((each for each in workspace.compiled.decisions if each.id == tool), None)
        if decision is None:
            return None
        state, why, place = _barred(workspace, decision)
        explanation = self._explainer.outsider(self._query, _definition(workspace, decision))
        rank = self._would_be(explanation, tool)
        reason: Any = state.replace(" ", "-")
        return WhyNot(str(tool), reason, rank, own=explanation, why=why, place=place)

    def _would_be(self, explanation: Explanation | None, tool: ToolId) -> int | None:
        """Where a tool that is not in the plan would stand among those in reach; None where nothing of it matches."""
        if explanation is None:
            return None
        hits = self._held.engine.search(self._query, None, self._reach.allowed).hits
        key = (*explanation.key, *tool)
        before = [
            hit for hit in hits if (not hit.exact, not hit.covered, -hit.score, *self._held.rows.id(hit.row)) < key
        ]
        return len(before) + 1

    def _not_reached(self, row: int) -> WhyNot:
        allowed = frozenset({row, *(self._reach.allowed or ())})
        hits = self._held.engine.search(self._query, None, allowed).hits
        rank = next((n for n, hit in enumerate(hits, 1) if hit.row == row), None)
        name = str(self._held.rows.id(row))
        return WhyNot(
            name, "outside-profile", rank, len(hits), why=self._reason(row), profile=self._profile or "",
            own=None if rank is None else self._explainer.row(self._query, row),
        )  # fmt: skip

    def _not_found(self, row: int, whole: Ranking) -> WhyNot:
        name = str(self._held.rows.id(row))
        explanation = self._explainer.row(self._query, row)
        asked = self._explainer.asked(self._query)
        if explanation.shares or explanation.exact:
            if whole.reason == "below-min-match":
                bound = self._held.plan.search.min_match
                return WhyNot(name, "below-min-match", total=whole.total, own=explanation, bound=f"{bound}")
            counts = {term.term: term.tools for term in asked.terms}
            common = [(share.term, counts[share.term]) for share in explanation.shares]
            many = tuple(each for each in common if each[1] > POSTINGS)
            return WhyNot(name, "cut", total=whole.total, own=explanation, common=many, written=asked.written)
        related = tuple((one.term, kinship.words().get(one.by, one.by)) for one in explanation.related)
        words = tuple(term.term for term in asked.terms if term.parts is None)
        has = tuple(self._explainer.words_of(row))
        return WhyNot(name, "no-word", total=whole.total, terms=words, has=has, related=related, written=asked.written)


def _barred(workspace: Workspace, decision: ToolDecision) -> tuple[str, str, str]:
    """What keeps a tool out of the plan: hidden, denied or left out; the deciding key; its place."""
    if slug := decision.left_out_by:
        return "left out", slug, ""
    denied = decision.policy_state is PolicyState.DENIED
    axes = ("policy_state", "exposure") if denied else ("exposure",)
    because = next((each for axis in axes for each in decision.because if each.axis == axis), None)
    if because is None:
        return ("denied" if denied else "hidden"), "", ""
    at = workspace.locate(Place(because.file, because.path)) if because.file else None
    place = f"{at.file}:{at.line}" if at else ""
    return ("denied" if denied else "hidden"), because_text(because, decision.id), place


def _definition(workspace: Workspace, decision: ToolDecision) -> Mapping[str, Any]:
    """A captured tool as its line of definitions.bin would be."""
    server, name = decision.id
    listed = next((tool for tool in workspace.catalogs[server].tools if tool.get("name") == name), {})
    return {**listed, "server": server, "name": name, "alias": decision.alias, "description": decision.description}
