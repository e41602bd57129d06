"""The flow on one screen: document, config, packs, resolved config, catalogs, plan, lock; each made once."""

from __future__ import annotations

import datetime
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mcpexpose.model.errors import PlanRefused
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.policy import Exposure, PolicyState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from mcpexpose.bundle.write import Step
    from mcpexpose.catalog.drift import Drift
    from mcpexpose.catalog.places import CatalogText
    from mcpexpose.config.document import Document
    from mcpexpose.config.tests import Written
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.changes import Changes
    from mcpexpose.model.config import Config, ResolvedConfig, ResolvedPack
    from mcpexpose.model.freshness import Freshness
    from mcpexpose.model.lock import Lock
    from mcpexpose.model.manifest import Manifest
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Compiled, ToolDecision
    from mcpexpose.sources import Sources

CATALOGS = "catalogs"
"""The folder of catalogs beside a config."""
HOLDS_UP_NOTHING = frozenset({"missing-transport"})
"""Errors of a config that lint alone is about: a plan can be made, and only connecting will fail."""
STANDS_WHATEVER_THE_TABLE = frozenset(
    {"config-invalid", "pattern-matches-nothing", "unknown-tool", "policy-conflict", "duplicate-tool"}
    | {"hidden-text", "control-characters"}
)
"""Beside those on catalogs and schemas: findings of the compiler that hold whatever the table at fault should say."""


class Workspace:
    """One config with what lies beside it. Files are named relative to the config's folder, with forward slashes.

    Nothing is read before it is needed, and nothing is read twice. InputMissing is raised where the config itself is
    not there; all other trouble is in `findings`.
    """

    def __init__(
        self,
        config: Path,
        *,
        catalogs: Path | None = None,
        environ: Mapping[str, str] | None = None,
        now: datetime.datetime | None = None,
    ) -> None:
        self.path = config
        self.folder = config.parent
        self.name = config.name
        self.catalog_folder = catalogs if catalogs is not None else self.folder / CATALOGS
        self.catalog_name = CATALOGS if catalogs is None else Path(os.path.relpath(catalogs, self.folder)).as_posix()
        self.environ = os.environ if environ is None else environ
        self.now = now or datetime.datetime.now(datetime.UTC)
        self.catalogs_recalled = 0  # how many were of use when nothing was another
        self._catalog_texts: dict[str, CatalogText | None] = {}

    @cached_property
    def document(self) -> Document:
        """The config's text. Raises InputMissing."""
        from mcpexpose.config.document import read

        return read(self.path, self.name)

    @cached_property
    def _parsed(self) -> tuple[Config | None, tuple[Finding, ...]]:
        from mcpexpose.config.load import parse

        return parse(self.document)

    @property
    def config(self) -> Config | None:
        """None where the text is no config at all."""
        return self._parsed[0]

    @cached_property
    def _packs(self) -> tuple[tuple[ResolvedPack, ...], tuple[Finding, ...]]:
        from mcpexpose.config.packs import find

        return find(self.config.extends, self.folder, self.name) if self.config else ((), ())

    @cached_property
    def _resolved(self) -> tuple[ResolvedConfig | None, tuple[Finding, ...]]:
        from mcpexpose.config.resolve import resolve

        return resolve(self.config, self.name, self._packs[0], self.environ) if self.config else (None, ())

    @property
    def resolved(self) -> ResolvedConfig | None:
        return self._resolved[0]

    @property
    def servers(self) -> tuple[str, ...]:
        """Ids of the enabled servers, sorted."""
        if self.config is None:
            return ()
        return tuple(sorted(name for name, server in self.config.mcp_servers.items() if server.enabled))

    @cached_property
    def _catalogs(self) -> tuple[dict[str, Catalog], tuple[Finding, ...]]:
        from mcpexpose.catalog.store import load

        return load(self.catalog_folder, self.servers, folder_name=self.catalog_name)

    @property
    def catalogs(self) -> Mapping[str, Catalog]:
        """By server id; one whose file is not usable is absent."""
        return self._catalogs[0]

    @cached_property
    def max_age_s(self) -> float | None:
        """`[freshness] max_age` in seconds."""
        from mcpexpose.config.resolve import seconds

        max_age = self.config.freshness.max_age if self.config else None
        return seconds(max_age) if max_age is not None else None

    def freshness(self, server: str) -> Freshness:
        """Of a server's catalog, which must be usable."""
        from mcpexpose.model.freshness import judge

        catalog = self.catalogs[server]
        return judge(catalog.captured_at, catalog.ttl_ms, self.max_age_s, self.now)

    @cached_property
    def compiled(self) -> Compiled:
        """The plan of what could be planned. Raises PlanRefused where the text is no config at all."""
        from mcpexpose import __version__
        from mcpexpose.compiler.pipeline import compile_plan
        from mcpexpose.search.versions import ANALYZER_VERSION, RANKING_VERSION

        if self.resolved is None:
            raise PlanRefused(f"there is no plan: {self.name} has errors", self.findings_of_config)
        return compile_plan(
            self.resolved,
            self.catalogs,
            tool_version=__version__,
            analyzer_version=ANALYZER_VERSION,
            ranking_version=RANKING_VERSION,
        )

    @cached_property
    def _locked(self) -> tuple[Lock | None, tuple[Finding, ...]]:
        from mcpexpose.catalog.lockfile import read

        return read(self.lock_path)

    @property
    def lock(self) -> Lock | None:
        """What was reviewed; None where there is no lock, or one that is none."""
        return self._locked[0]

    @cached_property
    def identities(self) -> Mapping[str, str]:
        """How each enabled server is reached, as a lock holds it."""
        from mcpexpose.model.lock import identity_of

        return {server: identity_of(way) for server, way in self.resolved.transports.items()} if self.resolved else {}

    @cached_property
    def tests(self) -> tuple[Written, ...] | None:
        """The policy tests beside the config; None where a file of them is at fault."""
        from mcpexpose.config.tests import beside_parsed

        return beside_parsed(self.folder)

    @cached_property
    def drift(self) -> Drift | None:
        """What differs from the lock; None where there is nothing to compare."""
        from mcpexpose.catalog.drift import compare

        if self.lock is None or self.resolved is None:
            return None
        return compare(self.lock, self.catalogs, self.identities, self._configured)

    @property
    def lock_path(self) -> Path:
        from mcpexpose.model.lock import LOCK_NAME

        return self.folder / LOCK_NAME

    @property
    def lock_trouble(self) -> tuple[Finding, ...]:
        """Why the lock that is there is none."""
        return self._locked[1]

    def relocked(self, servers: Collection[str] = ()) -> Lock:
        """The lock that accepts the catalogs at hand, or those of SERVERS alone.

        What has no usable catalog, and what is switched off, stays in it as it is. Raises
        PlanRefused where the text is no config at all.
        """
        from mcpexpose.catalog.lockfile import make

        taken = {name: each for name, each in self.catalogs.items() if not servers or name in servers}
        old = self.lock.servers if self.lock else {}
        keep = [name for name in (old if servers else self._configured) if name not in taken]
        tokens = self.compiled.plan.totals.tokens_request_1
        return make(taken, self.identities, self.lock, decisions=self._decisions, keep=keep, tokens=tokens)

    def write_lock(self, lock: Lock) -> bool:
        """Put LOCK beside the config; False where it stands there already. Raises InputMissing."""
        from mcpexpose.catalog.lockfile import dump, write

        if self.lock_path.is_file() and self.lock_path.read_bytes() == dump(lock):
            return False
        write(self.lock_path, lock)
        return True

    @property
    def changes(self) -> Changes | None:
        """What is another for the model since the lock; None where there is none."""
        from mcpexpose.catalog.since import since

        return (
            since(self.lock, self.drift, self.compiled, self.catalogs) if self.lock and self.drift is not None else None
        )

    @property
    def _configured(self) -> set[str]:
        """Every id of the config, of switched-off and broken tables too."""
        return {*(self.config.mcp_servers if self.config else ()), *(self.resolved.broken if self.resolved else ())}

    @property
    def findings_of_catalogs(self) -> tuple[Finding, ...]:
        """What is wrong with the catalogs as files, not located."""
        return self._catalogs[1]

    def meets(self, tool: ToolId) -> bool:
        """Whether the operator lets a model meet a captured tool; a fault of the server may still keep it out."""
        decision = self._decisions.get(tool)
        denied = decision is None or decision.policy_state is PolicyState.DENIED
        return decision is not None and not denied and decision.exposure is not Exposure.HIDDEN

    @cached_property
    def _decisions(self) -> Mapping[ToolId, ToolDecision]:
        return {decision.id: decision for decision in self.compiled.decisions}

    @cached_property
    def found_in_lock(self) -> tuple[Finding, ...]:
        """What is wrong with the lock, and what is not as it was reviewed; not yet located."""
        lock, trouble = self._locked
        if trouble:
            return trouble
        from mcpexpose.catalog import drifted

        if lock is None:
            return (drifted.missing(),) if self.catalogs else ()
        return drifted.findings(self.drift, self.catalogs, self.name, self.meets) if self.drift else ()

    @property
    def found_in_config(self) -> tuple[Finding, ...]:
        """What is wrong with config and packs, not yet located."""
        return (*self.document.findings, *self._parsed[1], *self._packs[1], *self._resolved[1])

    @property
    def findings_of_config(self) -> tuple[Finding, ...]:
        """What is wrong with config and packs, located."""
        return self.located(self.found_in_config)

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """What every stage up to the plan found, each once, not yet located."""
        from mcpexpose.catalog.freshness import findings

        of_age = findings(self.catalogs, self.max_age_s, self.now)
        return tuple(dict.fromkeys((*self.found_in_config, *of_age, *self.found_beyond)))

    @cached_property
    def found_beyond(self) -> tuple[Finding, ...]:
        """The same without what is wrong with the config itself, and without the age of catalogs."""
        planned = self.compiled.findings if self.resolved else ()
        return (*self._catalogs[1], *planned, *self._found_of_broken(), *self.found_in_lock)

    def _found_of_broken(self) -> tuple[Finding, ...]:
        """What else is wrong with servers that are in no plan because their tables are at fault, told in one go."""
        if self.config is None or self.resolved is None or not self.config.readable:
            return ()
        from mcpexpose.catalog.freshness import findings
        from mcpexpose.catalog.store import load
        from mcpexpose.compiler.pipeline import compile_plan
        from mcpexpose.config.idents import is_possible
        from mcpexpose.config.resolve import resolve

        whole = self.config.with_readable()
        faulty = sorted(name for name in self.config.readable if whole.mcp_servers[name].enabled and is_possible(name))
        catalogs, found = load(self.catalog_folder, faulty, folder_name=self.catalog_name)
        resolved, _ = resolve(whole, self.name, self._packs[0], self.environ)
        compiled = compile_plan(
            resolved, {**self.catalogs, **catalogs}, tool_version="", analyzer_version="", ranking_version=""
        )
        every = (*found, *findings(catalogs, self.max_age_s, self.now), *compiled.findings)
        about = tuple(name + mark for name in faulty for mark in "/:#")
        return tuple(
            each
            for each in every
            if (each.slug in STANDS_WHATEVER_THE_TABLE or each.slug.startswith(("catalog-", "schema-", "stale-")))
            and any(name in faulty or name.startswith(about) for name in each.subjects)
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The same, located."""
        return self.located(self.found)

    @property
    def sound(self) -> bool:
        """Whether the operator's text is right, so that the plan is what it means."""
        faulty = any(
            finding.severity is Severity.ERROR and finding.slug not in HOLDS_UP_NOTHING
            for finding in self.found_in_config
        )
        return self.resolved is not None and not faulty and self.compiled.writable

    @property
    def writable(self) -> bool:
        """Whether it is, and what changed was accepted, so that a bundle may be written."""
        from mcpexpose.catalog.drifted import HOLDING

        held = any(each.severity is Severity.ERROR and each.slug in HOLDING for each in self.found_in_lock)
        return self.sound and not held

    def write(self, out: Path, *, progress: Callable[[Step], None] | None = None) -> Manifest:
        """Write the bundle in place of the one at OUT. Raises PlanRefused where not `writable`, BundleNotWritten."""
        from mcpexpose.bundle.write import write

        if not self.writable:
            faults = tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)
            raise PlanRefused(f"{self.name} has errors, so nothing is written", faults)
        return write(self.compiled, out, progress=progress)

    def recompile(self, catalogs: Mapping[str, Catalog]) -> Compiled:
        """What a bundle of the same config would hold with CATALOGS in place of captured ones; for `host.Runtime`.

        Raises PlanRefused where it could not be written: a lock holds for a running host as well.
        """
        other = Workspace(self.path, catalogs=self.catalog_folder, environ=self.environ, now=self.now)
        other.__dict__["_catalogs"] = ({**self.catalogs, **catalogs}, ())
        if not other.writable:
            raise PlanRefused(f"there is no other plan: {self.name}, or what changed, is not accepted", other.findings)
        return other.compiled

    def located(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """FINDINGS with their lines, without credentials. Reads a catalog again, so only for what is shown."""
        from mcpexpose.model.struck import struck

        return tuple(
            struck(each if each.location or each.place is None else each.at(self.locate(each.place)), self.literals)
            for each in findings
        )

    def locate(self, place: Place) -> Location | None:
        """Line and column of a place in the config, a pack or a catalog; None where the file is not at hand."""
        return self._sources.locate(place)

    def is_shipped(self, file: str) -> bool:
        """Whether FILE, a name in findings, is a pack that came with the package."""
        from mcpexpose.config.packs import is_shipped

        return is_shipped(file) and any(pack.file == file for pack in self._packs[0])

    def line(self, file: str, number: int) -> str | None:
        """A line of a file by its name in findings, without its end; None where there is none."""
        return self._sources.line(file, number)

    def conceal(self, text: str) -> str:
        """A line with credentials struck out, of the same length: those of the config, and what looks like one."""
        from mcpexpose.model.secrets import find

        for literal in self.literals:
            text = text.replace(literal, "*" * len(literal))
        for secret in find(text):
            text = text[: secret.start] + "*" * (secret.end - secret.start) + text[secret.end :]
        return text

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Credentials in the config, the longest first; to strike them out, never to print them."""
        from mcpexpose.config.resolve import literal_secrets

        return tuple(sorted(literal_secrets(self.config), key=len, reverse=True)) if self.config else ()

    @cached_property
    def _sources(self) -> Sources:
        from mcpexpose.sources import Sources

        packs, findings = self._packs
        named = {pack.file for pack in packs} | {finding.place.file for finding in findings if finding.place}
        return Sources(self.document, self.folder, named, self.catalog_folder, self.catalog_name, self._catalog_texts)
