"""Keeps the outcome of each request on disk until keys has counted it."""
