"""Credentials that were written into the file, and the digest of what a config means."""

from __future__ import annotations

import pytest

from mcpexpose.config import resolve
from mcpexpose.model.finding import Severity
from mcpexpose.model.transport import Template
from tests.config.reading import SERVER, parsed, resolved, said

TOKEN = "tok-EXAMPLE-0000000000000000"
GITHUB = "ghp_" + "abcdefghij0123456789"

LITERALS = [
    (f'url = "https://mcp.example/mcp?tavilyApiKey={TOKEN}"', "s:url", "https://mcp.example/mcp?tavilyApiKey=${S_URL}"),
    (f'url = "https://bob:{TOKEN}@h.example/mcp"', "s:url", "https://bob:${S_URL}@h.example/mcp"),
    (f'url = "https://h.example/mcp#token={TOKEN}"', "s:url", "https://h.example/mcp#token=${S_URL}"),
    (
        f'url = "https://h.example"\nhttp_headers = {{ Authorization = "Bearer {TOKEN}" }}',
        "s:http_headers.Authorization",
        "",
    ),
    (f'url = "https://h.example"\nhttp_headers = {{ X-API-Key = "{TOKEN}" }}', "s:http_headers.X-API-Key", ""),
    (f'url = "https://h.example"\nhttp_headers = {{ Cookie = "session={TOKEN}" }}', "s:http_headers.Cookie", ""),
    (f'command = "x"\nenv = {{ GITHUB_TOKEN = "{TOKEN}" }}', "s:env.GITHUB_TOKEN", "${GITHUB_TOKEN}"),
    (f'command = "x"\nenv = {{ DSN = "postgres://u:{TOKEN}@db/x" }}', "s:env.DSN", "${DSN}"),
    (f'command = "x"\nenv = {{ H = \'{{"Authorization": "Bearer {TOKEN}"}}\' }}', "s:env.H", "${H}"),
    (f'command = "x"\nenv = {{ K = "${{TOKEN:-{GITHUB}}}" }}', "s:env.K", "${TOKEN}"),
    (
        f'command = "x"\nargs = ["--header", "Authorization: Bearer {TOKEN}"]',
        "s:args[1]",
        "Authorization: Bearer ${S_ARGS_1}",
    ),
    (f'command = "x"\nargs = ["--api-key", "{TOKEN}"]', "s:args[1]", "${S_ARGS_1}"),
    (f'command = "x"\nargs = ["--api-key={TOKEN}"]', "s:args[0]", "--api-key=${S_ARGS_0}"),
    (f'command = "x"\nargs = ["-e", "A=mongodb://a:{TOKEN}@h/x"]', "s:args[1]", "A=mongodb://a:${S_ARGS_1}@h/x"),
    (f'command = "x"\nargs = ["-u", "me:{TOKEN}"]', "s:args[1]", "me:${S_ARGS_1}"),
    (f'command = "x"\nargs = ["-c", "export API_KEY={TOKEN}; y"]', "s:args[1]", "export API_KEY=${S_ARGS_1}; y"),
    (f'command = "x"\nargs = ["{GITHUB}"]', "s:args[0]", "${S_ARGS_0}"),
    (f'url = "https://h.example"\nbearer_token_env_var = "{GITHUB}"', "s:bearer_token_env_var", ""),
    (f'url = "https://h.example"\noauth = {{ client_secret = "{TOKEN}" }}', "s:oauth.client_secret", ""),
]


@pytest.mark.parametrize(
    ("keys", "subject", "written"), LITERALS, ids=[row[1] + str(n) for n, row in enumerate(LITERALS)]
)
def test_a_literal_credential_is_said_and_left_out(keys: str, subject: str, written: str) -> None:
    """The value is printed nowhere and in no plan; a reference to a variable stands in its place (C02)."""
    source = f"[mcp_servers.s]\n{keys}\n"
    found, findings = resolved(source)
    secrets = [finding for finding in findings if finding.slug == "secret-in-config"]
    assert [(finding.subjects, finding.severity) for finding in secrets] == [((subject,), Severity.WARNING)]
    literal = GITHUB if GITHUB in keys else TOKEN
    for finding in findings:
        printed = finding.message + finding.advice + repr(finding.details) + repr(finding.subjects)
        assert not any(literal[n : n + 5] in printed for n in range(len(literal) - 4)), printed
    assert any("***" in finding.message for finding in secrets)
    transport = found.transports["s"]
    assert literal not in repr(transport)
    if written:
        texts = [transport.command, *transport.args, transport.url, *(transport.env or {}).values()]
        assert written in texts
        assert Template.parse(written).references
    config, _ = parsed(source)
    assert config is not None
    if "oauth" not in keys:
        assert literal in repr(resolve.live_transports(config)["s"])
    assert any(literal in each for each in resolve.literal_secrets(config))


def test_the_variable_to_set_is_named() -> None:
    """Whoever connects without it is told which one (C06)."""
    _, findings = resolved(f'[mcp_servers.my-db]\ncommand = "x"\nargs = ["--token", "{TOKEN}"]\n')
    assert findings[0].details["variable"] == "MY_DB_ARGS_1"
    assert "MY_DB_ARGS_1" in findings[0].advice


def test_two_servers_do_not_share_a_made_variable() -> None:
    """Ids that differ by a separator alone get variables of their own (G04)."""
    args = f'command = "x"\nargs = ["--token", "{TOKEN}"]\n'
    found, _ = resolved(f"[mcp_servers.a_b]\n{args}[mcp_servers.a-b]\n{args}")
    assert found.transports["a-b"].args[1] == "${A_B_ARGS_1}"
    assert found.transports["a_b"].args[1] == "${A_B_ARGS_1_2}"


def test_a_disabled_server_is_not_there_but_its_secrets_are() -> None:
    """A secret in the file is a secret, whether the server runs or not (C04)."""
    found, findings = resolved(f'[mcp_servers.a]\ncommand = "x"\nenabled = false\nenv = {{ TOKEN = "{TOKEN}" }}\n')
    assert found.transports == {}
    assert said(findings) == [("secret-in-config", "a:env.TOKEN")]


def test_a_server_without_transport_is_previewed() -> None:
    """`missing-transport` holds up no plan: the server has an empty command (C01)."""
    found, _ = resolved("[mcp_servers.a]\ndescription = 'x'\n")
    assert found.transports["a"].command == ""


def test_timeouts_have_their_defaults_and_units() -> None:
    """30 and 60 seconds where nothing is said; Codex's milliseconds are read (X02)."""
    found, _ = resolved(
        "[mcp_servers.a]\ncommand = 'x'\n"
        "[mcp_servers.b]\ncommand = 'x'\nstartup_timeout_ms = 1500\ntool_timeout_sec = 5\n"
        "[mcp_servers.c]\ncommand = 'x'\nstartup_timeout_sec = 7\nstartup_timeout_ms = 1\n"
    )
    times = {key: (each.startup_timeout_s, each.tool_timeout_s) for key, each in found.transports.items()}
    assert times == {"a": (30.0, 60.0), "b": (1.5, 5.0), "c": (7.0, 60.0)}


BASE = """
[exposure]
default = "deferred"
[mcp_servers.a]
command = "x"
args = ["1", "2"]
allow = ["p", "q"]
[mcp_servers.b]
url = "https://h.example"
http_headers = { A = "1", B = "2" }
"""

SAME = [
    BASE.replace("\n", "\r\n"),
    "\ufeff" + BASE,
    "# comment\n" + BASE.replace('"x"', '"x" # more'),
    BASE.replace("[exposure]\n", "").replace('default = "deferred"\n', ""),
    BASE.replace('command = "x"\nargs = ["1", "2"]', "args = [ '1',\n '2' ]\ncommand = '''x'''"),
    BASE.replace('{ A = "1", B = "2" }', '{ B = "2", A = "1" }'),
    "[mcp_servers.b]" + BASE.split("[mcp_servers.b]")[1] + BASE.split("[mcp_servers.b]")[0],
    BASE.replace("allow", "enabled_tools"),
    BASE + '[mcp_servers.off]\ncommand = "z"\nenabled = false\n',
    BASE + '[[waivers]]\nrule = "r"\nsubject = "s"\n[lint]\nignore = ["x"]\n[tui]\ntheme = "x"\n',
    BASE.replace('command = "x"', 'command = "x"\nrequired = true\nname = "n"\nscopes = ["x"]'),
]
OTHER = [
    BASE.replace('"1", "2"', '"2", "1"'),
    BASE.replace('"deferred"', '"hidden"'),
    BASE.replace('allow = ["p", "q"]', "allow = []"),
    BASE.replace('allow = ["p", "q"]\n', ""),
    BASE.replace("h.example", "g.example"),
    BASE.replace('B = "2"', 'B = "3"'),
    BASE + '[mcp_servers.a.tools.p]\nexposure = "direct"\n',
    BASE + "[profiles.x]\n",
    BASE.replace('command = "x"', 'command = "x"\ndescription = "d"'),
]


@pytest.mark.parametrize("source", SAME, ids=range(len(SAME)))
def test_the_digest_is_of_the_meaning(source: str) -> None:
    """Line ends, a mark, comments, order of tables and keys change nothing (C02)."""
    assert resolved(source)[0].digest == resolved(BASE)[0].digest


@pytest.mark.parametrize("source", OTHER, ids=range(len(OTHER)))
def test_another_meaning_has_another_digest(source: str) -> None:
    """Whatever may change a plan changes the digest (C02)."""
    assert resolved(source)[0].digest != resolved(BASE)[0].digest


def test_no_credential_is_in_the_digest() -> None:
    """A digest over a short secret would be a way to guess it (C02)."""
    source = '[mcp_servers.a]\ncommand = "x"\nenv = {{ API_KEY = "{}" }}\n[mcp_servers.b]\nurl = "https://u:{}@h/x"\n'
    assert (
        resolved(source.format("abcd-1234", "pw-12345"))[0].digest
        == resolved(source.format("wxyz-9876", "pw-99999"))[0].digest
    )


@pytest.mark.parametrize(
    ("written", "wanted"), [("90s", 90), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("1.5w", 907_200)]
)
def test_lengths_of_time(written: str, wanted: float) -> None:
    """`max_age` in seconds (G14)."""
    assert resolve.seconds(written) == wanted


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("x${TOKEN}y", "x${A_ARGS_0}y"),
        ("${TOKEN:-default}", "${A_ARGS_0}"),
        ("${OTHER:-TOKEN}", "${OTHER}"),
    ],
)
def test_a_credential_in_place_of_a_name_is_withheld(written: str, kept: str) -> None:
    """The plan keeps the names of variables, so what is a credential by its form is none (C01)."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    made, findings = resolved(f'{SERVER}args = ["{written.replace("TOKEN", token)}"]\n')
    assert made.transports["a"].args == (kept,)
    assert "secret-in-config" in {finding.slug for finding in findings}


def test_the_name_of_a_variable_is_no_credential() -> None:
    """A name in place of a name is printed; a literal that was put there by mistake is not (law 6)."""
    text = '[mcp_servers.x]\nurl = "https://x.example/mcp"\nbearer_token_env_var = "{}"\nenv_vars = ["SERVER_TOKEN"]\n'
    named, _ = parsed(text.format("GITHUB_TOKEN"))
    assert named is not None
    assert resolve.literal_secrets(named) == frozenset()
    mistaken, _ = parsed(text.format(GITHUB))
    assert mistaken is not None
    assert resolve.literal_secrets(mistaken) == {GITHUB}
