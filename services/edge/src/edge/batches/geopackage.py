"""Writes a GeoPackage (OGC 12-128r18), which is an SQLite database of a given form.

The libraries that write one need GDAL, a large parser in C++ that the service at the border does without. What is
needed here is three tables that describe the others.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from edge.batches.geometry import WGS84, blob, bounds_of

GEOPACKAGE = "application/geopackage+sqlite3"
_SCHEMA = """
PRAGMA application_id = 1196444487;
PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT
);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', NULL),
  ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', NULL),
  ('WGS 84 geodetic', 4326, 'EPSG', 4326,
   'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
   || 'UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]',
   'longitude/latitude in degrees');
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER REFERENCES gpkg_spatial_ref_sys(srs_id)
);
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL UNIQUE REFERENCES gpkg_contents(table_name), column_name TEXT NOT NULL,
  geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL REFERENCES gpkg_spatial_ref_sys(srs_id),
  z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name)
);
"""
_KEY = "fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL"
_SET_BOUNDS = "UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ? WHERE table_name = ?"


class Projection(NamedTuple):
    epsg: int
    name: str
    definition: str
    """Well-known text (OGC 01-009)."""


class Table(NamedTuple):
    name: str
    columns: Sequence[tuple[str, str]]
    """Names, with TEXT, REAL, INTEGER or BOOLEAN."""
    geometry_type: str | None = None
    """None for a table without geometry."""


class GeoPackage:
    """A database in memory. Names of tables and columns are our own, never those of a request."""

    def __init__(
        self, tables: Sequence[Table], projection: Projection | None = None, changed_at: str | None = None
    ) -> None:
        """`projection` is that of all layers; WGS84 if it is None. `changed_at` (RFC 3339) is now if it is None."""
        self._epsg = WGS84 if projection is None else projection.epsg
        self._tables = {table.name: table for table in tables}
        self._bounds: dict[str, tuple[float, float, float, float]] = {}
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.executescript(_SCHEMA)
        if projection is not None:
            self._insert(
                "gpkg_spatial_ref_sys",
                (projection.name, projection.epsg, "EPSG", projection.epsg, projection.definition, None),
            )
        for table in tables:
            self._create(table)
        if changed_at is not None:
            self._database.execute("UPDATE gpkg_contents SET last_change = ?", (changed_at,))

    def add(self, table: str, values: Sequence[object], geometry: dict[str, Any] | None = None) -> None:
        """Adds a row. A layer takes null geometries too."""
        if self._tables[table].geometry_type is None:
            self._insert(table, (None, *values))
            return
        content = None if geometry is None else blob(geometry, self._epsg)
        if content is not None:
            bounds = bounds_of(content)
            layer_bounds = self._bounds.get(table, bounds)
            west, south = map(min, layer_bounds[:2], bounds[:2])
            east, north = map(max, layer_bounds[2:], bounds[2:])
            self._bounds[table] = (west, south, east, north)
        self._insert(table, (None, content, *values))

    def content(self) -> bytes:
        """The file. Nothing can be added afterwards."""
        for name, bounds in self._bounds.items():
            self._database.execute(_SET_BOUNDS, (*bounds, name))
        content = self._database.serialize()
        self.close()
        return content

    def close(self) -> None:
        self._database.close()

    def _create(self, table: Table) -> None:
        is_layer = table.geometry_type is not None
        geometry = [("geom", table.geometry_type or "")] if is_layer else []
        columns = "".join(f", {name} {kind}" for name, kind in (*geometry, *table.columns))
        self._database.execute(f"CREATE TABLE {table.name} ({_KEY}{columns})")
        self._database.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES (?, ?, ?, ?)",
            (table.name, "features" if is_layer else "attributes", table.name, self._epsg if is_layer else None),
        )
        if is_layer:
            self._insert("gpkg_geometry_columns", (table.name, "geom", table.geometry_type, self._epsg, 0, 0))

    def _insert(self, table: str, values: Sequence[object]) -> None:
        places = ", ".join("?" * len(values))
        self._database.execute(f"INSERT INTO {table} VALUES ({places})", values)  # noqa: S608 (own names)
