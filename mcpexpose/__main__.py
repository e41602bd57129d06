"""`python -m mcpexpose`."""

from __future__ import annotations

from mcpexpose.cli.main import run

run()
