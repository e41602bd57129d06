"""Rules on bundles, reported by `load`, `verify` and `plan --out`."""
