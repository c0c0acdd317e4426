"""`keys serve`: runs the gRPC server."""

import click

from keys.cli.errors import report_errors
from keys.server import KeysServer
from keys.settings import KeysSettings
from servicekit import serving


@click.command()
def serve() -> None:
    """Serve until SIGTERM. The database's schema must match this version: see `migrate`."""
    settings = KeysSettings.load()
    with report_errors():
        serving.serve("keys", settings, lambda: KeysServer(settings).serve())
