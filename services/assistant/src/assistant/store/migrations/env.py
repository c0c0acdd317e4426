"""Alembic's entry: the connection and the transaction are the caller's."""

from assistant.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
