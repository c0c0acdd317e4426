"""Facts computed when a partition is loaded: pure functions from its records to the rows of its tables."""
