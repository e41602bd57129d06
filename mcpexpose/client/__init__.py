"""The only room that connects to servers: reach one, list its tools, and take down what it said, raw."""

from __future__ import annotations
