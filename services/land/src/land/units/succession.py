"""Parcels that no longer exist, and the parcels of the present plan on their land."""

from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from land import territory
from land.records.parcels import ParcelRecord
from land.units.geometry import from_wkb

OF_SUCCESSOR = 0.5
"""A present parcel is a successor if at least this share of it lies on the former parcel."""
OF_FORMER = 0.1
"""It is also one if it covers at least this share of the former parcel. Outlines of two editions differ by less."""


@dataclass(frozen=True)
class RetiredParcel:
    """An id that was a parcel once."""

    parcel_id: str
    last_edition: str | None
    """The last edition of the plan with this parcel; None if only a sale or a permit names it."""
    successors: tuple[str, ...]
    """Those with the largest share first; empty if they are unknown."""


def successors(former: bytes, commune_code: str, present: Sequence[ParcelRecord]) -> tuple[str, ...]:
    """Ids of the present parcels that succeed a former outline (WKB), those with the largest share first."""
    projection = territory.projection_of(commune_code)
    drawn = [record for record in present if record.geometry is not None]
    if not drawn:
        return ()
    ground = territory.to_metres(from_wkb(former), projection)
    outlines = territory.all_to_metres([from_wkb(record.geometry) for record in drawn if record.geometry], projection)
    shared = shapely.area(shapely.intersection(outlines, ground)).tolist()
    found = [
        (-area, record.parcel_id)
        for record, outline, area in zip(drawn, outlines, shared, strict=True)
        if area > 0 and (area >= OF_SUCCESSOR * outline.area or area >= OF_FORMER * ground.area)
    ]
    return tuple(parcel_id for _, parcel_id in sorted(found))
