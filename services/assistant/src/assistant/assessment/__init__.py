"""Assesses dividing a land unit: pure functions on facts, one per check, with their legal references."""
