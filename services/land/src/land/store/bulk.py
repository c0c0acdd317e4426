"""Many rows at once: COPY on PostgreSQL, one prepared INSERT on SQLite."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.types import LargeBinary

from land.store.geometry import Geometry

SQLITE_BATCH = 5_000


def insert(connection: Connection, table: Table, rows: Iterable[Sequence[Any]]) -> None:
    """Inserts rows of values in the order of the table's columns. A geometry is WKB. Bounded memory."""
    names = ", ".join(column.name for column in table.columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(table.columns))
        statement = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"  # noqa: S608 (no value is written into it)
        iterator = iter(rows)
        while batch := [tuple(row) for row in islice(iterator, SQLITE_BATCH)]:
            connection.exec_driver_sql(statement, batch)
        return
    geometries = [
        index for index, column in enumerate(table.columns) if isinstance(column.type, Geometry | LargeBinary)
    ]
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            if geometries:
                row = list(row)  # noqa: PLW2901
                for index in geometries:
                    row[index] = None if row[index] is None else row[index].hex()
            copy.write_row(row)
