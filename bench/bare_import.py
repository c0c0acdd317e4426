"""Copies the columns that land reads of BAN into a table of texts without keys, by the csv module and the driver.

This is the least that an importer in Python does: no check, no digest, no streets, no index. `bench_import.py` runs it.
"""

import csv
import gzip
import sqlite3
import sys
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from land.datasets.addresses.reader import ADDRESS_COLUMNS


def rows_of(path: Path) -> Iterator[tuple[str, ...]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        rows = csv.reader(text, delimiter=";")
        header = next(rows)
        yield from map(itemgetter(*map(header.index, ADDRESS_COLUMNS)), rows)


def into_sqlite(path: Path, database: str) -> int:
    marks = ", ".join("?" * len(ADDRESS_COLUMNS))
    connection = sqlite3.connect(database)
    with connection:
        connection.execute(f"CREATE TABLE bare ({', '.join(ADDRESS_COLUMNS)})")
        count = connection.executemany(f"INSERT INTO bare VALUES ({marks})", rows_of(path)).rowcount  # noqa: S608
    connection.close()
    return count


def into_postgresql(path: Path, dsn: str) -> int:
    columns = " text, ".join(ADDRESS_COLUMNS)
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE bare ({columns} text)".encode())
        with cursor.copy("COPY bare FROM STDIN") as copy:
            for row in rows_of(path):
                copy.write_row(row)
        return cursor.rowcount


def main() -> None:
    path, url = Path(sys.argv[1]), make_url(sys.argv[2])
    if url.get_backend_name() == "sqlite":
        count = into_sqlite(path, url.database or "")
    else:
        dsn = url.set(drivername="postgresql").render_as_string(hide_password=False)
        count = into_postgresql(path, dsn)
    print(f"bare: {count:,} rows in a table")


if __name__ == "__main__":
    main()
