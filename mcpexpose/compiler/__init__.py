"""From a config and captured catalogs to a frozen plan: pure passes without disk, network or clock."""

from __future__ import annotations
