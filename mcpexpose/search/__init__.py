"""One analysis, one ranking, two engines; owner of whoosh."""

from __future__ import annotations
