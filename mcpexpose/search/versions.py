"""The versions of analysis and ranking: apart from both, since a host compares them before it searches."""

from __future__ import annotations

ANALYZER_VERSION = "3"
"""Changes with any change of the terms that a text gives; an index of another version is not searched."""
RANKING_VERSION = "4"
"""Changes with any change of what is found, in which order, or when a match is called weak."""
