"""The commands: parse, call one thing, report."""

from __future__ import annotations
