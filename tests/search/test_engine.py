"""What is found, and in which order, over memory and over the Whoosh index alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.search import postings, query

if TYPE_CHECKING:
    from collections.abc import Callable

G = {
    "g": {
        "search_issues": "Search issues",
        "compile_cpp": "Compile a C++ or C# file",
        "http_get": "GET an http: address",
        "not_found_page": "Show the page for not found",
    }
}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("NOT found", "g/not_found_page"), ("C++", "g/compile_cpp"), ("http:", "g/http_get"),
        ("search AND issues", "g/search_issues"), ('it\'s "search', "g/search_issues"),
        ("search_issues " * 25, "g/search_issues"), ("issues:", "g/search_issues"), ("(page OR", "g/not_found_page"),
    ],
)  # fmt: skip
def test_a_query_is_text(over: Callable[..., Any], text: str, first: str) -> None:
    """Operators and punctuation have no meaning (F01)."""
    assert over(G).first(text) == first


@pytest.mark.parametrize(
    "text",
    [
        "NOT OR foobar", "*", "name:*", "[a TO z]", "{a TO", "?????", "/.*/", "description:/(/", "^2", "((((", "\\",
        "the", "🙂", "!!!", "", " \t", "text:*", "_stored:x", "?earch_iss*", "^(?:[\\s\\S]*)*\\x00", "' OR 1=1 --",
        "quantum chromodynamics",
    ],
)  # fmt: skip
def test_syntax_lists_nothing(over: Callable[..., Any], text: str) -> None:
    """No pattern lists the catalog, and unrelated words find nothing (F09)."""
    got = over(G).ask(text)
    assert got.hits == ()
    assert got.reason in ("nothing-matched", "search-query-empty")


@pytest.mark.parametrize(("text", "reason"), [("", "search-query-empty"), ("🙂", "search-query-empty"),
                                              ("the", "nothing-matched"), ("x" * 1_001, "search-query-too-long"),
                                              ("x" * 100_000, "search-query-too-long"), ("zzz", "nothing-matched"),
                                              ("issues", "")])  # fmt: skip
def test_the_reason_is_told(over: Callable[..., Any], text: str, reason: str) -> None:
    """Empty and too long queries are refused, and words without a match are no refusal (F09)."""
    assert over(G).ask(text).reason == reason


def test_exact_names_come_first(over: Callable[..., Any]) -> None:
    """Every tool that the query names by an identifier comes before any score (F01)."""
    text = "Code graph helper that can search and trace code, graph, snippets and repository index " * 3
    names = ["search_graph", "trace_path", "get_code_snippet", "query_graph", "search_code", "index_repository"]
    searched = over({"cbm": dict.fromkeys([*names, "list_projects", "graph_stats"], text)})
    assert set(searched.find(" ".join(names), 6)) == {f"cbm/{name}" for name in names}
    assert all(hit.exact for hit in searched.ask(" ".join(names), 6).hits)


@pytest.mark.parametrize(
    "text",
    ["get_job_logs", "get-job-logs", "getJobLogs", "GET_JOB_LOGS", "get job logs",
     "ci/get_job_logs", "ci__get_job_logs",
     "please call get_job_logs for run 7", "use `get_job_logs`!", "ci:get_job_logs", "(ci/get_job_logs)",
     "what does ci__get_job_logs do?"],
)  # fmt: skip
def test_a_name_is_known_in_every_spelling(over: Callable[..., Any], text: str) -> None:
    """Tool, alias or server/tool, by a word that is an identifier or by all of the query (F01)."""
    searched = over({"ci": {"get_job_logs": "", "read": "get job logs, get the job's logs", "logs": "job logs get"}})
    assert searched.hit(text, "ci/get_job_logs").exact
    assert searched.first(text) == "ci/get_job_logs"


def test_a_plain_word_is_no_name(over: Callable[..., Any]) -> None:
    """A tool called `search` does not hijack a query that says search; alone, the word names it (F01)."""
    searched = over({"a": {"search": "Find web pages"}, "b": {"find_orders": "Search the orders of a customer"}})
    assert searched.first("search orders of a customer") == "b/find_orders"
    assert searched.first("search") == "a/search"
    assert searched.hit("search", "a/search").exact


def test_names_made_of_stop_words_are_found_by_name(over: Callable[..., Any]) -> None:
    """An exact name needs no term (F01)."""
    searched = over({"a": {"who_is": "Owner of a domain", "me": "", "是": ""}})
    assert [searched.first(text) for text in ("who is", "who_is", "ME", "是")] == ["a/who_is"] * 2 + ["a/me", "a/是"]


def test_names_without_letters_hijack_nothing(over: Callable[..., Any]) -> None:
    """A name of signs alone is found by itself and by nothing else (F01)."""
    searched = over({"s": {"--": "Odd", "list": "Lists"}})
    assert searched.find("!!") == []
    assert not searched.hit("odd s", "s/--").exact


@pytest.mark.parametrize("text", ["create edge", "Create-Edge", "edge create", "createEdge"])
def test_words_of_the_name_beat_words_of_the_text(over: Callable[..., Any], text: str) -> None:
    """Two of two words in the name outrank the same words in a description (F01)."""
    tools = {"canvas": {"canvas_create_edge": "Draws a connector", "canvas_list": "Lists",
                        "canvas_delete_node": "Removes a node and every edge; cannot create"}}  # fmt: skip
    assert over(tools).first(text) == "canvas/canvas_create_edge"


@pytest.mark.parametrize(
    "text", ["table record", "bitable_v1_appTableRecord_search", "apptablerecord", "AppTableRecord"]
)
def test_camel_case_inside_snake_case(over: Callable[..., Any], text: str) -> None:
    """Names are split before case is folded (F01)."""
    tools = {"lark": {"bitable_v1_appTableRecord_search": "Search", "bitable_v1_app_get": "Get", "sendMessage": "Send"}}
    assert over(tools).first(text) == "lark/bitable_v1_appTableRecord_search"


@pytest.mark.parametrize(("text", "first"), [("list assets", "ue/list_assets"), ("save level", "ue/save_level")])
def test_stuffing_does_not_help(over: Callable[..., Any], text: str, first: str) -> None:
    """A tool whose text holds every word, often, does not beat the tool that is named for it (F01)."""
    stuffed = "Do anything: read file, write file, compile shader, list assets, save level " * 20
    repeated = "list assets " * 50
    tools = {"ue": {"execute_python": stuffed, "anything": repeated, "list_assets": "Lists assets",
                    "save_level": "Saves the level"}}  # fmt: skip
    assert over(tools).first(text) == first


def test_saying_a_word_hundreds_of_times_does_not_help(over: Callable[..., Any]) -> None:
    """The tool that is named for a word comes before those that repeat it in texts and parameters (F01)."""
    parameters = {f"deploy_{n}": {"type": "string", "description": "deploy"} for n in range(40)}
    tools = {"ci": {"helper": "deploy " * 500, "kw": {"description": "K", "inputSchema": {"type": "object",
                    "properties": parameters}}, "deploy_service": "Roll out a service"}}  # fmt: skip
    assert over(tools).first("deploy") == "ci/deploy_service"
    assert over(tools).first("deploy service") == "ci/deploy_service"


def test_ties_are_in_the_order_of_server_and_name(over: Callable[..., Any]) -> None:
    """Equal scores go by server, then name, by code point (F01)."""
    tools = {server: {f"list_{letter}": "List things" for letter in "zmbayc"} for server in "ba"}
    assert over(tools).find("list things") == [f"{s}/list_{x}" for s in "ab" for x in "abcmyz"]


def test_a_tool_with_every_word_comes_before_better_scores(over: Callable[..., Any]) -> None:
    """All words covered is the second key (F01)."""
    tools = {"a": {"alpha_alpha": "", "thing": "alpha, somewhere in a long text about beta " + "filler words " * 30}}
    assert over(tools).find("alpha beta") == ["a/thing", "a/alpha_alpha"]


def test_verbs_of_another_class_count_less(over: Callable[..., Any]) -> None:
    """Who asks to remove does not get the tool that reads (F01)."""
    tools = {"a": {"get_user": "A user and what to remove", "delete_user": "A user and what to remove"}}
    searched = over(tools)
    assert searched.first("remove user") == "a/delete_user"
    assert searched.first("show user") == "a/get_user"


def test_families_count_a_little(over: Callable[..., Any]) -> None:
    """A word of the same family decides between equals, and finds nothing alone (F01)."""
    searched = over({"a": {"take_image": "", "take_notes": ""}})
    assert searched.first("take photo") == "a/take_image"
    assert searched.find("photo") == []


@pytest.mark.parametrize(
    ("text", "first"),
    [("teslable", "ha/tesla_ble_start"), ("dyer override", "ha/dryer_override"), ("dryer overide", "ha/dryer_override"),
     ("dyrer", "ha/dryer_override"), ("dryerr", "ha/dryer_override"), ("drier override", "ha/dryer_override"),
     ("dryeroverride", "ha/dryer_override"), ("ligth", "ha/light_on"), ("thermo stat", "ha/thermostat_set"),
     ("gerät", "ha/gerate_liste"), ("видоо", "ha/видео")],
)  # fmt: skip
def test_mistyped_and_glued_words_are_mended(over: Callable[..., Any], text: str, first: str) -> None:
    """A word that no document has is tried as two, and one edit away (F01)."""
    tools = {"ha": {"tesla_ble_start": "Start", "dryer_override": "Override the dryer", "light_on": "Light",
                    "thermostat_set": "", "gerate_liste": "", "видео": ""}}  # fmt: skip
    assert over(tools).first(text) == first


@pytest.mark.parametrize("text", ["wipe", "night", "fight", "wool", "cat", "2o24", "quark", "hello world"])
def test_near_words_are_not_forced(over: Callable[..., Any], text: str) -> None:
    """Mending gives no noise: other first letters, short words and digits stay as they are (F09)."""
    assert over({"a": {"pipe_word": "Right tooling 2024, wide cut"}}).find(text) == []


def test_words_that_are_there_are_not_mended(over: Callable[..., Any]) -> None:
    """A word of some document is meant as it is (F01)."""
    searched = over({"a": {"from_x": "board", "read": "broad"}})
    assert searched.find("board") == ["a/from_x"]


@pytest.mark.parametrize(
    ("text", "first"),
    [("订单", {"shop/query_order", "shop/cancel_order"}), ("帮我查询一下订单", {"shop/query_order"}),
     ("取消", {"shop/cancel_order"}), ("天气", set()), ("用户", {"shop/list_users"}),
     ("主文", set()),
     ("注文を検索", {"shop/find_jp"}), ("주문을 취소해줘", {"shop/cancel_kr"}), ("สินค้า", {"shop/thai"})],
)  # fmt: skip
def test_scripts_without_blanks(over: Callable[..., Any], text: str, first: set[str]) -> None:
    """Parts of words and sentences match by pairs of characters (F01)."""
    tools = {"shop": {"query_order": "查询订单的状态", "cancel_order": "取消订单", "list_users": "列出用户",
                      "find_jp": "注文を検索します", "cancel_kr": "주문 취소", "thai": "ค้นหาสินค้าในร้าน"}}  # fmt: skip
    found = over(tools).find(text, max(1, len(first)))
    assert set(found) == first


@pytest.mark.parametrize(
    ("text", "first"),
    [("deploy", "ci/list_deployments"), ("image generate", "ci/image_generation_task_create"),
     ("repositories", "ci/get_repository"), ("matrix", "ci/list_matrices"), ("university", "ci/find_university"),
     ("universe", "ci/universe_map"), ("analyses", "ci/run_analysis"), ("index", "ci/rebuild_indices"),
     ("person", "ci/people_search"), ("criterion", "ci/set_criteria"), ("child", "ci/children")],
)  # fmt: skip
def test_forms_of_a_word_meet(over: Callable[..., Any], text: str, first: str) -> None:
    """Plurals and forms of one word find each other, near words do not (F01)."""
    names = ["list_deployments", "image_generation_task_create", "get_repository", "list_matrices", "find_university",
             "universe_map", "run_analysis", "rebuild_indices", "people_search", "set_criteria",
             "children"]  # fmt: skip
    assert over({"ci": dict.fromkeys(names, "Other words")}).find(text) == [first]


@pytest.mark.parametrize("description", [None, "", " \n\t "])
def test_a_tool_without_a_description_is_found_by_its_name(over: Callable[..., Any], description: str | None) -> None:
    """A missing text costs nothing but its words (F01)."""
    names = ["archive_page", "restore_page", "purge_page"]
    searched = over({"d": {name: {"description": description} for name in names}})
    assert searched.first("restore page") == "d/restore_page"
    assert searched.find("None null") == []


def test_every_field_is_searched(over: Callable[..., Any]) -> None:
    """Name, alias, title, description, parameters and their descriptions, server, keywords (F01)."""
    definition = {
        "title": "Tittle", "description": "Descriptive", "keywords": ["bug report", "ticket"], "alias": "aka_xx",
        "inputSchema": {
            "type": "object",
            "properties": {
                "outer_param": {"type": "object", "description": "Explained", "properties": {"inner_param": {}}},
                "rows": {"type": "array", "items": {"properties": {"cell_value": {"description": "Deep"}}}},
            },
            "anyOf": [{"properties": {"branch_param": {}}}],
        },
    }  # fmt: skip
    searched = over({"srv": {"the_name": definition}, "other": {"x": "y"}})
    for text in ("name", "aka_xx", "tittle", "descriptive", "outer", "explained", "inner", "cell", "deep", "branch",
                 "srv", "ticket", "bug report"):  # fmt: skip
        assert searched.find(text) == ["srv/the_name"], text


def test_enum_values_and_examples_are_not_searched(over: Callable[..., Any]) -> None:
    """Values are no description of a tool (F01)."""
    schema = {"properties": {"p": {"enum": ["florence", "berlin"], "const": "rome", "examples": ["paris"]}}}
    assert over({"a": {"b": {"inputSchema": schema}}}).find("florence rome paris berlin") == []


@pytest.mark.parametrize(
    "schema",
    [None, True, [], "x", {"properties": []}, {"properties": {"a": None}}, {"properties": {"p": {"description": 7}}},
     {"items": [1, {"a": 2}], "anyOf": {"a": 1}, "$defs": []}],
)  # fmt: skip
def test_odd_schemas_do_no_harm(over: Callable[..., Any], schema: Any) -> None:
    """What is not of the type it should be counts as absent (F01)."""
    assert (
        over({"a": {"find_me": {"inputSchema": schema, "keywords": "x", "title": 3}}}).first("find me") == "a/find_me"
    )


def test_deep_schemas_do_no_harm(over_all: Callable[..., Any]) -> None:
    """A schema may be as deep as a catalog may (F01)."""
    schema: dict[str, Any] = {}
    for _ in range(400):
        schema = {"properties": {"level": schema}}
    assert all(one.first("level") == "a/deep" for one in over_all({"a": {"deep": {"inputSchema": schema}}}))


def test_synonyms_hold_both_ways(over: Callable[..., Any]) -> None:
    """The operator's words find what the catalog calls otherwise; a part of a phrase is no synonym (F01)."""
    tools = {"gh": {"create_pull_request": "", "list_pr": "", "pull_image": "", "request_review": "", "new_issue": ""}}
    searched = over(tools, synonyms={"pr": ("pull request",), "ticket": ("issue",)})
    assert set(searched.find("pr")) == {"gh/create_pull_request", "gh/list_pr"}
    assert set(searched.find("pull request", 2)) == {"gh/create_pull_request", "gh/list_pr"}
    assert searched.find("tickets") == ["gh/new_issue"]


def test_what_is_allowed_changes_no_score(over: Callable[..., Any], catalog: Any) -> None:
    """A profile filters; document counts are the plan's, and so are the scores (G05)."""
    searched = over(catalog)
    whole = searched.ask("create an issue with the api key")
    some = {name for n, name in enumerate(searched.names()) if n % 3 == 0}
    part = searched.ask("create an issue with the api key", allowed=some)
    rows = {row for row, name in enumerate(searched.names()) if name in some}
    assert [hit for hit in whole.hits if hit.row in rows] == list(part.hits)
    assert part.total == len(part.hits) < whole.total
    assert searched.ask("create_issue", allowed=set()).reason == "nothing-matched"


def test_an_exact_name_that_is_not_allowed_is_not_found(over: Callable[..., Any]) -> None:
    """What a profile does not reach is not found by its very name (X01)."""
    tools = {"ops": {"deploy_now": "Deploy: deploy", "deploy_plan": "Next deploy"}}
    assert over(tools).find("deploy_now", allowed={"ops/deploy_plan"}) == ["ops/deploy_plan"]


def test_common_words_are_cut_after_the_filter(over_all: Callable[..., Any]) -> None:
    """Of a word of many documents the best are looked at, and of a small profile all (F01)."""
    tools = {
        "a": {f"list_{n:04}": "Lists entries" for n in range(900)},
        "z": {"plain": "one of the listed things, list"},
    }
    for searched in over_all(tools):
        got = searched.ask("list")
        assert got.total == postings.POSTINGS
        assert "z/plain" not in searched.find("list")
        assert searched.find("list", allowed={"z/plain"}) == ["z/plain"]
        assert searched.find("list plain", 1) == ["z/plain"]
        assert searched.hit("list plain", "z/plain").covered


def test_a_shorter_answer_is_the_start_of_a_longer_one(over: Callable[..., Any], catalog: Any) -> None:
    """The limit cuts and changes nothing else (F10)."""
    searched = over(catalog)
    whole = searched.ask("list issues of a repository")
    assert len(whole.hits) > 10
    for limit in (1, 2, 7, 10, 1_000):
        assert searched.ask("list issues of a repository", limit).hits == whole.hits[:limit]


def test_a_poor_best_match_is_weak(over: Callable[..., Any], catalog: Any) -> None:
    """One word of many, in a text, is a weak match; a covered or named tool never is (F09)."""
    searched = over(catalog)
    assert searched.ask("how do I bake sourdough bread on this page tomorrow morning").weak
    assert not searched.ask("page").weak
    assert not searched.ask("get_issue and lots of other words that nobody knows").weak
    assert not searched.ask("create a pull request").weak


def test_min_match_empties_a_poor_answer(over: Callable[..., Any]) -> None:
    """The operator may ask for silence under a score; a name is still a name (F09)."""
    searched = over(G, min_match=1_000.0)
    assert searched.ask("search the issues").reason == "below-min-match"
    assert searched.ask("search the issues").hits == ()
    assert searched.first("search_issues") == "g/search_issues"


def test_hits_tell_the_words_that_they_hold(over: Callable[..., Any]) -> None:
    """The answer's words are those after analysis, mended ones in place (F04)."""
    got = over(G).ask("show pages nobody serch issues")
    assert got.terms == ("show", "page", "nobodi", "search", "issu")
    assert {hit.terms for hit in got.hits} == {("show", "page"), ("search", "issu")}


def test_names_are_looked_up(over: Callable[..., Any]) -> None:
    """Name, alias and server/name, without regard to case and separators (F01)."""
    searched = over({"a": {"get_x": {"alias": "a__get_x_0f"}}, "b": {"get_x": ""}})
    assert list(searched.engine.named("Get-X")) == [0, 1]
    assert list(searched.engine.named("b/get_x")) == [1]
    assert list(searched.engine.named("a__get_x_0f")) == [0]
    assert list(searched.engine.named("gone")) == []


def test_threads_share_an_engine(all_engines: Any) -> None:
    """A host's threads search one plan at once, from the first query on (C03)."""
    memory, *others = all_engines
    queries = [
        f"{verb} {noun}" for verb in ("get", "merge", "exprot", "archive") for noun in ("issue", "api key", "订单")
    ]
    for other in others:
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(other.ask, queries * 5))
        assert answers == [memory.ask(text) for text in queries] * 5


WORDS = st.sampled_from(
    [
        "get",
        "list",
        "create",
        "issue",
        "pull",
        "request",
        "repository",
        "api",
        "key",
        "订单",
        "größe",
        "page",
        "message",
        "delete",
        "merge",
        "sned",
        "creat",
        "isues",
        "xyz",
        "the",
        "get_issue",
        "s1/list_api_key",
        "sendMessage_订单",
        "reposotory",
        "apikey",
    ]
)


@settings(deadline=None, max_examples=60)
@given(text=st.lists(st.one_of(WORDS, st.text(max_size=12)), max_size=12).map(" ".join), limit=st.integers(1, 60))
def test_the_engines_agree(all_engines: Any, text: str, limit: int) -> None:
    """Memory, index and table give the same answer, score for score, and never fail (C02)."""
    memory, whoosh, table = (each.ask(text[: query.MAX_QUERY], limit) for each in all_engines)
    assert memory == whoosh == table
