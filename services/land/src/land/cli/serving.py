"""`land serve`: runs the gRPC server."""

import asyncio

import click

from land.server import SchemaOutdated, create_server
from land.settings import LandSettings
from servicekit import logs


@click.command()
def serve() -> None:
    """Serves gRPC until SIGTERM or SIGINT."""
    settings = LandSettings.load()
    logs.configure("land", settings)
    asyncio.run(_serve(settings))


async def _serve(settings: LandSettings) -> None:
    try:
        server = create_server(settings)
    except SchemaOutdated as error:
        raise click.ClickException(str(error)) from None
    await server.serve_until_signalled()
