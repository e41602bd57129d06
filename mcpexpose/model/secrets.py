"""Credentials in a text, as stretches: what stands there is never returned, and `redact` puts `***` in its place.

A literal counts by its form (the prefixes that issuers give their keys, a password in a url) or by the name it stands
under, if it looks like more than a setting. Placeholders and `${REF}` are no credentials.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from mcpexpose.model.records import dataclass

MASK = "***"
MAX_PROSE = 200_000
_SHORTEST = 12
"""Characters without a blank of the shortest credential, a private key aside: `://u:12345678@h`."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A stretch of a text, in code points; `kind` says what it looks like: "GitHub token", "password in a url"."""

    kind: str
    start: int
    end: int


def find(text: str, name: str = "") -> tuple[Secret, ...]:
    """Credentials in a value of a config; NAME is the key that it stands under, "" where that says nothing."""
    open_text = _without_references(text)
    # By its form a credential is one in place of a variable's name too: `${ghp_…}`.
    found = [*_by_form(text), *_in_urls(open_text), *_after_schemes(open_text, 8), *_assigned(open_text, 12)]
    found += _whole(open_text, name)
    return _merged(found)


def find_in_args(args: Sequence[str]) -> tuple[tuple[Secret, ...], ...]:
    """The same for each of a command's arguments; a flag names the argument after it."""
    out: list[tuple[Secret, ...]] = []
    before = ""
    for arg in args:
        flag = before.lstrip("-") if before.startswith("-") and "=" not in before else ""
        user = re.fullmatch(r"[^:\s/]+:([^\s]+)" if before in ("-u", "--user") else r"--user=[^:\s/]+:([^\s]+)", arg)
        if user:
            known = [] if is_placeholder(user[1]) or "${" in user[1] else [Secret("password", *user.span(1))]
            out.append(_merged([*known, *find(arg)]))
        else:
            out.append(find(arg, flag if len(flag) > 1 else ""))
        before = arg
    return tuple(out)


_FLAG = re.compile(r"--?[A-Za-z][a-z-]*")
"""A flag behind a flag, which then had no value: `--no-auth-token --verbose`."""


def find_in_prose(text: str) -> tuple[Secret, ...]:
    """Only what cannot be anything else: for descriptions, examples and defaults of schemas.

    Of a longer text the first MAX_PROSE characters are looked at.
    """
    if max(map(len, text.split()), default=0) < _SHORTEST and "-----BEGIN" not in text:
        return ()  # most texts: words of prose, none long enough
    open_text = _without_references(text[:MAX_PROSE])
    found = [*_by_form(open_text), *_in_urls(open_text, prose=True), *_after_schemes(open_text, 20)]
    found += [
        secret for secret in _assigned(open_text, 20, sure=True) if _is_random(open_text[secret.start : secret.end], 20)
    ]
    return _merged(found)


def redact(text: str, name: str = "") -> str:
    """TEXT with `***` for each credential in it."""
    return strike(text, find(text, name))


def redact_forms(text: str) -> str:
    """TEXT with `***` for each stretch that has the form of a credential, whatever stands around it."""
    return strike(text, _merged([*_by_form(text), *_in_urls(text, prose=True)]))


def strike(text: str, secrets: Sequence[Secret]) -> str:
    """TEXT with `***` for each of these stretches."""
    out, last = [], 0
    for secret in secrets:
        out += [text[last : secret.start], MASK]
        last = secret.end
    return "".join([*out, text[last:]])


# By form. Prefixes are those that the issuers document for their secret scanning.
_FORMS = (
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("GitLab token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas)-[A-Za-z0-9_-]{16,}"),
    ("OpenAI or Anthropic key", r"sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("AWS key id", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ("Google key", r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"),
    ("Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{20,}"),
    ("Stripe key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{20,}"),
    ("npm token", r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", r"pypi-[A-Za-z0-9_-]{30,}"),
    ("SendGrid key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("DigitalOcean token", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("Notion token", r"ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}"),
    ("Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("Figma token", r"fig[dour]_[A-Za-z0-9_-]{20,}"),
    ("Atlassian token", r"ATATT3[A-Za-z0-9_=-]{20,}|ATCTT3[A-Za-z0-9_=-]{20,}"),
    ("Shopify token", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}"),
    ("Square token", r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{50,}"),
    ("Grafana token", r"gl(?:sa|c)_[A-Za-z0-9_=+/-]{20,}"),
    ("Sentry token", r"sntry[su]_[A-Za-z0-9_=+/-]{20,}"),
    ("Supabase token", r"sbp_[A-Za-z0-9]{20,}|sb_secret_[A-Za-z0-9_-]{20,}"),
    ("Databricks token", r"dapi[a-f0-9]{32}"),
    ("Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("key of a model provider", r"(?:gsk|xai|pplx|r8|nvapi|csk|tgp_v1|tvly|fc|ctx7sk|exa|jina)[-_][A-Za-z0-9_-]{24,}"),
    ("PostHog key", r"ph[xs]_[A-Za-z0-9]{20,}"),
    ("New Relic key", r"NRAK-[A-Z0-9]{20,}"),
    ("Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,}"),
    ("PlanetScale token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}"),
    ("Telegram token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("private key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
)
_LONG = re.compile(r"[A-Za-z0-9_.+/=:-]{14}|PRIVATE KEY")
"""Every one of the forms has such a stretch, and few short texts do."""


@lru_cache(maxsize=1)
def _form() -> re.Pattern[str]:
    return re.compile("(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<f{n}>{form})" for n, (_, form) in enumerate(_FORMS)) + ")")


_REFERENCE = re.compile(r"(?P<dollar>\$\$)|\$\{[^}]{0,512}\}")
_DEFAULT = re.compile(r"\$\{\w+:-")
_USERINFO = re.compile(r"://(?P<user>[^\s/?#:@\"'<>]*):(?P<password>[^\s/?#\"'<>]{1,256})@(?!@|sha\d+:)")
_USERINFO_UNESCAPED = re.compile(
    r"://(?P<user>[^\s/?#:@\"'<>\x00]*):(?!\d{1,5}[/?#])(?P<password>[^\s@\"'<>\x00]{8,256})@(?=[A-Za-z0-9\[])"
)
"""A password with a slash, `?` or `#` in it, which no url can hold, and people write all the same."""
_USERINFO_BARE = re.compile(
    r"(?<![\w.+@-])(?!mailto:)(?P<user>[\w.+-]{1,64}):(?P<password>[^\s/\\@\"'<>\x00]{8,256})"
    r"@(?=(?:localhost|(?:[A-Za-z0-9-]+\.)+(?:[A-Za-z]{2,}|\d+(?=:))|[A-Za-z0-9-]+(?=:\d))(?![\w.-]))"
)
"""`user:password@host` without a scheme: of a proxy, or of an address that lost it."""
_USER_ALONE = re.compile(r"://(?P<user>[^\s/?#:@\"'<>\x00]{12,256}):?@(?=[^\s/@])")
_SCHEME = re.compile(r"(?i)(?<![a-z0-9])(?:bearer|basic|token)\s{1,4}(?P<value>[^\s\"'`,;\\<>\x00]{6,})")
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9_.]-)(?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,63}+)\\?[\"']?\s{0,3}[=:]\s{0,3}"
    r"(?!//)\\?[\"']?(?:(?i:bearer|basic|token)\s{1,4})?(?=(?P<value>[^\s\"'`,;&|\\<>]{4,128}))"
)
_VALUE = re.compile(r"[^\s\"'`,;&|\\<>]+")
_SCHEMES = frozenset({"bearer", "basic", "digest", "apikey"})
"""What stands before a credential, alone where a placeholder follows: `Authorization: Bearer <token>`."""
_WHOLE_SCHEME = re.compile(r"(?i)\s*(?:(?:bearer|basic|token|apikey|digest)\s+)?")


def _by_form(text: str) -> list[Secret]:
    out: list[Secret] = []
    if not _LONG.search(text):
        return out
    for found in _form().finditer(text):
        if found.lastgroup is not None and not is_placeholder(found.group()):
            out.append(Secret(_FORMS[int(found.lastgroup[1:])][0], *found.span()))
    return out


def _in_urls(text: str, *, prose: bool = False) -> list[Secret]:
    if "@" not in text:
        return []
    out = []
    less_sure = [_USERINFO_UNESCAPED] if prose else [_USERINFO_UNESCAPED, _USERINFO_BARE]
    for found in (found for pattern in less_sure for found in pattern.finditer(text)):
        if _is_random(found["password"], 8):
            out.append(Secret("password in a url", *found.span("password")))
    for found in _USERINFO.finditer(text):
        if "\x00" in found["password"]:
            out += _beside_references(found["password"], found.start("password"), "password in a url")
        elif not is_placeholder(found["password"]) and not (prose and not _is_random(found["password"], 8)):
            out.append(Secret("password in a url", *found.span("password")))
    for found in _USER_ALONE.finditer(text):
        if _is_random(found["user"], 16):
            out.append(Secret("key in a url", *found.span("user")))
    return out


def _after_schemes(text: str, least: int) -> list[Secret]:
    out = []
    for found in _SCHEME.finditer(text):
        value = found["value"]
        is_word = value.isalpha() and value.islower()
        looks = len(value) >= least and not is_word and (any(map(str.isdigit, value)) or len(value) >= 20)
        if looks and not is_placeholder(value):
            out.append(Secret("key after its scheme", *found.span("value")))
    return out


def _assigned(text: str, least_random: int, *, sure: bool = False) -> list[Secret]:
    out = []
    at = 0
    while found := _ASSIGNED.search(text, at):
        at = found.end()
        value, strength = found["value"], strength_of_name(found["name"])
        looks = (strength > 1 and len(value) >= 6) or (strength > sure and _is_random(value, least_random))
        if strength and "\x00" in value:
            out += _beside_references(value, found.start("value"), f"value of {found['name']}")
        elif looks and "://" not in value and value.lower() not in _SCHEMES and not _is_setting(value):
            whole = _VALUE.match(text, found.start("value"))
            at = whole.end() if whole else found.end("value")
            out.append(Secret(f"value of {found['name']}", found.start("value"), at))
    return out


def _whole(text: str, name: str) -> list[Secret]:
    strength = strength_of_name(name)
    if not strength or "://" in text:
        return []
    scheme = _WHOLE_SCHEME.match(text)
    start = scheme.end() if scheme else 0
    value = text[start:].rstrip()
    if value.startswith("\x00") and value.endswith("\x00") and not value.endswith("\x00\x00"):
        inside = value.strip("\x00")  # the default of a reference that is all there is
        start += value.index(inside)
        value = inside
    if "\x00" in value:
        return _beside_references(value, start, f"value of {name}")
    if _is_setting(value) or len(value) < 6 or (any(map(str.isspace, value)) and "pass" not in name.lower()):
        return []
    if strength > 1 or _is_random(value, 16):
        return [Secret(f"value of {name}", start, start + len(value))]
    return []


def _beside_references(value: str, start: int, kind: str) -> list[Secret]:
    """What looks like a credential in a value that is a reference in part; START is where the value stands."""
    return [
        Secret(kind, start + part.start(), start + part.end())
        for part in re.finditer(r"[^\x00]+", value)
        if _is_random(part.group(), _SHORTEST) and not _is_setting(part.group())
    ]


# By name.
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_CREDENTIAL = _words(
    """
    file path dir directory url uri endpoint host hostname port name names id ids type mode method limit limits
    count length size max min budget timeout ttl expiry expires env var variable header headers scheme format
    version policy prefix suffix provider algorithm region issuer audience scope scopes usage window enabled
    disabled required location source store manager vault arn alias field column index hint label tokens server
    command domain realm public publishable anon project username email org organization tenant
    workspace
    """
)
_STRONG = _words(
    """
    password passwd passphrase pwd secret token apikey apitoken accesskey secretkey privatekey authkey authtoken
    accesstoken clientsecret bearer authorization pat jwt credential credentials xapikey
    """
)
_BEFORE_KEY = _words(
    """
    api access secret private auth subscription encryption signing service master account shared admin app
    license storage deploy ssh webhook
    """
)
_WEAK = _words(
    """
    key auth session cookie sig signature pass code sessionid salt
    """
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def strength_of_name(name: str) -> int:
    """How surely a key of this name holds a credential: 0 not at all, 1 perhaps, 2 surely."""
    return _strength(name[-80:])


@lru_cache(4096)
def _strength(name: str) -> int:
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[-1] in _NO_CREDENTIAL or "public" in words or "publishable" in words:
        return 0
    if any(word in _STRONG for word in words):
        return 2
    joined = "".join(words)
    if joined in _STRONG or any(joined.endswith(ending) for ending in ("apikey", "password", "passwd", "secret")):
        return 2
    if words[-1] == "pass" and len(words) > 1:  # DB_PASS; a `pass` alone may be a pass of something
        return 2
    if words[-1] == "key" and len(words) > 1 and words[-2] in _BEFORE_KEY:
        return 2
    return 1 if words[-1] in _WEAK or joined in _WEAK else 0


# By value.
_PLACEHOLDER = re.compile(
    r"(?ix) \s* (?:"
    r" [x*.…_#?-]+ | <[^>]*>? | \{.*\} | \[.*\] | %\w+% | \$\w+ | \$\(.*\) | !.+"
    r" | (?:your|insert|enter|replace|paste|put|fill|add|provide)[-_\s]?.*"
    r" | .*[-_\s](?:here|goes[-_\s]here|placeholder)"
    r" | change[-_\s]?(?:me|it|this).* | place[-_\s]?holder.* | todo.* | tbd | fixme"
    r" | \$\$\{[^}]*\}"
    r" | none | null | nil | undefined | true | false | yes | no | on | off | auto | default | disabled | enabled"
    r" | required | optional | string | example | dummy | test | sample | redacted | hidden | empty | n/?a"
    r" | (?:my|the|some|a|an|dummy|fake|test|example)?[-_\s]?(?:(?:api|access|secret|auth|bearer)[-_\s]?)?"
    r"   (?:secret|token|password|pass|pwd|key|apikey|credential)s?"
    r" ) \s*",
    re.DOTALL,
)
_PLACEHOLDER_WITHIN = re.compile(r"(?i)x{5,}|\.{3}|…|\*{3}|<[a-z_ -]+>|(?<![a-z])your(?![a-z])|(?<![a-z])insert[-_ ]")


def is_placeholder(value: str) -> bool:
    """Whether VALUE only says that something belongs there: `<token>`, `YOUR_KEY`, `changeme`, `sk-xxxx`."""
    short = value[:120]
    return bool(_PLACEHOLDER.fullmatch(short) or _PLACEHOLDER_WITHIN.search(short))


_PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w.-]+(?:/[\w.@-]+)*/?|(?:~|\.{1,2})/.*|[A-Za-z]:\\.*|[\w.-]+\.(?:pem|key|json|txt|ya?ml|env|crt)"
)
_ELSEWHERE = re.compile(r"(?:op|vault|env|keyring|keychain|file|aws|gcp|azure|ssm|pass|cmd|secret):.+")


def _is_setting(value: str) -> bool:
    """Whether VALUE is a placeholder, a number, a path, or says where the credential is kept."""
    if "\x00" in value or is_placeholder(value):
        return True
    if value.isdigit() and len(value) < 6:
        return True
    return bool(_PATH.fullmatch(value[:120]) or _ELSEWHERE.match(value))


def _is_random(value: str, least: int) -> bool:
    head = value[:64]
    if len(value) < least or not any(map(str.isalpha, head)) or not (any(map(str.isdigit, head)) or _mixed_case(head)):
        return False
    return _entropy(head) > 2.2 and not is_placeholder(value)


def _mixed_case(value: str) -> bool:
    changes = sum(one.islower() and other.isupper() for one, other in pairwise(value))
    return changes >= 3


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())


def _without_references(text: str) -> str:
    """TEXT with each `${NAME}` blanked out; a default stays, since it is a literal too."""
    if "$" not in text:
        return text

    def blank(found: re.Match[str]) -> str:
        whole = found.group()
        if found["dollar"]:
            return whole  # a dollar sign, and a credential may hold one
        opening = _DEFAULT.match(whole)
        if opening is None:
            return "\x00" * len(whole)
        return "\x00" * opening.end() + whole[opening.end() : -1] + "\x00"

    return _REFERENCE.sub(blank, text)


def _merged(found: Sequence[Secret]) -> tuple[Secret, ...]:
    out: list[Secret] = []
    for secret in sorted(found, key=lambda each: (each.start, -each.end)):
        if out and secret.start < out[-1].end:
            last = out[-1]
            out[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            out.append(secret)
    return tuple(out)
