from land.store.tables import metadata
from servicekit.database import run_migrations

run_migrations(metadata)
