"""The command line of the edge."""

import click

from edge import request_log
from edge.server import serve as run_server
from edge.settings import EdgeSettings
from servicekit import logs


@click.group()
def main() -> None:
    """Speaks HTTP to partners and admins."""


@main.command()
def serve() -> None:
    """Serve until SIGTERM or Ctrl-C, then let requests in flight finish. Settings come from EDGE_… variables."""
    settings = EdgeSettings.load()
    logs.configure("edge", settings)
    request_log.configure(settings)
    run_server(settings)
