"""`${NAME}` in a transport."""

from __future__ import annotations

import pytest

from mcpexpose.model.finding import Severity
from tests.config.reading import parsed, resolved, said

ARGS = "[mcp_servers.a]\ncommand = 'x'\nargs = ['{}']\n"


@pytest.mark.parametrize(
    "value", ["${TOKEN", "${}", "x${", "${ }", "${:-x}", "${ A }", "${1A}", "${A:-${B}}", "${A B}", "${é}"]
)
def test_a_reference_that_cannot_be_read(value: str) -> None:
    """Unclosed, empty or nested is an error, where it stands (C01)."""
    _, findings = parsed(ARGS.format(value))
    assert said(findings) == [("env-syntax", "a:args[0]")]
    assert findings[0].severity is Severity.ERROR


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("{env:TOKEN}", "${TOKEN}"),
        ("${env:TOKEN}", "${TOKEN}"),
        ("${input:token}", "${token}"),
        ("$env:TOKEN", "${TOKEN}"),
        ("$Env:TOKEN", "${TOKEN}"),
        ("$TOKEN", "${TOKEN}"),
        ("x/$HOME/y", "${HOME}"),
        ("$token", "${token}"),
        ("%TOKEN%", "${TOKEN}"),
        ("${{ secrets.TOKEN }}", "${TOKEN}"),
        ("%APPDATA%\\x", "${APPDATA}"),
        ("{{TOKEN}}", "${TOKEN}"),
        ("{{ TOKEN }}", "${TOKEN}"),
        ("${TOKEN-x}", "${TOKEN:-…}"),
        ("${TOKEN:?set it}", "${TOKEN}"),
        ("${TOKEN:=x}", "${TOKEN:-…}"),
    ],
)
def test_the_spelling_of_another_host(value: str, meant: str) -> None:
    """It is passed on as it stands, so lint says the right spelling (C04)."""
    _, findings = parsed(ARGS.format(value))
    assert said(findings) == [("env-foreign-syntax", "a:args[0]")]
    assert findings[0].severity is Severity.WARNING
    assert meant in findings[0].advice


@pytest.mark.parametrize(
    "value",
    [
        "${TOKEN:-x}",
        "$${X}",
        "$$HOME",
        "cost $5",
        "^a$",
        "100%",
        "%20a%20",
        "%E4%BD%A0",
        "%H:%M:%S",
        "{{.Names}}",
        "{}",
        "{x}",
        "{{json .}}",
        ".[] | $x",
        "$(date)",
        "a$b",
        "${A:-}",
        "${A:-%B%}",
    ],
)
def test_texts_that_are_no_references(value: str) -> None:
    """Dollars, percents and braces of other languages are left alone (C04)."""
    assert parsed(ARGS.format(value))[1] == ()


def test_every_text_of_a_transport_is_looked_at() -> None:
    """One syntax for all of them; a disabled server's too, since it is written by the operator (C01)."""
    source = """
[mcp_servers.a]
command = '${'
args = ['x', '${']
cwd = '${'
enabled = false
[mcp_servers.a.env]
E = '${'
[mcp_servers.b]
url = 'https://${'
http_headers = { H = '${' }
"""
    assert sorted(subject for _, subject in said(parsed(source)[1])) == [
        "a:args[1]",
        "a:command",
        "a:cwd",
        "a:env.E",
        "b:http_headers.H",
        "b:url",
    ]


UNSET = """
[mcp_servers.a]
command = "${CMD}"
args = ["${SET}", "${HAS_DEFAULT:-x}", "${EMPTY_DEFAULT:-}", "${ONE}${TWO}", "$${THREE}"]
env = { A = "${ONE}" }
env_vars = ["FOUR", "SET"]
[mcp_servers.b]
url = "https://h/${FIVE}"
bearer_token_env_var = "SIX"
env_http_headers = { X = "SEVEN", Y = "SET" }
[mcp_servers.off]
command = "${NINE}"
enabled = false
"""


def test_a_variable_that_is_not_set() -> None:
    """A pull request is checked where no secrets are set: a warning that names server, field and variable (C04)."""
    _, findings = resolved(UNSET, {"SET": ""})
    assert [(finding.subjects[0], finding.details["variable"]) for finding in findings] == [
        ("a:command", "CMD"),
        ("a:args[3]", "ONE"),
        ("a:args[3]", "TWO"),
        ("a:env.A", "ONE"),
        ("a:env_vars[0]", "FOUR"),
        ("b:url", "FIVE"),
        ("b:env_http_headers.X", "SEVEN"),
        ("b:bearer_token_env_var", "SIX"),
    ]
    assert {(finding.slug, finding.severity) for finding in findings} == {("env-unset", Severity.WARNING)}


def test_the_environment_changes_nothing_but_what_is_said() -> None:
    """The plan is the same with and without the variables, and holds no value (C02)."""
    names = ["CMD", "SET", "ONE", "TWO", "FOUR", "FIVE", "SIX", "SEVEN"]
    bare, _ = resolved(UNSET)
    full, findings = resolved(UNSET, dict.fromkeys(names, "tok-EXAMPLE-0"))
    assert findings == ()
    assert bare == full
    assert "EXAMPLE" not in repr(full)
    assert full.transports["a"].args[3] == "${ONE}${TWO}"
