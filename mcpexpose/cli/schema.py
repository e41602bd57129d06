"""`mcpexpose schema`."""

from __future__ import annotations

import click

from mcpexpose.cli import complete, console, exits


@click.command("schema")
@click.argument("name", required=False, shell_complete=complete.schemas)
def command(name: str | None) -> int:
    """Print a JSON Schema; without a name, the names there are.

    \b
    Example:
      mcpexpose schema config > config.schema.json
    """
    from mcpexpose.config import shipped

    names = shipped.names("schemas")
    if name is None:
        console.out("".join(f"{each}\n" for each in names))
        return exits.OK
    if name not in names:
        from mcpexpose.config.nearest import nearest
        from mcpexpose.model.text import shown

        meant = nearest(name, names, aliases=False)
        hint = f"did you mean {meant}? There are" if meant else "there are"
        raise click.UsageError(f"there is no schema {shown(name, 80)!r}; {hint}: {', '.join(names)}")
    console.out_machine(shipped.path("schemas", name).read_text("utf-8"))
    return exits.OK
