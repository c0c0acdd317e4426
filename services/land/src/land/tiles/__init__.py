"""Vector tiles of the loaded data, for maps."""
