"""Outcomes of requests, their charges and counts, and the usage report."""
