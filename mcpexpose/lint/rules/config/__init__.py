"""Rules on the config's text and what it says of itself."""
