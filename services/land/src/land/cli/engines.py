"""The store of a command, whose connections are closed when the command ends."""

import click
from pydantic import SecretStr
from sqlalchemy import Engine

from land.store import COMMAND_CONNECTIONS, open_store


def open_command_store(url: SecretStr, max_connections: int = COMMAND_CONNECTIONS) -> Engine:
    """Opens the store for the command that runs."""
    engine = open_store(url, max_connections)
    click.get_current_context().call_on_close(engine.dispose)
    return engine
