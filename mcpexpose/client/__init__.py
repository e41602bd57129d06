"""The only room that connects to servers, and the owner of the mcp client."""

from __future__ import annotations
