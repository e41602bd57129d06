"""Rules on how servers are reached. They hold up no plan."""
