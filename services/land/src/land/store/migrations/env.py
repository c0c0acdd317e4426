from land import registry  # noqa: F401 (its import defines the tables of all datasets)
from land.store.tables import metadata
from servicekit.migrations import run_migrations

run_migrations(metadata)
