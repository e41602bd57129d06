"""Files of policy tests: each fault at its line and column with the nearest right thing; the rest is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcpexpose.config.document import of_bytes
from mcpexpose.config.tests import below, beside, beside_parsed, parse

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.config.document import Document
    from mcpexpose.model.finding import Finding

GOOD = '[[tests]]\nname = "good"\nsees = ["git/git_log"]\n'

FAULTS = [
    ('[[test]]\nname = "a"', "1:3", "config-unknown-key", 'did you mean "tests"?'),
    ('[[tests]]\nnam = "a"\nsees = ["a/b"]', "2:1", "config-unknown-key", 'did you mean "name"?'),
    ('[[tests]]\nname = "a"\nnotvisible = ["a/b"]', "3:1", "config-unknown-key", 'did you mean "not_visible"?'),
    ('[[tests]]\nname = "a"\nas = "ci"\nsees = ["a/b"]', "3:1", "config-unknown-key", 'did you mean "profile"?'),
    ('[[tests]]\nname = "a"\nallow = ["a/b"]', "3:1", "config-unknown-key", '[[tests]] has no key "allow"'),
    ('sees = ["a/b"]', "1:1", "config-unknown-key", "it belongs in [[tests]]"),
    ('[[tests]]\nsees = ["a/b"]', "1:1", "config-invalid", "has no name"),
    ('[[tests]]\nname = "a"', "1:1", "config-invalid", 'the test "a" asserts nothing'),
    ('[[tests]]\nname = "a"\nquery = "q"', "3:9", "config-invalid", "asks, and expects nothing"),
    ('[[tests]]\nname = "a"\nfinds = "a/b"', "3:9", "config-invalid", "has finds and no query"),
    ('[[tests]]\nname = "a"\nnever_finds = ["a/b"]', "3:15", "config-invalid", "has never_finds and no query"),
    ('[[tests]]\nname = "a"\nquery = "q"\nnever_finds = ["a/b"]\nwithin = 2', "5:10", "config-invalid", "no finds"),
    ('[[tests]]\nname = "a"\nsees = []', "3:8", "config-invalid", "is empty"),
    ('[[tests]]\nname = "a"\napproval = {}', "3:12", "config-invalid", "is empty"),
    ('[[tests]]\nname = "a"\nsees = "a/b"', "3:8", "config-type", "must be a list of texts"),
    ('[[tests]]\nname = "a"\nsees = ["a/b", 5]', "3:16", "config-type", "must be a text"),
    ('[[tests]]\nname = "a"\nmax_tokens = "5"', "3:14", "config-type", "must be a whole number"),
    ('[[tests]]\nname = "a"\nmax_tokens = -1', "3:14", "config-value", "at least 0"),
    ('[[tests]]\nname = "a"\nquery = "q"\nfinds = "a/b"\nwithin = 21', "5:10", "config-value", "at most 20"),
    ('[[tests]]\nname = "a"\napproval = "ask"', "3:12", "config-type", "must be a table"),
    ('[[tests]]\nname = "a"\napproval = { "a/b" = "asks" }', "3:22", "config-value", "must be auto or ask"),
    ('[[tests]]\nname = "a"\nside_effect = { "a/b" = "readonly" }', "3:25", "config-value", '"readonly"'),
    ('[[tests]]\nname = "a"\nsees = ["a/b", "a/b"]', "3:16", "config-duplicate", "twice"),
    ('tests = "a"', "1:9", "config-type", "must be a list of tables"),
    ("[[tests]\nname = 1", "1:8", "toml-syntax", "no TOML"),
    ("schema_version = 2", "1:18", "config-version-unsupported", "reads 1"),
]


def read(text: str) -> tuple[Document, list[str], list[Finding]]:
    document = of_bytes(text.encode(), "t.expose.toml")
    written, findings = parse(document)
    return document, [each.test.name for each in written], list(findings)


@pytest.mark.parametrize(("text", "at", "slug", "said"), FAULTS, ids=[row[0] for row in FAULTS])
def test_each_fault_is_told_once_at_its_place(text: str, at: str, slug: str, said: str) -> None:
    """As those of a config are (C01, law 8)."""
    document, names, (finding,) = read(text + "\n")
    place = finding.location or (finding.place and document.locate(finding.place.path, finding.place.on))
    assert place is not None
    assert f"{place.line}:{place.column}" == at
    assert finding.slug == slug
    assert said in finding.message
    assert finding.advice
    assert names == []


def test_what_is_right_is_run_beside_what_is_not() -> None:
    """One typing error takes one test away, and is an error itself."""
    _, names, findings = read(GOOD + '[[tests]]\nname = "bad"\nses = ["a/b"]\n' + GOOD.replace("good", "also"))
    assert names == ["good", "also"]
    assert [finding.slug for finding in findings] == ["config-unknown-key"]
    _, names, (twin,) = read(GOOD + GOOD)
    assert names == ["good"]
    assert twin.slug == "config-duplicate"


def test_the_files_of_a_config_stand_beside_it_and_in_tests(tmp_path: Path) -> None:
    """Nowhere else, since what lies deeper may be another config's; a folder that is asked for is walked through."""
    names = [
        "b.expose.toml",
        "a.expose.toml",
        "tests/c.expose.toml",
        "sub/d.expose.toml",
        ".mcpexpose/g.expose.toml",
        ".hid/e.expose.toml",
        "x.toml",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GOOD.replace("good", name))
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "f.expose.toml").write_text(GOOD)
    found = [path.relative_to(tmp_path).as_posix() for path in beside(tmp_path)]
    assert found == ["a.expose.toml", "b.expose.toml", "tests/c.expose.toml"]
    deep = [path.relative_to(tmp_path).as_posix() for path in below(tmp_path)]
    assert deep == [
        ".mcpexpose/g.expose.toml",
        "a.expose.toml",
        "b.expose.toml",
        "sub/d.expose.toml",
        "tests/c.expose.toml",
    ]
    tests = beside_parsed(tmp_path)
    assert tests is not None
    assert [each.test.name for each in tests] == found == [each.file for each in tests]
    (tmp_path / "a.expose.toml").write_text("not toml")
    assert beside_parsed(tmp_path) is None
    assert beside(tmp_path / "none") == ()
