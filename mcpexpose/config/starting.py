"""How a first config begins, whoever wrote the servers: defaults that are meant, each with what else could stand."""

from __future__ import annotations

_HEAD = """\
# Which MCP tools a model is told at once (direct), may find (deferred), or never meets (hidden).
# mcpexpose lint checks this file, mcpexpose plan shows what it makes of it. {about}

schema_version = 1

# Limits that this file cannot loosen: names that say delete, drop, send or pay are at least a write or destructive,
# and what nobody classified asks before each call. Others: read-only, unattended, strict, or a path to your own.
extends = ["baseline"]

[exposure]
default = "deferred"        # direct | deferred | hidden | auto
context_window = 200_000    # tokens of the model's window; shares are of this

[policy]
auto_approve = ["read_only"]    # classes that run without asking, or single tools: "time/convert_time"

[freshness]
max_age = "30d"             # an older catalog is refreshed before a call: s m h d w
"""


def head(about: str) -> str:
    """The text up to the servers; ABOUT is a sentence on one line."""
    return _HEAD.format(about=about)
