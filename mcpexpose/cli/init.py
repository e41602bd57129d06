"""`mcpexpose init`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpexpose.cli import console, exits, options
from mcpexpose.cli.importing import HOSTS

SERVERS = """\
# One table a server; the keys that Codex and other hosts read are read here as well.
# Then: mcpexpose capture time, which starts it and writes catalogs/time.json.
[mcp_servers.time]
command = "uvx"
args = ["mcp-server-time==2026.10.19"]
description = "The current time, and conversion between time zones"    # the line that the model reads
owner = "me"                # who answers for it
# exposure = "direct"       # for all of its tools
# allow = ["get_*"]         # absent: all; []: none
# deny = ["*_secret*"]      # wins over everything

# What the config says of a class stands; a server's own word for it can only raise it.
[mcp_servers.time.tools."*"]
side_effect = "read_only"   # read_only | write | destructive
# approval = "ask"          # auto | ask

# A kind of task: what it is told at once, and which classes it may reach.
# [profiles.schedule]
# description = "plan a meeting across time zones"
# default_tools = ["time/convert_time"]
# side_effects = ["read_only"]
"""


@click.command("init")
@click.argument("file", type=click.Path(path_type=Path), default=Path("config.toml"))
@click.option(
    "--from",
    "origins",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="ORIGIN",
    help="Take the servers from another host's config; may be given again. - is stdin.",
)
@click.option(
    "--host",
    type=click.Choice(HOSTS),
    help="Whose files they are, where neither name nor content tells.",
)
@options.formats(options.FINDING_FORMATS)
def command(file: Path, origins: tuple[Path, ...], host: str | None, form: str) -> int:
    """Write a first config, commented, to FILE (config.toml), and beside it the schema from which editors complete.

    With --from the servers are those of Claude Code and Desktop, Codex, Cursor, VS Code, Gemini CLI, opencode, goose,
    Zed, Cline, Roo, Kiro, Windsurf, Copilot CLI, Amp, or any host with mcpServers. Each key of theirs is carried over,
    or a finding says at file, line and column what becomes of it. Credentials are not copied: a reference to a
    variable stands in their place. What was off stays off, what was kept out stays out, and what ran without asking
    asks. The files are only read, and nothing is started.

    A file that is there is never overwritten. After an update, `mcpexpose schema config` prints the new schema.
    Exit codes: 1 where a file cannot be read or a server stands twice (the others are written), 4 where there is no
    server at all, and then nothing is written.

    \b
    Examples:
      mcpexpose init
      mcpexpose init --from .mcp.json
      mcpexpose init --from ~/.codex/config.toml --from .cursor/mcp.json
      mcpexpose init --from .mcp.json --from .claude/settings.json     # its permissions as well
      mcpexpose init team/config.toml --from ~/.config/goose/config.yaml --format json
    """
    from mcpexpose.cli.editors import schema_beside, write_schema
    from mcpexpose.model.errors import InputMissing, UsageRefused
    from mcpexpose.model.text import shown

    path = file / "config.toml" if file.is_dir() else file
    name = shown(str(path))
    if host and not origins:
        raise UsageRefused("--host says whose files --from names, and there is none")
    if not path.parent.is_dir():
        raise InputMissing(f"{shown(str(path.parent))} is not there")
    schema, line = schema_beside(path)
    if path.exists():
        raise UsageRefused(f"{name} is there already, and stays as it is")

    def write(text: str) -> str:
        written = write_schema(schema)
        try:
            with path.open("xb") as out:
                out.write((line + text).encode())
        except FileExistsError:
            raise UsageRefused(f"{name} is there already, and stays as it is") from None
        except OSError as error:
            raise InputMissing(f"{name} cannot be written: {error.strerror}") from None
        beside = shown(str(schema))
        console.say(f"wrote {beside}" if written else f"{beside} is there already, and stays as it is")
        return name

    if origins:
        from mcpexpose.cli.importing import import_into

        code = import_into(origins, host, form, write)
    else:
        from mcpexpose.config.starting import head

        write(f"{head('Editors complete from the schema above.')}\n{SERVERS}")
        then = "name your servers in it; then mcpexpose capture, mcpexpose lint, mcpexpose plan"
        console.say(f"wrote {name}. Next: {then}")
        code = exits.OK
    if path.name not in ("config.toml", "mcpexpose.toml") and path.exists():
        console.say(f"A file of this name is not found by itself: give each command --config {name}")
    return code
