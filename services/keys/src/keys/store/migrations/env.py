"""Alembic's entry: the connection and the transaction are the caller's."""

from keys.store import access_tables, closing_tables  # noqa: F401 (their tables are the metadata's)
from keys.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
