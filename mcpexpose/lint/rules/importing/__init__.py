"""Rules on what `init --from` reads; it reports them itself."""
