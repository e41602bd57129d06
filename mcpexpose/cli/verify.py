"""`mcpexpose verify`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from mcpexpose.cli import console, exits, given, options


def _digest(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch("[0-9a-f]{64}", value):
        raise click.BadParameter("not a digest: 64 hexadecimal digits, in small letters", ctx, param)
    return value


@click.command("verify")
@click.argument("bundle", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--public-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Demand a signature of this Ed25519 key (PEM, base64, hexadecimal).",
)
@click.option("--expected-digest", metavar="HEX", callback=_digest, help="Demand that the manifest has this digest.")
@options.reports(options.FINDING_FORMATS)
def command(
    bundle: Path,
    public_key: Path | None,
    expected_digest: str | None,
    form: str,
    outputs: tuple[tuple[str, Path], ...],
) -> int:
    """Check every byte of a bundle against its manifest, its index against its plan, and its signature where one is
    demanded.

    \b
    Examples:
      mcpexpose verify build/plan
      mcpexpose verify build/plan --public-key release.pem.pub
    """
    from mcpexpose.bundle.layout import SIGNATURE
    from mcpexpose.bundle.read import open_bundle
    from mcpexpose.bundle.verify import verify
    from mcpexpose.model.errors import BundleRefused
    from mcpexpose.model.text import shown
    from mcpexpose.report.findings import FindingsReport, in_order, render
    from mcpexpose.report.words import count

    given.spare((path for _, path in outputs), bundle=bundle)
    try:
        findings = in_order(verify(bundle, expected_digest=expected_digest, public_key=public_key))
    except BundleRefused as refused:
        findings = in_order(refused.findings)
    report = FindingsReport(findings, {"plans": 1})
    if findings or form != "text":
        console.put(form, render(form, report, console.screen()))
    else:
        manifest = open_bundle(bundle).manifest
        files = count(len(manifest.files) + 1, "file")
        signed = "" if public_key is None else f", signed by the key in {shown(str(public_key))}"
        console.out(f"{shown(str(bundle))} is whole{signed}: {files}, plan digest {manifest.plan_digest}\n")
        if public_key is None and (bundle / SIGNATURE).exists():
            console.say("it has a signature, which nobody asked for: --public-key FILE checks it")
    for each, path in outputs:
        console.write_file(path, render(each, report, console.page()))
    return exits.of_findings(findings)
