"""Pure functions that make the rows of a partition's tables from its records."""
