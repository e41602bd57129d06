"""Rules on texts that hide something, or reach for what is not theirs."""
