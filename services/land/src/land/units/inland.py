"""Whether a place is far from the limit of its commune: then no other commune can matter for it."""

from typing import NamedTuple

import numpy as np
import shapely

from land.datasets.parcels.queries import territories_of
from land.store.boxes import Box
from land.store.snapshot import Snapshot
from land.units.geometry import Area, from_wkb


class Territory(NamedTuple):
    """The outline of a commune in degrees, ready to be searched. Safe for threads."""

    outline: Area
    edge_bounds: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    """The least and greatest longitudes, and the least and greatest latitudes, of each edge."""

    def contains(self, box: Box) -> bool:
        """Whether the box is inside. May be False for a box that the limit nearly touches."""
        west, east, south, north = self.edge_bounds
        near = (west <= box.east) & (east >= box.west) & (south <= box.north) & (north >= box.south)
        return not near.any() and bool(shapely.contains_xy(self.outline, box.west, box.south))


def territory_of(snapshot: Snapshot, commune: str) -> Territory | None:
    """None if it is not loaded."""
    wkb = territories_of(snapshot, [commune]).get(commune)
    if wkb is None:
        return None
    outline = from_wkb(wkb)
    rings = [shapely.get_coordinates(ring).T for ring in shapely.get_rings(shapely.get_parts(outline))]
    starts = np.concatenate([ring[:, :-1] for ring in rings], axis=1)
    ends = np.concatenate([ring[:, 1:] for ring in rings], axis=1)
    least, greatest = np.minimum(starts, ends), np.maximum(starts, ends)
    return Territory(outline, np.stack((least[0], greatest[0], least[1], greatest[1])))
