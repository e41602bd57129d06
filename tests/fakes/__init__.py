"""Peers that tests start: real processes, driven by a script."""

from __future__ import annotations
