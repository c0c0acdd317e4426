"""Leases of counters: keys decides for a key once a second, and an edge for each request."""
