"""`mcpexpose sign`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpexpose.cli import console, exits


@click.command("sign")
@click.argument("bundle", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@click.option("--key", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The private key, PEM.")
@click.option("--generate-key", "generate", is_flag=True, help="Make it first, and FILE.pub; FILE must not be there.")
def command(bundle: Path | None, key: Path, generate: bool) -> int:
    """Sign a bundle with an Ed25519 key: its manifest, and so every byte of it. The signature is DIR/manifest.sig.

    A bundle that is damaged is not signed; one that is written anew has to be signed anew. Who demands a signature
    (`load_plan(public_key=…)`, `verify --public-key`) refuses a bundle without one.

    \b
    Examples:
      mcpexpose sign --generate-key --key release.pem
      mcpexpose sign build/plan --key release.pem
    """
    from mcpexpose.bundle import signature
    from mcpexpose.model.text import shown

    if bundle is None and not generate:
        raise click.UsageError("name the bundle to sign, or ask for a key with --generate-key")
    if generate:
        secret, public = (shown(console.name_of(each)) for each in (key, signature.generate_key(key)))
        console.say(f"{public} is the public key, for whoever loads the plan; keep {secret} to yourself")
    if bundle is not None:
        done = signature.sign(bundle, key)
        if _is_open(key):
            console.say(f"others than its owner can read {shown(console.name_of(key))}: chmod 600")
        console.out(f"{shown(console.name_of(done.path))}: manifest {done.digest} signed by {done.public_key}\n")
    return exits.OK


def _is_open(key: Path) -> bool:
    import os

    try:
        return os.name == "posix" and bool(key.stat().st_mode & 0o077)
    except OSError:
        return False
