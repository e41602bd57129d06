"""`mcpexpose test`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options

if TYPE_CHECKING:
    import datetime

    from mcpexpose.config.document import Document
    from mcpexpose.model.expectation import Expectation
    from mcpexpose.report.tested import Held, TestedFile, TestsReport
    from mcpexpose.testing.subject import Subject
    from mcpexpose.workspace import Workspace


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "-k",
    "--filter",
    "wanted",
    multiple=True,
    metavar="TEXT",
    help="Only tests whose name holds TEXT, or that a pattern meets; may be given again.",
)
@click.option("--coverage", "list_unnamed", is_flag=True, help="List the tools of the plan that no test names.")
@options.plan
@options.reports(options.TEST_FORMATS)
@options.config
def command(
    paths: tuple[Path, ...],
    wanted: tuple[str, ...],
    list_unnamed: bool,
    bundle: Path | None,
    form: str,
    outputs: tuple[tuple[str, Path], ...],
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Hold the plan against what you assert of it: *.expose.toml beside the config, or in tests/ beside it.

    PATH is such a file, or a folder with some in it or beneath it; each is about the nearest config upward from it.
    No server is up, and no bundle is needed: queries are asked as a host would ask them. An assertion that does not
    hold, a fault in a test file, and a config from which no plan could be written all end with 1; where there was
    nothing to run, the end is 4.

    \b
    Examples:
      mcpexpose test
      mcpexpose test tests/ci.expose.toml -k "failed build"
      mcpexpose test --coverage --output junit=expose.xml
    """
    from mcpexpose.report.tested_formats import render

    run = _Run(bundle, config, catalogs, now)
    for path in paths or (None,):
        run.add(path)
    report = run.report(wanted, list_unnamed=list_unnamed)
    given.spare((path for _, path in outputs), *run.workspaces.values(), bundle=bundle)
    for each in report.held:
        _say_held(each)
    console.put(form, render(form, report, console.screen()))
    console.write_files(
        (path, lambda each=each: render(each, report, console.page()))  # type: ignore[misc]  # a default binds it
        for each, path in outputs
    )
    return _code(report, wanted)


def _code(report: TestsReport, wanted: tuple[str, ...]) -> int:
    faulty = report.failed or report.findings or any(not each.writable for each in report.held)
    if report.tests or report.findings:
        return exits.FINDINGS if faulty else exits.OK
    if report.left_out:
        names = " or ".join(repr(text) for text in wanted)
        console.say(f"mcpexpose: nothing was checked: no test's name holds {names}")
    elif report.files:
        console.say("mcpexpose: nothing was checked: the files hold no [[tests]]")
    else:
        console.say("mcpexpose: nothing was checked: there is no *.expose.toml")
    return exits.combine([exits.FINDINGS if faulty else exits.OK, exits.NOTHING_CHECKED])


def _say_held(held: Held) -> None:
    from mcpexpose.model.text import shown
    from mcpexpose.report.words import count

    what = "" if held.writable else ", so no plan can be written from it, and the tests ran on what is left"
    console.say(f"mcpexpose: {shown(held.config)} has {count(held.errors, 'error')}{what}; mcpexpose lint says more")


@dataclass
class _Run:
    """The files to run, by what they are about; each file once, each config compiled once."""

    bundle: Path | None
    config: Path | None
    catalogs: Path | None
    now: datetime.datetime | None
    files: dict[Path, tuple[Path, Path | None]] = field(default_factory=dict)
    """Resolved path to the path as it was given and the config that it is about; None: the bundle."""
    subjects: dict[Path | None, Subject] = field(default_factory=dict)
    workspaces: dict[Path, Workspace] = field(default_factory=dict)

    def add(self, path: Path | None) -> None:
        """A file, the files of a folder, or those beside the config. Raises InputMissing, NothingChecked."""
        from mcpexpose.config.tests import below, beside
        from mcpexpose.model.errors import InputMissing, UsageRefused
        from mcpexpose.model.text import shown

        if path is None:
            config = self._config(None)
            folder = config.parent if config is not None else Path.cwd()
            self._take([Path(console.name_of(each)) for each in beside(folder)])
        elif path.is_dir():
            try:
                self._take(below(path))
            except OSError as error:
                raise InputMissing(f"{shown(str(path))} cannot be read: {error.strerror}") from None
        elif not path.exists():
            raise InputMissing(f"{shown(str(path))} is not there")
        elif path.name in ("config.toml", "mcpexpose.toml"):
            name = shown(str(path))
            raise UsageRefused(f"{name} is a config, and no test file; its tests: mcpexpose test --config {name}")
        else:
            self._take([path])

    def report(self, wanted: tuple[str, ...], *, list_unnamed: bool) -> TestsReport:
        """Run them all."""
        from mcpexpose.config.document import read
        from mcpexpose.report.tested import TestsReport
        from mcpexpose.testing.run import coverage, run

        files: list[TestedFile] = []
        documents: dict[str, Document] = {}
        chosen: dict[Path | None, list[Expectation]] = {}
        for path, config in self.files.values():
            document = read(path, console.name_of(path))
            documents[document.name] = document
            file, tests = run(document, self._subject(config), wanted)
            files.append(file)
            chosen.setdefault(config, []).extend(tests)
        return TestsReport(
            files=tuple(files),
            coverage=tuple(coverage(self.subjects[config], tests) for config, tests in chosen.items()),
            list_unnamed=list_unnamed,
            held=tuple(held for each in self.workspaces.values() if (held := _held(each))),
            line=lambda file, number: documents[file].line(number) if file in documents else None,
            conceal=self._conceal,
        )

    def _take(self, paths: list[Path] | tuple[Path, ...]) -> None:
        for path in paths:
            if path.resolve() not in self.files:
                config = self._config(path)
                # Not resolved: of a link, what lies beside the link counts, as for the other commands.
                at = Path(os.path.abspath(config)) if config is not None else None  # noqa: PTH100 - resolve() would follow links
                self.files[path.resolve()] = (path, at)

    def _config(self, path: Path | None) -> Path | None:
        """The config that a test file is about; for no file, the one at hand. None where a bundle is read instead."""
        from mcpexpose.config.discover import find
        from mcpexpose.model.errors import NothingChecked

        here = Path.cwd()
        if self.bundle is not None:
            return self._known(path)
        if path is None or self.config is not None or os.environ.get("MCPEXPOSE_CONFIG"):
            return find(here, self.config, os.environ)
        folder = path.absolute().parent
        for start in (folder, folder.parent if folder.name == "tests" else folder):
            try:
                return find(start, None, os.environ)
            except NothingChecked:
                continue
        return find(here, None, os.environ)

    def _known(self, path: Path | None) -> Path | None:
        """With a bundle a config only tells where test files are."""
        from mcpexpose.config.discover import find
        from mcpexpose.model.errors import NothingChecked

        if path is not None:
            return None
        try:
            return find(Path.cwd(), self.config, os.environ)
        except NothingChecked:
            return None

    def _subject(self, config: Path | None) -> Subject:
        if config not in self.subjects:
            self.subjects[config] = self._of_bundle() if config is None else self._of_config(config)
        return self.subjects[config]

    def _of_bundle(self) -> Subject:
        from mcpexpose.host.plan import load_plan
        from mcpexpose.testing.subject import Subject

        assert self.bundle is not None
        now = self.now
        clock = (lambda: now) if now is not None else None
        return Subject(load_plan(self.bundle, clock=clock), console.name_of(self.bundle))

    def _of_config(self, config: Path) -> Subject:
        from mcpexpose.testing.compiled import subject_of

        workspace = given.workspace(config, self.catalogs, self.now)
        self.workspaces[config] = workspace
        return subject_of(workspace, console.name_of(config), self.now)

    def _conceal(self, text: str) -> str:
        for workspace in self.workspaces.values():
            text = workspace.conceal(text)
        return text


def _held(workspace: Workspace) -> Held | None:
    """What is wrong with the config that the tests were held against; None where nothing is."""
    from mcpexpose.cli.linting import not_waived
    from mcpexpose.model.finding import Severity
    from mcpexpose.report.tested import Held
    from mcpexpose.workspace import HOLDS_UP_NOTHING

    errors = sum(
        finding.severity is Severity.ERROR and finding.slug not in HOLDS_UP_NOTHING for finding in not_waived(workspace)
    )
    return Held(console.name_of(workspace.path), errors, workspace.sound) if errors else None
