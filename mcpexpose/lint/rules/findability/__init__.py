"""Rules on what a search finds: the plan's own tools, asked for by the real ranking."""
