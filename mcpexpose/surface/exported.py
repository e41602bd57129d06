"""What an export gives: the value that the target takes, and what of the surface it does not say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

LossKind = Literal[
    "tool-left-out",
    "server-left-out",
    "deferred-not-declared",
    "deferred-declared",
    "direct-deferred",
    "approval-dropped",
    "alias-dropped",
    "description-dropped",
    "description-cut",
    "name-changed",
    "schema-reduced",
    "output-schema-dropped",
    "ranking-replaced",
    "definition-not-pinned",
    "prompt-section-dropped",
    "credential-by-name",
    "credential-left-out",
    "header-dropped",
]

MEANINGS: Mapping[LossKind, str] = {
    "tool-left-out": "The target would refuse the request, or run them against the plan: the model never meets them.",
    "server-left-out": "The target cannot reach it, so the model meets none of its tools.",
    "deferred-not-declared": "Answer find_tools from a session, and export the session anew for the next request.",
    "deferred-declared": "The host declares them in request 1, so the model carries more than the plan says.",
    "direct-deferred": "They are found by a search like the others of their server.",
    "approval-dropped": "Nothing in it says that a call must be approved: the host asks before it carries one out.",
    "alias-dropped": "The target calls the tools by its own names; a call is not looked up by alias.",
    "description-dropped": "The model reads the server's text in place of the operator's.",
    "description-cut": "The model reads the beginning, with a mark that more was there.",
    "name-changed": "The target does not take the server's id as its name.",
    "schema-reduced": "The model is told less than the schema demands; the gate holds calls against all of it.",
    "output-schema-dropped": "The model is not told what comes back; the gate holds results against it.",
    "ranking-replaced": "The target ranks by its own search: keywords and synonyms of the config do not count.",
    "definition-not-pinned": "The target asks the server itself: what the model reads may differ from the plan.",
    "prompt-section-dropped": "Put it into the system prompt: without it the model does not know what to search for.",
    "credential-by-name": "Put the variable's value in when the request is sent; `$$` stands for `$`.",
    "credential-left-out": "Add it when the request is sent.",
    "header-dropped": "The target sends no such header to the server.",
}
"""What each kind of loss means, or what to do about it."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the export does not say."""

    kind: LossKind
    subject: str
    """`server/tool`, a server's id, or "" for the surface as a whole. Not made safe to print."""
    message: str
    """One sentence of fact; text of servers in it is safe to print."""
    pointer: str = ""
    """JSON pointer into the tool's input schema, where the loss is in it."""

    def to_json(self) -> dict[str, str]:
        """As `--format json` has it."""
        told = {"kind": self.kind, "subject": self.subject, "message": self.message}
        return {**told, "pointer": self.pointer} if self.pointer else told


@dataclass(frozen=True, slots=True)
class Export:
    """A JSON value for TARGET, new at each call and the caller's to change."""

    target: str
    value: dict[str, Any]
    """The part of a request that the surface decides; the host adds model and messages."""
    losses: tuple[Loss, ...]
    """By kind, then by subject."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that the request needs; never a credential."""
    form: Literal["json", "toml"] = "json"
    """How a file of the value is written."""

    def to_json(self) -> dict[str, Any]:
        """As `--format json` has it."""
        return {
            "target": self.target,
            "value": self.value,
            "headers": dict(self.headers),
            "losses": [loss.to_json() for loss in self.losses],
        }


def in_order(losses: list[Loss]) -> tuple[Loss, ...]:
    """LOSSES, each once: the gravest kinds first, as `MEANINGS` lists them."""
    order = {kind: n for n, kind in enumerate(MEANINGS)}
    return tuple(sorted(dict.fromkeys(losses), key=lambda loss: (order[loss.kind], loss.subject, loss.pointer)))
