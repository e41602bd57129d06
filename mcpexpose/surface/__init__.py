"""What the model sees, produced here alone: declarations, servers section, answers."""

from __future__ import annotations
