"""`mcpexpose lint`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import complete, console, exits, given, options

if TYPE_CHECKING:
    import datetime

    from mcpexpose.lint.baseline import Baseline
    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.mend import Mended
    from mcpexpose.lint.runner import Linted
    from mcpexpose.report.findings import FindingsReport
    from mcpexpose.workspace import Workspace


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "--select",
    multiple=True,
    metavar="NAMES",
    shell_complete=complete.rules_and_families,
    help="Only these rules or families; commas between them.",
)
@click.option("--ignore", multiple=True, metavar="NAMES", shell_complete=complete.rules_and_families, help="Not these.")
@click.option(
    "--fail-on", type=click.Choice(exits.FAIL_ON), default="error", show_default=True, help="What ends with 1."
)
@click.option(
    "--persona",
    type=click.Choice(["default", "audit"]),
    default="default",
    show_default=True,
    help="audit: rules of which false alarms are expected, too.",
)
@click.option("--fix", is_flag=True, help="Mend the config where that changes nothing of what it means.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: mend what is a guess, too.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and write nothing; 3 where it would.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What it lists does not count: findings from before lint was taken on.",
)
@click.option("--write-baseline", is_flag=True, help="Put all present findings into the baseline's FILE, and end.")
@click.option(
    "--no-cache", is_flag=True, help="Judge every tool anew; read nothing from the user's cache and keep nothing."
)
@click.option(
    "--omit-accepted",
    is_flag=True,
    help="Leave out of SARIF what was accepted: GitHub shows it like the rest, though it is marked.",
)
@click.option("--statistics", is_flag=True, help="How often each rule spoke, in place of the findings.")
@options.reports(options.FINDING_FORMATS)
@options.config
def command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    persona: str,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    baseline: Path | None,
    write_baseline: bool,
    no_cache: bool,
    omit_accepted: bool,
    statistics: bool,
    form: str,
    outputs: tuple[tuple[str, Path], ...],
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Check config and catalogs: every finding with its place, the rule's name, and what to do.

    PATH is a config or a folder that has one; without any, the nearest config upward. Connects to nothing.

    A finding that you accept is silenced by `# mcpexpose: ignore[rule] reason` behind its line or above it, by
    `# mcpexpose: ignore-file[rule] reason` at the top of the config, or by [[waivers]]; what accepts nothing is
    reported.

    \b
    Examples:
      mcpexpose lint
      mcpexpose lint --select policy,exposure --fail-on warning
      mcpexpose lint --diff --unsafe-fixes
      mcpexpose lint --format github --output sarif=lint.sarif --output junit=lint.xml
      mcpexpose lint --baseline lint-baseline.json --write-baseline
    """
    from mcpexpose.lint.choice import choose

    if unsafe_fixes and not (fix or diff):
        raise click.UsageError("--unsafe-fixes goes with --fix or --diff")
    if write_baseline and (baseline is None or fix or diff):
        raise click.UsageError("--write-baseline goes with --baseline FILE, and with neither --fix nor --diff")
    if statistics and form not in ("text", "json"):
        raise click.UsageError("--statistics has the formats text and json")
    chosen, silent = _names(select), _names(ignore)
    runs = [
        _Run(
            each,
            choose(each.config.lint if each.config else None, select=chosen, ignore=silent, persona=persona),
            cached=not no_cache,
        )
        for each in _workspaces(paths, config, catalogs, now)
    ]
    reports = [path for _, path in outputs]
    given.spare(
        [*reports, baseline] if baseline and write_baseline else reports,
        *(run.workspace for run in runs),
        kept=None if write_baseline else baseline,
    )
    if write_baseline:
        assert baseline is not None
        return _write_baseline(runs, baseline)
    known = _Known.read(baseline) if baseline is not None else None
    mended = [run.mended(known, unsafe=unsafe_fixes) if fix or diff else run.only_linted(known) for run in runs]
    if diff:
        return _show_diff(runs, mended, fail_on)
    if fix:
        _save(runs, mended)
    report = _report(runs, mended, known, fail_on, omit_accepted=omit_accepted)
    for crash in report.crashes:
        console.say(
            f"mcpexpose: the rule {crash.slug} failed on {crash.subject} ({crash.error}): a fault of mcpexpose, "
            "please report it"
        )
    _put(report, form, outputs, statistics=statistics)
    crashed = [exits.INTERNAL] if report.crashes else []
    return exits.combine([exits.of_findings(report.findings, fail_on), *crashed])


@dataclass(frozen=True, slots=True)
class _Known:
    """A baseline with its file."""

    path: Path
    baseline: Baseline

    @classmethod
    def read(cls, path: Path) -> _Known:
        from mcpexpose.lint.baseline import read

        return cls(path, read(path))

    def without(self, linted: Linted, workspace: Workspace) -> Linted:
        """LINTED without what the baseline lists; it may be asked again for the same config."""
        from mcpexpose.lint.baseline import against

        config = _name_from(self.path, workspace)
        for entry in [entry for entry in self.baseline.met if entry[0] == config]:
            del self.baseline.met[entry]
        return against(linted, config, self.baseline)


@dataclass(frozen=True, slots=True)
class _Run:
    """One config, and the rules that speak."""

    workspace: Workspace
    choice: Choice
    cached: bool

    def linted(self, workspace: Workspace, known: _Known | None) -> Linted:
        from mcpexpose.cli.linting import lint

        linted = lint(workspace, self.choice, cached=self.cached)
        return known.without(linted, workspace) if known else linted

    def only_linted(self, known: _Known | None) -> Mended:
        from mcpexpose.lint.mend import Mended

        return Mended(self.workspace, self.linted(self.workspace, known), ())

    def mended(self, known: _Known | None, *, unsafe: bool) -> Mended:
        from mcpexpose.lint.mend import mend

        return mend(self.workspace, lambda workspace: self.linted(workspace, known), unsafe=unsafe)


def _report(
    runs: list[_Run], mended: list[Mended], known: _Known | None, fail_on: str, *, omit_accepted: bool
) -> FindingsReport:
    from mcpexpose.cli.linting import Names, below_root, catalogs_read, context_of, rule_facts
    from mcpexpose.lint.mend import offers
    from mcpexpose.lint.registry import slugs
    from mcpexpose.report.accepted import Accepted, FixFact
    from mcpexpose.report.findings import FindingsReport, in_order

    names = Names()
    findings, accepted, fixes = [], [], {}
    gone: list[tuple[str, tuple[str, ...]]] = []
    for run, each in zip(runs, mended, strict=True):
        findings += names.named(each.linted.findings, each.workspace)
        for offer in offers(each.linted, each.workspace):
            edits = names.placed(offer.fix.edits, each.workspace)
            fixes[names.named([offer.finding], each.workspace)[0]] = FixFact(offer.fix.title, offer.safe, edits)
        for one in each.linted.accepted:
            accepted.append(Accepted(names.named([one.finding], each.workspace)[0], one.by, one.reason))
        if known is not None:
            config = _name_from(known.path, each.workspace)
            gone += known.baseline.unmet(config, context_of(each.workspace), run.choice)
    if known is not None and gone:
        from mcpexpose.lint.baseline import unused

        findings += runs[0].choice.heard([unused(console.name_of(known.path), sorted(gone))])
    return FindingsReport(
        in_order(findings),
        {"configs": len(runs), "catalogs": sum(catalogs_read(each.workspace) for each in mended)},
        line=names.line,
        locate=names.locate,
        conceal=names.conceal,
        explained=frozenset(slugs()),
        accepted=tuple(accepted),
        against_baseline=known is not None,
        rules=lambda: rule_facts([run.choice for run in runs]),
        crashes=tuple(crash for each in mended for crash in each.linted.crashes),
        fixes=fixes,
        fixed=sum(len(each.done) for each in mended),
        configs=tuple(console.name_of(run.workspace.path) for run in runs),
        base=below_root(Path.cwd()),
        anchor=names.admits,
        omit_accepted=omit_accepted,
        fail_on=fail_on,
    )


def _put(report: FindingsReport, form: str, outputs: tuple[tuple[str, Path], ...], *, statistics: bool) -> None:
    """The report to stdout and to files, each of them as far as it can be written."""
    from functools import partial

    from mcpexpose.report.findings import render

    if statistics:
        from mcpexpose.report.findings_statistics import render_json, render_text

        counted = render_json(report) if form == "json" else render_text(report, console.screen())
        console.put(form, counted)
    else:
        console.put(form, render(form, report, console.screen()))
    console.write_files((path, partial(render, each, report, console.page())) for each, path in outputs)


def _save(runs: list[_Run], mended: list[Mended]) -> None:
    """Write each config that was mended, and say what to set where a credential left the file."""
    from mcpexpose.lint.mend import save

    variables: dict[str, None] = {}
    for run, each in zip(runs, mended, strict=True):
        if each.done:
            save(each, run.workspace.document)
            for offer in each.done:
                if offer.finding.slug == "secret-in-config":
                    variables[str(offer.finding.details.get("variable"))] = None
    if variables:
        console.say(
            f"mcpexpose: credentials left the config; set {', '.join(variables)} where something connects. What stood "
            "in a repository is in its history: have it replaced"
        )


def _show_diff(runs: list[_Run], mended: list[Mended], fail_on: str) -> int:
    """What would change, with credentials struck out; 3 where something would, 1 where errors would be left."""
    from mcpexpose.cli.differences import unified

    parts = [unified(run.workspace, each.workspace) for run, each in zip(runs, mended, strict=True) if each.done]
    console.out("".join(parts))
    for each in mended:
        for offer in each.done:
            console.say(f"{offer.finding.slug}: {offer.fix.title}")
    if not any(parts):
        console.say(f"mcpexpose: {_nothing_to_mend(mended)}")
    left = [exits.of_findings(each.linted.findings, fail_on) for each in mended]
    crashed = [exits.INTERNAL] if any(each.linted.crashes for each in mended) else []
    return exits.combine([*left, *crashed, exits.DIFFERS if any(parts) else exits.OK])


def _nothing_to_mend(mended: list[Mended]) -> str:
    """Why a diff is empty, so that nobody takes its silence for an answer."""
    from mcpexpose.lint.mend import offers
    from mcpexpose.report.words import count

    guesses = sum(not offer.safe for each in mended for offer in offers(each.linted, each.workspace))
    hint = f"; --unsafe-fixes mends {count(guesses, 'finding')} by what is a guess" if guesses else ""
    return f"there is nothing that --fix mends{hint}"


def _write_baseline(runs: list[_Run], path: Path) -> int:
    from mcpexpose.catalog.atomic import replace
    from mcpexpose.lint.baseline import dump
    from mcpexpose.model.errors import InputMissing
    from mcpexpose.model.text import shown
    from mcpexpose.report.words import count

    listed = []
    for run in runs:
        linted = run.linted(run.workspace, None)
        if linted.crashes:
            slugs = ", ".join(crash.slug for crash in linted.crashes)
            console.say(f"mcpexpose: nothing is written: a rule failed ({slugs}), a fault of mcpexpose")
            return exits.INTERNAL
        listed += [(_name_from(path, run.workspace), finding) for finding in linted.findings]
    try:
        replace(path, dump(listed))
    except OSError as error:
        raise InputMissing(f"{shown(str(path))} cannot be written: {error.strerror or 'unknown error'}") from None
    console.say(f"mcpexpose: {count(len(listed), 'finding')} in {shown(str(path))}")
    return exits.OK


def _name_from(baseline: Path, workspace: Workspace) -> str:
    """A config as it is named from the baseline's folder, so that it matters not where lint is run."""
    import os

    return Path(os.path.relpath(workspace.path, baseline.parent)).as_posix()


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of rules and families. Raises UsageError with the nearest one."""
    from mcpexpose.lint.choice import known
    from mcpexpose.lint.registry import families, slugs

    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    for name in names:
        if not known(name):
            from mcpexpose.config.nearest import meant

            near = meant(name, [*slugs(), *families()])
            hint = f"; did you mean {near}?" if near else "; `mcpexpose rule` lists them"
            raise click.UsageError(f"there is no rule or family {name!r}{hint}")
    return names


def _workspaces(
    paths: tuple[Path, ...], config: Path | None, catalogs: Path | None, now: datetime.datetime | None
) -> list[Workspace]:
    """One a config, each once, in the order that they were given."""
    found: dict[Path, Workspace] = {}
    for path in paths:
        folder = path.is_dir()
        each = given.workspace(None if folder else path, catalogs, now, start=path if folder else None)
        found.setdefault(each.path.resolve(), each)
    if config is not None or not paths:
        each = given.workspace(config, catalogs, now)
        found.setdefault(each.path.resolve(), each)
    return list(found.values())
