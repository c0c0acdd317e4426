"""Watches of partners, and the events that loads write for them."""
