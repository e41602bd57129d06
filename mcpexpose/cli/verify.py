"""`mcpexpose verify`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpexpose.cli import console, exits, options


@click.command("verify")
@click.argument("bundle", type=click.Path(path_type=Path), metavar="DIR")
@options.reports(options.FINDING_FORMATS)
def command(bundle: Path, form: str, outputs: tuple[tuple[str, Path], ...]) -> int:
    """Check every byte of a bundle against its manifest, and its index against its plan.

    \b
    Example:
      mcpexpose verify build/plan
    """
    from mcpexpose.bundle.read import open_bundle
    from mcpexpose.bundle.verify import verify
    from mcpexpose.model.errors import BundleRefused
    from mcpexpose.model.text import shown
    from mcpexpose.report.findings import FindingsReport, in_order, render
    from mcpexpose.report.words import count

    try:
        findings = in_order(verify(bundle))
    except BundleRefused as refused:
        findings = in_order(refused.findings)
    report = FindingsReport(findings, {"plans": 1})
    if findings or form != "text":
        console.put(form, render(form, report, console.screen()))
    else:
        manifest = open_bundle(bundle).manifest
        files = count(len(manifest.files) + 1, "file")
        console.out(f"{shown(str(bundle))} is whole: {files}, plan digest {manifest.plan_digest}\n")
    for each, path in outputs:
        console.write_file(path, render(each, report, console.page()))
    return exits.of_findings(findings)
