"""`edge serve`: runs the HTTP server."""

import click

from edge.server import serve as run_server
from edge.settings import EdgeSettings
from servicekit import logs, tracing


@click.command()
def serve() -> None:
    """Serve until SIGTERM or Ctrl-C, then let requests in flight finish. Settings come from EDGE_… variables."""
    settings = EdgeSettings.load()
    tracing.configure("edge")
    logs.configure_server("edge", settings)
    run_server(settings)
