"""Writes land units as a GeoPackage (OGC 12-128r18), which is an SQLite database of a given form.

The libraries that write one need GDAL, a large parser in C++ that the service at the border does without. What is
needed here is five tables.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from edge.batches.columns import Column
from edge.batches.geometry import blob

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
INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES
  ('land_units', 'features', 'land_units', 4326), ('line_errors', 'attributes', 'line_errors', NULL);
INSERT INTO gpkg_geometry_columns VALUES ('land_units', 'geom', 'GEOMETRY', 4326, 0, 0);
"""
_SET_BOUNDS = "UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ? WHERE data_type = 'features'"


class GeoPackage:
    """A database in memory with the layer `land_units` and the table `line_errors`."""

    def __init__(self, columns: Sequence[Column], error_columns: Sequence[str]) -> None:
        self._columns = columns
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.executescript(_SCHEMA)
        own = "".join(f", {column.name} {column.kind}" for column in columns)
        errors = "".join(f", {name} TEXT" for name in error_columns)
        key = "fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL"
        self._database.execute(f"CREATE TABLE land_units ({key}, geom GEOMETRY, line INTEGER, id TEXT{own})")
        self._database.execute(f"CREATE TABLE line_errors ({key}, line INTEGER, id TEXT{errors})")
        self._bounds: list[float] = []

    def add(self, line: int, identifier: str | int | None, feature: dict[str, Any]) -> None:
        geometry, bounds = feature["geometry"], feature.get("bbox")
        if bounds:
            known = self._bounds or bounds
            self._bounds = [*map(min, known[:2], bounds[:2]), *map(max, known[2:], bounds[2:])]
        outline = orjson.loads(orjson.dumps(geometry))  # land's own JSON, which the answer passes on unread
        values = [each.read(feature["properties"]) for each in self._columns]
        self._insert("land_units", (outline and blob(outline), line, _text(identifier), *values))

    def add_error(self, line: int, identifier: str | int | None, values: Iterable[str | None]) -> None:
        self._insert("line_errors", (line, _text(identifier), *values))

    def content(self) -> bytes:
        """The file. Nothing can be added afterwards."""
        if self._bounds:
            self._database.execute(_SET_BOUNDS, self._bounds)
        content = self._database.serialize()
        self.close()
        return content

    def close(self) -> None:
        self._database.close()

    def _insert(self, table: str, values: Sequence[object]) -> None:
        self._database.execute(f"INSERT INTO {table} VALUES (NULL{', ?' * len(values)})", values)  # noqa: S608 (own names)


def _text(identifier: str | int | None) -> str | None:
    return None if identifier is None else str(identifier)
