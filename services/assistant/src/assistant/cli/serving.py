"""`assistant serve`: runs the gRPC server."""

import click

from assistant.server import AssistantServer
from assistant.settings import AssistantSettings
from servicekit import serving


@click.command()
def serve() -> None:
    """Serve until SIGTERM. The schema must be migrated first."""
    settings = AssistantSettings.load()
    serving.serve("assistant", settings, lambda: AssistantServer(settings).serve())
