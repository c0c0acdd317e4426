"""Tables about keys as a whole: the checks of their peppers, and the keys that were created with an Idempotency-Key."""

from sqlalchemy import Column, Integer, LargeBinary, String, Table

from keys.store.tables import metadata
from keys.store.types import Instant

# The digest of a constant under each pepper. A wrong pepper is detected at the start.
pepper_checks = Table(
    "pepper_checks",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False),
)

idempotent_creations = Table(
    "idempotent_creations",
    metadata,
    Column("actor", String(300), primary_key=True),
    Column("idempotency_key", String(200), primary_key=True),
    Column("request_digest", LargeBinary, nullable=False),
    Column("key_id", String(8), nullable=False),
    Column("pepper_version", Integer, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)
