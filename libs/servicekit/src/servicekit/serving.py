"""Runs the server of a service for its command `serve`."""

from collections.abc import Awaitable, Callable
from typing import Any

import click
import uvloop
from sqlalchemy.exc import OperationalError

from servicekit import logs, tracing
from servicekit.postgres import DatabaseUnfit
from servicekit.settings import Settings


def serve(service: str, settings: Settings, server: Callable[[], Awaitable[Any]]) -> None:
    """Awaits `server` in an event loop, with logs and traces. Ends the process with a message if its database or port
    keeps it from serving.
    """
    tracing.configure(service)
    logs.configure_server(service, settings)

    async def run() -> None:
        await server()

    try:
        uvloop.run(run())
    except OperationalError as error:
        raise click.ClickException(f"the database does not answer: {type(error).__name__}") from None
    except (DatabaseUnfit, OSError) as error:
        raise click.ClickException(str(error)) from None
