"""`land serve`: runs the gRPC server."""

import click
import uvloop

from land.server import SchemaOutdated, create_server
from land.settings import LandSettings
from servicekit import logs, tracing
from servicekit.postgres import DatabaseUnfit


@click.command()
def serve() -> None:
    """Serves gRPC until SIGTERM or SIGINT."""
    settings = LandSettings.load()
    tracing.configure("land")
    logs.configure_server("land", settings)

    async def run() -> None:
        try:
            server = create_server(settings)
        except (SchemaOutdated, DatabaseUnfit) as error:
            raise click.ClickException(str(error)) from None
        await server.serve_until_signalled()

    uvloop.run(run())
