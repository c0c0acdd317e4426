"""The only place with SQL: the schema, what readers ask, and what a load replaces."""

from pydantic import SecretStr
from sqlalchemy import Engine

from servicekit.database import LOADING, open_engine

MIGRATIONS = "land.store:migrations"
COMMAND_CONNECTIONS = 4
"""Database connections of a command that loads one file at a time."""


def open_store(url: SecretStr, max_connections: int = COMMAND_CONNECTIONS) -> Engine:
    """The store's engine. Its writing transactions have the timeouts of loads."""
    return open_engine(url.get_secret_value(), pool_size=max_connections, writing_limits=LOADING, keeps_plans=True)
