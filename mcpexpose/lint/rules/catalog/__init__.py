"""Rules on captured catalogs."""
