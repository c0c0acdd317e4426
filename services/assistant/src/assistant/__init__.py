"""Assesses the division of land and answers in plain language."""
