"""Altitudes of the ground."""
