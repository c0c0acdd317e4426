"""Versioned prompt files `files/<id>/<version>.toml`, with their variables and messages."""
