"""One recipe for all tables that loads write: compare the rows of a partition, and read rows as records.

A row is a NamedTuple. Fields with the name of a column are written to it; other fields are not stored.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from operator import itemgetter
from typing import Any, Generic, NamedTuple, Self, TypeVar
from zlib import crc32

import numpy as np
import shapely
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Index,
    Insert,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    SmallInteger,
    String,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    select,
    text,
    true,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateTable

from land.datasets.partitions import Partition
from land.store.boxes import Box, ids_in_tree, is_in_boxes
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared
from land.store.tables import Geometry, table_of

SQLITE_BATCH = 5_000
"""Rows in one INSERT statement; bounds the memory for streamed rows."""
_BINARY_TYPES: Sequence[tuple[type, str]] = (
    (Boolean, "bool"),
    (BigInteger, "int8"),
    (SmallInteger, "int2"),
    (Integer, "int4"),
    (Float, "float8"),
    (String, "text"),
    (LargeBinary, "bytea"),
    (Geometry, "bytea"),
)
"""PostgreSQL's types with the binary form of a column's values, the narrower class first. PostGIS takes WKB."""
_INTEGERS = {"int2": 1 << 15, "int4": 1 << 31}
"""One more than the largest value."""
_EXTENT = "extent"
"""The key of the extent among the facts that a connection holds."""
Transaction = Connection
"""Lets other parts pass on a connection in a transaction without importing SQLAlchemy."""
Row = TypeVar("Row", bound=NamedTuple)
Key = TypeVar("Key")


class Extent:
    """The box around the geometries of rows."""

    def __init__(self) -> None:
        self._bounds: list[list[float]] = []

    def watch(self, rows: Iterable[Any], place: int) -> Iterator[Any]:
        """The rows, whose field at this place is a geometry as WKB or None."""
        rows = iter(rows)
        while batch := list(islice(rows, SQLITE_BATCH)):
            bounds = shapely.bounds(shapely.from_wkb([row[place] for row in batch if row[place] is not None]))
            bounds = bounds[~np.isnan(bounds).any(axis=1)]  # an empty geometry has no place
            if len(bounds):
                self._bounds.append([*bounds[:, :2].min(axis=0).tolist(), *bounds[:, 2:].max(axis=0).tolist()])
            yield from batch

    @property
    def box(self) -> Box | None:
        """None if no row has a geometry."""
        if not self._bounds:
            return None
        west, south, east, north = zip(*self._bounds, strict=True)
        return Box(min(west), min(south), max(east), max(north))


@contextmanager
def extent_of_inserts(connection: Connection) -> Iterator[Extent]:
    """The extent of all rows that repositories insert in the block."""
    connection.info[_EXTENT] = extent = Extent()
    try:
        yield extent
    finally:
        del connection.info[_EXTENT]


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
    within: ColumnElement[bool] | None = None
    """Tells the rows of a partition by the parameters `bounds` of `replace`, if its columns do not."""

    @classmethod
    def placed(cls, row: type[Row], name: str, **types: Any) -> Self:
        """Rows that have no key of their own and are found by their boxes. `types` are those of `table_of`."""
        table = table_of(
            row,
            name,
            [],
            Column("id", BigInteger, primary_key=True, autoincrement=False),
            Column("partition", Text, nullable=False),
            Column("part", Text, nullable=False),
            Index(f"{name}_partition", "partition", "part"),
            **types,
        )
        return cls(table, row, ["partition", "part"], BoxTree(f"{name}_box", "id"))

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

    def values_of_communes(self, column: str) -> Prepared:
        """The values of a column in the rows of the communes IN_COMMUNES, each once."""
        columns = self.table.c
        return Prepared(select(columns[column]).where(columns.commune_code.in_(IN_COMMUNES)).distinct())

    def of_parcels(self, order: Sequence[str] = (), limit: int | None = None) -> Prepared:
        """The rows of the parcels IN_COMMUNES and WITH_IDS, in the order of these columns."""
        columns = self.table.c
        statement = self.select().where(columns.commune_code.in_(IN_COMMUNES), columns.parcel_id.in_(WITH_IDS))
        return Prepared(statement.order_by(*(columns[name] for name in order)).limit(limit))

    def has_rows(self) -> Callable[[Connection, str], bool]:
        """A function that says whether there is any row of a commune."""
        any_row = Prepared(self.select().where(self.table.c.commune_code == bindparam("commune")).limit(1))
        return lambda connection, commune: bool(any_row.rows(connection, {"commune": commune}))

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
        return list(map(self.row._make, statement.rows(connection, parameters)))

    def reading(
        self, statement: Prepared, parameters: Callable[[Key], Mapping[str, object]]
    ) -> Callable[[Connection, Key], list[Row]]:
        """A function that reads the rows of a statement made from `select`, with the parameters of its argument."""
        return lambda connection, key: self.read(connection, statement, parameters(key))

    def replace(
        self,
        connection: Connection,
        dataset: str,
        partition: Partition,
        rows: Iterable[Row],
        keys: Iterable[int] | None = None,
        bounds: Mapping[str, object] | None = None,
    ) -> None:
        """Lets the partition have exactly these rows, in bounded memory. Rows that it has already are not written,
        unless the table has no primary key.

        If the row class does not have the tree's column, `keys` are its values, at least one for each row; by default
        they follow from the partition. `bounds` are the parameters of `within`.
        """
        if self.only_part not in (None, partition.part):
            return
        of_partition = {"part": partition.part, "dataset": dataset}
        values = {name: of_partition.get(name, partition.code) for name in self.partition}
        parameters = {f"_{name}": value for name, value in values.items()} | dict(bounds or {})
        keys = self._keys(partition) if keys is None else keys
        is_loaded = connection.execute(self._any, parameters).first() is not None
        if is_loaded and self.table.primary_key:
            connection.execute(CreateTable(self._new, if_not_exists=True))
            self._write(connection, self._new, rows, values, keys)
            self._delete(connection, self._is_gone, parameters)
            self._add_boxes(connection, self._new, self._is_added, parameters)
            connection.execute(self._add, parameters)
            connection.execute(delete(self._new))
        else:
            self._delete(connection, self._is_in_partition, parameters)
            self._write(connection, self.table, rows, values, keys)
            self._add_boxes(connection, self.table, self._is_in_partition, parameters)

    def _write(
        self,
        connection: Connection,
        table: Table,
        rows: Iterable[Row],
        constants: Mapping[str, object],
        keys: Iterable[int],
    ) -> None:
        """Inserts rows by column name, without their boxes, into `self.table` or `self._new`."""
        names, fields = [column.name for column in self._new.c], [column.name for column in self.columns]
        values: Iterator[tuple[Any, ...]] = iter(rows)
        if len(fields) < len(self.row._fields):
            values = map(itemgetter(*map(self.row._fields.index, fields)), rows)
        if fixed := tuple(constants[name] for name in names if name in constants and name not in fields):
            values = ((*fixed, *row) for row in values)
        if len(fixed) + len(fields) < len(names):
            values = ((key, *row) for key, row in zip(keys, values, strict=False))
        if _EXTENT in connection.info and "geometry" in names:
            values = connection.info[_EXTENT].watch(values, names.index("geometry"))
        insert_rows(connection, table, names, values)

    def _keys(self, partition: Partition) -> Iterator[int]:
        """Numbers for the rows of a part, below 2^63 and the same at each load. Tables with one R*Tree share the range.

        Two of ten million rows have the same number with a probability of 1 in 100,000. Then the load fails.
        """
        for place in count():
            named = f"{self.table.name} {partition.code} {partition.part} {place}".encode()
            yield int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "big") >> 1

    def _delete(self, connection: Connection, where: ColumnElement[bool], parameters: Mapping[str, object]) -> None:
        """Deletes rows and their boxes."""
        if self.tree and connection.dialect.name == "sqlite":
            for batch in _batches(connection, select(self.table.c[self.tree.column]).where(where), parameters):
                ids = [(self.tree.id_of(key),) for (key,) in batch]
                connection.exec_driver_sql(f"DELETE FROM {self.tree.name} WHERE id = ?", ids)  # noqa: S608
        connection.execute(delete(self.table).where(where), parameters)

    def _add_boxes(
        self, connection: Connection, table: Table, where: ColumnElement[bool], parameters: Mapping[str, object]
    ) -> None:
        """Adds the boxes of these rows."""
        if not self.tree or connection.dialect.name != "sqlite":
            return
        columns = table.c[self.tree.column], table.c.geometry
        for batch in _batches(connection, select(*columns).where(where, columns[1].is_not(None)), parameters):
            bounds = shapely.bounds(shapely.from_wkb([geometry for _, geometry in batch])).tolist()
            boxes = [
                (self.tree.id_of(key), west, east, south, north)
                for (key, _), (west, south, east, north) in zip(batch, bounds, strict=True)
            ]
            connection.exec_driver_sql(f"INSERT INTO {self.tree.name} VALUES (?, ?, ?, ?, ?)", boxes)  # noqa: S608

    # Statements are built once: an import of the whole country replaces the rows of 35,000 communes.

    @cached_property
    def _is_in_partition(self) -> ColumnElement[bool]:
        if self.within is not None:
            return self.within
        return and_(true(), *(self.table.c[name] == bindparam(f"_{name}") for name in self.partition))

    @cached_property
    def _any(self) -> Select[Any]:
        return select(literal(1)).select_from(self.table).where(self._is_in_partition).limit(1)

    @cached_property
    def _new(self) -> Table:
        """A temporary table for the rows that a partition is to have: the key, the partition, and the row class.

        Its name contains a checksum of its columns: PgBouncer keeps connections, and with them temporary tables of
        other versions of land.
        """
        other_names = dict.fromkeys([*([self.tree.column] if self.tree else []), *self.partition])
        columns = [self.table.c[name] for name in other_names if name not in self.row._fields] + self.columns
        shape = repr([(column.name, column.type, column.primary_key) for column in columns])
        return Table(
            f"new_{self.table.name}_{crc32(shape.encode()):08x}",
            MetaData(),
            *(Column(own.name, own.type, primary_key=own.primary_key, autoincrement=False) for own in columns),
            prefixes=["TEMPORARY"],
            postgresql_on_commit="DELETE ROWS",  # frees the space of deleted rows, which nothing else does
        )

    @cached_property
    def _has_same_key(self) -> ColumnElement[bool]:
        return and_(*(self.table.c[column.name] == column for column in self._new.primary_key))

    @cached_property
    def _is_gone(self) -> ColumnElement[bool]:
        """Whether a row of the partition is not among the new ones."""
        others = (column for column in self._new.c if not column.primary_key)
        is_equal = (self.table.c[column.name].is_not_distinct_from(column) for column in others)
        return and_(self._is_in_partition, ~exists().where(self._has_same_key, *is_equal))

    @cached_property
    def _is_added(self) -> ColumnElement[bool]:
        """Whether a new row is not in the partition. Applies after rows that are gone were deleted."""
        return ~exists().where(self._has_same_key, self._is_in_partition)

    @cached_property
    def _add(self) -> Insert:
        return insert(self.table).from_select(list(self._new.c.keys()), select(self._new).where(self._is_added))


def replace_all(*repositories: Repository[Any]) -> Callable[..., None]:
    """A function that replaces the rows of several tables: takes the connection, the dataset's id, the partition, and
    the rows of each table.
    """

    def replace(connection: Connection, dataset: str, partition: Partition, *rows: Iterable[Any]) -> None:
        for repository, of_table in zip(repositories, rows, strict=True):
            repository.replace(connection, dataset, partition, of_table)

    return replace


def _batches(
    connection: Connection, statement: Select[Any], parameters: Mapping[str, object]
) -> Iterator[Sequence[Any]]:
    """The rows of a statement, while the caller changes another table."""
    yield from connection.execute(statement.execution_options(yield_per=SQLITE_BATCH), parameters).partitions()


def insert_rows(connection: Connection, table: Table, names: Sequence[str], rows: Iterator[Any]) -> None:
    """Inserts rows of values of these columns, in bounded memory. Raises DBAPIError."""
    write = _insert_in_batches if connection.dialect.name == "sqlite" else _copy
    write(connection, table, names, rows)


def _insert_in_batches(connection: Connection, table: Table, names: Sequence[str], rows: Iterator[Any]) -> None:
    marks = ", ".join("?" * len(names))
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 (no values)
    while batch := list(islice(rows, SQLITE_BATCH)):
        connection.exec_driver_sql(statement, batch)


def _copy(connection: Connection, table: Table, names: Sequence[str], rows: Iterator[Any]) -> None:
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
