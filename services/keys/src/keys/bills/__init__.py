"""Prices, bills, and the numbered documents that partners get."""
