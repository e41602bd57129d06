"""A lint rule: one module, one document beside it. Slug and family come from where the module stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mcpexpose.model.finding import Finding, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.lint.subjects import Context, Subject

    Check = Callable[[Any, Context], Iterator[Finding]]
    Mender = Callable[[Finding, Source], Fix | None]

S = TypeVar("S", bound="Subject")


class Rule:
    """What a rule's module holds as `rule`. Generators under `@rule.on(Subject)` yield its findings.

    A rule without a generator stands for findings that another stage makes: it gives them a document, and lets them be
    chosen, silenced and waived.
    """

    def __init__(
        self,
        module: str,
        *,
        severity: Literal["error", "warning", "info"],
        since: str,
        audit: bool = False,
        fix: Literal["safe", "unsafe"] | None = None,
        remembered: Literal["tool", "plan"] | None = None,
    ) -> None:
        self.module = module
        *_, self.family, name = module.split(".")
        self.slug = name.replace("_", "-")
        self.severity = Severity(severity)
        self.since = since
        """The version that brought it."""
        self.audit = audit
        """Runs only when asked for: false alarms are expected of it."""
        self.fix = fix
        """Whether its findings can be mended; a safe mend changes nothing of what the config means."""
        self.remembered = remembered
        """What its verdict hangs on and nothing else, so that it can be kept: one tool's definition, the decision on it
        and the targets; or the plan. None: on more than that."""
        self.checks: list[tuple[type, Check]] = []
        self.mender: Mender | None = None

    def on(
        self, subject: type[S]
    ) -> Callable[[Callable[[S, Context], Iterator[Finding]]], Callable[[S, Context], Iterator[Finding]]]:
        """Run the decorated generator on each subject of this type."""

        def register(check: Callable[[S, Context], Iterator[Finding]]) -> Callable[[S, Context], Iterator[Finding]]:
            self.checks.append((subject, check))
            return check

        return register

    def mends(self, mender: Mender) -> Mender:
        """Have the decorated function say how a finding of this rule is mended; None where it cannot tell."""
        self.mender = mender
        return mender

    def finding(
        self,
        message: str,
        subjects: Iterable[object],
        advice: str,
        place: Place | None,
        *,
        severity: Severity | None = None,
        related: Iterable[Place] = (),
        details: Mapping[str, Any] | None = None,
    ) -> Finding:
        """A finding of this rule, with its severity unless another is given."""
        named = tuple(str(subject) for subject in subjects)
        level = severity or self.severity
        return Finding(self.slug, level, message, named, advice, place, None, tuple(related), details or {})

    @property
    def document(self) -> str:
        """The Markdown that stands beside the module. Raises FileNotFoundError where it was forgotten."""
        from importlib import resources

        package, _, name = self.module.rpartition(".")
        return resources.files(package).joinpath(f"{name}.md").read_text("utf-8")

    @property
    def summary(self) -> str:
        """The first sentence of the document's "What"."""
        what = self.document.partition("## What\n")[2].strip()
        return what.split("\n\n")[0].replace("\n", " ")
