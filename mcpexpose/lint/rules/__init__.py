"""The rules: `<family>/<slug>.py` with its document beside it. A rule is found by being there."""
