"""Packs that a config extends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mcpexpose.config import document, packs, shipped
from mcpexpose.model.policy import Approval, Exposure, SideEffect
from tests.config.reading import said, text

if TYPE_CHECKING:
    from pathlib import Path

TEAM = 'name = "team"\nversion = 2\n[[constraints]]\nmatch = "*/x"\ndeny = true\n'


def test_shipped_by_name_and_others_by_path(tmp_path: Path) -> None:
    """Both ways, in the order of `extends`, each with a digest of its meaning (C05)."""
    (tmp_path / "team.toml").write_text(TEAM)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "p.toml").write_bytes(b"\xef\xbb\xbf# c\r\n" + TEAM.replace("\n", "\r\n").encode())
    found, findings = packs.find(["baseline", "./team.toml"], tmp_path)
    assert findings == ()
    assert [(each.pack.name, each.file) for each in found] == [
        ("baseline", "policies/baseline.toml"),
        ("team", "./team.toml"),
    ]
    other, _ = packs.find(["sub/p.toml"], tmp_path)
    assert other[0].digest == found[1].digest
    assert packs.is_shipped("policies/baseline.toml")
    assert not packs.is_shipped("./team.toml")
    for each in found:
        written = packs.document(each.file, tmp_path)
        assert written is not None
        assert written.locate(("constraints", 0, "match")) is not None


@pytest.mark.parametrize(
    ("name", "slug", "names"),
    [
        ("baselin", "pack-unknown", '"baseline"'),
        ("readonly", "pack-unknown", '"read-only"'),
        ("team", "pack-unknown", "team"),
        ("./none.toml", "pack-unknown", "none.toml"),
        ("./", "pack-unknown", "./"),
        ("./teem.toml", "pack-unknown", "teem.toml"),
        ("./config.toml", "pack-cycle", "itself"),
        ("baseline@99", "pack-version", "99"),
    ],
)
def test_a_pack_that_cannot_be_had(tmp_path: Path, name: str, slug: str, names: str) -> None:
    """It is an error at its entry, and names the nearest (C05)."""
    (tmp_path / "team.toml").write_text(TEAM)
    (tmp_path / "config.toml").write_text("")
    _, findings = packs.find(["unattended", name], tmp_path)
    assert said(findings) == [(slug, "extends[1]")]
    assert names in findings[0].message
    assert findings[0].place is not None
    assert findings[0].place.path == ("extends", 1)
    assert findings[0].advice


def test_one_pack_under_two_names(tmp_path: Path) -> None:
    """The same pack twice is one repetition, and counts once (C05)."""
    found, findings = packs.find(["baseline", "baseline@1"], tmp_path)
    assert said(findings) == [("config-duplicate", "extends[1]")]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("source", "slug", "subject"),
    [
        ("name =", "toml-syntax", "p.toml"),
        ("schema_version = 2\n" + TEAM, "pack-version", "p.toml:schema_version"),
        (TEAM + '[mcp_servers.a]\ncommand = "x"\n', "config-unknown-key", "p.toml:mcp_servers"),
        ("extends = ['x']\n" + TEAM, "config-unknown-key", "p.toml:extends"),
        (TEAM.replace("deny", "denny"), "config-unknown-key", "p.toml:constraints[0].denny"),
        (TEAM.replace("true", '"yes"'), "config-type", "p.toml:constraints[0].deny"),
        (
            TEAM.replace("deny = true", 'min_side_effect = "destructiv"'),
            "config-value",
            "p.toml:constraints[0].min_side_effect",
        ),
        (TEAM.replace("deny = true", 'approval = "auto"'), "config-value", "p.toml:constraints[0].approval"),
        (TEAM.replace("deny = true", 'reason = "x"'), "config-invalid", "p.toml:constraints[0]"),
        (TEAM.replace('match = "*/x"\n', ""), "config-invalid", "p.toml:constraints[0].match"),
        ("version = 1\n", "config-invalid", "p.toml:name"),
        (TEAM + 'groups = ["a", "a"]\n', "config-duplicate", "p.toml:constraints[0].groups[1]"),
    ],
)
def test_a_pack_that_is_wrong(source: str, slug: str, subject: str) -> None:
    """A fault in a pack is an error in that file, never an ignored limit (C05)."""
    _, findings = packs.parse(document.of_bytes(source.encode(), "p.toml"))
    assert said(findings)[0] == (slug, subject)


def test_what_is_right_in_a_broken_pack_still_limits() -> None:
    """The preview keeps the constraints that can be read (C05)."""
    source = TEAM + '[[constraints]]\nmatch = 3\ndeny = true\n[[constraints]]\nmatch = "*/z"\ndeny = true\n'
    pack, findings = packs.parse(text(source))
    assert pack is not None
    assert [each.match for each in pack.constraints] == ["*/x", "*/z"]
    assert len(findings) == 1


@pytest.mark.parametrize(
    ("keys", "key", "value"),
    [
        ("denny = true", "deny", True),
        ('deny = "yes"', "deny", True),
        ('max_exposure = "hiden"', "max_exposure", Exposure.HIDDEN),
        ('max_exposur = "deferred"', "max_exposure", Exposure.HIDDEN),
        ("approval = true", "approval", Approval.ASK),
        ('min_side_effect = "worst"', "min_side_effect", SideEffect.DESTRUCTIVE),
        ('deny = true\nside_effects = "write"', "side_effects", None),
        ('deny = true\nside_effects = ["writes"]', "side_effects", None),
        ("deny = true\ngroups = 3", "groups", None),
        ("deny = true\nreason = 3", "deny", True),
    ],
)
def test_a_limit_that_cannot_be_read_is_taken_at_its_strictest(keys: str, key: str, value: object) -> None:
    """No preview shows more than the pack would leave, whatever its author meant (C05, law 2, law 8)."""
    source = f'name = "team"\nversion = 1\n[[constraints]]\nmatch = "*/y"\n{keys}\n'
    pack, findings = packs.parse(text(source))
    assert findings
    assert pack is not None
    [constraint] = pack.constraints
    assert getattr(constraint, key) == value


def test_shipped_files_are_there() -> None:
    """Packs and schemas come with the package (C05)."""
    assert shipped.names("policies") == ("baseline", "read-only", "strict", "unattended")
    assert "config" in shipped.names("schemas")
    assert shipped.path("schemas", "config").is_file()
    with pytest.raises(KeyError):
        shipped.path("policies", "../pyproject")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
@pytest.mark.parametrize(
    "name", ["./pipe.toml", "./loop.toml", "./folder.toml", "/dev/tty", "/dev/zero", "./a\0b.toml"]
)
def test_what_is_no_regular_file_is_no_pack(tmp_path: Path, name: str) -> None:
    """A config of somebody else makes nobody wait, and nothing fail: pipes, devices, loops, odd names (C05, law 8)."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    (tmp_path / "folder.toml").mkdir()
    found, findings = packs.find([name], tmp_path)
    assert found == ()
    assert [finding.slug for finding in findings] == ["pack-unknown"]
