"""Decides requests by leases: counters of an API key that keys has given to this edge for at most a second."""
