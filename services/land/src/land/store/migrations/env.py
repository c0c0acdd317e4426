from land.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
