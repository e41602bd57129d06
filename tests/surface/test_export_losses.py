"""What an export does not say is told, each loss once; what a vendor reaches by itself is told no secret."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from mcpexpose import export
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.model.policy import Exposure, SideEffect
from mcpexpose.model.transport import Transport
from tests.builders import compiled, tool
from tests.surface.vendors import TARGETS, accept

OBJECT = {"type": "object", "properties": {}}
HTTP = Transport("http", url="https://mcp.example.com/mcp", bearer_token_env_var="ALPHA_TOKEN")


def host(*tools: Any, transport: Transport | None = None, **servers: Transport) -> HostPlan:
    made = compiled(*tools)
    ways = {each.id: servers.get(each.id, transport or each.transport) for each in made.plan.servers}
    changed = tuple(replace(each, transport=ways[each.id]) for each in made.plan.servers)
    return HostPlan(CompiledSource(replace(made.plan, servers=changed), made.definitions))


def told(plan: HostPlan, target: str) -> list[tuple[str, str]]:
    return [(loss.kind, loss.subject) for loss in export(plan, target).losses]


DIRECT, WRITE = {"exposure": Exposure.DIRECT}, {"side_effect": SideEffect.WRITE}


def test_a_tool_that_would_fail_the_whole_request_is_left_out_and_told() -> None:
    """One refused key fails every request that declares the tool; the others go on."""
    bad = {"type": "object", "properties": {"$filter": {"type": "string"}}, "required": ["$filter"]}
    plan = host(tool("s", "bad", schema=bad, **DIRECT), tool("s", "good", **DIRECT))
    made = export(plan, "anthropic")
    assert [each["name"] for each in made.value["tools"]] == ["s__good"]
    assert [(loss.kind, loss.subject) for loss in made.losses] == [("tool-left-out", "s/bad")]
    assert "$filter" in made.losses[0].message
    assert told(plan, "mcp") == []


def test_what_a_schema_loses_is_told_at_its_place() -> None:
    """A JSON pointer into the schema as the server gave it."""
    schema = {"type": "object", "properties": {"a/b": {"type": "object", "propertyNames": {"maxLength": 3}}}}
    made = export(host(tool("s", "t", schema=schema, **DIRECT)), "gemini")
    assert [loss.to_json() for loss in made.losses] == [
        {
            "kind": "schema-reduced",
            "subject": "s/t",
            "message": "#/properties/a~1b/propertyNames is not told",
            "pointer": "/properties/a~1b/propertyNames",
        }
    ]


def test_a_description_is_cut_where_the_vendor_has_a_limit_and_nowhere_else() -> None:
    """1,024 characters in Chat Completions, the mark among them (X08)."""
    plan = host(tool("s", "t", "long " * 400, **DIRECT))
    text = export(plan, "openai-chat").value["tools"][0]["function"]["description"]
    assert len(text) <= 1_024
    assert text.endswith("more characters]")
    assert told(plan, "openai-chat") == [("description-cut", "s/t")]
    assert export(plan, "openai").value["tools"][0]["description"] == "long " * 400
    assert told(plan, "openai") == []


def test_what_is_over_the_count_of_a_request_is_left_out_and_told() -> None:
    """128 functions of Chat Completions, find_tools among them; the last by alias are out."""
    plan = host(*(tool("s", f"t{n:03}", **DIRECT) for n in range(130)), tool("s", "zz"))
    made = export(plan, "openai-chat")
    assert len(made.value["tools"]) == 128
    assert made.value["tools"][0]["function"]["name"] == "find_tools"
    out = [loss.subject for loss in made.losses if loss.kind == "tool-left-out"]
    assert out == ["s/t127", "s/t128", "s/t129"]
    assert len(export(plan, "gemini").value["tools"][0]["functionDeclarations"]) == 131


@pytest.mark.parametrize("target", TARGETS)
def test_a_plan_without_deferred_tools_has_neither_search_nor_section(target: str) -> None:
    """X06: nothing to be searched, so nothing speaks of it; and an empty plan is no trouble."""
    for plan in (host(tool("s", "t", **DIRECT), transport=HTTP), host()):
        made = export(plan, target)
        accept(target, made.value)
        text = json.dumps(made.value)
        assert "find_tools" not in text
        assert "tool_search" not in text
        assert "# MCP servers" not in text


def test_an_output_schema_is_told_to_mcp_alone() -> None:
    output = {"type": "object", "properties": {"x": {"type": "string"}}}
    plan = host(tool("s", "t", outputSchema=output, **DIRECT))
    assert export(plan, "mcp").value["tools"][0]["outputSchema"] == output
    assert told(plan, "mcp") == []
    assert told(plan, "openai") == [("output-schema-dropped", "s/t")]
    assert told(host(tool("s", "t", outputSchema={"type": "array"}, **DIRECT)), "mcp") == [
        ("output-schema-dropped", "s/t")
    ]


def test_hints_of_mcp_are_the_class_of_the_plan() -> None:
    """Unknown is handled as destructive; what the server claims is not passed on."""
    claims = {"annotations": {"readOnlyHint": True, "openWorldHint": False}}
    effects = ("read_only", "write", "destructive", "unknown")
    plan = host(*(tool("s", each, side_effect=SideEffect(each), **DIRECT, **claims) for each in effects))
    assert {each["name"]: each["annotations"] for each in export(plan, "mcp").value["tools"]} == {
        "s__read_only": {"readOnlyHint": True},
        "s__write": {"readOnlyHint": False, "destructiveHint": False},
        "s__destructive": {"readOnlyHint": False, "destructiveHint": True},
        "s__unknown": {"readOnlyHint": False, "destructiveHint": True},
    }


def test_the_connector_allows_what_the_plan_allows_and_nothing_that_comes_later() -> None:
    """A list of what is on; what must be approved is off, since nobody would be asked (law 8, G06)."""
    tools = (tool("s", "now", **DIRECT), tool("s", "later"), tool("s", "write", **WRITE))
    made = export(host(*tools, transport=HTTP), "anthropic-mcp")
    accept("anthropic-mcp", made.value)
    assert made.headers == {"anthropic-beta": "mcp-client-2025-11-20"}
    assert made.value["mcp_servers"] == [
        {
            "type": "url",
            "name": "s",
            "url": "https://mcp.example.com/mcp",
            "authorization_token": "${ALPHA_TOKEN}",
        }
    ]
    assert made.value["tools"] == [
        {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
        {
            "type": "mcp_toolset",
            "mcp_server_name": "s",
            "default_config": {"enabled": False},
            "configs": {
                "later": {"enabled": True, "defer_loading": True},
                "now": {"enabled": True, "defer_loading": False},
            },
        },
    ]
    assert [(loss.kind, loss.subject) for loss in made.losses] == [
        ("tool-left-out", "s/write"),
        ("alias-dropped", "s"),
        ("ranking-replaced", ""),
        ("definition-not-pinned", "s"),
        ("credential-by-name", "s"),
    ]


def test_hosted_mcp_asks_for_what_the_plan_asks_for() -> None:
    """Approvals are the one thing that this target can say; a server is deferred as a whole, which is stricter."""
    tools = (tool("a", "now", **DIRECT), tool("a", "write", **WRITE), tool("b", "write", **WRITE, **DIRECT))
    made = export(host(*tools, tool("c", "read", **DIRECT), transport=HTTP), "openai-mcp")
    accept("openai-mcp", made.value)
    assert made.value["tools"][0] == {"type": "tool_search"}
    by_label = {each["server_label"]: each for each in made.value["tools"][1:]}
    assert by_label["a"]["allowed_tools"] == ["now", "write"]
    assert by_label["a"]["require_approval"] == {"always": {"tool_names": ["write"]}, "never": {"tool_names": ["now"]}}
    assert by_label["b"]["require_approval"] == "always"
    assert by_label["c"]["require_approval"] == {"never": {"tool_names": ["read"]}}
    assert [by_label[label]["defer_loading"] for label in "abc"] == [True, False, False]
    assert ("direct-deferred", "a/now") in [(loss.kind, loss.subject) for loss in made.losses]


@pytest.mark.parametrize("target", ["anthropic-mcp", "openai-mcp"])
@pytest.mark.parametrize(
    ("way", "why"),
    [
        (Transport("stdio", "uvx", ("server",)), "started by a command"),
        (Transport("http", url="http://localhost:8080/mcp"), "this machine"),
        (Transport("http", url="https://127.0.0.1/mcp"), "this machine"),
        (Transport("http", url="https://10.0.0.7/mcp"), "this machine or network"),
        (Transport("http", url="https://user:hunter2hunter2@mcp.example.com/mcp"), "holds a credential"),
    ],
)
def test_a_server_that_a_vendor_cannot_reach_is_left_out_and_told(target: str, way: Transport, why: str) -> None:
    made = export(host(tool("s", "t", **DIRECT), transport=way), target)
    accept(target, made.value)
    assert made.value["tools"] == []
    assert [(loss.kind, loss.subject) for loss in made.losses if loss.kind == "server-left-out"] == [
        ("server-left-out", "s")
    ]
    assert why in made.losses[0].message or target == "anthropic-mcp"
    assert "hunter2" not in json.dumps(made.to_json())


def test_the_connector_takes_https_alone() -> None:
    plan = host(tool("s", "t", **DIRECT), transport=Transport("http", url="http://mcp.example.com/mcp"))
    assert told(plan, "anthropic-mcp") == [("server-left-out", "s")]
    assert export(plan, "openai-mcp").value["tools"][0]["server_url"] == "http://mcp.example.com/mcp"


@pytest.mark.parametrize("target", TARGETS)
def test_no_export_holds_a_credential(target: str) -> None:
    """References by name, or left out with a loss; a literal that slipped into a plan goes nowhere."""
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    way = Transport(
        "http",
        url="https://mcp.example.com/mcp?team=${TEAM}",
        headers={"Authorization": "Bearer ${ALPHA_TOKEN}", "X-Api-Key": secret, "X-Plain": "cost $$5"},
        env_headers={"X-Tenant": "TENANT"},
    )
    made = export(host(tool("s", "t", **DIRECT), tool("s", "u"), transport=way), target)
    accept(target, made.value)
    assert secret not in json.dumps(made.to_json())
    if target == "openai-mcp":
        entry = made.value["tools"][1]
        assert entry["server_url"] == "https://mcp.example.com/mcp?team=${TEAM}"
        assert entry["authorization"] == "${ALPHA_TOKEN}"
        assert entry["headers"] == {"X-Plain": "cost $5", "X-Tenant": "${TENANT}"}
        assert [loss.message for loss in made.losses if loss.kind == "credential-by-name"] == [
            "${TEAM} stands for its value",
            "${ALPHA_TOKEN} stands for its value",
            "${TENANT} stands for its value",
        ]
    if target == "anthropic-mcp":
        assert made.value["mcp_servers"][0]["authorization_token"] == "${ALPHA_TOKEN}"
        assert [loss.message for loss in made.losses if loss.kind == "header-dropped"] != []
    if target.endswith("-mcp"):
        assert ("credential-left-out", "s") in [(loss.kind, loss.subject) for loss in made.losses]


def test_a_server_whose_id_is_no_label_gets_one_of_its_own() -> None:
    """Ids that fold into one are told apart, whatever other servers there are; the one that fits keeps its name."""
    plan = host(
        tool("my.docs", "t", alias="one"), tool("my_docs", "t", alias="two"), tool("my docs", "t", alias="three")
    )
    spaces = [each["name"] for each in export(plan, "openai").value["tools"] if each["type"] == "namespace"]
    assert len(set(spaces)) == 3
    assert "my_docs" in spaces
    assert all(re.fullmatch(r"my_docs(_[0-9a-f]{8})?", name) for name in spaces)
    changed = {loss.subject for loss in export(plan, "openai").losses if loss.kind == "name-changed"}
    assert changed == {"my.docs", "my docs"}


def test_text_of_a_server_in_a_loss_is_safe_to_print() -> None:
    """Law 6: no escape of a server's key reaches a terminal."""
    schema = {"type": "object", "properties": {"a\x1b[31m": {"type": "string"}}, "required": ["a\x1b[31m"]}
    losses = export(host(tool("s", "t", schema=schema, **DIRECT)), "anthropic").losses
    assert losses
    assert all("\x1b" not in loss.message for loss in losses)
