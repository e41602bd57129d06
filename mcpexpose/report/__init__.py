"""Findings, previews and diffs as text and in machine formats."""

from __future__ import annotations
