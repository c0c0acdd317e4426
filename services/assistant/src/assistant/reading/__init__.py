"""Reads what a text tells: quantities first, then the project, with what became of every word."""
