"""The command line: a table of commands that are loaded when they are called, and what becomes of exceptions."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcpexpose import __version__
from mcpexpose.cli import exits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.errors import McpexposeError

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("mcpexpose.cli.init", "Write a first config.toml, commented; from another host's config too."),
    "lint": ("mcpexpose.cli.lint", "Check config and catalogs: every finding with its place and what to do."),
    "capture": ("mcpexpose.cli.capture", "Ask the configured servers for their tools. Connects."),
    "plan": ("mcpexpose.cli.plan", "Compile; preview what the model is told, may find, or never meets."),
    "lock": ("mcpexpose.cli.lock", "Accept the current catalogs as reviewed, or check that they are."),
    "search": ("mcpexpose.cli.search", "What find_tools would answer, with scores or to the letter."),
    "show": ("mcpexpose.cli.show", "Request 1 as the model gets it."),
    "inspect": ("mcpexpose.cli.inspect", "The definition that is handed out at inspection."),
    "explain": ("mcpexpose.cli.explain", "Why a tool is as it is: each layer, winner and losers, with file and line."),
    "test": ("mcpexpose.cli.test", "Hold the plan against *.expose.toml: what is seen, found, never met."),
    "export": ("mcpexpose.cli.export", "Request 1 as a model's API takes it, or a host's config; what it cannot say."),
    "sign": ("mcpexpose.cli.sign", "Sign a bundle with an Ed25519 key, or make the key."),
    "verify": ("mcpexpose.cli.verify", "Check every byte of a bundle, and its signature where one is demanded."),
    "runs": ("mcpexpose.cli.runs", "Calls whose outcome is unknown; settle them."),
    "audit": ("mcpexpose.cli.audit", "What the events of a host tell: searches in vain, refusals, tools by use."),
    "rule": ("mcpexpose.cli.rule", "What a rule is about, and how to fix what it finds."),
    "schema": ("mcpexpose.cli.schema", "Print a JSON Schema."),
}
"""Name to module and help line. The lines stand here, so that `--help` imports no command."""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            ctx.fail(f"no such command: {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), what) for code, what in exits.MEANINGS.items()])
        with formatter.indentation():
            order = ", ".join(map(str, exits.FIRST))
            formatter.write_text(f"Of several at once the first of {order}. A format never changes the code.")
        super().format_epilog(ctx, formatter)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Everyday:
  mcpexpose lint
  mcpexpose plan --out build/plan
  mcpexpose search read the failed job log
  mcpexpose test

`mcpexpose COMMAND --help` has an example of each.""",
)
@click.version_option(__version__, prog_name="mcpexpose", message="%(prog)s %(version)s")
def group() -> None:
    """Decide in one reviewed config.toml which MCP tools a model is told at once, may find, or never meets.

    All commands work offline, except capture.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Prints whatever there is to print; raises nothing."""
    _open_what_is_closed()
    try:
        result: Any = group.main(arguments, prog_name="mcpexpose", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit:
        return exits.OK  # click's way to say that whoever read the help went away
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return exits.INTERRUPTED
    except click.ClickException as refused:
        _show(refused)
        return exits.USAGE
    except Exception as error:
        return _failed(error)
    return result if isinstance(result, int) else exits.OK


def run() -> None:
    """The console script."""
    # Imports and parsed files make many objects and next to no garbage: looking for it took a tenth of a short run.
    gc.set_threshold(1_000_000, 50, 100)
    code = main()
    gc.freeze()
    sys.exit(code)


def _open_what_is_closed() -> None:
    """A stream that was closed when Python started (`>&-`) is None, which nobody expects who prints."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - likewise


def _show(refused: click.ClickException) -> None:
    from io import StringIO

    from mcpexpose.cli.console import say
    from mcpexpose.model.text import shown

    text = StringIO()
    refused.show(text)
    for line in text.getvalue().rstrip("\n").split("\n"):
        say(shown(line))  # what was typed may have been pasted


def _failed(error: Exception) -> int:
    from mcpexpose.model.errors import McpexposeError

    if isinstance(error, McpexposeError):
        return _trouble(error)
    return _unusable(error) if isinstance(error, OSError) else _internal(error)


def _trouble(trouble: McpexposeError) -> int:
    """What stands in the way of a result: its findings, one a line, and its sentence, which may be that of the one."""
    from mcpexpose.report.findings import FindingsReport, in_order
    from mcpexpose.report.findings_concise import render
    from mcpexpose.report.screen import Screen

    only = trouble.findings[0] if len(trouble.findings) == 1 else None
    if only and only.location is None and str(trouble) == f"{only.slug}: {only.message}":
        _say(f"{only.severity.value} {trouble}")
        if only.advice:
            _say(f"   fix: {only.advice}", bare=True)
        return trouble.exit_code
    if trouble.findings:
        text = render(FindingsReport(in_order(trouble.findings)), Screen(encoding=sys.stderr.encoding or "utf-8"))
        _say(text.rstrip("\n"), bare=True)
    _say(str(trouble))
    return trouble.exit_code


def _unusable(error: OSError) -> int:
    """A file, folder or stream that the system refuses."""
    from mcpexpose.cli.console import is_delivered
    from mcpexpose.model.text import shown

    which = f"{shown(str(error.filename))}: " if error.filename else ""
    if not is_delivered():
        which = "stdout cannot be written: "
    _say(f"{which}{error.strerror or type(error).__name__}")
    return exits.USAGE


def _internal(error: Exception) -> int:
    """One line: kind and place, but not the text of the exception, which may hold anything."""
    if os.environ.get("MCPEXPOSE_DEBUG") == "1":
        import traceback

        from mcpexpose.model.secrets import redact_forms
        from mcpexpose.model.text import shown

        # The text of an exception may hold anything: what it does to a terminal, at least, is nothing.
        for line in "".join(traceback.format_exception(error)).splitlines():
            _say(redact_forms(shown(line)), bare=True)
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    where = f" at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""
    _say(
        f"internal error: {type(error).__name__}{where}. This is a fault of mcpexpose {__version__}: please report it "
        "to its issue tracker (MCPEXPOSE_DEBUG=1 prints the traceback; look it over for secrets before you share it)"
    )
    return exits.INTERNAL


def _say(text: str, *, bare: bool = False) -> None:
    from mcpexpose.cli.console import say

    say(text if bare else f"mcpexpose: {text}")
