"""An Ed25519 signature over a manifest's digest, in `manifest.sig` beside it; owner of cryptography."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.bundle import layout, strict
from mcpexpose.model.canonical import readable
from mcpexpose.model.errors import BundleNotWritten, InputMissing, UsageRefused
from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from mcpexpose.bundle.folder import Folder

ALGORITHM = "ed25519"
SIGNATURE_MAX = 4_096
"""Bytes of a signature file."""
_SIGN_IT = "Take the bundle as its signer gave it, or, if you are that one, sign it: mcpexpose sign DIR --key FILE."
_CONTEXT = b"mcpexpose plan manifest 1\n"


@dataclass(frozen=True, slots=True)
class Signed:
    """What `sign` left."""

    path: Path
    """Of the signature, in the bundle."""
    digest: str
    """The manifest's: what was signed."""
    public_key: str
    """Base64 of its 32 bytes, for `load_plan(public_key=…)`."""


def generate_key(key_file: Path | str) -> Path:
    """Makes an Ed25519 key: the private one in KEY_FILE (PEM, for its owner alone), the public one in `KEY_FILE.pub`.

    Returns the public key's path. Raises UsageRefused where one of the two files is there already, and InputMissing
    where one cannot be written; then neither is left.
    """
    _need_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Path(key_file)
    public = private.with_name(f"{private.name}.pub")
    key = Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    _write_new(private, key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain), 0o600)
    try:
        _write_new(public, key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo), 0o644)
    except BaseException:
        private.unlink(missing_ok=True)
        raise
    return public


def sign(bundle: Path | str, key_file: Path | str) -> Signed:
    """Signs the bundle with the private key (PEM, unencrypted) in KEY_FILE, and looks that a reader takes it.

    Raises what `open_bundle` raises, InputMissing for a key that is not there, UsageRefused for one that is no Ed25519
    key, and BundleNotWritten.
    """
    _need_library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from mcpexpose.bundle.read import open_bundle
    from mcpexpose.bundle.verify import verify

    opened = open_bundle(bundle)
    if findings := verify(bundle, expected_digest=opened.manifest.digest):
        raise layout.refusal(*findings)
    try:
        pem = Path(key_file).read_bytes()
    except OSError as error:
        raise InputMissing(f"the key {shown(str(key_file))} cannot be read: {error.strerror}") from None
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageRefused(f"{shown(str(key_file))} holds no unencrypted Ed25519 private key in PEM")
    public = key.public_key().public_bytes_raw()
    digest = opened.manifest.digest
    document = {
        "algorithm": ALGORITHM,
        "digest": digest,
        "public_key": base64.b64encode(public).decode("ascii"),
        "signature": base64.b64encode(key.sign(_signed(digest))).decode("ascii"),
    }
    place = Path(bundle) / layout.SIGNATURE
    _put(place, readable(document))
    # A build that took the bundle's place in between is not what was signed.
    open_bundle(bundle, expected_digest=digest, public_key=public)
    return Signed(place, digest, document["public_key"])


def check(folder: Folder, digest: str, public_key: str | bytes | os.PathLike[str]) -> None:
    """Raises BundleRefused where the folder's signature is missing or not PUBLIC_KEY's, UsageRefused for a bad key."""
    _need_library()
    from cryptography.exceptions import InvalidSignature

    key = read_public_key(public_key)
    try:
        file = folder.open(layout.SIGNATURE)
    except OSError:
        raise layout.refusal(
            layout.damaged(layout.SIGNATURE, "is missing, and a signature is demanded", _SIGN_IT)
        ) from None
    try:
        key.verify(_signature(file.read(0, SIGNATURE_MAX + 1)), _signed(digest))
    except (InvalidSignature, ValueError):
        raise layout.refusal(
            layout.damaged(layout.SIGNATURE, "does not fit the manifest and the public key that was given", _SIGN_IT)
        ) from None


def read_public_key(given: str | bytes | os.PathLike[str]) -> Ed25519PublicKey:
    """An Ed25519 public key: 32 bytes, their base64 or hexadecimal form, PEM text, or the path of a file with one.

    Raises UsageRefused for anything else.
    """
    _need_library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    what = "the public key"
    if isinstance(given, os.PathLike):
        what = shown(str(given))
        try:
            given = Path(given).read_bytes()
        except OSError as error:
            raise UsageRefused(f"the public key {shown(str(given))} cannot be read: {error.strerror}") from None
    raw = given.encode("utf-8") if isinstance(given, str) else given
    try:
        if len(raw) == 32:
            return Ed25519PublicKey.from_public_bytes(raw)
        if raw.lstrip().startswith(b"-----BEGIN"):
            key = serialization.load_pem_public_key(raw)
            if isinstance(key, Ed25519PublicKey):
                return key
        else:
            text = raw.decode("ascii").strip()
            decoded = bytes.fromhex(text) if len(text) == 64 else base64.b64decode(text, validate=True)
            return Ed25519PublicKey.from_public_bytes(decoded)
    except (ValueError, UnsupportedAlgorithm):
        pass
    raise UsageRefused(f"{what} is no public Ed25519 key (32 bytes, base64, hexadecimal, PEM, or the Path of a file)")


def _need_library() -> None:
    """Raises UsageRefused, naming the extra, where cryptography is not installed."""
    if find_spec("cryptography") is None:
        raise UsageRefused('signatures need the package cryptography: pip install "mcpexpose[sign]"')


def _write_new(path: Path, data: bytes, mode: int) -> None:
    """Writes a file that was not there. Raises UsageRefused where there is one, whatever it is."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags, mode), "wb") as file:
            file.write(data)
    except FileExistsError:
        raise UsageRefused(f"{shown(str(path))} is there already, and keys are never overwritten") from None
    except OSError as error:
        raise InputMissing(f"{shown(str(path))} cannot be written: {error.strerror}") from None


def _put(place: Path, data: bytes) -> None:
    """Puts a signature in place, whole. Raises BundleNotWritten."""
    work = place.with_name(f".{layout.SIGNATURE}.{secrets.token_hex(8)}")
    try:
        work.write_bytes(data)
        work.replace(place)
    except OSError as error:
        work.unlink(missing_ok=True)
        message = f"the signature cannot be written to {shown(str(place.parent))}: {error.strerror}"
        finding = Finding("plan-not-writable", Severity.ERROR, message, ("plan",), "Sign a copy that may be written.")
        raise BundleNotWritten(f"plan-not-writable: {message}", (finding,)) from error


def _signed(digest: str) -> bytes:
    return _CONTEXT + digest.encode("ascii")


def _signature(data: bytes) -> bytes:
    if len(data) > SIGNATURE_MAX:
        raise ValueError("too long")
    document: Any = strict.loads(data)
    if not isinstance(document, dict) or document.get("algorithm") != ALGORITHM:
        raise ValueError("another algorithm")
    try:
        return base64.b64decode(document["signature"], validate=True)
    except (KeyError, TypeError, binascii.Error) as error:
        raise ValueError("no signature") from error
