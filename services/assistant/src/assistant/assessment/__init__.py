"""Assesses the division of a land unit. Each check is a pure function of the facts, with its legal references."""
