"""A session in the terms of agent frameworks: one thin module each, which alone imports its framework.

Nothing in this package imports one of them, so a host pays for the framework that it names, and for no other.
"""

from __future__ import annotations
