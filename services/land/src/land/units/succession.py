"""Parcels that no longer exist, and the parcels of the present plan on their land."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import shapely

from land.answers.texts import fill
from land.datasets import territory
from land.datasets.parcels.ids import commune_of
from land.datasets.parcels.queries import outlines_in_boxes, retired_parcels
from land.datasets.parcels.records import ParcelOutline
from land.datasets.parcels.registration import PARCELS
from land.datasets.permits.queries import retired_references
from land.datasets.sales.queries import sold, sold_under_former_ids
from land.errors import ParcelNotFound, ParcelRetired
from land.store import loads
from land.store.boxes import Box
from land.store.snapshot import Snapshot
from land.units.geometry import from_wkb
from servicekit.errors import ServiceError
from servicekit.languages import Text

MAX_SUCCESSORS = 100
"""Successors that an error names: as many parcels as a request may select."""
OF_SUCCESSOR = 0.5
"""A present parcel is a successor if at least this share of it lies on the former parcel."""
OF_FORMER = 0.1
"""It is also one if it covers at least this share of the former parcel. Outlines of two editions differ by less."""


_NONE_EXISTS = Text(
    "Aucune des parcelles n’existe dans le plan cadastral chargé.",
    "None of the parcels exists in the loaded cadastral plan.",
)
_ONLY_RETIRED = Text(
    "Ces parcelles n’existent plus : {parcels}.",
    "These parcels no longer exist: {parcels}.",
)


@dataclass(frozen=True)
class RetiredParcel:
    """An id that was a parcel once."""

    parcel_id: str
    last_edition: str | None
    """The last edition of the plan with this parcel; None if only a sale or a permit names it."""
    successors: tuple[str, ...]
    """The parcels with the largest share come first; empty if they are unknown."""


def find_retired(snapshot: Snapshot, parcel_ids: Sequence[str]) -> dict[str, RetiredParcel]:
    """Returns the former parcels among these ids, by id. No loaded plan may have a parcel with one of the ids.

    The first evidence is an earlier edition of the plan that was loaded here: it also shows the successors. The second
    is DVF, which pairs a former id with the present one. The third is a sale or a permit with an id that the loaded
    plan of its commune does not have.
    """
    if not parcel_ids:
        return {}
    renamed = sold_under_former_ids(snapshot, parcel_ids)
    plans = loads.of_partitions(snapshot, sorted({commune_of(parcel_id) for parcel_id in parcel_ids}))
    loaded = {load.partition.code for load in plans if load.dataset == PARCELS.id}
    named = sold(snapshot, parcel_ids) | retired_references(snapshot, parcel_ids)
    former = {
        parcel_id: RetiredParcel(parcel_id, None, tuple(renamed.get(parcel_id, ())))
        for parcel_id in {*renamed, *(parcel_id for parcel_id in named if commune_of(parcel_id) in loaded)}
    }
    retired = retired_parcels(snapshot, parcel_ids)
    boxes = [Box(*shapely.from_wkb(parcel.geometry).bounds) for parcel in retired if parcel.geometry]
    around = outlines_in_boxes(snapshot, boxes)() if boxes else []
    for parcel in retired:
        followed = successors(parcel.geometry, around) if parcel.geometry else ()
        followed = followed or tuple(renamed.get(parcel.parcel_id, ()))
        former[parcel.parcel_id] = RetiredParcel(parcel.parcel_id, parcel.last_edition, followed)
    return former


def none_exists(unknown: Sequence[str], retired: Mapping[str, RetiredParcel]) -> ServiceError:
    """The error if none of the selected parcels exists. It names those that did, with their successors."""
    if not retired:
        return ParcelNotFound(_NONE_EXISTS)
    gone = [retired[parcel_id] for parcel_id in unknown if parcel_id in retired]
    detail = fill(_ONLY_RETIRED, parcels=", ".join(parcel.parcel_id for parcel in gone))
    following = list(dict.fromkeys(parcel_id for parcel in gone for parcel_id in parcel.successors))
    return ParcelRetired(detail, metadata={"successors": ",".join(following[:MAX_SUCCESSORS])})


def successors(former: bytes, present: Sequence[ParcelOutline]) -> tuple[str, ...]:
    """Ids of the present parcels that succeed a former outline (WKB), those with the largest share first."""
    if not present:
        return ()
    projection = territory.projection_of(from_wkb(former))
    ground = territory.to_metres(from_wkb(former), projection)
    outlines = territory.all_to_metres([from_wkb(record.geometry) for record in present], projection)
    shared = shapely.area(shapely.intersection(outlines, ground)).tolist()
    shares = [
        (-area, record.parcel_id)
        for record, outline, area in zip(present, outlines, shared, strict=True)
        if area > 0 and (area >= OF_SUCCESSOR * outline.area or area >= OF_FORMER * ground.area)
    ]
    return tuple(parcel_id for _, parcel_id in sorted(shares))
