"""Resolves what a customer typed to an address of the national base, or to none."""
