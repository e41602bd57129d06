"""`mcpexpose sign` and `mcpexpose verify --public-key`: a release that nobody else can make."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ran

    Run = Callable[..., Ran]


@pytest.fixture
def signed(run: Run, project: Path) -> Path:
    assert run("plan", "--out", "build/plan").code == 0
    made = run("sign", "build/plan", "--key", "release.pem", "--generate-key")
    assert made.code == 0
    assert "release.pem.pub" in made.err
    return project / "build" / "plan"


def test_a_signed_bundle_verifies_with_its_key_alone(run: Run, signed: Path) -> None:
    """C03: 0 with the key; 1 with another one, without a signature, or with another byte."""
    good = run("verify", "build/plan", "--public-key", "release.pem.pub")
    assert good.code == 0
    assert "signed by the key in release.pem.pub" in good.out
    assert run("sign", "--generate-key", "--key", "other.pem").code == 0
    other = run("verify", "build/plan", "--public-key", "other.pem.pub")
    assert (other.code, "plan-damaged" in other.out) == (1, True)
    (signed / "manifest.sig").unlink()
    assert run("verify", "build/plan").code == 0
    stripped = run("verify", "build/plan", "--public-key", "release.pem.pub", "--format", "json")
    assert stripped.code == 1
    (finding,) = json.loads(stripped.out)["findings"]
    assert (finding["slug"], "is missing" in finding["message"]) == ("plan-damaged", True)
    assert "mcpexpose sign" in finding["advice"]  # building anew leaves it unsigned


def test_a_signature_that_nobody_demands_is_told(run: Run, signed: Path) -> None:
    """An operator who forgets the option hears of it; the answer stays 0."""
    found = run("verify", "build/plan")
    assert (found.code, "--public-key" in found.err) == (0, True)


def test_a_public_key_is_not_asked_to_be_kept_secret(run: Run, signed: Path) -> None:
    """The advice to close a file is for a key that signs."""
    done = run("sign", "build/plan", "--key", "release.pem.pub")
    assert (done.code, "chmod" in done.err) == (2, False)
    (signed.parent.parent / "release.pem").chmod(0o644)
    assert "chmod 600" in run("sign", "build/plan", "--key", "release.pem").err


def test_a_folder_that_is_no_bundle_says_what_is_wanted(run: Run, signed: Path) -> None:
    done = run("show", "--plan", "catalogs")
    assert (done.code, "plan --out DIR` wrote" in done.err) == (1, True)


def test_the_digest_can_be_demanded(run: Run, signed: Path) -> None:
    """C03: what `sign` printed is what `--expected-digest` takes."""
    digest = json.loads((signed / "manifest.sig").read_text())["digest"]
    assert run("verify", "build/plan", "--expected-digest", digest).code == 0
    assert run("verify", "build/plan", "--expected-digest", "0" * 64).code == 1


def test_a_bundle_that_is_written_anew_is_unsigned(run: Run, signed: Path) -> None:
    """C03: a signature is of one bundle, and is made again by whoever has the key."""
    assert run("plan", "--out", "build/plan").code == 0
    assert run("verify", "build/plan", "--public-key", "release.pem.pub").code == 1
    assert run("sign", "build/plan", "--key", "release.pem").code == 0
    assert run("verify", "build/plan", "--public-key", "release.pem.pub").code == 0


def test_what_is_wrong_with_a_key_is_said(run: Run, signed: Path, project: Path) -> None:
    """2 for a key that is none, is not there, or would be overwritten; a key that others can read is mentioned."""
    for words in (
        ["sign", "build/plan", "--key", "none.pem"],
        ["sign", "build/plan", "--key", "config.toml"],
        ["sign", "--key", "release.pem", "--generate-key"],
        ["sign", "--key", "release.pem"],
        ["sign", "build/plan"],
        ["verify", "build/plan", "--public-key", "none.pub"],
        ["verify", "build/plan", "--public-key", "config.toml"],
    ):
        refused = run(*words)
        assert (refused.code, refused.out) == (2, ""), words
    assert "PRIVATE" not in run("sign", "build/plan", "--key", "release.pem.pub").err
    (project / "release.pem").chmod(0o644)
    assert "chmod 600" in run("sign", "build/plan", "--key", "release.pem").err
