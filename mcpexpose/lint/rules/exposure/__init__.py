"""Rules on what a model is told, may find, and never meets."""
