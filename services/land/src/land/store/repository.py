"""One recipe for all tables that loads write: replace the rows of a partition, and read rows as records.

A row is a NamedTuple. Fields with the name of a column are written to it; other fields are not stored.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import shapely
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Select,
    SmallInteger,
    String,
    Table,
    and_,
    bindparam,
    delete,
    select,
    text,
    true,
)
from sqlalchemy.exc import DBAPIError

from land.datasets.partitions import Partition
from land.store.boxes import ids_in_tree, is_in_boxes
from land.store.geometry import Geometry
from land.store.prepared import IN_COMMUNES, WITH_IDS, Pending, Prepared

SQLITE_BATCH = 5_000
"""Rows in one INSERT statement; bounds the memory for streamed rows."""
_BINARY_TYPES: Sequence[tuple[type, str]] = (
    (Boolean, "bool"),
    (BigInteger, "int8"),
    (SmallInteger, "int2"),
    (Integer, "int4"),
    (Float, "float8"),
    (String, "text"),
    (Geometry, "bytea"),
)
"""PostgreSQL's types with the binary form of a column's values, the narrower class first. PostGIS takes WKB."""
_INTEGERS = {"int2": 1 << 15, "int4": 1 << 31}
"""One more than the largest value."""
Transaction = Connection
"""Lets other parts pass on a connection in a transaction without importing SQLAlchemy."""
Row = TypeVar("Row", bound=NamedTuple)


class BoxTree(NamedTuple):
    """SQLite's R*Tree of a table's bounding boxes. On PostgreSQL, PostGIS indexes the geometry itself."""

    name: str
    column: str
    """The column from which the id in the tree is made."""
    id_of: Callable[[Any], int] = int


@dataclass(frozen=True)
class Repository(Generic[Row]):
    table: Table
    row: type[Row]
    partition: Sequence[str] = ()
    """Columns that identify a partition: `part`, `dataset`, and any other name for the partition's code."""
    tree: BoxTree | None = None
    only_part: str | None = None
    """The part that this table holds, if the parts of a dataset have different tables."""

    @cached_property
    def columns(self) -> list[Column[Any]]:
        """The columns of the row class, in its order."""
        return [self.table.c[name] for name in self.row._fields if name in self.table.c]

    def select(self) -> Select[Any]:
        """All rows, to narrow down with `where`."""
        return select(*self.columns)

    def of_communes(self) -> Prepared:
        """All rows of the communes IN_COMMUNES."""
        return Prepared(self.select().where(self.table.c.commune_code.in_(IN_COMMUNES)))

    def of_parcels(self, order: Sequence[str] = (), limit: int | None = None) -> Prepared:
        """The rows of the parcels IN_COMMUNES and WITH_IDS, in the order of these columns."""
        columns = self.table.c
        statement = self.select().where(columns.commune_code.in_(IN_COMMUNES), columns.parcel_id.in_(WITH_IDS))
        return Prepared(statement.order_by(*(columns[name] for name in order)).limit(limit))

    def in_boxes(self, rows: Select[Any]) -> Prepared:
        """The rows of a statement whose bounding box intersects one of the parameter `boxes`."""
        assert self.tree is not None  # noqa: S101 (for mypy)
        ids = text(ids_in_tree(self.tree.name))
        return Prepared(
            rows.where(text(is_in_boxes(self.table.name))), sqlite=rows.where(self.table.c[self.tree.column].in_(ids))
        )

    def read(
        self, connection: Connection, statement: Prepared, parameters: Mapping[str, object] | None = None
    ) -> list[Row]:
        """Rows of a statement made from `select`."""
        return self.start(connection, statement, parameters)()

    def start(
        self, connection: Connection, statement: Prepared, parameters: Mapping[str, object] | None = None
    ) -> Pending[list[Row]]:
        """Starts to read the rows of a statement made from `select`."""
        rows = statement.start(connection, parameters)
        return lambda: list(map(self.row._make, rows()))

    def replace(
        self,
        connection: Connection,
        dataset: str,
        partition: Partition,
        rows: Iterable[Row],
        keys: Iterable[int] | None = None,
    ) -> None:
        """Deletes the rows of the partition, then inserts these. `keys`: as in `insert`."""
        if self.only_part not in (None, partition.part):
            return
        of_partition = {"part": partition.part, "dataset": dataset}
        values = {name: of_partition.get(name, partition.code) for name in self.partition}
        self.delete(connection, self._in_partition, {f"_{name}": value for name, value in values.items()})
        self.insert(connection, rows, values, keys)

    def delete(
        self, connection: Connection, where: ColumnElement[bool], parameters: Mapping[str, object] | None = None
    ) -> None:
        """Deletes rows and their boxes."""
        if self.tree and connection.dialect.name == "sqlite":
            keys = select(self.table.c[self.tree.column]).where(where).execution_options(yield_per=SQLITE_BATCH)
            for batch in connection.scalars(keys, parameters).partitions():
                ids = [(self.tree.id_of(key),) for key in batch]
                connection.exec_driver_sql(f"DELETE FROM {self.tree.name} WHERE id = ?", ids)  # noqa: S608
        connection.execute(delete(self.table).where(where), parameters)

    def insert(
        self,
        connection: Connection,
        rows: Iterable[Row],
        constants: Mapping[str, object] | None = None,
        keys: Iterable[int] | None = None,
    ) -> None:
        """Inserts rows by column name, in bounded memory. A geometry is WKB.

        `constants` are values of columns that the row class does not have. `keys` are the values of the tree's column,
        one per row, if the row class does not have it.
        """
        fields = [column.name for column in self.columns]
        fixed = {name: value for name, value in (constants or {}).items() if name not in fields}
        names = [*fixed, *fields]
        places = [self.row._fields.index(name) for name in fields]
        values = _values(rows, tuple(fixed.values()), places if len(places) < len(self.row._fields) else None)
        if keys is not None and self.tree:
            names = [self.tree.column, *names]
            values = ((key, *row) for key, row in zip(keys, values, strict=False))
        if connection.dialect.name == "sqlite":
            self._insert_in_batches(connection, names, values)
        else:
            _copy(connection, self.table, names, values)

    def _insert_in_batches(self, connection: Connection, names: list[str], rows: Iterator[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO {self.table.name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 (no values)
        while batch := list(islice(rows, SQLITE_BATCH)):
            connection.exec_driver_sql(statement, batch)
            if self.tree:
                key, geometry = names.index(self.tree.column), names.index("geometry")
                with_geometry = [row for row in batch if row[geometry] is not None]
                bounds = shapely.bounds(shapely.from_wkb([row[geometry] for row in with_geometry])).tolist()
                boxes = [
                    (self.tree.id_of(row[key]), west, east, south, north)
                    for row, (west, south, east, north) in zip(with_geometry, bounds, strict=True)
                ]
                if boxes:
                    connection.exec_driver_sql(f"INSERT INTO {self.tree.name} VALUES (?, ?, ?, ?, ?)", boxes)  # noqa: S608

    @cached_property
    def _in_partition(self) -> ColumnElement[bool]:
        # Built once: an import of the whole country replaces the rows of 35,000 communes.
        return and_(true(), *(self.table.c[name] == bindparam(f"_{name}") for name in self.partition))


def replace_all(*repositories: Repository[Any]) -> Callable[..., None]:
    """A function that replaces the rows of several tables: takes the connection, the dataset's id, the partition, and
    the rows of each table.
    """

    def replace(connection: Connection, dataset: str, partition: Partition, *rows: Iterable[Any]) -> None:
        for repository, of_table in zip(repositories, rows, strict=True):
            repository.replace(connection, dataset, partition, of_table)

    return replace


def _values(
    rows: Iterable[Any], constants: tuple[object, ...], places: Sequence[int] | None
) -> Iterator[tuple[Any, ...]]:
    """The constants, then the fields of each row: all, or those at these places."""
    if places is not None:
        pick = itemgetter(*places)
        return ((*constants, *pick(row)) for row in rows)
    return ((*constants, *row) for row in rows) if constants else iter(rows)


def _copy(connection: Connection, table: Table, names: Sequence[str], rows: Iterable[Any]) -> None:
    """Inserts rows with a binary COPY, the fastest way on PostgreSQL. Raises DBAPIError."""
    types = [next(name for kind, name in _BINARY_TYPES if isinstance(table.c[column].type, kind)) for column in names]
    limits = [(at, _INTEGERS[name]) for at, name in enumerate(types) if name in _INTEGERS]
    statement = f"COPY {table.name} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)"
    driver: Any = connection.connection.driver_connection
    errors = connection.dialect.loaded_dbapi
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(types)
            for row in rows:
                for at, limit in limits:
                    value = row[at]
                    if value is not None and not -limit <= value < limit:  # the driver would cut off its upper bits
                        raise errors.DataError(f"{table.name}.{names[at]}: {value} is out of range")
                copy.write_row(row)
    except errors.Error as error:
        raise DBAPIError.instance(statement, None, error, errors.Error, hide_parameters=True) from error
