"""Alembic's entry point. The caller provides the connection and the transaction."""

from keys.store import admin_tables, event_tables  # noqa: F401 (register their tables in the metadata)
from keys.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
