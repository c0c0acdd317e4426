"""Partners, which own keys, and their data as customers."""
