"""`land serve`: runs the gRPC server."""

import click

from servicekit import logs, tracing


@click.command()
def serve() -> None:
    """Serves gRPC until SIGTERM or SIGINT."""
    import uvloop  # noqa: PLC0415

    from land.server import SchemaOutdated, create_server  # noqa: PLC0415
    from land.settings import LandSettings  # noqa: PLC0415
    from servicekit.postgres import DatabaseUnfit  # noqa: PLC0415

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
