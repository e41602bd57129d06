"""A plan on disk: written whole, read without trust, compared."""

from __future__ import annotations
