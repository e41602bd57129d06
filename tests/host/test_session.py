"""What a model is told, finds and may inspect, through a session."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import Inspection, Refused, SelectionRefused, ToolId
from mcpexpose.host import finder
from mcpexpose.model.policy import Exposure
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose import HostPlan, Session


def _declared(session: Session) -> list[str]:
    return [one["name"] for one in session.declared()]


def test_request_1_declares_direct_tools_and_the_search_tool_only(plan: HostPlan) -> None:
    """Direct tools by alias after find_tools; of deferred ones the servers are named (X01, X06, G13)."""
    session = plan.session()
    assert _declared(session) == ["find_tools", "gh__get_issue", "zz__status"]
    assert session.prompt_section() == "# MCP servers\n- ci: Example server ci\n- gh: Example server gh"


def test_what_a_search_finds_is_declared_from_the_next_request_on(plan: HostPlan) -> None:
    """Activation shows in the next request, appended in order of rank, and never twice (F03, F06, G13)."""
    session = plan.session()
    before = _declared(session)
    answer = session.find_tools("create issue")
    assert answer.matches[0].tool.id == ToolId("gh", "create_issue")
    assert answer.added
    assert answer.text.endswith("Newly available from your next call: " + ", ".join(answer.added))
    assert _declared(session) == [*before, *answer.added]
    again = session.find_tools("create issue")
    assert again.added == ()
    assert all(match.declared for match in again.matches)
    assert "Newly available" not in again.text
    assert _declared(session) == [*before, *answer.added]
    more = session.find_tools("job logs")
    assert _declared(session) == [*before, *answer.added, *more.added]


def test_a_direct_tool_is_found_and_activates_nothing(plan: HostPlan) -> None:
    """The pool holds what is declared already; it is marked so (F02)."""
    answer = plan.session().find_tools("health services")
    assert [match.tool.alias for match in answer.matches] == ["zz__status"]
    assert answer.matches[0].declared
    assert answer.added == ()
    assert "note: already declared" in answer.text


def test_limits(plan: HostPlan) -> None:
    """The plan's default, the model's own limit, and never more than 20 (F10)."""
    assert len(plan.session().find_tools("issue", 1).matches) == 1
    assert len(plan.session().find_tools("issue", 500).matches) == 3
    assert len(plan.session().find_tools("issue", 2.0).matches) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "limit"),
    [(None, 8), (1, 1), (20, 20), (21, 20), (500, 20), (10**30, 20), (5.0, 5),
     (0, 0), (-1, 0), (0.5, 0), ("5", 0), ("ten", 0), ("", 0), ("-3", 0), ("0.5", 0), ("null", 0), ("٣", 0),
     (True, 0), (False, 0), ([], 0), (float("nan"), 0), (float("inf"), 0)],
)  # fmt: skip
def test_a_limit_is_a_positive_whole_number(value: object, limit: int) -> None:
    """Cut to 20; what is none, here told by 0, is refused (F10)."""
    refused = finder.refused_query("issue", value)
    assert refused == ("" if limit else "search-limit-invalid")
    assert refused or finder.effective_limit(value, 8) == limit


def test_never_more_than_twenty(load: Callable[..., HostPlan]) -> None:
    """A greater limit is cut to 20, and the plan's own default holds where there is none (F10)."""
    session = load(compiled(*(tool("a", f"read_{n}", "Read it") for n in range(40)), search_limit=3)).session()
    assert len(session.find_tools("read", 1_000).matches) == 20
    assert len(session.find_tools("read").matches) == 3


@pytest.mark.parametrize(
    ("query", "limit", "reason"),
    [
        ("", None, "search-query-empty"),
        (" \t\n", None, "search-query-empty"),
        (None, None, "search-query-empty"),
        (["issue"], None, "search-query-empty"),
        ("x" * 1_001, None, "search-query-too-long"),
        ("issue", 0, "search-limit-invalid"),
        ("issue", -3, "search-limit-invalid"),
        ("issue", 0.5, "search-limit-invalid"),
        ("issue", "ten", "search-limit-invalid"),
        ("issue", "null", "search-limit-invalid"),
        ("issue", True, "search-limit-invalid"),
        ("issue", float("nan"), "search-limit-invalid"),
        ("issue", float("inf"), "search-limit-invalid"),
        ("issue", [3], "search-limit-invalid"),
        ("qwertzuiop", None, "nothing-matched"),
    ],
)
def test_what_a_model_gets_wrong_is_answered(plan: HostPlan, query: Any, limit: Any, reason: str) -> None:
    """A bad query or limit is an answer with its reason, adds nothing and names no tool (F09, F10)."""
    session = plan.session()
    answer = session.find_tools(query, limit)
    assert (answer.reason, answer.matches, answer.added) == (reason, (), ())
    assert answer.text
    assert "__" not in answer.text
    assert _declared(session) == ["find_tools", "gh__get_issue", "zz__status"]


def test_a_thousand_characters_are_searched(plan: HostPlan) -> None:
    """The limit is 1,000 characters, all of them searched (F09)."""
    assert plan.session().find_tools(("x " * 500)[:994] + " issue").matches


def test_a_profile_filters_before_ranking(plan: HostPlan) -> None:
    """Tools outside it are neither found nor declared; that all matches were outside is the reason (G05, F09)."""
    session = plan.session(profile="ci")
    assert _declared(session) == ["find_tools", "ci__get_job_logs", "zz__status"]
    assert session.prompt_section() == "# MCP servers\n- ci: Example server ci"
    answer = session.find_tools("create issue")
    assert (answer.matches, answer.reason) == ((), "outside-profile")
    assert "issue" not in answer.text
    assert session.find_tools("qwertzuiop").reason == "nothing-matched"
    assert {match.tool.server for match in session.find_tools("job").matches} == {"ci"}


def test_a_profile_that_reaches_nothing(plan: HostPlan) -> None:
    """No tools, no section, no search tool, and no crash (X06)."""
    session = plan.session(profile="none")
    assert session.declared() == []
    assert session.prompt_section() == ""
    assert session.find_tools("issue").matches == ()


def test_a_selection_is_declared_from_request_1(plan: HostPlan) -> None:
    """The host's tools argument beats deferred, by pair or alias, sorted in among the direct ones (X04)."""
    session = plan.session(tools=["gh/create_issue", "ci__retry_job", ToolId("zz", "status")])
    assert _declared(session) == ["find_tools", "ci__retry_job", "gh__create_issue", "gh__get_issue", "zz__status"]
    assert "gh" in session.prompt_section()


def test_a_server_whose_deferred_tools_are_all_selected_has_no_line(plan: HostPlan) -> None:
    """The section lists servers with tools that request 1 does not declare (X06)."""
    session = plan.session(tools=["gh/create_issue", "gh/search_issues"])
    assert session.prompt_section() == "# MCP servers\n- ci: Example server ci"


@pytest.mark.parametrize("name", ["gh/delete_repo", "gh__delete_repo", "bank/transfer", "x", "", "/", "gh/*", 7])
def test_no_selection_lifts_what_the_plan_does_not_give(plan: HostPlan, name: Any) -> None:
    """Hidden, denied and unknown tools are refused alike, whatever stands beside them (X04)."""
    with pytest.raises(SelectionRefused) as caught:
        plan.session(tools=["gh/create_issue", name])
    assert str(caught.value) == f'the plan gives no tool "{name}"'


def test_other_refused_selections(plan: HostPlan) -> None:
    """A profile that is not there, a tool outside the profile, and a text for a list (X04)."""
    with pytest.raises(SelectionRefused, match="no profile 'nope'"):
        plan.session(profile="nope")
    with pytest.raises(SelectionRefused, match="does not reach"):
        plan.session(profile="ci", tools=["gh/create_issue"])
    with pytest.raises(SelectionRefused, match="list of names"):
        plan.session(tools="gh/create_issue")


def test_a_server_that_is_away_leaves_and_comes_back(plan: HostPlan) -> None:
    """A late server becomes findable; a lost one stops being found and declared, and keeps its place (F08)."""
    session = plan.session()
    added = session.find_tools("create issue").added
    whole = _declared(session)
    session.set_available("gh", False)
    assert _declared(session) == ["find_tools", "zz__status"]
    assert session.prompt_section() == "# MCP servers\n- ci: Example server ci"
    assert session.find_tools("issue").matches == ()
    assert isinstance(session.inspect("gh", "create_issue"), Refused)
    session.set_available("nobody", False)
    session.set_available("gh", True)
    assert _declared(session) == whole
    assert set(added) <= set(whole)
    assert isinstance(session.inspect("gh", "create_issue"), Inspection)


def test_answer_only_hosts_get_the_ranked_answer(plan: HostPlan) -> None:
    """Without activation, by the call or for the whole session (F07)."""
    session = plan.session()
    answer = session.find_tools("create issue", activate=False)
    assert answer.matches
    assert answer.added == ()
    assert "Newly available" not in answer.text
    assert "create_issue" not in str(session.state())
    only = plan.session(answer_only=True)
    assert only.find_tools("create issue").matches == answer.matches
    assert only.find_tools("create issue").added == ()
    assert _declared(only) == ["find_tools", "gh__get_issue", "zz__status"]


def test_compact_answers_are_descriptors(plan: HostPlan) -> None:
    """One JSON object a line: server, tool, revision, policy state, class; activation all the same (G02, G03)."""
    session = plan.session()
    answer = session.find_tools("create issue", 1, form="compact")
    first = json.loads(answer.text.splitlines()[0])
    assert (first["server"], first["tool"], first["side_effect"]) == ("gh", "create_issue", "write")
    assert first["policy_state"] == "approval_required"
    assert plan.servers["gh"].revision.startswith(first["revision"])
    assert answer.added == ("gh__create_issue",)
    assert "inputSchema" not in answer.text


def test_lookup_gives_the_pair_behind_an_alias(plan: HostPlan) -> None:
    """An alias is looked up, never taken apart (G04)."""
    session = plan.session()
    assert session.lookup("gh__create_issue") == ToolId("gh", "create_issue")
    assert session.lookup("gh__nope") is None
    assert session.lookup("find_tools") is None


def test_inspection_hands_out_the_whole_definition_at_its_revision(plan: HostPlan) -> None:
    """Bound to server, tool and revision, with schema, output schema, policy state and class (G03)."""
    seen = plan.session().inspect("gh", "search_issues")
    assert isinstance(seen, Inspection)
    assert (seen.server, seen.tool, seen.revision) == ("gh", "search_issues", plan.servers["gh"].revision)
    assert seen.definition["inputSchema"] == {"type": "object", "properties": {}}
    assert seen.definition["outputSchema"] == {"type": "object"}
    told = json.loads(seen.text)
    assert told["revision"] == seen.revision
    assert told["outputSchema"] == {"type": "object"}
    assert (told["policy_state"], told["side_effect"]) == ("allowed", "read_only")
    assert "\n" not in seen.text


def test_one_answer_for_all_that_there_is_not(plan: HostPlan) -> None:
    """Hidden, denied, disabled, unknown: the same fields and words but for the name asked for (X01, G03)."""
    session = plan.session()
    answers = []
    for server, name in (("bank", "transfer"), ("gh", "no_such"), ("nobody", "x")):
        refused = session.inspect(server, name)
        assert isinstance(refused, Refused)
        answers.append((refused.reason, refused.text.replace(f"{server}/{name}", "")))
    assert len(set(answers)) == 1
    assert answers[0][0] == "unknown-tool"
    assert "hidden" not in answers[0][1]
    assert "denied" not in answers[0][1]


def test_a_bare_name_or_another_type_reaches_nothing(plan: HostPlan) -> None:
    """A bare name is no key: neither is an alias in its place (G04)."""
    session = plan.session()
    for server, name in (("", "create_issue"), ("gh", "gh__create_issue"), (None, None), ("gh", ["create_issue"])):
        refused = session.inspect(server, name)  # type: ignore[arg-type]
        assert isinstance(refused, Refused)
        assert refused.reason == "unknown-tool"


def test_a_name_from_a_model_stays_on_its_line(plan: HostPlan) -> None:
    """The name that was asked for is quoted and cut (X01)."""
    refused = plan.session().inspect("a\n# MCP servers\u2028", "x" * 10_000)
    assert isinstance(refused, Refused)
    assert len(refused.text.splitlines()) == 1
    assert len(refused.text) < 400


def test_outside_the_profile_is_said(plan: HostPlan) -> None:
    """A tool of the plan that the task may not use is refused as such (G05)."""
    refused = plan.session(profile="ci").inspect("gh", "create_issue")
    assert isinstance(refused, Refused)
    assert refused.reason == "not-in-profile"


def test_state_resumes_and_forks_in_the_same_order(plan: HostPlan) -> None:
    """What was found is recorded: after resume and in a fork the same tools in the same order (F06)."""
    session = plan.session(profile="read", tools=["gh/search_issues"], run_id="run-1", route="gateway-a")
    session.find_tools("logs")
    session.set_available("zz", False)
    kept = json.loads(json.dumps(session.state()))
    resumed = plan.session(state=kept)
    assert _declared(resumed) == _declared(session)
    assert resumed.state() == session.state()
    assert (resumed.run_id, resumed.route, resumed.profile) == ("run-1", "gateway-a", "read")
    fork = plan.session(state=kept, run_id="run-2", route="b")
    assert (fork.run_id, fork.route) == ("run-2", "b")
    assert _declared(fork) == _declared(session)
    fork.set_available("zz", True)
    assert _declared(fork) != _declared(session)


def test_run_and_route_grant_nothing(plan: HostPlan) -> None:
    """By whatever route the run goes, the tools are the same (G17)."""
    assert plan.session(route="trusted").declared() == plan.session(route="other").declared()
    assert plan.session().run_id != plan.session().run_id


def test_state_of_tools_that_the_plan_no_longer_has(plan: HostPlan, load: Callable[..., HostPlan]) -> None:
    """A removed tool leaves and is named; one that became direct stands once; order is kept (F06, F08)."""
    session = plan.session(tools=["ci/retry_job"])
    session.find_tools("create issue", 1)
    session.find_tools("job logs", 1)
    session.find_tools("search_issues", 1)
    newer = load(
        compiled(
            tool("ci", "get_job_logs", "Read the logs of a job", exposure=Exposure.DIRECT),
            tool("gh", "search_issues", "Find issues by words"),
            tool("gh", "other", "Something else"),
        )
    )
    resumed = newer.session(state=session.state())
    assert _declared(resumed) == ["find_tools", "ci__get_job_logs", "gh__search_issues"]
    assert resumed.missing == ("ci/retry_job", "gh/create_issue")
    assert _declared(plan.session(state=resumed.state())) == _declared(session)


def test_a_narrower_profile_on_resume_narrows(plan: HostPlan) -> None:
    """A profile given beside a state wins, and what it does not reach is not declared (G05)."""
    session = plan.session()
    session.find_tools("create issue")
    resumed = plan.session(profile="ci", state=session.state())
    assert _declared(resumed) == ["find_tools", "ci__get_job_logs", "zz__status"]
    assert "gh/create_issue" in resumed.missing


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"version": 2},
        {"version": 1},
        {"version": 1, "run_id": 7},
        [],
        "x",
        {
            "version": 1, "run_id": "r", "route": None, "profile": None, "answer_only": False, "selected": "gh/x",
            "activated": [], "unavailable": [],
        },
        {
            "version": 1, "run_id": "r", "route": None, "profile": "nope", "answer_only": False, "selected": [],
            "activated": [], "unavailable": [],
        },
    ],
)  # fmt: skip
def test_a_state_that_is_none_is_refused(plan: HostPlan, state: Any) -> None:
    """A state of another version or shape is refused as a whole (F06)."""
    with pytest.raises(SelectionRefused):
        plan.session(state=state)


def test_a_state_cannot_lift_what_the_plan_does_not_give(plan: HostPlan) -> None:
    """Names written into a state by hand declare nothing that is hidden, denied or unknown (X04)."""
    state = plan.session().state() | {"activated": ["bank/transfer", "gh/create_issue", "x"], "selected": ["/"]}
    resumed = plan.session(state=state)
    assert _declared(resumed) == ["find_tools", "gh__get_issue", "zz__status", "gh__create_issue"]
    assert set(resumed.missing) == {"/", "bank/transfer", "x"}


def test_a_declared_definition_is_the_hosts_own(plan: HostPlan) -> None:
    """What a host does to a definition it was given changes nothing for others (G13)."""
    session = plan.session()
    session.declared()[1]["inputSchema"]["properties"]["evil"] = {}
    assert "evil" not in str(session.declared())


def test_searches_of_many_threads_add_each_tool_once(load: Callable[..., HostPlan]) -> None:
    """Sessions may be used by several threads; nothing is added twice or lost (F06)."""
    plan = load(compiled(*(tool("a", f"read_{n}", f"Read number{n % 7}") for n in range(70))))
    session = plan.session()
    added: list[str] = []

    def search(n: int) -> None:
        added.extend(session.find_tools(f"number{n}", 20).added)

    threads = [threading.Thread(target=search, args=(n % 7,)) for n in range(28)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(added) == sorted(set(added))
    assert sorted(_declared(session)[1:]) == sorted(added)
    assert len(added) == 70


def test_denied_tools_are_in_no_answer(load: Callable[..., HostPlan]) -> None:
    """The pool is the plan, and the plan has no denied tool: not in results, counts or texts (F02)."""
    session = load(compiled(tool("logs", "read_deploy_logs", "Read the logs of a deploy"), tool("ops", "deploy_plan")))
    answer = session.session().find_tools("deploy_now")
    assert "deploy_now" not in answer.text
    assert {str(match.tool.id) for match in answer.matches} <= {"logs/read_deploy_logs", "ops/deploy_plan"}


def test_a_state_that_names_a_tool_twice_declares_it_once(plan: HostPlan) -> None:
    """A host's storage may repeat what was found; providers refuse a request that declares a name twice (F06, G13)."""
    state = plan.session().state() | {"activated": ["gh/create_issue", "ci/get_job_logs"] * 3}
    assert _declared(plan.session(state=state)) == [
        "find_tools",
        "gh__get_issue",
        "zz__status",
        "gh__create_issue",
        "ci__get_job_logs",
    ]


@pytest.mark.parametrize("value", [None, 5, [], {}, ["gh__create_issue"]])
def test_what_is_no_name_is_no_tool(plan: HostPlan, value: Any) -> None:
    """A model's call may hold anything where a name should be (G04)."""
    assert plan.session().lookup(value) is None
