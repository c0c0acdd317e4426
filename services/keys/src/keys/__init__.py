"""Decides who may do what, and counts it."""
