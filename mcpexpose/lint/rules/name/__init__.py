"""Rules on names of tools and servers."""
