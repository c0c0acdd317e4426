"""Features of a geographic file in WGS84, whatever the format: GeoJSON, GML, GeoPackage, shapefile, or a ZIP of these.

GeoJSON is read as a stream; the others through GDAL, a batch at a time. The projection is the file's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError
from shapely.geometry.base import BaseGeometry

from land.errors import UnreadableFile
from land.sources import geojson, gis
from land.sources.base import Account
from land.sources.files import open_bytes
from land.sources.geometry import is_in_world

LONGEST_STRAIGHT_M = 200.0
"""Longer straight lines get points between before they become degrees, in which a straight line is another one: at
200 m the two are less than a millimetre apart."""
_EDGE_BYTES = 8192
_CRS_NAME = re.compile(rb'"crs"\s*:\s*\{[^{}]*\{[^{}]*"name"\s*:\s*"([^"]{1,200})"')
_MATCHED = re.compile(rb'"numberMatched"\s*:\s*([0-9]{1,12})')
WGS84 = CRS.from_epsg(4326)


class Feature(NamedTuple):
    place: int
    """In the file, counted from 1: over all its layers, where it has several."""
    properties: Mapping[str, Any]
    """Names in upper case."""
    geometry: BaseGeometry | None
    """Two dimensions, longitude and latitude; None where it has none, or none that can be read."""
    error: str | None = None
    """Why there is no geometry, where it cannot be read."""


def read_features(path: Path, account: Account, layers: Sequence[str]) -> Iterator[Feature]:
    """The features in file order; the account, whose `file` is what messages call it, is told how many there should be.

    Of a file of several layers, those whose name contains one of `layers` in upper case. Raises UnreadableFile, at the
    latest at the end: cut short, damaged, not one of the formats, or without a projection.
    """
    file = account.file
    with gis.unpacked(path, file) as content:
        if content is None:
            yield from _read_geojson(path, account)
            return
        place = 0
        for batch in gis.read(content, file, layers):
            move = _mover(batch.crs, file)
            for properties, geometry in zip(batch.properties, move(batch.geometries), strict=True):
                place += 1
                yield _checked(place, properties, geometry)


def _read_geojson(path: Path, account: Account) -> Iterator[Feature]:
    crs, account.expected_count = _members(path, account.file)
    move = _mover(crs or WGS84, account.file)
    for place, feature in enumerate(geojson.features(path, account.file), start=1):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if not isinstance(properties, dict):
            yield Feature(place, {}, None, "not a feature with properties")
            continue
        named = {str(name).upper(): value for name, value in properties.items()}
        given = geojson.geometry_of(feature)
        if given is None:
            yield Feature(place, named, None)
            continue
        try:
            geometry = shapely.force_2d(shapely.geometry.shape(given))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, shapely.errors.ShapelyError):
            yield Feature(place, named, None, "geometry: coordinates cannot be read")
            continue
        yield _checked(place, named, move(np.array([geometry], dtype=object))[0])


def _members(path: Path, file: str) -> tuple[CRS | None, int | None]:
    """What a collection says of itself before or after its features: projection, how many there should be."""
    head = tail = b""
    with open_bytes(path, file) as content:
        head = content.read(_EDGE_BYTES)
        while chunk := content.read(1 << 18):
            tail = (tail + chunk)[-_EDGE_BYTES:]
    edges = head + b"\n" + tail
    name, matched = _CRS_NAME.search(edges), _MATCHED.search(edges)
    crs = None
    if name:
        try:
            crs = CRS.from_user_input(name[1].decode("utf-8", "replace"))
        except CRSError:
            raise UnreadableFile(f"{file}: unknown projection {name[1][:80]!r}") from None
    return crs, int(matched[1]) if matched else None


class _Mover:
    """From a file's projection to longitude and latitude."""

    def __init__(self, crs: CRS) -> None:
        self._is_metric = crs.is_projected
        self._transformer = Transformer.from_crs(crs, WGS84, always_xy=True)

    def __call__(self, geometries: Any) -> Any:
        if self._is_metric:
            geometries = shapely.segmentize(geometries, LONGEST_STRAIGHT_M)
        return shapely.transform(geometries, self._convert)

    def _convert(self, coordinates: Any) -> Any:
        return np.column_stack(self._transformer.transform(coordinates[:, 0], coordinates[:, 1]))


def _mover(crs: CRS, file: str) -> Any:
    if crs == WGS84 or crs.to_authority() in (("OGC", "CRS84"), ("EPSG", "4326")):
        return lambda geometries: geometries
    try:
        return _Mover(crs)
    except ProjError as error:
        raise UnreadableFile(f"{file}: projection {crs.name}: {error}") from error


def _checked(place: int, properties: Mapping[str, Any], geometry: BaseGeometry | None) -> Feature:
    if geometry is None or geometry.is_empty:
        return Feature(place, properties, None)
    if not is_in_world(geometry):
        return Feature(place, properties, None, "geometry: coordinates are no longitude and latitude")
    return Feature(place, properties, geometry)
