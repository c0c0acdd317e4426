"""Speaks HTTP to partners and admins and calls the other services."""
