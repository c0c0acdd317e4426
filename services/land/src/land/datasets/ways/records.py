"""Roads, paths, railways and water of BD TOPO."""

from typing import Literal, NamedTuple

WayKind = Literal["road", "motorway", "path", "railway", "water"]
"""Only a road gives access. Of a path, the source does not say whether it is public."""


class WayRecord(NamedTuple):
    """One road, path, railway or water near the parcels of a commune."""

    kind: WayKind
    half_width_m: float
    """From its line to its edge; 0 for the surface of water."""
    geometry: bytes
