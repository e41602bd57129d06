"""Runs acceptance cases of the format that `cases/README.md` describes, and says which expectation failed."""
