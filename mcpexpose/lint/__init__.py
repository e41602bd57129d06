"""Lint: rules that look at config, catalogs and plan, and say what is wrong, where, and what to do."""
