"""Rules on the schemas of tools."""
