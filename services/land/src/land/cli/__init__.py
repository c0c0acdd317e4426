"""Land's command line: serve, migrate, import, refresh, status, demo."""

from land.cli.commands import main

__all__ = ["main"]
