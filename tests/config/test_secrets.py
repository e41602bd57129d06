"""What is a credential, and what is none."""

from __future__ import annotations

import pytest

from mcpexpose.model import secrets

TOKEN = "tok-EXAMPLE-0000000000000000"

FOUND = [
    ("ghp_" + "a1" * 18, ""),
    ("github_pat_" + "A1" * 15, ""),
    ("glpat-" + "x1" * 10, ""),
    ("sk-" + "a1B2" * 10, ""),
    ("AKIA" + "ABCD1234" * 2, ""),
    ("AIza" + "a1B2" * 9, ""),
    ("xoxb-" + "1234567890-" + "abc123", ""),
    ("sk_live_" + "a1" * 10, ""),
    ("hf_" + "aB" * 17, ""),
    ("npm_" + "a1" * 18, ""),
    ("eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 20, ""),
    ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", ""),
    ("Bearer " + TOKEN, "Authorization"),
    ("bearer " + TOKEN, ""),
    ("Basic dXNlcjpwYXNzd29yZA==", "Authorization"),
    (TOKEN, "Authorization"),
    (TOKEN, "GITHUB_TOKEN"),
    ("hunter2", "DB_PASSWORD"),
    ("hunter2", "dbPassword"),
    ("hunter2", "db-password"),
    ("correct horse battery", "PASSPHRASE"),
    ("abcd1234", "apiKey"),
    ("abcd1234", "X-API-Key"),
    ("abcd1234", "OPENAI_API_KEY"),
    ("q8Zr2LmX0vT5bN7kW3cH", "SOME_KEY"),
    ("postgres://u:p4ss@db/x", "DATABASE_URL"),
    ("amqp://u:p%40ss@h", ""),
    ("https://" + "a1B2c3D4e5F6g7H8" + "@h.example/x", ""),
    ("https://" + TOKEN + "@h.example/x", ""),
    ("https://" + TOKEN + ":@h.example/x", ""),
    ("https://h/sse?key=" + TOKEN, ""),
    (TOKEN, "X-Key"),
    ("https://h/sse?api_key=abcd1234&x=1", ""),
    ("https://h/sse?x=1&sig=" + "a1B2c3D4" * 3, ""),
    ("Server=x;User=sa;Password=Hunter22;", ""),
    ("AccountName=x;AccountKey=abcd1234abcd1234==;", ""),
    ('{"apiKey": "abcd1234"}', ""),
    ('{\\"apiKey\\":\\"abcd1234\\"}', ""),
    ("--token=abcd1234", ""),
    ("X-Api-Key: abcd1234", ""),
    ("${TOKEN:-" + TOKEN + "}", "TOKEN"),
    ("postgresql://u:" + TOKEN + "@/db?host=/run/postgres", "DSN"),
    ("https://u:" + TOKEN + "@", ""),
    ("https://u:a/b?" + TOKEN + "@h.example/x", ""),
    ("u:" + TOKEN + "@proxy.example:8080", ""),
    ("https:/u:" + TOKEN + "@h.example", ""),
    ("pa$$" + TOKEN, "DB_PASSWORD"),
    ("https://u:pa$$" + TOKEN + "@h/x", ""),
    ("Bearer $$" + TOKEN, "Authorization"),
    ("postgres://${USER}:" + TOKEN + "@db/x", "DSN"),
    ("https://u:" + TOKEN + "${REST}@h/x", ""),
    ("Bearer ${PREFIX}" + TOKEN, "Authorization"),
    ("https://h/x?token=${PREFIX}" + TOKEN, ""),
    ("hunter22", "SMTP_PASS"),
]
NONE = [
    ("${TOKEN}", "TOKEN"),
    ("Bearer ${TOKEN}", "Authorization"),
    ("${TOKEN:-}", "TOKEN"),
    ("https://${USER}:${PASS}@h/x", ""),
    ("YOUR_API_KEY", "API_KEY"),
    ("your-token-here", "TOKEN"),
    ("<token>", "TOKEN"),
    ("Bearer <token>", "Authorization"),
    ('{"Authorization": "Bearer <token>"}', "HEADERS"),
    ("Authorization: Basic <credentials>", ""),
    ("changeme", "PASSWORD"),
    ("xxxxxxxx", "PASSWORD"),
    ("***", "PASSWORD"),
    ("sk-...", "OPENAI_API_KEY"),
    ("sk-" + "x" * 40, "OPENAI_API_KEY"),
    ("ghp_" + "x" * 36, "GITHUB_TOKEN"),
    ("{{token}}", "TOKEN"),
    ("", "TOKEN"),
    ("true", "AUTH_TOKEN"),
    ("none", "AUTH"),
    ("4000", "MAX_TOKENS"),
    ("4000", "TOKEN"),
    ("on", "X-Trace"),
    ("/run/secrets/token", "TOKEN_FILE"),
    ("/run/secrets/token", "TOKEN"),
    ("./certs/server.key", "PRIVATE_KEY"),
    ("C:\\keys\\id.pem", "SSH_KEY"),
    ("https://auth.example/token", "TOKEN_URL"),
    ("op://vault/item/field", "API_KEY"),
    ("us-east-1", "AWS_REGION"),
    ("PROJ", "JIRA_PROJECT_KEY"),
    ("token", "AUTH_TYPE"),
    ("my-client-id-123456", "CLIENT_ID"),
    ("pk_live_abcdef123456", "STRIPE_PUBLISHABLE_KEY"),
    ("Bearer authentication", ""),
    ("--max-tokens=100000", ""),
    ("https://user@h.example/mcp", ""),
    ("https://h.example/mcp?project=abc123&region=eu", ""),
    ("gpt-5-mini-2026-07-18", "MODEL"),
    ("img@sha256:" + "a1" * 32, ""),
    ("@scope/pkg@1.2.3", ""),
    ("-----BEGIN PUBLIC KEY-----", "K"),
    ("$${API_KEY}", "API_KEY"),
    ("Bearer $${TOKEN}", "Authorization"),
    ("$$", "PASSWORD"),
    ("https://${HOST:-localhost}:${PORT:-8080}/a@b", ""),
    ("sk-ant-${REST}", "API_KEY"),
    ("${TENANT}-prod-key", "API_KEY"),
    ("docker://alpine:3.18@sha256:" + "a1" * 32, ""),
    ("ghcr.io/x/y:v1.2.3-alpine3.18@sha256:" + "a1" * 32, ""),
    ("npm:h3-js-v2abc@1.2.3", ""),
    ("https://h.example:8080/a1b2c3d4@x.example", ""),
    ("mailto:a1b2c3d4e5@h.example", ""),
    ("my-project-12345678", "SECRET_MANAGER_PROJECT"),
]


@pytest.mark.parametrize(("text", "name"), FOUND, ids=[f"{n}-{row[1]}" for n, row in enumerate(FOUND)])
def test_a_credential_is_found_and_struck(text: str, name: str) -> None:
    """Known prefixes, userinfo, key-like queries, schemes and names; `***` stands in its place (C04)."""
    found = secrets.find(text, name)
    assert found
    assert secrets.MASK in secrets.redact(text, name)
    struck = "".join(text[secret.start : secret.end] for secret in found)
    assert not any(struck[n : n + 6] in secrets.redact(text, name) for n in range(len(struck) - 5))
    assert "EXAMPLE" not in repr(found)


@pytest.mark.parametrize(("text", "name"), NONE, ids=[f"{n}-{row[1]}" for n, row in enumerate(NONE)])
def test_references_placeholders_and_settings_are_none(text: str, name: str) -> None:
    """No false alarm on what is meant to be filled in, or only says where the credential is (C04)."""
    assert secrets.find(text, name) == ()
    assert secrets.redact(text, name) == text


def test_a_user_with_a_password_in_one_argument() -> None:
    [found] = secrets.find_in_args(["--user=app:" + TOKEN])
    assert [(secret.start, secret.end) for secret in found] == [(11, 11 + len(TOKEN))]


def test_a_flag_names_the_argument_after_it() -> None:
    """`--api-key VALUE` is found; other flags name nothing (C04)."""
    args = [
        "-y",
        "pkg",
        "--api-key",
        "abcd1234",
        "--port",
        "8080",
        "--token",
        "${T}",
        "-u",
        "me:pass1234",
        "--region",
        "eu-1",
    ]
    assert [n for n, found in enumerate(secrets.find_in_args(args)) if found] == [3, 9]


@pytest.mark.parametrize(
    "prose",
    [
        "Pass a Bearer token in the Authorization header.",
        "Use api_key: your API key. password=secret is an example.",
        "The token parameter: string. Set TOKEN=abc to start.",
        "e.g. postgres://user:password@localhost:5432/db",
        "key: value pairs, session=default, auth=oauth2",
    ],
)
def test_prose_about_credentials_holds_none(prose: str) -> None:
    """Descriptions of tools speak of tokens without showing one (C04)."""
    assert secrets.find_in_prose(prose) == ()


def test_prose_with_a_credential() -> None:
    """What cannot be anything else is found in a description (C04)."""
    assert secrets.find_in_prose("for example ghp_" + "a1" * 18)
    assert secrets.find_in_prose("call with api_key=a1B2c3D4e5F6g7H8i9J0")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "a-", "a--", "key=", "://a:", "Bearer ", "eyJ", "sk-", "${a:-", "token: ", "x."])
def test_no_text_takes_for_ever(unit: str) -> None:
    """A long text is searched in one pass, and the credential in it is found (C04)."""
    long = f"ghp_{'a1' * 18} {unit * (500_000 // len(unit))}"
    assert secrets.find(long, "TOKEN")
    assert secrets.find_in_prose(long)


def test_what_quotes_an_address_does_not_quote_its_password() -> None:
    """No secret value stands in a message: a reference of a schema may carry one too (C04)."""
    said = "it refers to https://bob:hunter2secret9@x.example/s.json"
    assert secrets.redact_forms(said) == "it refers to https://bob:***@x.example/s.json"
    harmless = "https://user:password@x.example, git@x.example"
    assert secrets.redact_forms(harmless) == harmless
