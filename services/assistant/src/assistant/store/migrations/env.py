"""Alembic's entry: the connection and the transaction are the caller's."""

from assistant.store.tables import metadata
from servicekit.database import run_migrations

run_migrations(metadata)
