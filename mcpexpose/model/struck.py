"""A finding without credentials: a text that stands in the wrong place is quoted by whoever finds it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.model.secrets import MASK, redact_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.finding import Finding


def struck(finding: Finding, literals: Sequence[str] = ()) -> Finding:
    """FINDING with `***` for each of LITERALS, the longest first, and for all that has the form of a credential."""
    return replace(
        finding,
        message=_struck(finding.message, literals),
        advice=_struck(finding.advice, literals),
        subjects=tuple(_struck(subject, literals) for subject in finding.subjects),
        details=_struck(finding.details, literals),
    )


def _struck(value: Any, literals: Sequence[str]) -> Any:
    if isinstance(value, str):
        for literal in literals:
            value = value.replace(literal, MASK)
        return redact_forms(value)
    if isinstance(value, Mapping):
        return {_struck(key, literals): _struck(item, literals) for key, item in value.items()}
    return [_struck(item, literals) for item in value] if isinstance(value, list | tuple) else value
