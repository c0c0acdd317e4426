"""The table of a row class, the tables of loads, how a row is replaced, and the column type of geometries."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.sql.schema import SchemaItem
from sqlalchemy.types import UserDefinedType

SRID = 4326


class Geometry(UserDefinedType[bytes]):
    """Takes and returns WKB. PostGIS takes it as hexadecimal digits in the column's SRID, and adds the SRID to what it
    returns.
    """

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return f"geometry(Geometry,{SRID})"

    def bind_processor(self, dialect: Dialect) -> Callable[[bytes | None], object] | None:
        return None if dialect.name == "sqlite" else (lambda value: None if value is None else value.hex())

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], bytes | None] | None:
        return None if dialect.name == "sqlite" else (lambda value: None if value is None else bytes.fromhex(value))


metadata = MetaData()
GEOMETRY = Geometry().with_variant(LargeBinary(), "sqlite")
_TYPES: Mapping[type, Any] = {str: Text(), int: Integer(), float: Float(53), bool: Boolean(), bytes: GEOMETRY}


def table_of(row: type[Any], name: str, key: Sequence[str], *more: SchemaItem, **types: Any) -> Table:
    """The table of a row class: a column for each of its fields, and a text for each other column of the primary key.

    `more` are further columns, and indexes. `types` has the type of a column that does not follow from its field, and
    None for a field that is not stored.
    """
    hints = dict.fromkeys(key, str) | get_type_hints(row)
    stored = (field for field in hints if types.get(field, ...) is not None)
    return Table(
        name, metadata, *(_column(field, hints[field], types.get(field), field in key) for field in stored), *more
    )


def _column(name: str, hint: Any, kind: Any, is_key: bool) -> Column[Any]:
    kinds = {str} if get_origin(hint) is Literal else {*get_args(hint)} or {hint}
    (python_type,) = kinds - {NoneType}
    return Column(name, kind or _TYPES[python_type], primary_key=is_key, nullable=NoneType in kinds)


def upsert(connection: Connection, table: Table, where: Any = None, **changed: Any) -> Any:
    """An INSERT of rows that replace those with the same primary key, or only their columns `changed`, and only rows
    `where`.
    """
    insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
    changed = changed or {column.name: insert.excluded[column.name] for column in table.c if not column.primary_key}
    return insert.on_conflict_do_update(index_elements=table.primary_key, set_=changed, where=where)


dataset_load = Table(
    "dataset_load",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("part", String(200), primary_key=True),
    Column("edition", String(40), nullable=False),
    Column("url", Text, nullable=False),
    Column("retrieved_at", String(20), nullable=False),
    Column("loaded_at", String(20), nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("rejected_count", BigInteger, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("revision", BigInteger, nullable=False),
    *(Column(name, Float(53)) for name in ("west", "south", "east", "north")),
    Index("dataset_load_revision", "dataset", "revision"),
    Index("dataset_load_partition", "partition"),
    comment="One row per loaded partition and part. A later load of the same replaces it. The box around its rows, in "
    "degrees, is null if none has a place. On SQLite, triggers copy it to the virtual table load_box (R*Tree).",
)

revision = Table(
    "revision",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("value", BigInteger, nullable=False),
    comment="Counts the loads of a dataset, so that caches detect a change by reading one row.",
)

dropped_partition = Table(
    "dropped_partition",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Index("dropped_partition_revision", "dataset", "revision"),
    comment="Partitions whose rows were deleted, so that caches drop them.",
)

fetch = Table(
    "fetch",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("commune_code", String(5), nullable=False, comment="the commune whose files were downloaded"),
    Column("is_complete", Boolean, nullable=False),
    Column("fetched_at", String(20), nullable=False),
    Column("used_at", String(20), nullable=False, comment="to about one hour"),
    Column("size_bytes", BigInteger, nullable=False),
    Column("reason", Text, comment="why the last load failed"),
    Index("fetch_partition", "partition"),
    Index("fetch_used", "used_at"),
    comment="Partitions loaded on demand. Imported ones have no row here and are never evicted.",
)
