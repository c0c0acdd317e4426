"""Alembic's entry point. The caller provides the connection and the transaction."""

from keys.admins import tables as admin_tables  # noqa: F401 (registers its tables in the metadata)
from keys.events import tables as event_tables  # noqa: F401 (likewise)
from keys.keys import tables as key_tables  # noqa: F401 (likewise)
from keys.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
