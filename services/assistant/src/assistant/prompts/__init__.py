"""Prompts as versioned files: `files/<id>/<version>.toml`, each with its variables and messages."""
