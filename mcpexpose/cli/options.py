"""Options that several commands share, each with one meaning."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcpexpose.cli import complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FINDING_FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")
PREVIEW_FORMATS = ("text", "json", "markdown", "html")
TEST_FORMATS = ("text", "json", "junit")
"""The names in report's registries; they stand here so that `--help` need not import those."""

F = TypeVar("F", bound="Callable[..., Any]")


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic in later clicks alone
    """A point in time with its zone, RFC 3339."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime.datetime:
        if isinstance(value, datetime.datetime):
            return value
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.fail("not a time with its zone, as in 2026-11-30T12:00:00Z", param, ctx)
        return moment


class FormatFile(click.ParamType):  # type: ignore[type-arg]  # generic in later clicks alone
    """`FORMAT=FILE`."""

    name = "FORMAT=FILE"

    def __init__(self, formats: Iterable[str]) -> None:
        self.formats = tuple(formats)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        if isinstance(value, tuple):
            return value
        form, equals, file = str(value).partition("=")
        if not equals or not file:
            self.fail("not of the form FORMAT=FILE, as in json=report.json", param, ctx)
        if form not in self.formats:
            from mcpexpose.config.nearest import nearest

            meant = nearest(form, self.formats, aliases=False)
            hint = f"; did you mean {meant}? There are" if meant else "; there are"
            self.fail(f"{form!r} is no format{hint}: {', '.join(self.formats)}", param, ctx)
        return form, Path(file)


def config(command: F) -> F:
    """`--config`, `--catalogs`, `--now`: where a workspace is, and when."""
    for option in (
        click.option("--now", type=Moment(), help="The wall clock, for reproducible runs: 2026-11-30T12:00:00Z."),
        click.option(
            "--catalogs",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Captured catalogs. [catalogs/ beside it]",
        ),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="The config. [$MCPEXPOSE_CONFIG, else the nearest one upward]",
        ),
    ):
        command = option(command)
    return command


def plan(command: F) -> F:
    """`--plan DIR`: a bundle in place of the config at hand."""
    return click.option(
        "--plan", "bundle", type=click.Path(path_type=Path), metavar="DIR", help="Read a bundle; compile nothing."
    )(command)


def profile(command: F) -> F:
    """`--profile P`."""
    return click.option(
        "--profile", metavar="NAME", shell_complete=complete.profiles, help="As the host's session of this profile."
    )(command)


def formats(names: Sequence[str]) -> Callable[[F], F]:
    """`--format`, without files."""
    return click.option(
        "--format", "form", type=click.Choice(list(names)), default=names[0], show_default=True, help="Of stdout."
    )


def reports(names: Sequence[str]) -> Callable[[F], F]:
    """`--format` for stdout, and `--output FORMAT=FILE`, repeatable."""

    def both(command: F) -> F:
        output = click.option(
            "--output",
            "outputs",
            type=FormatFile(names),
            multiple=True,
            callback=_each_its_own,
            help="Write it in FORMAT to FILE as well; may be given again.",
        )
        return formats(names)(output(command))

    return both


def _each_its_own(
    ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, Path], ...]
) -> tuple[tuple[str, Path], ...]:
    """Two reports to one file would leave the last of them alone."""
    if len(value) > 1:
        from mcpexpose.cli.spared import twice

        if (path := twice(path for _, path in value)) is not None:
            raise click.BadParameter(f"two reports go to {str(path)!r}; give each a file of its own", ctx, param)
    return value


def now_or(moment: datetime.datetime | None) -> datetime.datetime:
    """`--now`, or the clock."""
    return moment if moment is not None else datetime.datetime.now(datetime.UTC)
