"""The mark "weak match", and what an operator makes of it: a bound that goes with the number of tools."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.host.plan import load_plan
from mcpexpose.search import ranking
from mcpexpose.search.postings import idf
from mcpexpose.workspace import Workspace
from tests.benchmarks import weak
from tests.config.reading import parsed

if TYPE_CHECKING:
    from collections.abc import Callable

POOR = "how do I bake sourdough bread for a repository page tomorrow morning"


def test_a_weak_match_is_one_under_the_bound(over: Callable[..., Any], catalog: Any) -> None:
    """Neither named nor covering, and a score under so many times the idf of a word of one tool (F09)."""
    searched = over(catalog)
    bound = ranking.weak_under(60)
    assert bound == pytest.approx(ranking.WEAK * math.log(1 + 59.5 / 1.5))
    seen = set()
    queries = [POOR, "page of bread", "merge bread", "merge the pull request page with bread", "export apikey dough",
               "archive bread", "delete and archive or merge bread, dough, wheat, flour"]  # fmt: skip
    for query in queries:
        got = searched.ask(query)
        best = got.hits[0]
        assert got.weak is (best.score < bound), (query, best.score, bound)
        assert not best.exact
        assert not best.covered
        seen.add(got.weak)
    assert seen == {True, False}


def test_what_covers_the_query_is_never_weak(over: Callable[..., Any]) -> None:
    """A word that all tools have scores low, and is all that was asked for (F09)."""
    searched = over({"a": {f"get_page_{n}": "Page" for n in range(30)}}, min_match="weak")
    got = searched.ask("page")
    assert got.hits[0].score < ranking.weak_under(30)
    assert not got.weak
    assert got.reason == ""


def test_the_bound_grows_as_scores_do(over: Callable[..., Any]) -> None:
    """Ten times the tools: a word of one tool weighs more, and so does the bound (F09)."""
    shares = []
    for size in (50, 500):
        tools = {"a": {f"t{n}": "Common words" for n in range(size - 1)} | {"unique": "Sprocket of wheels"}}
        hit = over(tools).hit("sprocket bread dough flour", "a/unique")
        shares.append(hit.score / ranking.weak_under(size))
    assert shares[0] == pytest.approx(shares[1], rel=0.05)
    assert ranking.weak_under(5_000) / ranking.weak_under(50) == idf(1, 5_000) / idf(1, 50)


def test_weak_may_be_an_empty_answer(over_all: Callable[..., Any], catalog: Any) -> None:
    """The operator's min_match "weak" empties exactly the answers that would be marked (F09)."""
    for plain, quiet in zip(over_all(catalog), over_all(catalog, min_match="weak"), strict=True):
        for query in (POOR, "merge pull request", "page", "get_issue", "zzz", "archive bread dough flour"):
            marked, kept = plain.ask(query), quiet.ask(query)
            if marked.weak:
                assert (kept.hits, kept.reason, kept.weak) == ((), "below-min-match", False)
            else:
                assert kept == marked
        assert plain.ask(POOR).weak


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """A config with `[search] min_match`, and a catalog of forty tools."""

    def write(value: str) -> Path:
        (tmp_path / "catalogs").mkdir(exist_ok=True)
        tools = [
            {"name": f"get_{noun}", "description": f"Read one {noun}", "inputSchema": {"type": "object"}}
            for noun in (f"thing{chr(97 + n // 6)}{chr(97 + n % 6)}" for n in range(38))
        ] + [
            {"name": "merge_branch", "description": "Merge a branch", "inputSchema": {"type": "object"}},
            {"name": "list_pages", "description": "Pages of a repository", "inputSchema": {"type": "object"}},
        ]
        (tmp_path / "catalogs" / "a.json").write_text(json.dumps({"server": "a", "tools": tools}))
        head = f"[search]\nmin_match = {value}\n" if value else ""
        (tmp_path / "config.toml").write_text(f'{head}[mcp_servers.a]\ncommand = "x"\n')
        return tmp_path / "config.toml"

    return write


@pytest.mark.parametrize("engine", ["table", "whoosh"])
@pytest.mark.parametrize("value", ['"weak"', "1_000"])
def test_min_match_goes_from_the_config_to_the_host(
    config: Callable[[str], Path], tmp_path: Path, value: str, engine: Any
) -> None:
    """Config, plan, bundle, both engines, session: one answer, which names no tool and adds none (F09)."""
    query = "please read a sourdough recipe and the weather tomorrow"
    marked = Workspace(config(""), environ={})
    marked.write(tmp_path / "plain")
    plain = load_plan(tmp_path / "plain", engine=engine).session().find_tools(query)
    assert plain.weak
    assert plain.text.startswith("Weak match")
    assert plain.added

    quiet = Workspace(config(value), environ={})
    assert quiet.findings == marked.findings
    quiet.write(tmp_path / "quiet")
    assert json.loads((tmp_path / "quiet" / "plan.json").read_bytes())["search"]["min_match"] == json.loads(
        value.replace("_", "")
    )
    session = load_plan(tmp_path / "quiet", engine=engine).session()
    before = session.declared()
    answer = session.find_tools(query)
    assert (answer.matches, answer.added, answer.reason) == ((), (), "below-min-match")
    assert answer.text == "No tool fits this query well enough. Other words for the action or the object may find one."
    assert session.declared() == before
    assert session.find_tools("merge_branch").matches[0].tool.name == "merge_branch"
    assert bool(session.find_tools("merge branch with recipes").matches) is (value == '"weak"')


@pytest.mark.parametrize(
    ("value", "slug"), [('"strong"', "config-type"), ("true", "config-type"), ("-1", "config-value")]
)
def test_another_min_match_is_an_error(value: str, slug: str) -> None:
    """What may stand there is named, and 0 holds meanwhile (C01)."""
    config, (finding,) = parsed(f"[search]\nmin_match = {value}\n")
    assert config is not None
    assert (config.search.min_match, finding.slug) == (0.0, slug)
    assert slug == "config-value" or ('a number or "weak"' in finding.message and '"weak"' in finding.advice)


def test_weak_as_a_bound_makes_no_tool_unreachable(
    config: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Lint finds with it what it finds without (F09)."""
    from mcpexpose.cli.main import main

    said = []
    for value in ("", '"weak"'):
        monkeypatch.chdir(config(value).parent)
        main(["lint", "--format", "json"])
        findings = json.loads(capfd.readouterr().out)["findings"]
        said.append([(each["slug"], each["message"]) for each in findings])
    assert said[0] == said[1]
    config("100_000")
    main(["lint", "--format", "json"])
    assert "search-unreachable" in capfd.readouterr().out


def test_the_command_says_so(
    config: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An operator reads why a search is empty (F09)."""
    from mcpexpose.cli.main import main

    monkeypatch.chdir(config('"weak"').parent)
    assert main(["search", "read", "sourdough", "recipes", "of", "the", "weather"]) == 0
    assert capfd.readouterr().out.startswith("below-min-match: ")


def test_the_benchmark_measures_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pools of equal size, servers and same-named tools taken out, curve and plot written (F09)."""
    data = tmp_path / "data"
    for part in ("catalogs", "functions", "queries"):
        (data / part).mkdir(parents=True)
    verbs, nouns = ("get", "merge", "archive"), ("invoice", "payment", "refund")
    servers = {"shop": [f"{verb}_{noun}" for verb in verbs for noun in nouns]}
    servers |= {f"s{n}": [f"{verb}_{chr(97 + n)}{k}thing" for k, verb in enumerate(verbs)] for n in range(12)}
    servers["s3"].append("get-Invoice")
    for server, names in servers.items():
        tools = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in names]
        (data / "catalogs" / f"{server}.json").write_text(json.dumps({"server_id": server, "tools": tools}))
    rows = [
        {"id": f"{verb}{noun}", "query": f"{verb} one {noun} quickly", "relevant": [{"server_id": "shop",
         "tool": f"{verb}_{noun}"}]} for verb in verbs for noun in nouns
    ]  # fmt: skip
    (data / "queries" / "shop.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (data / "pools.json").write_text(
        json.dumps({"sources": {"shop": {"own": ["shop"], "level": "tool", "kind": "mcp"}}})
    )
    weak.main(["--retrieval", str(data), "--others", "20", "--out", str(tmp_path / "out")])
    assert "shop" in capsys.readouterr().out
    (run,) = json.loads((tmp_path / "out" / "weak.json").read_bytes())["runs"]
    (source,) = run["sources"]
    assert (source["queries"], source["tools"], source["auc"]) == (9, 29, 1.0)
    assert source["marked"] > source["loss"] == 0.0
    assert run["curve"][0] == {"threshold": 0.0, "marked": 0.0, "loss": 0.0}
    assert (tmp_path / "out" / "weak.svg").read_text().startswith("<svg")


def test_recall_of_the_benchmark() -> None:
    """Alternatives count once, look-alikes of other servers take no place, servers count once (F09)."""
    want = [{"server_id": "a", "tool": "x", "group": 1}, {"server_id": "a", "tool": "y", "group": 1}]
    others = [("b", f"o{n}") for n in range(4)]
    assert weak.recall([*others, ("b", "X"), ("a", "x")], want, "tool") == 1.0
    assert weak.recall([*others, ("b", "o5"), ("a", "x")], want, "tool") == 0.0
    both = [*want, {"server_id": "a", "tool": "z"}]
    assert weak.recall([("a", "y"), ("a", "x"), *others, ("a", "z")], both, "tool") == 0.5
    assert weak.recall([("a", "y"), ("a", "x"), *others[:3], ("a", "z")], both, "tool") == 1.0
    server = [{"server_id": "a", "tool": "*"}]
    assert weak.recall([*others, ("a", "q")], server, "server") == 1.0


def test_the_published_figures_are_the_measured_ones() -> None:
    """The README's table is that of the results that are kept, for the ranking in force (F09)."""
    root = Path(__file__).resolve().parents[2]
    results = json.loads((weak.RESULTS / "weak.json").read_bytes())
    assert results["ranking_version"] == ranking.RANKING_VERSION
    assert results["stated_threshold"] == ranking.WEAK
    table = (root / "README.md").read_text("utf-8").split("| pool | AUC")[1].split("\n\n")[0]
    lines = re.findall(r"^\| ([0-9,]+) other tools \| \.(\d+) \(\.(\d+)\) \| (\d+) % \| (\.\d+) \|$", table, re.M)
    assert len(lines) == len(results["runs"]) == 3
    for (others, auc, _, marked, loss), run in zip(lines, results["runs"], strict=True):
        sources = run["sources"]
        assert int(others.replace(",", "")) == run["other_tools"]
        assert run["auc"] == pytest.approx(float(f"0.{auc}"), abs=0.0051)
        assert sum(one["marked"] for one in sources) / len(sources) == pytest.approx(int(marked) / 100, abs=0.0051)
        assert sum(one["loss"] for one in sources) / len(sources) == pytest.approx(float(loss), abs=0.00051)
    losses = [one["loss"] for run in results["runs"] for one in run["sources"]]
    assert sum(losses) / len(losses) <= weak.LOSS
