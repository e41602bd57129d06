"""Schemas of tools: are they valid, will they travel, do arguments fit. The one room that may import jsonschema."""

from __future__ import annotations

from mcpexpose.toolschema.check import check_definition, dialect_of
from mcpexpose.toolschema.portable import not_portable
from mcpexpose.toolschema.problem import SchemaProblem, schema_subject
from mcpexpose.toolschema.validate import CannotCheck, Checker, Misfit, validate

__all__ = [
    "CannotCheck",
    "Checker",
    "Misfit",
    "SchemaProblem",
    "check_definition",
    "dialect_of",
    "not_portable",
    "schema_subject",
    "validate",
]
