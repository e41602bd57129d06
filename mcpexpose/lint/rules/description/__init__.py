"""Rules on the texts that tell a model what a tool is for."""
