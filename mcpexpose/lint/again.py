"""Lint of what was linted before: nothing is compiled where config, packs, catalogs, lock and rules are the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mcpexpose.lint import runner
from mcpexpose.lint.registry import facts, slugs
from mcpexpose.lint.verdicts import Whole, digest, digest_of_file, verdicts_of
from mcpexpose.model.recall import using

if TYPE_CHECKING:
    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.runner import Linted
    from mcpexpose.lint.subjects import Context
    from mcpexpose.workspace import Workspace


def lint_again(workspace: Workspace, context: Context, choice: Choice) -> Linted:
    """What `runner.lint` says of CONTEXT, which is WORKSPACE's, with the help of what was kept; and keeps it.

    Clock and environment are asked anew: age, waivers that end, variables that are not set.
    """
    verdicts = verdicts_of(workspace.path)
    key = _key(workspace, choice)
    whole = verdicts.whole(key) if key else None
    if whole is not None:
        from mcpexpose.catalog.freshness import findings

        of_age = findings(whole.catalogs, workspace.max_age_s, workspace.now)
        workspace.catalogs_recalled = len(whole.catalogs)
        found = dict.fromkeys((*workspace.found_in_config, *of_age, *whole.found))
        return runner.judged(context, found, runner.Told(whole.told), choice)
    with using(verdicts.recall):
        found_now = workspace.found
        told = runner.ask(context, choice, verdicts)
    # What was found is of the files as they were read; were they others by then, it is not of KEY.
    if key and not told.crashes and key == _key(workspace, choice):
        verdicts.note_whole(key, Whole(workspace.catalogs, workspace.found_beyond, told.findings))
    verdicts.save()
    return runner.judged(context, found_now, told, choice)


def _key(workspace: Workspace, choice: Choice) -> str:
    """Of all that what is found hangs on, but for the clock and the environment; "" where it hangs on more."""
    from mcpexpose.catalog.store import path_of
    from mcpexpose.config.tests import beside

    config = workspace.config
    if config is None or config.readable or workspace.resolved is None:
        return ""
    try:
        files = [(server, path_of(workspace.catalog_folder, server)) for server in workspace.servers]
        catalogs = [[server, path.name, digest_of_file(path)] if path else [server] for server, path in files]
        tests = [[str(path), digest_of_file(path)] for path in beside(workspace.folder)]
        lock = digest_of_file(workspace.lock_path) if os.path.lexists(workspace.lock_path) else ""
    except OSError:
        return ""
    packs = [[pack.file, pack.digest] for pack in workspace.resolved.packs]
    running = [slug for slug in slugs() if choice.runs(slug) and facts(slug).kinds]
    own = [workspace.name, workspace.catalog_name, digest_of_file(workspace.document.data_as_bytes)]
    return digest([own, packs, catalogs, lock, tests, running])
