"""How a key's secret is made, read, shown and kept. Pure functions: no clock, no database."""
