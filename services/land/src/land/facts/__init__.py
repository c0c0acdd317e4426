"""Facts computed when a partition is loaded: pure functions from records to rows."""
