"""Bytes that the store occupies: on SQLite its used pages and the journal, on PostgreSQL land's tables."""

from pathlib import Path

from sqlalchemy import Connection, Engine, text

from land.store import fetches
from land.store.prepared import any_of
from land.store.tables import metadata
from servicekit.database import is_sqlite

MAX_BYTES_PER_RECORD_BYTE = 3
"""The bytes in PostgreSQL's tables and indexes for one byte of records. Measured: 1.9."""
_USED_PAGES = text(
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
)
_TABLES = text(
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname IN :names"
).bindparams(any_of("names"))


def occupied_bytes(connection: Connection) -> int:
    """Bytes of tables and indexes. SQLite's free pages do not count, because the next load fills them.

    PostgreSQL also keeps the space of deleted rows for new ones, and does not say how much. So its tables count at most
    MAX_BYTES_PER_RECORD_BYTE for each byte of records that was loaded on demand. Without this limit, each load would
    evict more, until nothing is left.
    """
    if is_sqlite(connection):
        return connection.scalar(_USED_PAGES) or 0
    tables = int(connection.scalar(_TABLES, {"names": sorted(metadata.tables)}) or 0)
    return min(tables, MAX_BYTES_PER_RECORD_BYTE * fetches.total_bytes(connection))


def journal_bytes(connection: Connection) -> int:
    """Bytes of SQLite's write-ahead log; 0 on PostgreSQL, whose log belongs to the server."""
    database = connection.engine.url.database
    if not is_sqlite(connection) or not database:
        return 0
    journal = Path(f"{database}-wal")
    return journal.stat().st_size if journal.exists() else 0


def folder(engine: Engine) -> Path | None:
    """The folder of a SQLite store; None for PostgreSQL."""
    return Path(engine.url.database).parent if is_sqlite(engine) and engine.url.database else None
