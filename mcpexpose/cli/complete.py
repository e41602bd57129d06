"""What a shell completes: names out of the config, the catalogs or the rules. Nothing is compiled, nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import click

    from mcpexpose.workspace import Workspace

    Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _quietly(names: Callable[[click.Context, str], Iterable[str]]) -> Completer:
    """NAMES that begin with what is typed; none where anything is wrong, since a shell is no place to say so."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        try:
            return sorted(name for name in names(ctx, typed) if name.startswith(typed) and _is_word(name))
        except Exception:
            return []

    return complete


def _is_word(name: str) -> bool:
    """Whether a shell takes NAME for one word and does nothing with it: it goes to the command line as it is."""
    return not name.startswith("-") and all(char.isalnum() or char in "@%+=:,./_-" for char in name)


@_quietly
def servers(ctx: click.Context, typed: str) -> Iterable[str]:
    """Enabled servers that are not named yet."""
    taken = ctx.params.get("servers") or ()
    return [name for name in _servers(_workspace(ctx)) if name not in taken]


@_quietly
def profiles(ctx: click.Context, typed: str) -> Iterable[str]:
    """Profiles of the config, or of the bundle that is read."""
    bundle = ctx.params.get("bundle")
    return _bundle(bundle).profiles if bundle else _table(_workspace(ctx), "profiles")


@_quietly
def tools(ctx: click.Context, typed: str) -> Iterable[str]:
    """`SERVER/TOOL` of every captured tool, or of those in the bundle that is read."""
    if bundle := ctx.params.get("bundle"):
        return [str(tool.id) for tool in _bundle(bundle).plan.tools]
    from mcpexpose.catalog.store import load

    workspace = _workspace(ctx)
    server, slash, _ = typed.partition("/")
    wanted = [each for each in _servers(workspace) if (each == server if slash else each.startswith(server))]
    catalogs, _ = load(workspace.catalog_folder, wanted)
    return [f"{name}/{tool['name']}" for name, catalog in catalogs.items() for tool in catalog.tools]


@_quietly
def slugs(ctx: click.Context, typed: str) -> Iterable[str]:
    """Rules."""
    from mcpexpose.lint.registry import all_rules

    return all_rules()


@_quietly
def rules_and_families(ctx: click.Context, typed: str) -> Iterable[str]:
    """Rules and families, behind commas too."""
    from mcpexpose.lint.registry import all_rules, families

    before = typed.rpartition(",")
    return [f"{before[0]}{before[1]}{name}" for name in (*all_rules(), *families())]


@_quietly
def schemas(ctx: click.Context, typed: str) -> Iterable[str]:
    """Published schemas."""
    from mcpexpose.config import shipped

    return shipped.names("schemas")


def _workspace(ctx: click.Context) -> Workspace:
    from mcpexpose.cli import given

    return given.workspace(ctx.params.get("config"), ctx.params.get("catalogs"), None)


def _bundle(path: Path) -> Any:
    from mcpexpose.host.plan import load_plan

    return load_plan(path)


def _table(workspace: Workspace, name: str) -> dict[str, Any]:
    """A table of the config as it is written, unchecked: a shell does not wait for more."""
    table = (workspace.document.data or {}).get(name)
    return table if isinstance(table, dict) else {}


def _servers(workspace: Workspace) -> list[str]:
    table = _table(workspace, "mcp_servers")
    return [name for name, each in table.items() if isinstance(each, dict) and each.get("enabled", True) is True]
