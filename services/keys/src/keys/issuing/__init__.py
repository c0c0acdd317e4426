"""Creates, parses, masks and hashes the secret of a key. Pure functions: no clock, no database."""
