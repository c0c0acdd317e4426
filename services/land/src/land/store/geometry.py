"""Geometry in the database: a PostGIS column, so that QGIS opens the store directly, or WKB bytes in SQLite."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.types import UserDefinedType

SRID = 4326
_HAS_SRID = 0x20000000


def to_ewkb_hex(wkb: bytes) -> str:
    """Little-endian 2D WKB as the hexadecimal EWKB that PostGIS reads, in WGS84."""
    kind = int.from_bytes(wkb[1:5], "little") | _HAS_SRID
    return (wkb[:1] + kind.to_bytes(4, "little") + SRID.to_bytes(4, "little") + wkb[5:]).hex()


class Geometry(UserDefinedType[bytes]):
    """Takes WKB and gives WKB (with the SRID in it where PostGIS stored it)."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return f"geometry(Geometry,{SRID})"

    def bind_processor(self, dialect: Dialect) -> Callable[[bytes | None], object] | None:
        if dialect.name == "sqlite":
            return None
        return lambda value: None if value is None else to_ewkb_hex(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], bytes | None] | None:
        if dialect.name == "sqlite":
            return None
        return lambda value: None if value is None else bytes.fromhex(value)
