"""One module and one document a rule, in a folder a family; found by being there."""

from __future__ import annotations
