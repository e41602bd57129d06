"""What servers declared: captured catalogs on disk, their revision and age."""

from __future__ import annotations
