"""What servers declare: captured catalogs on disk, strictly read, and how fresh they are."""

from __future__ import annotations
