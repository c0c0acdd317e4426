"""What became of a parcel that is no more: the parcels of the present plan on the same ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from land import territory
from land.records.parcels import ParcelRecord
from land.units.geometry import from_wkb

OF_SUCCESSOR = 0.5
"""A parcel of which at least this share lies on the ground of the former one came out of it, however small it is."""
OF_FORMER = 0.1
"""So did one that took at least this share of the former parcel's ground, however large it is: what outlines of two
editions differ by is less.
"""


@dataclass(frozen=True)
class RetiredParcel:
    """An id that was a parcel once."""

    parcel_id: str
    last_edition: str | None
    """Of the plan, the last that had it; None where a sale or a permit alone tells of it."""
    successors: tuple[str, ...]
    """By the ground that they took, most first; empty where the plan does not show them."""


def successors(former: bytes, commune_code: str, present: Sequence[ParcelRecord]) -> tuple[str, ...]:
    """The ids of those present parcels that follow a former outline (WKB), most of its ground first."""
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
