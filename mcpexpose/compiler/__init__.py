"""Config and catalogs to a plan: pure passes that see neither disk, network nor clock."""

from __future__ import annotations
