"""Signed bundles."""

from __future__ import annotations

import base64
import json
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from mcpexpose.bundle.read import open_bundle
from mcpexpose.bundle.signature import generate_key, sign
from mcpexpose.bundle.verify import verify
from mcpexpose.bundle.write import write
from mcpexpose.model.errors import BundleNotWritten, BundleRefused, InputMissing, UsageRefused
from tests.bundle.changes import mend, slugs

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.plan import Compiled

PEM = serialization.Encoding.PEM
PKCS8 = serialization.PrivateFormat.PKCS8
PLAIN = serialization.NoEncryption()


@pytest.fixture
def key(tmp_path: Path) -> Ed25519PrivateKey:
    made = Ed25519PrivateKey.generate()
    (tmp_path / "key.pem").write_bytes(made.private_bytes(PEM, PKCS8, PLAIN))
    return made


def _raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def test_a_signed_bundle_opens_with_its_key_in_every_form(bundle: Path, tmp_path: Path, key: Ed25519PrivateKey) -> None:
    """Raw, base64, hexadecimal, PEM and a file of it name the same key (C03)."""
    signed = sign(bundle, tmp_path / "key.pem")
    assert signed.path == bundle / "manifest.sig"
    assert (signed.digest, signed.public_key) == (
        open_bundle(bundle).manifest.digest,
        base64.b64encode(_raw(key)).decode(),
    )
    pem = key.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "key.pub").write_bytes(pem)
    raw = _raw(key)
    for given in (raw, base64.b64encode(raw).decode(), raw.hex(), pem, pem.decode(), tmp_path / "key.pub"):
        assert open_bundle(bundle, public_key=given).manifest
    assert verify(bundle, public_key=raw) == ()
    assert verify(bundle) == ()


def test_without_a_fitting_signature_it_is_refused(
    bundle: Path, tmp_path: Path, key: Ed25519PrivateKey, one: Compiled
) -> None:
    """No signature, another key's, one of another manifest, a spoilt one: nothing is served (C03)."""
    raw = _raw(key)
    assert slugs(lambda: open_bundle(bundle, public_key=raw)) == {"plan-damaged"}
    sign(bundle, tmp_path / "key.pem")
    other = _raw(Ed25519PrivateKey.generate())
    assert slugs(lambda: open_bundle(bundle, public_key=other)) == {"plan-damaged"}
    file = bundle / "manifest.sig"
    good = file.read_bytes()
    document = json.loads(good)
    spoilt = [b"", b"{}", b"x" * 5_000, json.dumps(document | {"algorithm": "none"}).encode()]
    spoilt += [json.dumps(document | {"signature": base64.b64encode(bytes(64)).decode()}).encode()]
    for data in spoilt:
        file.write_bytes(data)
        assert slugs(lambda: open_bundle(bundle, public_key=raw)) == {"plan-damaged"}
    file.write_bytes(good)
    assert not slugs(lambda: open_bundle(bundle, public_key=raw))
    mend(bundle, lambda document: document.update(tool_version="9"))
    assert slugs(lambda: open_bundle(bundle, public_key=raw)) == {"plan-damaged"}
    write(one, bundle)
    assert not file.exists()


def test_a_key_that_is_none_is_no_damage(bundle: Path, tmp_path: Path, key: Ed25519PrivateKey) -> None:
    """A key of another kind, or none at all, is the caller's fault, and never opens the bundle (C03)."""
    sign(bundle, tmp_path / "key.pem")
    for given in ("", "x", b"", b"x" * 31, "!" * 64, "-----BEGIN NONSENSE-----", base64.b64encode(b"x").decode()):
        with pytest.raises(UsageRefused):
            open_bundle(bundle, public_key=given)
    with pytest.raises(UsageRefused):
        open_bundle(bundle, public_key=tmp_path / "nope")
    (tmp_path / "other.pem").write_bytes(X25519PrivateKey.generate().private_bytes(PEM, PKCS8, PLAIN))
    with pytest.raises(UsageRefused):
        sign(bundle, tmp_path / "other.pem")
    with pytest.raises(InputMissing):
        sign(bundle, tmp_path / "nope.pem")


def test_a_damaged_bundle_is_not_signed(
    bundle: Path, tmp_path: Path, key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not verify gets no signature; a folder that cannot be written says so (C03)."""
    from pathlib import Path as Anywhere

    file = bundle / "definitions.bin"
    good = file.read_bytes()
    file.write_bytes(good.replace(b"Get", b"Set"))
    with pytest.raises(BundleRefused):
        sign(bundle, tmp_path / "key.pem")
    file.write_bytes(good)

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Anywhere, "write_bytes", full)
    with pytest.raises(BundleNotWritten):
        sign(bundle, tmp_path / "key.pem")
    assert verify(bundle) == ()


def test_a_key_is_made_once_and_for_its_owner(bundle: Path, tmp_path: Path) -> None:
    """Private 0600, public beside it; what is there is never overwritten, and nothing is left half made (C03)."""
    private = tmp_path / "release.pem"
    public = generate_key(private)
    assert public == tmp_path / "release.pem.pub"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    sign(bundle, private)
    assert open_bundle(bundle, public_key=public).manifest
    before = private.read_bytes(), public.read_bytes()
    with pytest.raises(UsageRefused, match="never overwritten"):
        generate_key(private)
    assert (private.read_bytes(), public.read_bytes()) == before
    private.unlink()
    with pytest.raises(UsageRefused, match=r"release\.pem\.pub"):
        generate_key(private)
    assert not private.exists()
    private.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageRefused):
        generate_key(private)
    assert not (tmp_path / "elsewhere").exists()
    with pytest.raises(InputMissing):
        generate_key(tmp_path / "no" / "key.pem")


def test_without_the_library_a_demanded_signature_refuses(
    bundle: Path, tmp_path: Path, key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fail closed, and name the extra; a plan of which no signature is demanded needs no library (C03)."""
    sign(bundle, tmp_path / "key.pem")
    raw = _raw(key)
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    for work in (
        lambda: open_bundle(bundle, public_key=raw),
        lambda: sign(bundle, tmp_path / "key.pem"),
        lambda: generate_key(tmp_path / "new.pem"),
    ):
        with pytest.raises(UsageRefused, match=r"mcpexpose\[sign\]"):
            work()
    assert open_bundle(bundle).manifest
