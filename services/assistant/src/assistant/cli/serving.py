"""`assistant serve`: runs the gRPC server."""

import click
import uvloop
from sqlalchemy.exc import SQLAlchemyError

from assistant.cli.errors import fail
from assistant.server import create_server
from assistant.settings import AssistantSettings
from assistant.store.runs import RunStore
from servicekit import logs, tracing
from servicekit.postgres import DatabaseUnfit


@click.command()
def serve() -> None:
    """Serve until SIGTERM. The schema must be migrated first."""
    settings = AssistantSettings.load()
    tracing.configure("assistant")
    logs.configure_server("assistant", settings)
    runs = RunStore(settings.database_url.get_secret_value(), pool_size=1)
    try:
        if not runs.is_accepted():
            fail("this version does not work with the schema of the database: run `assistant migrate` first")
    except SQLAlchemyError as error:
        fail(f"the database does not answer: {type(error).__name__}")
    finally:
        runs.close()

    async def run() -> None:
        server = create_server(settings)
        server.runs.check_server(settings)
        await server.serve()

    try:
        uvloop.run(run())
    except DatabaseUnfit as error:
        fail(str(error))
    except OSError as error:
        fail(str(error))
