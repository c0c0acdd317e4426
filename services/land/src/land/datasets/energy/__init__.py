"""Energy ratings of dwellings."""
