"""Urban authorizations of Sitadel."""
