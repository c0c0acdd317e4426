"""Geometry in the database: a PostGIS column, so that QGIS opens the store directly, or WKB bytes in SQLite."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.types import UserDefinedType

SRID = 4326


class Geometry(UserDefinedType[bytes]):
    """Takes WKB, which PostGIS reads as hexadecimal digits and in the column's SRID, and gives WKB (with the SRID in it
    where PostGIS stored it).
    """

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return f"geometry(Geometry,{SRID})"

    def bind_processor(self, dialect: Dialect) -> Callable[[bytes | None], object] | None:
        if dialect.name == "sqlite":
            return None
        return lambda value: None if value is None else value.hex()

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], bytes | None] | None:
        if dialect.name == "sqlite":
            return None
        return lambda value: None if value is None else bytes.fromhex(value)
