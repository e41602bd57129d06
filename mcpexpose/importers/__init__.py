"""Configs of other hosts, read with the place of every key and turned into ours: nothing of them is lost in silence."""

from __future__ import annotations
