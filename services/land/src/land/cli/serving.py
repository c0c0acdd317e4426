"""`land serve`: runs the gRPC server."""

import click

from land.server import create_server
from land.settings import LandSettings
from servicekit import serving


@click.command()
def serve() -> None:
    """Serves gRPC until SIGTERM or SIGINT."""
    settings = LandSettings.load()
    serving.serve("land", settings, lambda: create_server(settings).serve_until_signalled())
