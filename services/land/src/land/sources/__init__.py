"""Readers of publishers' files: each yields records."""
