"""What people write: config.toml and policy packs, read with the place of every key."""

from __future__ import annotations
