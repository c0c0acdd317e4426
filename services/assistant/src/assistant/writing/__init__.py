"""Sentences of a language model about facts, with slots for figures and names."""
