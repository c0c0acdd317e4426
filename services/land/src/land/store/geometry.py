"""The column type of geometries: PostGIS on PostgreSQL, so that QGIS can open the store; WKB bytes on SQLite."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect
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
