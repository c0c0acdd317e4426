"""Reads features in WGS84 from GeoJSON, GML, GeoPackage, shapefile, or a ZIP of these.

GeoJSON is read as a stream; GDAL reads the others in batches. The file states its projection.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import ProjError
from shapely.geometry.base import BaseGeometry

from land.errors import UnreadableFile, WrongHeader
from land.sources.base import ReadReport
from land.sources.files import open_bytes
from land.sources.geometry import ValidGeometry, is_in_world, make_valid
from land.sources.gis import projection, read_layers
from land.sources.gis_formats import unpack
from land.sources.json_files import geometry_of, read_feature_collection
from land.sources.values import given

LONGEST_STRAIGHT_M = 200.0
"""Longer segments get points in between: a straight line in metres is not straight in degrees. At 200 m the difference
is less than a millimetre."""
_EDGE_BYTES = 8192
_CRS_NAME = re.compile(rb'"crs"\s*:\s*\{[^{}]*\{[^{}]*"name"\s*:\s*"([^"]{1,200})"')
_MATCHED = re.compile(rb'"numberMatched"\s*:\s*([0-9]{1,12})')
WGS84 = CRS.from_epsg(4326)


class Feature(NamedTuple):
    position: int
    """The place in the file, counted from 1 over all layers that are read."""
    properties: Mapping[str, Any]
    """Names in upper case."""
    geometry: BaseGeometry | None
    """Two-dimensional, longitude and latitude; None if it is absent or cannot be read."""
    error: str | None = None
    """Why the geometry cannot be read."""


def read_features(path: Path, report: ReadReport, layers: Sequence[str]) -> Iterator[Feature]:
    """The features in file order. Sets the report's `expected_count` if the file states it.

    If a file has several layers, reads those whose name in upper case contains one of `layers`. Raises UnreadableFile,
    at the latest at the end: truncated, damaged, another format, or without a projection.
    """
    file = report.file
    with unpack(path, file) as content:
        if content is None:
            yield from _read_geojson(path, report)
            return
        position = 0
        for batch in read_layers(content, file, layers):
            reproject = _reprojection(batch.crs, file)
            for properties, geometry in zip(batch.properties, reproject(batch.geometries), strict=True):
                position += 1
                yield _checked(position, properties, geometry)


def read_complete_features(
    path: Path, report: ReadReport, layers: Sequence[str], columns: Sequence[tuple[str, ...]]
) -> Iterator[tuple[int, Feature]]:
    """The position of each feature that can be read and has one attribute of each tuple in `columns`, with the feature.
    The others are rejected. Raises as `read_features`, and WrongHeader if the first feature has not all attributes.
    """
    for feature in read_features(path, report, layers):
        report.row_count += 1
        missing = [" or ".join(names) for names in columns if not set(names) & set(feature.properties)]
        if missing and feature.properties and report.row_count == 1:
            raise WrongHeader(report.file, missing)
        if feature.error or missing:
            report.reject(feature.position, feature.error or f"missing: {', '.join(missing)}")
        else:
            yield feature.position, feature


def valid_geometry(feature: Feature) -> ValidGeometry:
    """The feature's geometry, repaired. Raises ValueError if it has none."""
    return make_valid(given(feature.geometry, "no geometry"))


def _read_geojson(path: Path, report: ReadReport) -> Iterator[Feature]:
    crs, report.expected_count = _collection_members(path, report.file)
    reproject = _reprojection(crs, report.file)
    for position, feature in enumerate(read_feature_collection(path, report.file), start=1):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if not isinstance(properties, dict):
            yield Feature(position, {}, None, "not a feature with properties")
            continue
        named = {str(name).upper(): value for name, value in properties.items()}
        published = geometry_of(feature)
        if published is None:
            yield Feature(position, named, None)
            continue
        try:
            geometry = shapely.force_2d(shapely.geometry.shape(published))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, shapely.errors.ShapelyError):
            yield Feature(position, named, None, "geometry: coordinates cannot be read")
            continue
        yield _checked(position, named, reproject(np.array([geometry], dtype=object))[0])


def _collection_members(path: Path, file: str) -> tuple[CRS, int | None]:
    """The projection and `numberMatched`, which a collection has before or after its features."""
    head = tail = b""
    with open_bytes(path, file) as content:
        head = content.read(_EDGE_BYTES)
        while chunk := content.read(1 << 18):
            tail = (tail + chunk)[-_EDGE_BYTES:]
    edges = head + b"\n" + tail
    name, matched = _CRS_NAME.search(edges), _MATCHED.search(edges)
    crs = projection(name[1].decode("utf-8", "replace"), file) if name else WGS84
    return crs, int(matched[1]) if matched else None


def _reprojection(crs: CRS, file: str) -> Callable[[Any], Any]:
    """A function that converts geometries to longitude and latitude."""
    if crs == WGS84 or crs.to_authority() in (("OGC", "CRS84"), ("EPSG", "4326")):
        return lambda geometries: geometries
    try:
        to_degrees: Any = Transformer.from_crs(crs, WGS84, always_xy=True).transform
    except ProjError as error:
        raise UnreadableFile(f"{file}: projection {crs.name}: {error}") from error

    def convert(geometries: Any) -> Any:
        straight = shapely.segmentize(geometries, LONGEST_STRAIGHT_M) if crs.is_projected else geometries
        return shapely.transform(straight, to_degrees, interleaved=False)

    return convert


def _checked(position: int, properties: Mapping[str, Any], geometry: BaseGeometry | None) -> Feature:
    if geometry is None or geometry.is_empty:
        return Feature(position, properties, None)
    if not is_in_world(geometry):
        return Feature(position, properties, None, "geometry: coordinates are no longitude and latitude")
    return Feature(position, properties, geometry)
