"""Files that are no TOML, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpexpose.config import document
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Severity
from tests.config.reading import line_and_column, said, text
from tests.work import growth

WRONG = [
    ("command = “npx”\n", 1, 11, "U+201C"),
    ("[a]\ncommand = ‘npx’\n", 2, 11, "U+2018"),
    ('[a]\ncommand = "npx”\n', 2, 15, "U+201D"),
    ("a = «x»\n", 1, 5, "U+00AB"),
    ('[a]\nb = "x"\rc = []\n', 2, 8, "lone CR"),
    ("a = 1\r", 1, 6, "lone CR"),
    ('[a]\nb = "n"\nargs = ["C:\\Users\\x"]\n', 3, 12, "literal string"),
    ('p = "F:\\chat\\start.ps1"\n', 1, 8, "literal string"),
    ('p = "C:\\dir\\"\n', 1, 8, "literal string"),
    ('p = "C:\\new\\"\n', 1, 12, "literal string"),
    ('p = "\\\\srv\\share"\n', 1, 11, "literal string"),
    ("a = 1\u00a0\n", 1, 6, "U+00A0"),
    ("a\u200b = 1\n", 1, 2, "U+200B"),
    ("a = 1\x00\n", 1, 6, "U+0000"),
    ("é = 1\n", 1, 1, "U+00E9"),
    ("a: 1\n", 1, 2, "colon"),
    ("a = npx\n", 1, 5, "without quotes"),
    ("a = True\n", 1, 5, "`True`"),
    ("a = null\n", 1, 5, "`null`"),
    ("a =\n", 1, 4, "missing"),
    ('{"mcpServers": {}}\n', 1, 1, "JSON"),
    ("[a]\n<<<<<<< HEAD\nb = 1\n", 2, 1, "conflict"),
    ("a = [1 2]\n", 1, 8, "comma"),
    ('a = "x\n', 1, 7, "not closed"),
    ("a = " + "9" * 6000, 1, 5, "too many digits"),
]


@pytest.mark.parametrize(("source", "line", "column", "names"), WRONG, ids=lambda value: str(value)[:20])
def test_what_is_no_toml_is_named_at_its_place(source: str, line: int, column: int, names: str) -> None:
    """A typing error is an error at its line and column that says which (C04)."""
    read = text(source)
    assert read.data is None
    assert said(read.findings) == [("toml-syntax", "config.toml")]
    finding = read.findings[0]
    assert finding.severity is Severity.ERROR
    assert names in finding.message
    assert line_and_column(source, finding) == (line, column)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("a\u00a0= 1\n", "plain blank"),
        ("\u3000a = 1\n", "plain blank"),
        ("a \uff1d 1\n", "Write = in its place"),
        ("[a\uff0eb]\n", "Write . in its place"),
        ("a = 1\u200b\n", "Remove it"),
        ("\u00ef\u00bb\u00bfa = 1\n", "three letters"),
    ],
)
def test_what_an_editor_put_there_is_told_with_what_belongs_there(source: str, advice: str) -> None:
    """A byte order mark that was taken for letters is one, and not three letters that want quotes (C04)."""
    [finding] = text(source).findings
    assert finding.slug == "toml-syntax"
    assert advice in finding.advice


def test_what_is_asked_for_each_of_many_tables_is_looked_for_once() -> None:
    """Thousands of waivers cost no more than as many other tables: the places of all tables are listed once (C04)."""
    read = text("[[waivers]]\nrule = 'x'\n" * 3)
    assert read.starts_of_tables == (0, 23, 46)
    assert read.starts_of_tables is read.starts_of_tables


TWICE = [
    ('[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers.a]\ncommand = "x"\n', "mcp_servers.a", 4, (1, 4)),
    (
        '[mcp_servers.a]\ncommand = "x"\nenv = { A = "1" }\n[mcp_servers.a.env]\nB = "2"\n',
        "mcp_servers.a.env",
        4,
        (3, 4),
    ),
    ('[mcp_servers.a]\ncommand = "x"\ncommand = "y"\n', "mcp_servers.a.command", 3, (2, 3)),
    ('[mcp_servers."a"]\n[mcp_servers.a]\n', "mcp_servers.a", 2, (1, 2)),
    ('[mcp_servers."a b"]\n[mcp_servers."a b"]\n', 'mcp_servers."a b"', 2, (1, 2)),
    ("x.y = 1\n[x]\nz = 1\n", "x", 2, (1, 2)),
    ("[x]\ny.z = 1\n[x.y]\n", "x.y", 3, (2, 3)),
    ("x = 1\n[x]\n", "x", 2, (1, 2)),
    ("x = 1\nx.y = 2\n", "x", 2, (1, 2)),
    ("[[waivers]]\n[waivers]\n", "waivers", 2, (1, 2)),
    ("[a]\n[[a]]\n", "a", 2, (1, 2)),
    ("x = { a = 1, a = 2 }\n", "x.a", 1, (1, 1)),
    ("x = [1]\n[[x]]\n", "x", 2, (1, 2)),
]


@pytest.mark.parametrize(("source", "subject", "line", "lines"), TWICE)
def test_a_key_or_table_that_stands_twice(source: str, subject: str, line: int, lines: tuple[int, int]) -> None:
    """Neither of two wins; both lines are named, and the finding stands at the second (C04)."""
    read = text(source)
    assert read.data is None
    assert said(read.findings) == [("config-duplicate", subject)]
    finding = read.findings[0]
    assert line_and_column(source, finding)[0] == line
    assert all(f"line {number}" in finding.message for number in lines)


def test_every_repetition_of_a_file_is_said() -> None:
    """One run of lint is enough to mend them all (C04)."""
    read = text("[a]\nx = 1\nx = 2\n[b]\n[b]\ny = 1\n[a]\nx = 3\n")
    assert said(read.findings) == [
        ("config-duplicate", "a.x"),
        ("config-duplicate", "b"),
        ("config-duplicate", "a"),
    ]


@pytest.mark.parametrize(
    ("data", "names", "place"),
    [
        (b'[a]\nb = "x"\nd = "caf\xe9"\n', "0xE9", (3, 9)),
        ("é = 1\nd = 'ü'\n".encode("cp1252"), "0xE9", (1, 1)),
        (b"a = '\xc3\xa9\x80'", "0x80", (1, 7)),
        ("a = 1\n".encode("utf-16"), "UTF-16", (1, 1)),
        ("a = 'xyz'\n".encode("utf-16-le"), "UTF-16", (1, 1)),
        ("a = 'xyz'\n".encode("utf-16-be"), "UTF-16", (1, 1)),
        ("a = 'xyz'\n".encode("utf-32"), "UTF-32", (1, 1)),
    ],
)
def test_another_encoding_is_named_and_not_guessed(data: bytes, names: str, place: tuple[int, int]) -> None:
    """A file that is not UTF-8 is an error at the byte (C04)."""
    read = text(data)
    assert read.data is None
    assert said(read.findings) == [("config-encoding", "config.toml")]
    assert names in read.findings[0].message
    assert line_and_column(data, read.findings[0]) == place


def test_a_mark_at_the_start_is_skipped() -> None:
    """A byte order mark changes nothing; a second one is a fault (C02)."""
    assert text(b"\xef\xbb\xbfa = 1").data == {"a": 1}
    assert text(b"\xef\xbb\xbfa = 1").marked
    assert said(text(b"\xef\xbb\xbf\xef\xbb\xbfa = 1").findings) == [("toml-syntax", "config.toml")]


@pytest.mark.parametrize("source", ["", "\n", "# x", "[mcp_servers]"])
def test_little_is_no_fault(source: str) -> None:
    """A file with nothing in it is TOML (C01)."""
    assert text(source).data is not None
    assert text(source).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        "a = " + "[" * 3000 + "]" * 3000,
        "a = " + "[" * 900_000,
        "a" + ".a" * 400_000 + " = 1",
        "[a" + ".a" * 200 + "]\n",
        "x = " + "{a=" * 2000,
        "[a" + ".a" * 60 + "]\nb" + ".b" * 60 + " = 1\n",
        "a" + ".a" * 60 + " = " + "[" * 60 + "]" * 60,
    ],
    ids=lambda source: source[:6] + str(len(source)),
)
def test_too_deep_is_said_before_anything_recurses(source: str) -> None:
    """Beyond 100 levels there is a finding, and no traceback (C04)."""
    read = text(source)
    assert said(read.findings) == [("config-too-deep", "config.toml")]
    assert read.comments == ()
    assert read.locate(("a",)) is not None


@pytest.mark.parametrize("unit", ["[", ".a", "{a="])
def test_what_is_too_deep_is_not_gone_into(unit: str) -> None:
    """Ten times as deep is at most ten times the work (C04)."""
    assert growth(lambda deep: lambda: text(f"a{'' if unit == '.a' else ' = '}{unit * deep}"), 1_000) < 11


def test_brackets_in_strings_and_comments_nest_nothing() -> None:
    """Only real nesting counts (C04)."""
    assert text("a = '" + "[" * 500 + "'\n# " + "[" * 500 + '\nb = """' + "{" * 500 + '"""').findings == ()
    assert text("a = " + "[" * 90 + "]" * 90).findings == ()


def test_too_large_is_said_before_it_is_read(tmp_path: Path) -> None:
    """Beyond 1 MiB there is a finding (C04)."""
    path = tmp_path / "config.toml"
    path.write_text("# " + "x" * (document.MAX_BYTES - 2))
    assert document.read(path, "config.toml").findings == ()
    path.write_text("# " + "x" * (document.MAX_BYTES - 1))
    assert said(document.read(path, "config.toml").findings) == [("config-too-large", "config.toml")]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['\\"', '"""', "'", "=", "#", "{", "x.", '"\\', "[a]\n", "a\n"])
def test_no_text_takes_for_ever(unit: str) -> None:
    """A megabyte of anything is judged: no pattern and no search begins again at each character (C04)."""
    read = text(unit * (document.MAX_BYTES // len(unit)))
    assert read.locate(("x",)) is not None
    assert read.findings or unit == "#"


@pytest.mark.parametrize(
    ("source", "data", "names"),
    [
        ("a = {\n  b = 1, # c\n  d = 2,\n}\n", {"a": {"b": 1, "d": 2}}, "several lines"),
        ("a = { b = 1, }", {"a": {"b": 1}}, "comma"),
        ('a = "x\\e[0m"', {"a": "x\x1b[0m"}, "\\e"),
        ('a = "\\x41"', {"a": "A"}, "\\x"),
    ],
)
def test_toml_1_1_is_read_and_said(source: str, data: object, names: str) -> None:
    """What a reader of TOML 1.0 refuses is a warning, and the rest of the file is judged (C01)."""
    read = text(source)
    assert read.data == data
    assert [(each.slug, each.severity) for each in read.findings if names in each.message] == [
        ("toml-1-1-only", Severity.WARNING)
    ]


def test_a_windows_path_is_no_toml_1_1() -> None:
    r"""`\e` in "C:\example" is a lost backslash and no escape character (C04)."""
    assert said(text('a = "C:\\example"').findings) == [("toml-syntax", "config.toml")]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A named file that cannot be read ends the command with 2 (C04)."""
    for path in (tmp_path / "no.toml", tmp_path, Path("x\0y")):
        with pytest.raises(InputMissing) as caught:
            document.read(path, "no.toml")
        assert caught.value.exit_code == 2
