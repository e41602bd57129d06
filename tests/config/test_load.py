"""What a config may say, and what is said of one that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.config import load
from mcpexpose.model.finding import Severity
from tests.config.reading import SERVER, line_and_column, parsed, said, text
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = '[mcp_servers.a]\ncommand = "x"\n{}\n'
HTTP = '[mcp_servers.a]\nurl = "https://mcp.example/mcp"\n{}\n'

EVERYTHING = """
schema_version = 1
extends = ["baseline", "./team.toml"]
[exposure]
default = "auto"
context_window = 128_000
auto_direct_share = 0
search_limit = 20
targets = ["anthropic"]
[policy]
auto_approve = ["read_only", "github/create_issue"]
[freshness]
max_age = "36h"
[limits]
result_max_bytes = 1
[groups]
code = "Code"
[mcp_servers.github]
url = "https://mcp.example/mcp"
bearer_token_env_var = "GITHUB_TOKEN"
description = ""
exposure = "direct"
owner = "team"
groups = ["code"]
trust_annotations = true
allow = []
deny = ["*_secret*"]
tool_timeout_sec = 1.5
[mcp_servers.github.tools."get_*"]
side_effect = "read_only"
approval = "auto"
idempotent = true
keywords = ["x"]
groups = []
require_in_plan = true
[mcp_servers.local]
command = "npx"
args = ["-y", "x"]
cwd = "."
env = { A = "b" }
[profiles.ci]
groups = ["code"]
default_tools = ["github/get_*"]
side_effects = ["read_only"]
unattended = true
[[waivers]]
rule = "x"
subject = "y"
until = 2027-03-31
[search]
synonyms = { pr = ["pull request"] }
[compat]
ignore_keys = ["mcp_servers.*.new"]
"""


def test_all_that_the_reference_shows_is_read() -> None:
    """Every key of the reference is known and nothing is said of it (C01)."""
    config, findings = parsed(EVERYTHING)
    assert findings == ()
    assert config is not None
    github = config.mcp_servers["github"]
    assert github.allow_patterns == ()
    assert github.tools["get_*"].groups == ()
    assert config.mcp_servers["local"].allow_patterns is None
    assert config.exposure.default == "auto"
    assert config.broken == ()


def test_a_config_of_a_host_that_knows_nothing_of_exposure() -> None:
    """The keys of Codex and Step are accepted, their own tables and profiles left alone (X02)."""
    config, findings = parsed("""
model = "o5"
profile = "work"
approval_policy = "on-request"
[tools]
web_search = true
[features]
x = true
[tui]
theme = "dark"
[projects."/x"]
trust_level = "trusted"
[profiles.work]
model = "o5"
sandbox_mode = "read-only"
[profiles.both]
model = "o5"
unattended = true
[mcp_servers.a]
command = "x"
env_vars = ["A", { name = "B", source = "remote" }]
enabled = true
required = true
startup_timeout_sec = 10
startup_timeout_ms = 10_000
tool_timeout_sec = 60.5
supports_parallel_tool_calls = true
experimental_environment = "x"
environment_id = "y"
default_tools_approval_mode = "approve"
enabled_tools = ["t"]
disabled_tools = []
name = "old"
[mcp_servers.a.tools.t]
approval_mode = "prompt"
[mcp_servers.b]
url = "https://mcp.example"
scopes = ["a"]
oauth_resource = "r"
oauth = { client_id = "x", callback_port = 1 }
http_headers = { X = "y" }
env_http_headers = { Z = "V" }
""")
    assert findings == ()
    assert config is not None
    assert list(config.profiles) == ["both"]
    assert config.mcp_servers["a"].inherited == ("A", "B")
    assert config.mcp_servers["a"].allow_patterns == ("t",)


UNKNOWN = [
    (KEYS.format('exposre = "hidden"'), "a:exposre", "exposure"),
    (KEYS.format('Exposure = "hidden"'), "a:Exposure", "exposure"),
    (KEYS.format('enabledTools = ["x"]'), "a:enabledTools", "enabled_tools"),
    (KEYS.format('excludeTools = ["x"]'), "a:excludeTools", "deny"),
    (KEYS.format('headers = { A = "b" }'), "a:headers", "http_headers"),
    (KEYS.format('environment = { A = "b" }'), "a:environment", "env"),
    (KEYS.format("timeout = 3"), "a:timeout", "tool_timeout_sec"),
    (KEYS.format('bearer_token = "x"'), "a:bearer_token", "bearer_token_env_var"),
    (KEYS.format('[mcp_servers.a.tools.t]\napprovl = "ask"'), "a:tools.t.approvl", "approval"),
    (KEYS.format('[mcp_servers.a.tools."t.*"]\nsideEffect = "write"'), 'a:tools."t.*".sideEffect', "side_effect"),
    ('[exposure]\ndefualt = "hidden"\n', "exposure.defualt", "default"),
    ("[policy]\nauto_aprove = []\n", "policy.auto_aprove", "auto_approve"),
    ("[profiles.ci]\ngroup = []\n", "profiles.ci.group", "groups"),
    ('[[waivers]]\nrule = "r"\nsubject = "s"\nreson = "x"\n', "waivers[0].reson", "reason"),
    ('[mcp_server.b]\ncommand = "y"\n', "mcp_server", "mcp_servers"),
    ('[mcp-servers.b]\ncommand = "y"\n', "mcp-servers", "mcp_servers"),
    ('[mcpServers.b]\ncommand = "y"\n', "mcpServers", "mcp_servers"),
    ('[MCP_SERVERS.b]\ncommand = "y"\n', "MCP_SERVERS", "mcp_servers"),
    ('[servers.b]\ncommand = "y"\n', "servers", "mcp_servers"),
    ('[mcp.servers.b]\ncommand = "y"\n', "mcp", "mcp_servers"),
    ("[profile.ci]\nunattended = true\n", "profile", "profiles"),
    ('[exposre]\ndefault = "hidden"\n', "exposre", "exposure"),
    ('exposre = "hidden"\n', "exposre", "exposure"),
    ('[waiver]\nrule = "x"\n', "waiver", "waivers"),
    ("[polices]\nauto_approve = []\n", "polices", "policy"),
    ("schema_versoin = 1\n", "schema_versoin", "schema_version"),
    ('extend = ["baseline"]\n', "extend", "extends"),
]


@pytest.mark.parametrize(("source", "subject", "meant"), UNKNOWN, ids=lambda value: str(value)[:24])
def test_an_unknown_key_is_an_error_that_names_the_nearest(source: str, subject: str, meant: str) -> None:
    """A typing error is never an ignored line (C04)."""
    _, findings = parsed(source)
    assert said(findings) == [("config-unknown-key", subject)]
    finding = findings[0]
    assert finding.severity is Severity.ERROR
    assert f'"{meant}"' in finding.message
    assert finding.details["suggests"] == [meant]


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (KEYS.format("disabled = true"), "enabled = false"),
        (KEYS.format("disabled = false"), "Remove it"),
        (KEYS.format("alwaysLoad = true"), 'exposure = "direct"'),
        (KEYS.format("defer_loading = true"), 'exposure = "deferred"'),
        (KEYS.format("trust = true"), "[policy] auto_approve"),
        (KEYS.format("timeout = 5000"), "in seconds"),
        (HTTP.format('bearer_token = "x"'), "into a variable"),
        (KEYS.format("[mcp_servers.a.tools.t]\nhidden = true"), 'exposure = "hidden"'),
        (KEYS.format("[mcp_servers.a.tools.t]\ndeny = true"), "deny of its server"),
    ],
)
def test_a_key_of_another_host_is_not_renamed_to_what_means_something_else(source: str, advice: str) -> None:
    """Who follows the advice gets what the key meant: `disabled = true` never becomes `enabled = true` (C01)."""
    _, [finding] = parsed(source)
    assert finding.slug == "config-unknown-key"
    assert advice in finding.advice


@pytest.mark.parametrize("dots", ["my.server", "a.b.c"])
def test_an_id_with_dots_and_no_quotes(dots: str) -> None:
    """`[mcp_servers.my.server]` is a table within a table: the header that was meant is named (C01)."""
    _, findings = parsed(f'[mcp_servers.{dots}]\ncommand = "x"\n')
    assert any(f'[mcp_servers."{dots}"]' in finding.advice for finding in findings)


def test_tools_of_a_profile_are_ours_where_they_are_a_list() -> None:
    """Codex keeps a table `tools` in its profiles; a list of tools was meant for us, and is not dropped (C01)."""
    _, findings = parsed('[profiles.ci]\ntools = ["a/x"]\n')
    assert said(findings) == [("config-unknown-key", "profiles.ci.tools")]
    assert "default_tools" in findings[0].message
    _, findings = parsed("[profiles.ci.tools]\nweb_search = true\n")
    assert said(findings) == []


@pytest.mark.parametrize(
    "source",
    ["[tags]\na = 1\n", "[server]\nport = 1\n", "[mcp]\nx = 1\n", 'limit = 3\nprofile = "x"\n', "[list]\n[hints]\n"],
)
def test_tables_of_other_programs_are_left_alone(source: str) -> None:
    """Only near-misses of our tables are ours to judge (X02)."""
    assert parsed(source + SERVER)[1] == ()


def test_keys_of_another_host_can_be_told() -> None:
    """`[compat] ignore_keys` lets a host's new key pass, and no other (X02)."""
    keys = 'new_key = 1\nother = { x = 1 }\nallow = ["x"]\n'
    source = '[compat]\nignore_keys = ["mcp_servers.*.new_*", "mcp-server"]\n[mcp-server]\n' + KEYS.format(keys)
    config, findings = parsed(source)
    assert said(findings) == [("config-unknown-key", "a:other")]
    config, findings = parsed(source.replace("other = { x = 1 }\n", ""))
    assert findings == ()
    assert config is not None
    assert config.mcp_servers["a"].allow_patterns == ("x",)


TYPES = [
    ('[[mcp_servers]]\nname = "a"\n', "mcp_servers", "a table of tables"),
    ('mcp_servers = "x"\n', "mcp_servers", "a table of tables"),
    ('[mcp_servers]\nfoo = "npx thing"\n', "mcp_servers.foo", "a table"),
    ("[mcp_servers]\nfoo = []\n", "mcp_servers.foo", "a table"),
    (KEYS.format('args = "-y pkg"'), "a:args", "a list of texts"),
    (KEYS.format("args = [1]"), "a:args[0]", "a text"),
    (KEYS.format("enabled = 1"), "a:enabled", "true or false"),
    (KEYS.format('enabled = "false"'), "a:enabled", "true or false"),
    (KEYS.format('tool_timeout_sec = "30s"'), "a:tool_timeout_sec", "a number"),
    (KEYS.format("tool_timeout_sec = true"), "a:tool_timeout_sec", "a number"),
    (KEYS.format('enabled_tools = "x"'), "a:enabled_tools", "a list of texts"),
    (KEYS.format('deny = "*"'), "a:deny", "a list of texts"),
    (KEYS.format("deny = [true]"), "a:deny[0]", "a text"),
    (KEYS.format('env = ["A=b"]'), "a:env", "a table"),
    (KEYS.format("env = { A = 1 }"), "a:env.A", "a text"),
    (KEYS.format("exposure = true"), "a:exposure", "one of direct"),
    (KEYS.format('exposure = ["direct"]'), "a:exposure", "one of direct"),
    (KEYS.format('trust_annotations = "yes"'), "a:trust_annotations", "true or false"),
    (KEYS.format("description = 3"), "a:description", "a text"),
    (KEYS.format('tools = ["x"]'), "a:tools", "a table"),
    (KEYS.format('[mcp_servers.a.tools]\nt = "direct"'), "a:tools.t", "a table"),
    (KEYS.format("env_vars = [3]"), "a:env_vars[0]", "a text"),
    ('exposure = "direct"\n', "exposure", "a table"),
    ("[exposure]\ncontext_window = 1.5\n", "exposure.context_window", "a whole number"),
    ("[exposure]\nsearch_limit = true\n", "exposure.search_limit", "a whole number"),
    ('[policy]\nauto_approve = "read_only"\n', "policy.auto_approve", "a list of texts"),
    ("[freshness]\nmax_age = 7\n", "freshness.max_age", "a text"),
    ('extends = "baseline"\n', "extends", "a list of texts"),
    ("groups = []\n", "groups", "a table"),
    ("waivers = 1\n", "waivers", "a list of tables"),
    ('[[waivers]]\nrule = "r"\nsubject = "s"\nuntil = "2027-01-01"\n', "waivers[0].until", "a date"),
    ('[search.synonyms]\npr = "pull"\n', "search.synonyms.pr", "a list of texts"),
    ('schema_version = "1"\n', "schema_version", "1"),
]


@pytest.mark.parametrize(("source", "subject", "wanted"), TYPES, ids=lambda value: str(value)[:24])
def test_a_wrong_type_is_an_error_and_never_converted(source: str, subject: str, wanted: str) -> None:
    """What is wanted and what was found is said, with an example; never a filter that vanishes (C04)."""
    config, findings = parsed(source)
    assert said(findings) == [("config-type", subject)]
    assert findings[0].severity is Severity.ERROR
    assert f"must be {wanted}" in findings[0].message
    assert findings[0].advice
    assert config is not None


VALUES = [
    (KEYS.format('exposure = "lazy"'), "config-value", "a:exposure", "direct, deferred, hidden or auto"),
    (KEYS.format('transport = "websocket"'), "config-value", "a:transport", "sse"),
    (KEYS.format('default_tools_approval_mode = "promt"'), "config-value", "a:default_tools_approval_mode", "prompt"),
    (
        KEYS.format('[mcp_servers.a.tools.t]\nside_effect = "readonly"'),
        "config-value",
        "a:tools.t.side_effect",
        "read_only",
    ),
    ("[exposure]\nsearch_limit = 21\n", "config-value", "exposure.search_limit", "at most 20"),
    ("[exposure]\nsearch_limit = 0\n", "config-value", "exposure.search_limit", "at least 1"),
    ("[exposure]\nauto_direct_share = nan\n", "config-value", "exposure.auto_direct_share", "finite"),
    (KEYS.format("tool_timeout_sec = inf"), "config-value", "a:tool_timeout_sec", "finite"),
    (KEYS.format("tool_timeout_sec = -1"), "config-value", "a:tool_timeout_sec", "more than 0"),
    ('[freshness]\nmax_age = "7 days"\n', "config-value", "freshness.max_age", "length of time"),
    ("schema_version = 0\n", "config-value", "schema_version", "1"),
    ('[[waivers]]\nrule = "r"\n', "config-invalid", "waivers[0].subject", "no subject"),
    (KEYS.format('groups = [""]'), "config-invalid", "a:groups[0]", "empty"),
    ('[mcp_servers.a]\ncommand = ""\n', "config-invalid", "a:command", "empty"),
    ('[groups]\n"" = "x"\n', "config-invalid", 'groups.""', "empty name"),
    ('[mcp_servers.a]\nurl = "mcp.example/x"\n', "config-invalid", "a:url", "https://"),
    ('[mcp_servers.a]\nurl = "localhost:80/x"\n', "config-invalid", "a:url", "https://"),
    ('[mcp_servers.a]\nurl = "ftp://x"\n', "config-invalid", "a:url", "ftp"),
    ('[mcp_servers.a]\nurl = "https://a b"\n', "config-invalid", "a:url", "blanks"),
    ('[mcp_servers.a]\nurl = "https:///x"\n', "config-invalid", "a:url", "no host"),
    ('[mcp_servers.a]\nurl = "https://x:port/"\n', "config-invalid", "a:url", "port"),
    (HTTP.format('bearer_token_env_var = "${TOKEN}"'), "config-invalid", "a:bearer_token_env_var", "variable"),
    (HTTP.format('http_headers = { "X Y" = "z" }'), "config-invalid", 'a:http_headers."X Y"', "header"),
    (KEYS.format('env = { "A=B" = "c" }'), "config-invalid", 'a:env."A=B"', "variable"),
]


@pytest.mark.parametrize(("source", "slug", "subject", "names"), VALUES, ids=lambda value: str(value)[:24])
def test_a_value_outside_its_set(source: str, slug: str, subject: str, names: str) -> None:
    """A value that cannot be is an error that says which can (C04)."""
    _, findings = parsed(source)
    assert said(findings) == [(slug, subject)]
    assert names in findings[0].message


CONFLICTS = [
    ('[mcp_servers.f]\ncommand = "x"\nurl = "https://f.example"\n', "config-conflict", "f"),
    (KEYS.format('deny = ["a"]\ndisabled_tools = ["b"]'), "config-conflict", "a:disabled_tools"),
    (KEYS.format("allow = []\nenabled_tools = []"), "config-conflict", "a:enabled_tools"),
    (HTTP.format("args = []"), "config-conflict", "a:args"),
    (HTTP.format("env = {}"), "config-conflict", "a:env"),
    (HTTP.format('cwd = "."'), "config-conflict", "a:cwd"),
    (HTTP.format('env_vars = ["A"]'), "config-conflict", "a:env_vars"),
    (KEYS.format('http_headers = { A = "b" }'), "config-conflict", "a:http_headers"),
    (KEYS.format('bearer_token_env_var = "T"'), "config-conflict", "a:bearer_token_env_var"),
    (KEYS.format('transport = "sse"'), "config-conflict", "a:transport"),
    (HTTP.format('transport = "stdio"'), "config-conflict", "a:transport"),
    (
        HTTP.format('http_headers = { Auth = "x" }\nenv_http_headers = { AUTH = "V" }'),
        "config-conflict",
        "a:env_http_headers.AUTH",
    ),
    (HTTP.format('http_headers = { Auth = "x", auth = "y" }'), "config-duplicate", "a:http_headers.auth"),
    ('[mcp_servers.e]\ndescription = "x"\n', "missing-transport", "e"),
    ('[mcp_servers.e]\nargs = ["x"]\n', "missing-transport", "e"),
]


@pytest.mark.parametrize(("source", "slug", "subject"), CONFLICTS, ids=lambda value: str(value)[:24])
def test_keys_that_exclude_each_other(source: str, slug: str, subject: str) -> None:
    """Two transports, a list under two names, a header twice: neither wins (C04)."""
    _, findings = parsed(source)
    assert said(findings) == [(slug, subject)]
    assert findings[0].severity is Severity.ERROR


REPEATS = [
    (KEYS.format('allow = ["a", "b", "a"]'), "a:allow[2]"),
    (KEYS.format('deny = ["a", "a"]'), "a:deny[1]"),
    (KEYS.format('enabled_tools = ["a", "a"]'), "a:enabled_tools[1]"),
    (KEYS.format('groups = ["g", "g"]'), "a:groups[1]"),
    (KEYS.format('env_vars = ["A", { name = "A" }]'), "a:env_vars[1]"),
    (KEYS.format('[mcp_servers.a.tools.t]\nkeywords = ["k", "k"]'), "a:tools.t.keywords[1]"),
    ('extends = ["baseline", "baseline"]\n', "extends[1]"),
    ('[policy]\nauto_approve = ["read_only", "read_only"]\n', "policy.auto_approve[1]"),
    ('[profiles.p]\ndefault_tools = ["a/b", "a/b"]\n', "profiles.p.default_tools[1]"),
    ('[[waivers]]\nrule = "r"\nsubject = "s"\n[[waivers]]\nrule = "r"\nsubject = "s"\n', "waivers[1]"),
]


@pytest.mark.parametrize(("source", "subject"), REPEATS, ids=lambda value: str(value)[:24])
def test_a_list_entry_that_stands_twice(source: str, subject: str) -> None:
    """An entry twice is an error at the second (C04)."""
    _, findings = parsed(source)
    assert said(findings) == [("config-duplicate", subject)]


def test_arguments_may_repeat() -> None:
    """A command's arguments are no set (C01)."""
    assert parsed(KEYS.format('args = ["-v", "a", "-v", "b"]'))[1] == ()


IDS = [
    ("..", "server-id-invalid", Severity.ERROR),
    (".", "server-id-invalid", Severity.ERROR),
    ("a/b", "server-id-invalid", Severity.ERROR),
    ("../x", "server-id-invalid", Severity.ERROR),
    ("a\\\\b", "server-id-invalid", Severity.ERROR),
    ("", "server-id-invalid", Severity.ERROR),
    ("  ", "server-id-invalid", Severity.ERROR),
    ("a\\nb", "server-id-invalid", Severity.ERROR),
    ("a\\u0000b", "server-id-invalid", Severity.ERROR),
    ("x" * 129, "server-id-invalid", Severity.ERROR),
    ("my.server", "server-id-not-portable", Severity.WARNING),
    ("with space", "server-id-not-portable", Severity.WARNING),
    ("serveür", "server-id-not-portable", Severity.WARNING),
    ("a:b", "server-id-not-portable", Severity.WARNING),
    ("a__b", "server-id-separator", Severity.WARNING),
    ("evil_", "server-id-separator", Severity.WARNING),
    ("_a", "server-id-separator", Severity.WARNING),
    ("inspect", "reserved-name", Severity.ERROR),
    ("find_tools", "reserved-name", Severity.ERROR),
    ("Find-Tools", "reserved-name", Severity.ERROR),
]


@pytest.mark.parametrize(("written", "slug", "severity"), IDS, ids=lambda value: str(value)[:24])
def test_ids_that_cannot_be_or_are_changed_by_hosts(written: str, slug: str, severity: Severity) -> None:
    """An id is kept exact, and one that is a path, empty or taken is refused (G04)."""
    source = f'[mcp_servers."{written}"]\ncommand = "x"\n[mcp_servers.ok-1]\ncommand = "y"\n'
    config, findings = parsed(source)
    exact = written.encode().decode("unicode_escape") if "\\" in written else written
    assert said(findings) == [(slug, exact)]
    assert findings[0].severity is severity
    assert "\n" not in findings[0].message
    assert config is not None
    kept = slug != "server-id-invalid"
    assert (exact in config.mcp_servers) is kept
    assert config.broken == (() if kept else (exact,))
    assert "ok-1" in config.mcp_servers


CONTROLS = [
    ('[mcp_servers.a]\ncommand = "D:\\new\\tools\\run.exe"\n', "a:command", True),
    (KEYS.format('cwd = "C:\\temp"'), "a:cwd", True),
    (KEYS.format('args = ["..\\build\\t.js"]'), "a:args[0]", True),
    (KEYS.format('args = ["--dir", "C:\\Program Files\\new"]').replace("\\P", "\\\\P"), "a:args[1]", True),
    (KEYS.format('env = { P = "C:\\temp" }'), "a:env.P", True),
    (KEYS.format('args = ["--dir=C:\\temp"]'), "a:args[0]", True),
    (KEYS.format('args = ["/c", "type C:\\notes.txt"]'), "a:args[1]", True),
    (KEYS.format('env = { P = "/opt/x;C:\\tools" }'), "a:env.P", True),
    (HTTP.format('http_headers = { A = "x\\r\\nB: c" }'), "a:http_headers.A", False),
    (KEYS.format('args = ["x\\u0000y z"]'), "a:args[0]", False),
    (KEYS.format('allow = ["get\\t*"]'), "a:allow[0]", False),
    (KEYS.format('[mcp_servers.a.tools."t\\n"]'), 'a:tools."t\\n"', False),
    (KEYS.format('description = "a\\u001b[31mb"'), "a:description", False),
    ('[policy]\nauto_approve = ["a/\\t"]\n', "policy.auto_approve[0]", False),
    ('[profiles."a\\tb"]\n', 'profiles."a\\tb"', False),
]


@pytest.mark.parametrize(("source", "subject", "is_path"), CONTROLS, ids=lambda value: str(value)[:24])
def test_a_control_character_in_a_path_or_name(source: str, subject: str, is_path: bool) -> None:
    """A backslash that became a tab is found, with how to quote it (C04)."""
    _, findings = parsed(source)
    assert said(findings) == [("config-control-characters", subject)]
    assert findings[0].severity is Severity.ERROR
    assert findings[0].message.isprintable()
    assert ("literal string" in findings[0].advice) is is_path


def test_lines_that_are_meant_are_no_fault() -> None:
    """A script, a key file and a text of a tool may have lines (C01)."""
    source = KEYS.format(
        'args = ["-c", """\nimport x\nprint(x.y)\n"""]\n'
        'env = { KEY = "-----BEGIN CERTIFICATE-----\\nabc\\n-----END CERTIFICATE-----\\n" }\n'
        '[mcp_servers.a.tools.t]\ndescription = "one\\ntwo"\n'
        '[mcp_servers.b]\ncommand = "x"\nargs = ["--set=a:\\nb: c\\nd: e", "-c", "x = {1: 2};\\ty = 3"]\n'
    )
    assert parsed(source)[1] == ()


@pytest.mark.parametrize("lines", ["Mail\\n\\n# MCP servers\\n- bank: yes", "a\\rb", "a\\u2028b", "a\\u0085b"])
def test_a_summary_of_several_lines(lines: str) -> None:
    """The model reads one line of each server, and lint says where there are more (X06)."""
    _, findings = parsed(KEYS.format(f'description = "{lines}"'))
    found = [finding for finding in findings if finding.slug == "config-description-multiline"]
    assert [(finding.subjects, finding.severity) for finding in found] == [(("a",), Severity.WARNING)]


def test_a_line_end_after_the_summary_is_none() -> None:
    """White space around a summary is no second line (X06)."""
    assert parsed(KEYS.format('description = """\nMail\n"""'))[1] == ()


def test_a_newer_format_is_not_guessed() -> None:
    """A config for a newer mcpexpose says so, and nothing else is said of it (C01)."""
    config, findings = parsed('schema_version = 2\nnew_table = 1\n[mcp_servers.a]\nexposre = "x"\n')
    assert config is None
    assert said(findings) == [("config-version-unsupported", "schema_version")]


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ('exposre = "hidden"', False),
        ('exposure = "hiden"', False),
        ('allow = "x"', False),
        ("deny = [1]", False),
        ("enabled = 0", False),
        ("trust_annotations = 1", False),
        ('[mcp_servers.a.tools.t]\nexposure = "hiden"', False),
        ('[mcp_servers.a.tools.t]\nexposre = "hidden"', False),
        ("args = 1", True),
        ("env = { A = 1 }", True),
        ("tool_timeout_sec = false", True),
        ("description = 1", True),
        ('[mcp_servers.a.tools.t]\nkeywords = "x"', True),
    ],
)
def test_a_broken_server_is_left_out_of_a_preview(keys: str, kept: bool) -> None:
    """A fault never shows more than was meant: without the broken key, or without the server (X01)."""
    config, findings = parsed(KEYS.format(keys) + '[mcp_servers.b]\ncommand = "y"\n')
    assert len(findings) == 1
    assert config is not None
    assert sorted(config.mcp_servers) == (["a", "b"] if kept else ["b"])
    assert config.broken == (() if kept else ("a",))


@pytest.mark.parametrize(
    ("table", "default"),
    [
        ('[exposure]\ndefault = "hiden"', "hidden"),
        ("[exposure]\ndefault = true", "hidden"),
        ('[exposure]\ndefalt = "hidden"', "hidden"),
        ('[Exposure]\ndefault = "hidden"', "hidden"),
        ('[exposures]\ndefault = "hidden"', "hidden"),
        ("[exposure]\ndefault = 'direct'\nsearch_limits = 3", "direct"),
        ("[exposure]\nsearch_limit = 99", "deferred"),
        ("[exposure]\ncontext_window = true", "deferred"),
        ("[limits]\nargs_max_bytes = 0", "deferred"),
    ],
)
def test_a_default_that_cannot_be_read_shows_nothing(table: str, default: str) -> None:
    """What may have been meant to hide is not shown by a preview; a fault elsewhere leaves the default (X01, law 8)."""
    config, findings = parsed(f"{table}\n{SERVER}")
    assert len(findings) == 1
    assert config is not None
    assert config.exposure.default == default


def test_a_policy_under_an_almost_right_name_approves_nothing() -> None:
    config, _ = parsed(f"[polices]\nauto_approve = []\n{SERVER}")
    assert config is not None
    assert config.policy.auto_approve == ()


def test_a_broken_policy_approves_nothing() -> None:
    """Where `[policy]` cannot be read, nothing runs without asking in the preview (G06)."""
    for broken in ("auto_approve = 1", 'auto_approve = ["read_only", 1]', "auto_aprove = []"):
        config, _ = parsed(f"[policy]\n{broken}\n{SERVER}")
        assert config is not None
        assert config.policy.auto_approve == ()


def test_many_faults_are_all_said_at_their_places() -> None:
    """One run of lint shows every fault of a file, each with its line and column (C04)."""
    source = (
        '[mcp_servers.a]\ncommand = "x"\nexposure = "lazy"\n\n[mcp_servers.b]\ncommand = "x"\nargs = "-y"\nfoo = 1\n'
    )
    _, findings = parsed(source)
    assert {(finding.slug, line_and_column(source, finding)) for finding in findings} == {
        ("config-value", (3, 12)),
        ("config-type", (7, 8)),
        ("config-unknown-key", (8, 1)),
    }
    assert load.parse(text("a = “x”")) == (None, ())


def test_no_value_of_a_wrong_type_is_printed() -> None:
    """A secret in the wrong place stays out of the message (C04)."""
    for keys in (
        'args = "tok-EXAMPLE-0000000000000000"',
        'env = "tok-EXAMPLE-0000000000000000"',
        'bearer_token = "tok-EXAMPLE-0"',
    ):
        _, findings = parsed(KEYS.format(keys))
        assert findings
        assert all("EXAMPLE" not in finding.message + finding.advice + str(finding.details) for finding in findings)


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("[exposure]\ncontext_window = {}", "0x" + "f" * 5000),
        ("schema_version = {}", "0o" + "7" * 9000),
        ("[mcp_servers.a]\ncommand = 'x'\nown_key = [[{{ a = {} }}]]", "0b" + "1" * 16_000),
        ("[limits]\nresult_max_bytes = -{}", "9" * 5000),
    ],
)
def test_a_number_that_python_does_not_write_is_said_at_its_place(place: str, number: str) -> None:
    """Hexadecimal digits are read without end and cannot be printed in a message: a finding, no traceback (C04)."""
    source = place.format(number)
    config, findings = parsed(source)
    assert config is None
    assert [finding.slug for finding in findings] == ["toml-syntax"]
    assert "too many digits" in findings[0].message
    assert line_and_column(source, findings[0])[0] == source.count("\n") + 1
    assert parsed(f"# {number}\n[mcp_servers.a]\ncommand = 'x'\ndescription = '{number}'\n")[1] == ()


def unknown_keys(number: int) -> str:
    return "[mcp_servers.a]\ncommand = 'x'\n" + "".join(f"xkey{n} = 1\n" for n in range(number))


def wrong_types(number: int) -> str:
    return f"{SERVER}allow = [{'1,' * number}]\n"


@pytest.mark.parametrize("source", [unknown_keys, wrong_types])
def test_many_mistakes_are_not_compared_with_each_other(source: Callable[[int], str]) -> None:
    """A hostile config has thousands of mistakes: each is said, at the same cost as one of a few (C04)."""
    assert len(parsed(source(2_000))[1]) >= 2_000

    def read(number: int) -> Callable[[], object]:
        text = source(number)
        return lambda: parsed(text)

    assert growth(read, 50) < 11
