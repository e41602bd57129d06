"""Rules on what calls may change, and who says so."""
