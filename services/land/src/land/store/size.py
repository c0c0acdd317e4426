"""How many bytes the store occupies: on SQLite the pages in use and the journal, on PostgreSQL land's tables."""

from pathlib import Path

from sqlalchemy import Connection, Engine, bindparam, text

from land.store import fetches
from land.store.tables import metadata
from servicekit.database import is_sqlite

MOST_BYTES_A_RECORD_BYTE = 3
"""In PostgreSQL's tables and indexes, for one byte of records; measured: 2.1."""
_PAGES_IN_USE = text(
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
)
_TABLES = text(
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname IN :names"
).bindparams(bindparam("names", expanding=True))


def occupied_bytes(connection: Connection) -> int:
    """Bytes of tables and indexes. SQLite's free pages do not count, since the next load fills them.

    PostgreSQL also keeps the space of dropped rows for new ones, but does not say how much that is: its tables count at
    most MOST_BYTES_A_RECORD_BYTE for each byte of records fetched on demand. Without this limit every load would drop
    more of what is left, down to nothing.
    """
    if is_sqlite(connection):
        return connection.scalar(_PAGES_IN_USE) or 0
    tables = int(connection.scalar(_TABLES, {"names": sorted(metadata.tables)}) or 0)
    return min(tables, MOST_BYTES_A_RECORD_BYTE * fetches.total_bytes(connection))


def journal_bytes(connection: Connection) -> int:
    """Bytes of SQLite's write-ahead log; 0 on PostgreSQL, whose log is the server's."""
    database = connection.engine.url.database
    if not is_sqlite(connection) or not database:
        return 0
    journal = Path(f"{database}-wal")
    return journal.stat().st_size if journal.exists() else 0


def folder(engine: Engine) -> Path | None:
    """Where a SQLite store is; None of one on a server."""
    return Path(engine.url.database).parent if is_sqlite(engine) and engine.url.database else None
