"""Outcomes of requests and their charges; ranges of the usage report."""
