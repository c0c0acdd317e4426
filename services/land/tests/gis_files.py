"""Writes GeoPackages and shapefiles from GeoJSON features."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio.raw  # type: ignore[import-untyped]
import shapely
from pyproj import Transformer

DRIVERS = {".gpkg": "GPKG", ".shp": "ESRI Shapefile"}


def write_gis(
    path: Path, features: Sequence[Mapping[str, Any]], *, layer: str, crs: str = "EPSG:2154", encoding: str = "UTF-8"
) -> Path:
    """Writes the projected features with text attributes. The path's suffix decides the format."""
    geometries = [shapely.geometry.shape(feature["geometry"]) for feature in features]
    to_crs = Transformer.from_crs(4326, crs, always_xy=True)
    projected = shapely.transform(
        np.array(geometries, dtype=object), lambda xy: np.column_stack(to_crs.transform(xy[:, 0], xy[:, 1]))
    )
    kind = geometries[0].geom_type.removeprefix("Multi")
    if any(geometry.geom_type.startswith("Multi") for geometry in geometries):
        projected = np.array([_multi(geometry) for geometry in projected], dtype=object)
        kind = f"Multi{kind}"
    names = list(features[0]["properties"])
    columns = [
        np.array([str(feature["properties"][name] or "") for feature in features], dtype=object) for name in names
    ]
    pyogrio.raw.write(
        path, shapely.to_wkb(projected), columns, names, layer=layer, driver=DRIVERS[path.suffix], geometry_type=kind,
        crs=crs, encoding=encoding if path.suffix == ".shp" else None,
    )  # fmt: skip
    return path


def _multi(geometry: Any) -> Any:
    if geometry.geom_type.startswith("Multi"):
        return geometry
    many: dict[str, Any] = {
        "Polygon": shapely.MultiPolygon,
        "LineString": shapely.MultiLineString,
        "Point": shapely.MultiPoint,
    }
    return many[geometry.geom_type]([geometry])
