"""The axes on which a tool is judged, each with its order of strictness; limits take the stricter."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar


class Exposure(StrEnum):
    """How a tool reaches the model: told in request 1, found by `find_tools`, or never met."""

    HIDDEN = "hidden"
    DEFERRED = "deferred"
    DIRECT = "direct"


class PolicyState(StrEnum):
    """What the plan lets a call do. A denied tool is in no plan."""

    DENIED = "denied"
    APPROVAL_REQUIRED = "approval_required"
    ALLOWED = "allowed"


class SideEffect(StrEnum):
    """What a call may change. `unknown` is handled as destructive and shown as unknown."""

    DESTRUCTIVE = "destructive"
    UNKNOWN = "unknown"
    WRITE = "write"
    READ_ONLY = "read_only"


class Approval(StrEnum):
    """Whether a call runs by itself or after somebody said yes."""

    ASK = "ask"
    AUTO = "auto"


_STRICTNESS: dict[StrEnum, int] = {
    Exposure.HIDDEN: 2,
    Exposure.DEFERRED: 1,
    Exposure.DIRECT: 0,
    PolicyState.DENIED: 2,
    PolicyState.APPROVAL_REQUIRED: 1,
    PolicyState.ALLOWED: 0,
    SideEffect.DESTRUCTIVE: 2,
    SideEffect.UNKNOWN: 2,
    SideEffect.WRITE: 1,
    SideEffect.READ_ONLY: 0,
    Approval.ASK: 1,
    Approval.AUTO: 0,
}

Axis = TypeVar("Axis", Exposure, PolicyState, SideEffect, Approval)


def strictness(value: StrEnum) -> int:
    """The rank of a value on its axis; greater is stricter. `unknown` and `destructive` are equal."""
    return _STRICTNESS[value]


def stricter(one: Axis, other: Axis) -> Axis:
    """The stricter of two values of one axis; the first where they are equal."""
    return other if _STRICTNESS[other] > _STRICTNESS[one] else one
