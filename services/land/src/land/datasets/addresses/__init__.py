"""Addresses, streets and lieux-dits of BAN."""
