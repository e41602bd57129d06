"""mcpexpose: decide in one reviewed config which MCP tools a model is told, may find, or never meets."""

from __future__ import annotations

__version__ = "0.1.0"
