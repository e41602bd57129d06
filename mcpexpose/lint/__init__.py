"""Rules over every stage, what silences them, and the run."""

from __future__ import annotations
