"""Policy tests: what a team asserts of the model's view, held against a plan."""
