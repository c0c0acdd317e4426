"""Risks, as Géorisques answers."""
