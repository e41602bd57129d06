"""No literal credential of a host's file is written, printed or kept in a finding."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from mcpexpose.importers.credentials import Literals
from tests.importers.importing import imported, said, servers, told

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OTHER = "ghp_" + "z1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def one(entry: dict[str, Any], name: str = "hub") -> Any:
    return imported((".mcp.json", json.dumps({"mcpServers": {name: entry}})))


AT = "https://x.example"
B64 = b64encode(json.dumps({"apiKey": "hunter2Zq9XvB7kLmN4"}).encode()).decode()
STEP = "OWQ3ZTdhYTktNGY5MC00NjVkLWI5ZWYtZjg5"
CASES: list[tuple[dict[str, Any], str, tuple[Any, ...], str]] = [
    (
        {"command": "x", "env": {"GITHUB_TOKEN": TOKEN}},
        "env.GITHUB_TOKEN",
        ("env", "GITHUB_TOKEN"),
        "${GITHUB_TOKEN}",
    ),
    ({"command": "x", "args": ["-t", TOKEN]}, "args[1]", ("args", 1), "${HUB_ARGS_1}"),
    ({"command": "x", "args": [f"--token={TOKEN}"]}, "args[0]", ("args", 0), "--token=${HUB_ARGS_0}"),
    ({"command": "x", "args": ["--password", "s3cr3tW0rd"]}, "args[1]", ("args", 1), "${HUB_ARGS_1}"),
    ({"url": f"{AT}/mcp?token=9a8B7c6D5e4F3g2H"}, "url", ("url",), f"{AT}/mcp?token=${{HUB_URL}}"),
    ({"url": "https://me:pa55w0rd@x.example/"}, "url", ("url",), "https://me:${HUB_URL}@x.example/"),
    (
        {"url": AT, "headers": {"Authorization": f"Bearer {TOKEN}"}},
        "headers.Authorization",
        ("http_headers", "Authorization"),
        "Bearer ${HUB_AUTHORIZATION}",
    ),
    ({"command": "x", "env": {"K": f"${{T:-{TOKEN}}}"}}, "env.K", ("env", "K"), "${T}"),
    (
        {"command": "x", "env": {"DB_PASSWORD": "pa$$w0rd$1"}},
        "env.DB_PASSWORD",
        ("env", "DB_PASSWORD"),
        "${DB_PASSWORD}",
    ),
    (
        {"command": "x", "env": {"HDRS": json.dumps({"Authorization": f"Bearer {TOKEN}", "v": "1"})}},
        "env.HDRS",
        ("env", "HDRS"),
        '{"Authorization": "Bearer ${HUB_HDRS}", "v": "1"}',
    ),
    ({"command": "x", "env": {"API_KEY": "EXAMPLE"}}, "env.API_KEY", ("env", "API_KEY"), "${API_KEY}"),
    ({"command": "x", "args": ["--api-key", "EXAMPLE"]}, "args[1]", ("args", 1), "${HUB_ARGS_1}"),
    ({"command": "x", "args": ["-e", "API_KEY=EXAMPLE_KEY"]}, "args[1]", ("args", 1), "API_KEY=${HUB_ARGS_1}"),
    ({"url": f"{AT}/?api_key=EXAMPLE&v=1"}, "url", ("url",), f"{AT}/?api_key=${{HUB_URL}}&v=1"),
    ({"command": "x", "env": {"DB_PASSWORD": "pw7!"}}, "env.DB_PASSWORD", ("env", "DB_PASSWORD"), "${DB_PASSWORD}"),
    ({"command": "x", "args": ["--password", "1234"]}, "args[1]", ("args", 1), "${HUB_ARGS_1}"),
    ({"command": "x", "args": ["-eDB_PASSWORD=pw7"]}, "args[0]", ("args", 0), "-eDB_PASSWORD=${HUB_ARGS_0}"),
    ({"url": f"{AT}/?config={B64}"}, "url", ("url",), f"{AT}/?config=${{HUB_URL}}"),
    ({"command": "x", "args": ["--config", B64]}, "args[1]", ("args", 1), "${HUB_ARGS_1}"),
    ({"url": f"{AT}/s/{STEP}/mcp"}, "url", ("url",), f"{AT}/s/${{HUB_URL}}/mcp"),
    ({"command": "x", "args": [f"{AT}/{STEP}?v=1"]}, "args[0]", ("args", 0), f"{AT}/${{HUB_ARGS_0}}?v=1"),
    ({"command": "x", "args": ["db://USER:PASSWORD@h/d"]}, "args[0]", ("args", 0), "db://USER:${HUB_ARGS_0}@h/d"),
]


@pytest.mark.parametrize(("entry", "key", "path", "ours"), CASES)
def test_a_variable_stands_in_the_place_of_a_literal(
    entry: dict[str, Any], key: str, path: tuple[Any, ...], ours: str
) -> None:
    """The finding names the variable to set, and its severity is a warning (C04)."""
    result = one(entry)
    value: Any = servers(result)["hub"]
    for step in path:
        value = value[step]
    assert value == ours
    (finding,) = said(result, "secret-in-config")
    assert finding.subjects[0] == f"hub:{key}"
    variable = finding.details["variable"]
    assert f"${{{variable}}}" in ours
    assert variable in finding.advice
    assert result.variables == (variable,)


def test_it_is_in_no_finding_and_in_no_line_of_the_file_that_is_shown() -> None:
    """Also where the same text stands in a key, a tool's name or a server's id."""
    entry = {"command": "x", "env": {"K": TOKEN}, TOKEN: 1, "disabledTools": [f"{TOKEN}*"], "note": TOKEN}
    text = json.dumps({"mcpServers": {"hub": entry, TOKEN: {"command": 3}}}, indent=1)
    result = imported((".mcp.json", text))
    shown = "\n".join(f"{each.message}{each.advice}{each.subjects}{dict(each.details)}" for each in result.findings)
    assert TOKEN not in shown
    assert all(TOKEN not in result.literals.conceal(line) for line in text.split("\n"))


def test_one_variable_holds_one_value() -> None:
    """Two servers with a key of one name and two values get two variables; one value of one name, one."""
    result = imported(
        (
            ".mcp.json",
            json.dumps(
                {
                    "mcpServers": {
                        "a": {"command": "a", "env": {"TOKEN": TOKEN}},
                        "b": {"command": "b", "env": {"TOKEN": OTHER}},
                        "c": {"command": "c", "env": {"TOKEN": TOKEN}},
                        "d": {"command": "d", "env": {"OTHER_TOKEN": OTHER}, "args": ["${OTHER_TOKEN}"]},
                    }
                }
            ),
        )
    )
    found = servers(result)
    assert [found[name]["env"] for name in "abcd"] == [
        {"TOKEN": "${TOKEN}"},
        {"TOKEN": "${B_TOKEN}"},
        {"TOKEN": "${TOKEN}"},
        {"OTHER_TOKEN": "${D_OTHER_TOKEN}"},
    ]


def test_what_an_address_or_a_flag_says_in_words_stays() -> None:
    """Long names in a path, and a flag behind a flag that sounds like a credential's."""
    args = [
        "git+https://x.example/o/ModelContextProtocolServerForEverything2",
        "--no-auth-token",
        "--verbose",
        "--secret",
        "-v",
    ]
    result = one({"command": "x", "args": args})
    assert servers(result)["hub"]["args"] == args
    url = f"{AT}/v3/3f2b8c1e-1111-4a2b-9c9c-aaaabbbbcccc/OrganizationNameWithLongMixedCase2024Edition9"
    assert servers(one({"url": url}))["hub"]["url"] == url
    assert not said(result, "secret-in-config")


def test_what_is_no_credential_stays() -> None:
    """Settings, paths, switches, references and public names."""
    env = {
        "TOKEN_LIMIT": "4000",
        "API_KEY_FILE": "/run/secrets/key",
        "AUTH": "none",
        "API_KEY": "${API_KEY}",
        "PASSWORD": "",
        "SECRET_NAME": "projects/x",
        "MODE": "token",
        "POSTGRES_URL": "db://h/0123456789abcdef0123456789abcdef",
        "TOKEN_COUNT": "12",
        "FLAGS": "auth=token key:value token_limit=test",
    }
    result = one({"command": "x", "env": env})
    assert servers(result)["hub"]["env"] == env
    assert told(result) == set()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("API_KEY", "YOUR_API_KEY"),
        ("TOKEN", "<token>"),
        ("ROOT", "/path/to/files"),
        ("API_KEY", "sk-xxxxxxxx"),
        ("K", "changeme"),
        ("H", "Bearer ntn_****"),
        ("H", '{"Authorization": "Bearer <token>"}'),
    ],
)
def test_a_placeholder_is_kept_and_said(key: str, text: str) -> None:
    result = one({"command": "x", "env": {key: text}})
    assert servers(result)["hub"]["env"] == {key: text}
    assert told(result) == {("import-placeholder", f"hub:env.{key}")}


def test_a_literal_in_the_place_of_a_variables_name_is_one_too() -> None:
    """Codex's keys for names, and its key for the token itself."""
    text = f'[mcp_servers.a]\nurl = "https://x.example"\nbearer_token_env_var = "{TOKEN}"\n'
    text += f'env_http_headers = {{ "X-Key" = "{OTHER}" }}\n'
    text += '[mcp_servers.b]\nurl = "https://y.example"\nbearer_token = "${B_TOKEN}"\n'
    result = imported(("config.toml", text))
    assert servers(result)["a"]["bearer_token_env_var"] == "A_BEARER_TOKEN_ENV_VAR"
    assert servers(result)["a"]["env_http_headers"] == {"X-Key": "A_X_KEY"}
    assert TOKEN not in result.text
    assert OTHER not in result.text
    assert len(said(result, "secret-in-config")) >= 2


def test_many_literals_are_found_in_one_pass() -> None:
    literals = Literals([f"{n:04d}-secret" for n in range(2_000)])
    assert literals.within("x 0007-secret y 1999-secret") == ("0007-secret", "1999-secret")
    assert literals.conceal("x 0007-secret") == "x " + "*" * 11
    assert Literals(["abcd", "abcdefgh"]).conceal("xabcd") == "x****"
    assert Literals(["abcdef", "cdefgh", "abcd"]).conceal("xabcdefghx") == "x********x"
    alike = Literals(f"same-{n:04d}" for n in range(5_000))
    assert alike.within("same-0007 same-9999") == ("same-0007",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".mcp.json", r'{"mcpServers": {"a": {"command": "x", "args": ["--password", "corr\u0065ct\/h0rse"]}}}'),
        (".codex/config.toml", '[mcp_servers.a]\nurl = "https://x.example"\nbearer_token = "corr\\u0065ct/h0rse"\n'),
        (
            ".codex/config.toml",
            '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nK = """\ncorrect/h0rse\nct/h0rse-2"""\n',
        ),
    ],
)
def test_no_line_shows_how_the_file_writes_a_credential(name: str, text: str) -> None:
    """Escaped, or on several lines, it is not the text that was read."""
    result = imported((name, text.replace("K = ", "DB_PASSWORD = ")))
    assert said(result, "secret-in-config")
    for line in text.split("\n"):
        assert "ct/h0rse" not in result.literals.conceal(line).replace("\\", "")


def test_a_credential_in_the_place_of_a_name_is_written_nowhere() -> None:
    """An id, a key, a variable, a tool: a deny that cannot be kept switches the server off."""
    entry = {"command": "x", "env": {TOKEN: "1"}, TOKEN: 1, "disabledTools": [TOKEN]}
    result = imported((".mcp.json", json.dumps({"mcpServers": {TOKEN: entry, "b": {"command": "y"}}})))
    assert TOKEN not in result.text
    assert servers(result) == {"server": {"command": "x", "enabled": False}, "b": {"command": "y"}}
    assert not any(TOKEN in name for name in (*result.servers, *result.undescribed))


def test_what_was_found_to_be_a_credential_is_one_wherever_it_stands() -> None:
    """A word that is a password somewhere is none elsewhere."""
    key = "q7Zq9XvB7kLmN4"
    first = {"command": "a", "env": {"API_TOKEN": key, "DB_PASSWORD": "postgres"}}
    second = {"command": "b", "args": [f"x{key}", "server-postgres"], "env": {"B": f"--token=Zq8{key} {key} {key}"}}
    result = imported((".mcp.json", json.dumps({"mcpServers": {"a": first, "b": second}})))
    assert key not in result.text
    assert servers(result)["b"]["args"] == ["x${B_ARGS_0}", "server-postgres"]


def test_the_default_of_a_prompted_input_is_no_way_round() -> None:
    """The key that it is used under tells that it is a credential, where its id does not."""
    asked = [{"id": "gh", "type": "promptString", "default": "hunter2Zq9XvB7kLmN4"}]
    entry = {"command": "x", "env": {"API_TOKEN": "${input:gh}"}}
    result = imported((".vscode/mcp.json", json.dumps({"servers": {"a": entry}, "inputs": asked})))
    assert servers(result)["a"]["env"] == {"API_TOKEN": "${GH}"}


@pytest.mark.parametrize(
    "entry",
    [
        '"command": "x", "command": "y", "args": ["--password", "correcthorse"]',
        '"type": "ws", "url": "wss://x.example", "args": ["--password", "correcthorse"]',
        '"command": "x", "sandbox": {"run": {"args": ["--password", "correcthorse"]}}',
        '"url": "https://x.example", "args": ["--password", "correcthorse"]',
    ],
)
def test_no_line_shows_a_credential_of_what_is_not_imported(entry: str) -> None:
    """A file of one line is shown where anything in it is at fault."""
    line = f'{{"mcpServers": {{"a": {{{entry}}}}}}}'
    assert "correcthorse" not in imported((".mcp.json", line)).literals.conceal(line)


def test_a_finding_names_its_server_whose_password_is_its_name() -> None:
    """As in every example with a database."""
    env = {"POSTGRES_PASSWORD": "postgres"}
    result = imported((".mcp.json", json.dumps({"mcpServers": {"my-postgres": {"command": "x", "env": env}}})))
    (finding,) = said(result, "secret-in-config")
    assert finding.subjects[0] == "my-postgres:env.POSTGRES_PASSWORD"
    assert servers(result)["my-postgres"]["env"] == {"POSTGRES_PASSWORD": "${POSTGRES_PASSWORD}"}
