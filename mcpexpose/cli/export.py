"""`mcpexpose export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcpexpose.cli import console, exits, given, options

if TYPE_CHECKING:
    import datetime

    from mcpexpose.host.plan import HostPlan

FORMATS = ("value", "json")


class Target(click.ParamType):  # type: ignore[type-arg]  # generic in later clicks alone
    """The name of an exporter."""

    name = "TARGET"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from mcpexpose.surface.exporters import targets, unknown

        if value not in targets():
            self.fail(unknown(str(value)), param, ctx)
        return str(value)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        from mcpexpose.surface.exporters import targets

        return f"The targets are: {', '.join(targets())}"


class Command(click.Command):
    """The help ends with the targets."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from mcpexpose.surface.exporters import targets

        with formatter.section("Targets"):
            formatter.write_dl(list(targets().items()))


@click.command("export", cls=Command)
@click.option("--to", "target", type=Target(), required=True, help="Whose form: one of the targets below.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write it there in place of stdout.")
@options.profile
@options.plan
@options.formats(FORMATS)
@options.config
def command(
    target: str,
    out: Path | None,
    profile: str | None,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Request 1 in the form of a model's API: the same aliases, descriptions and schemas that a host declares. Or the
    servers as a host's own config has them, with the plan's tools alone.

    What the API cannot say, or would refuse, is mended or left out, and told on stderr; --format json has each loss as
    a record beside the value. Credentials are in none of it: where one is wanted stands the variable's name, ${NAME}.
    Where config or lock are at fault, --out writes nothing; that ends with 1, as other errors do.

    \b
    Examples:
      mcpexpose export --to openai --out tools.json
      mcpexpose export --to anthropic --profile ci --format json
    """
    from mcpexpose.host.exporting import export
    from mcpexpose.model.text import shown
    from mcpexpose.report import export as report

    held, code, held_up = _held(bundle, config, catalogs, now, out)
    made = export(held, target, profile=profile)
    losses = report.render_losses(made, console.screen())
    if losses:
        console.say(f"mcpexpose: {losses}".rstrip("\n"))
    text = report.render_json(made) if form == "json" else report.render_value(made)
    if out is None:
        console.out_machine(text)
    elif held_up:
        console.say(f"mcpexpose: nothing is written to {shown(console.name_of(out))}: {held_up}")
        return exits.FINDINGS
    else:
        console.write_file(out, text)
        console.say(f"wrote {shown(console.name_of(out))}")
    return code


def _held(
    bundle: Path | None,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
    out: Path | None,
) -> tuple[HostPlan, int, str]:
    """The plan, what its findings end with, and why no file may be made of it; "" where one may."""
    reports = (out,) if out is not None else ()
    if bundle is not None:
        given.spare(reports, bundle=bundle)
        return given.plan(bundle, config, catalogs, now), exits.OK, ""
    from mcpexpose.cli.linting import not_waived

    at_hand = given.workspace(config, catalogs, now)
    given.spare(reports, at_hand)
    held = given.compiled(at_hand, now)
    return held, exits.of_findings(not_waived(at_hand)), "" if at_hand.writable else given.held_up(at_hand)
