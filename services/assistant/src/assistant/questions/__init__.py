"""Reads what a question asks, and answers from the facts what they can answer."""
