"""Features of a tile in the format Mapbox Vector Tile 2.1.

Coordinates are converted for all features at once: one call per coordinate, as the libraries for this format make it,
takes twenty times longer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import shapely

from land.datasets.territory import Geometries
from land.tiles.drawing import Drawing
from land.tiles.grid import BUFFER, EXTENT, Tile
from landpartner.land.v1 import vector_tile_pb2 as pb

_VERSION = 2
_MOVE_TO_ONE, _CLOSE_PATH = 9, 15
_LINE_TO = 2
_FIELDS: Mapping[type, Any] = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}


def encode(tile: Tile, drawings: Sequence[Drawing]) -> bytes:
    """Empty if nothing is drawn."""
    layers = (_layer(tile, drawing) for drawing in drawings)
    return pb.Tile(layers=[layer for layer in layers if layer.features]).SerializeToString(deterministic=True)


def _layer(tile: Tile, drawing: Drawing) -> pb.Layer:
    layer = pb.Layer(name=drawing.name, extent=EXTENT, version=_VERSION)
    names: dict[str, int] = {}
    values: dict[tuple[type, Any], int] = {}
    for place, kind, commands in _drawn(tile, drawing.geometries):
        tags: list[int] = []
        for key, value in drawing.properties[place].items():
            if value is not None:
                tags += (
                    names.setdefault(key, len(names)),
                    values.setdefault((type(value), value), len(values)),
                )
        layer.features.add(tags=tags, type=kind, geometry=commands)
    layer.keys.extend(names)
    layer.values.extend(pb.Value(**{_FIELDS[kind]: value}) for kind, value in values)
    return layer


def _drawn(tile: Tile, geometries: Geometries) -> list[tuple[int, pb.GeomType.ValueType, list[int]]]:
    """Place, kind and commands of each feature that the tile shows."""
    if not len(geometries):
        return []
    is_point = shapely.get_dimensions(geometries) == 0
    places = np.arange(len(geometries))
    points = _points(tile, geometries[is_point], places[is_point])
    surfaces = _surfaces(tile, geometries[~is_point], places[~is_point])
    return sorted([*points, *surfaces], key=lambda feature: feature[0])


def _points(tile: Tile, points: Geometries, places: Any) -> list[tuple[int, pb.GeomType.ValueType, list[int]]]:
    units = np.rint(tile.project(shapely.get_coordinates(points))).astype(np.int64)
    is_inside = ((units >= -BUFFER) & (units <= EXTENT + BUFFER)).all(axis=1)
    parameters = _zigzag(units[is_inside]).tolist()
    return [
        (place, pb.GEOM_TYPE_POINT, [_MOVE_TO_ONE, *parameter])
        for place, parameter in zip(places[is_inside].tolist(), parameters, strict=True)
    ]


def _surfaces(tile: Tile, outlines: Geometries, places: Any) -> list[tuple[int, pb.GeomType.ValueType, list[int]]]:
    parts, owner_of = shapely.get_parts(shapely.clip_by_rect(outlines, *tile.box()), return_index=True)
    is_surface = shapely.get_type_id(parts) == shapely.GeometryType.POLYGON
    parts, owner_of = parts[is_surface], owner_of[is_surface]
    # outer rings are clockwise on the tile, as the format wants
    rings, part_of = shapely.get_rings(shapely.orient_polygons(parts, exterior_cw=True), return_index=True)
    positions, ring_of = shapely.get_coordinates(rings, return_index=True)
    units, ring_of = _open_rings(np.rint(tile.project(positions)).astype(np.int64), ring_of)
    is_shown = _are_shown(_doubled_areas(units, ring_of, len(rings)), part_of)[ring_of]
    units, ring_of = units[is_shown], ring_of[is_shown]
    if not len(units):
        return []
    owners = owner_of[part_of[ring_of]]
    steps = np.diff(units, axis=0, prepend=0)
    is_start = np.append(True, owners[1:] != owners[:-1])
    steps[is_start] = units[is_start]
    parameters: list[int] = _zigzag(steps).ravel().tolist()
    commands: dict[int, list[int]] = {}
    counts = np.unique(ring_of, return_counts=True)[1]
    firsts = np.cumsum(counts) - counts
    for first, count, owner in zip(*(array.tolist() for array in (firsts, counts, owners[firsts])), strict=True):
        owner_commands = commands.setdefault(owner, [])
        move, line, end = 2 * first, 2 * first + 2, 2 * (first + count)
        owner_commands += (
            _MOVE_TO_ONE,
            *parameters[move:line],
            (count - 1) << 3 | _LINE_TO,
            *parameters[line:end],
            _CLOSE_PATH,
        )
    return [(int(places[owner]), pb.GEOM_TYPE_POLYGON, owner_commands) for owner, owner_commands in commands.items()]


def _open_rings(units: Any, ring_of: Any) -> tuple[Any, Any]:
    """Leaves out points that equal the one before them in their ring, and the last point, which closes it."""
    is_new = np.ones(len(units), dtype=bool)
    is_new[1:] = (units[1:] != units[:-1]).any(axis=1) | (ring_of[1:] != ring_of[:-1])
    units, ring_of = units[is_new], ring_of[is_new]
    is_last = np.append(ring_of[1:] != ring_of[:-1], True)[: len(ring_of)]
    return units[~is_last], ring_of[~is_last]


def _doubled_areas(units: Any, ring_of: Any, count: int) -> Any:
    """Twice the area of each ring, positive if it is clockwise on the tile; 0 if nothing of it is left."""
    areas = np.zeros(count)
    if len(units):
        starts = np.flatnonzero(np.append(True, ring_of[1:] != ring_of[:-1]))
        following = np.arange(1, len(units) + 1)
        following[np.append(starts[1:], len(units)) - 1] = starts
        x, y = units.T
        areas[ring_of[starts]] = np.add.reduceat(x * y[following] - x[following] * y, starts)
    return areas


def _are_shown(areas: Any, part_of: Any) -> Any:
    """Whether each ring is drawn: outer rings that keep an area, and the holes of these that keep one."""
    is_outer = np.append(True, part_of[1:] != part_of[:-1])[: len(part_of)]
    is_shown_part = np.zeros(part_of.max(initial=-1) + 1, dtype=bool)
    is_shown_part[part_of[is_outer]] = areas[is_outer] > 0
    return is_shown_part[part_of] & np.where(is_outer, areas > 0, areas < 0)


def _zigzag(numbers: Any) -> Any:
    return (numbers << 1) ^ (numbers >> 63)
