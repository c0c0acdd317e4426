"""GeoJSON geometries as GeoPackage blobs (OGC 12-128r18 §2.1.3): a header, the bounds, and the geometry as WKB."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

WGS84 = 4326
_LITTLE_ENDIAN = 1
_WITH_BOUNDS = 2
_TYPES = {"Point": 1, "LineString": 2, "Polygon": 3, "MultiPoint": 4, "MultiLineString": 5, "MultiPolygon": 6}
_PARTS = {"MultiPoint": "Point", "MultiLineString": "LineString", "MultiPolygon": "Polygon"}

Position = Sequence[float]


def blob(geometry: dict[str, Any]) -> bytes:
    """The blob of a geometry with at least one position."""
    kind, coordinates = geometry["type"], geometry["coordinates"]
    xs, ys = zip(*((position[0], position[1]) for position in _positions(coordinates)), strict=True)
    header = struct.pack("<2sBBi", b"GP", 0, _LITTLE_ENDIAN | _WITH_BOUNDS, WGS84)
    return header + struct.pack("<4d", min(xs), max(xs), min(ys), max(ys)) + _wkb(kind, coordinates)


def _positions(coordinates: Any) -> Iterator[Position]:
    if isinstance(coordinates[0], (int, float)):
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
        case _:
            return head + _counted(coordinates) + b"".join(_wkb(_PARTS[kind], part) for part in coordinates)


def _counted(items: Sequence[Any]) -> bytes:
    return struct.pack("<I", len(items))


def _points(positions: Sequence[Position]) -> bytes:
    return b"".join(struct.pack("<2d", position[0], position[1]) for position in positions)
