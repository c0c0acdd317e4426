"""Prices, bills and their corrections."""
