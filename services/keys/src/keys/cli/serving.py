"""`keys serve`: runs the gRPC server."""

import click
import uvloop

from keys.cli.errors import fail, report_errors
from keys.errors import KeysError
from keys.server import create_server
from keys.settings import KeysSettings
from servicekit import logs, tracing
from servicekit.postgres import DatabaseUnfit


@click.command()
def serve() -> None:
    """Serve until SIGTERM. The database's schema must match this version: see `migrate`."""
    settings = KeysSettings.load()
    tracing.configure("keys")
    logs.configure_server("keys", settings)

    async def run() -> None:
        server = create_server(settings)
        if not server.database.is_accepted():
            server.close()
            fail("this version does not work with the schema of the database: run `keys migrate` first")
        try:
            server.check_peppers()
            server.check_database()
            server.announce_setup()
        except KeysError:
            server.close()
            raise
        except DatabaseUnfit as error:
            server.close()
            fail(str(error))
        await server.serve()

    try:
        with report_errors():
            uvloop.run(run())
    except OSError as error:
        fail(str(error))
