"""The only place with SQL: the schema, what readers ask, and what a load replaces."""

from pydantic import SecretStr
from sqlalchemy import Engine, make_url

from servicekit.database import LOADING, open_engine, server_urls

MIGRATIONS = "land:store/migrations"
COMMAND_CONNECTIONS = 4
"""Database connections of a command that loads one file at a time."""
STANDBY_CONNECT_S = 2
"""Time to connect to a standby, after which the primary answers."""


def open_store(url: SecretStr, max_connections: int = COMMAND_CONNECTIONS) -> Engine:
    """The store's engine. Its writing transactions have the timeouts of loads."""
    return open_engine(
        url.get_secret_value(), pool_size=max_connections, writing_limits=LOADING, keeps_plans=True, name="land"
    )


def open_standbys(url: SecretStr, primary: SecretStr, max_connections: int) -> list[Engine]:
    """An engine for each server of the URL, to read from. A URL without a user takes the primary's user and password:
    a standby has the same ones.
    """
    parsed, primary_url = make_url(url.get_secret_value()), make_url(primary.get_secret_value())
    if parsed.username is None:
        parsed = parsed.set(username=primary_url.username, password=primary_url.password)
    return [
        open_engine(
            host_url, pool_size=max_connections, keeps_plans=True, connect_timeout_s=STANDBY_CONNECT_S, name="land"
        )
        for host_url in server_urls(parsed.render_as_string(hide_password=False))
    ]
