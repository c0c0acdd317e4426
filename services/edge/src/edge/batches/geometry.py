"""GeoJSON geometries as GeoPackage blobs (OGC 12-128r18 §2.1.3): a header, the bounds, and the geometry as WKB."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

WGS84 = 4326
_LITTLE_ENDIAN = 1
_WITH_BOUNDS = 2
_TYPES = {
    "Point": 1, "LineString": 2, "Polygon": 3, "MultiPoint": 4, "MultiLineString": 5, "MultiPolygon": 6,
    "GeometryCollection": 7,
}  # fmt: skip
_PARTS = {"MultiPoint": "Point", "MultiLineString": "LineString", "MultiPolygon": "Polygon"}

_HEADER, _BOUNDS = struct.Struct("<2sBBi"), struct.Struct("<4d")

Position = Sequence[float]


def blob(geometry: dict[str, Any], projection: int = WGS84) -> bytes:
    """The blob of a geometry with at least one position. `projection` is an EPSG code."""
    xs, ys = zip(*((position[0], position[1]) for position in _positions(_coordinates(geometry))), strict=True)
    header = _HEADER.pack(b"GP", 0, _LITTLE_ENDIAN | _WITH_BOUNDS, projection)
    return header + _BOUNDS.pack(min(xs), max(xs), min(ys), max(ys)) + _wkb(geometry["type"], _coordinates(geometry))


def bounds_of(content: bytes) -> tuple[float, float, float, float]:
    """West, south, east and north of a blob."""
    west, east, south, north = _BOUNDS.unpack_from(content, _HEADER.size)
    return west, south, east, north


def as_multi(geometry: dict[str, Any]) -> dict[str, Any]:
    """A line or a polygon as a collection of one, so that a layer has one type."""
    name = f"Multi{geometry['type']}"
    return {"type": name, "coordinates": [geometry["coordinates"]]} if name in _PARTS else geometry


def _coordinates(geometry: dict[str, Any]) -> Any:
    return geometry["coordinates"] if "coordinates" in geometry else geometry["geometries"]


def _positions(coordinates: Any) -> Iterator[Position]:
    if isinstance(coordinates, dict):
        yield from _positions(_coordinates(coordinates))
    elif isinstance(coordinates[0], (int, float)):
        yield coordinates
    else:
        for part in coordinates:
            yield from _positions(part)


def _wkb(kind: str, coordinates: Any) -> bytes:
    head = struct.pack("<BI", _LITTLE_ENDIAN, _TYPES[kind])
    match kind:
        case "Point":
            return head + _points([coordinates])
        case "LineString":
            return head + _counted(coordinates) + _points(coordinates)
        case "Polygon":
            return head + _counted(coordinates) + b"".join(_counted(ring) + _points(ring) for ring in coordinates)
        case "GeometryCollection":
            parts = (_wkb(part["type"], _coordinates(part)) for part in coordinates)
            return head + _counted(coordinates) + b"".join(parts)
        case _:
            return head + _counted(coordinates) + b"".join(_wkb(_PARTS[kind], part) for part in coordinates)


def _counted(items: Sequence[Any]) -> bytes:
    return struct.pack("<I", len(items))


def _points(positions: Sequence[Position]) -> bytes:
    return b"".join(struct.pack("<2d", position[0], position[1]) for position in positions)
