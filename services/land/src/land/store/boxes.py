"""Several bounding boxes in one statement. Parcels of one request may lie far apart: one box around all of them would
also contain everything between them.

The parameter `boxes` is a JSON list of [west, south, east, north] in degrees.
"""

import json
from collections.abc import Sequence
from math import cos, radians
from typing import NamedTuple

import numpy as np
import shapely

_SQLITE = (
    "WITH box AS (SELECT json_extract(value, '$[0]') AS west, json_extract(value, '$[1]') AS south,"
    " json_extract(value, '$[2]') AS east, json_extract(value, '$[3]') AS north FROM json_each(:boxes))"
)
_POSTGIS = (
    "ANY (ARRAY (SELECT ST_MakeEnvelope(CAST(value ->> 0 AS float), CAST(value ->> 1 AS float),"
    " CAST(value ->> 2 AS float), CAST(value ->> 3 AS float), 4326) FROM json_array_elements(CAST(:boxes AS json))))"
)


class Box(NamedTuple):
    """A bounding box in degrees."""

    west: float
    south: float
    east: float
    north: float


def of_boxes(boxes: Sequence[Box]) -> dict[str, str]:
    """The value of the parameter `boxes`."""
    return {"boxes": json.dumps(boxes)}


def ids_in_tree(tree: str, column: str = "id") -> str:
    """The query on SQLite for the ids, or another column, in an R*Tree whose box intersects one of the boxes.

    CROSS JOIN keeps the boxes in the outer loop, so that SQLite looks up each box in the tree. With JOIN it reads the
    whole tree and compares.
    """
    return (
        f"{_SQLITE} SELECT found.{column} FROM box CROSS JOIN {tree} AS found WHERE found.min_lon <= box.east"  # noqa: S608
        " AND found.max_lon >= box.west AND found.min_lat <= box.north AND found.max_lat >= box.south"
    )


def is_in_boxes(table: str) -> str:
    """The condition on PostGIS that the bounding box of a row's geometry intersects one of the boxes. It is not a join:
    PostgreSQL would expect a hundred boxes and many rows, and read whole tables.
    """
    return meets_boxes(f"{table}.geometry")


def meets_boxes(geometry: str) -> str:
    """The condition on PostGIS that the bounding box of a geometry intersects one of the boxes."""
    return f"{geometry} && {_POSTGIS}"


def box_around(bounds: Sequence[float], metres: float) -> Box:
    """Bounds in degrees, widened by at least so many metres on each side, anywhere in France."""
    west, south, east, north = bounds
    d_lat = metres / 110_500
    d_lon = metres / (110_500 * cos(radians(max(abs(south), abs(north)))))
    return Box(west - d_lon, south - d_lat, east + d_lon, north + d_lat)


def merged(boxes: Sequence[Box]) -> Sequence[Box]:
    """Boxes around those that overlap: the parcels of a land unit mostly adjoin."""
    if len(boxes) == 1:
        return boxes
    parts = shapely.get_parts(shapely.union_all(shapely.box(*np.transpose(boxes))))
    return [Box(*bounds) for bounds in shapely.bounds(parts).tolist()]
