"""What cases ask for and the product does not have, in one place: the harness leaves out what needs it, and says so."""

from __future__ import annotations

PARTS = {
    "gateway": "there is no gateway",
}
"""Part: why what needs it is left out."""

STEPS = {
    "gateway-list": "gateway",
    "gateway-call": "gateway",
    "gateway-session": "gateway",
}
"""Step kind: the part that it needs."""

ASSERTIONS = {"gateway_notifications": "gateway"}
"""Key of an `assert` step: the part that it needs."""

OPTIONS: dict[tuple[str, str], str] = {}
"""Step kind and a key of it: the part that it needs."""

CLOUDS = {
    "gateway": {"assert"},
}
"""Part: the step kinds that, after a step of it was left out, run but are not judged."""


def step_needs(step: dict[str, object]) -> str | None:
    """The part that is not there and that STEP needs, or None where it can run."""
    part = STEPS.get(str(step["do"]))
    if part is None and step["do"] == "assert":
        part = next((needed for key, needed in ASSERTIONS.items() if key in step), None)
    part = part or next((needed for (kind, key), needed in OPTIONS.items() if step["do"] == kind and key in step), None)
    return part if part in PARTS else None
