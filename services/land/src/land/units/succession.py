"""Parcels that the loaded plan does not have: what followed former ones on their land, and which ones are newer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import shapely

from land.answers.texts import REFUSALS, fill
from land.datasets.lineage.queries import lots_of
from land.datasets.parcels.ids import commune_of
from land.datasets.parcels.queries import outlines_in_boxes, parcels_by_id, retired_parcels
from land.datasets.parcels.registration import PARCELS
from land.datasets.parcels.succession import successors
from land.datasets.permits.queries import permits_on_former
from land.datasets.sales.queries import first_sales, sold_under_former_ids
from land.errors import ParcelNewer, ParcelNotFound, ParcelRetired
from land.store import loads
from land.store.boxes import Box
from land.store.loads import is_newer
from land.store.snapshot import Snapshot
from servicekit.errors import ServiceError

MAX_SUCCESSORS = 100
"""Successors that an error names: as many parcels as a request may select."""
MAX_GENERATIONS = 6
"""Changes of a parcel that documents of lineage are followed over."""


@dataclass(frozen=True)
class AbsentParcel:
    """An id that no loaded plan has, and the reason."""

    parcel_id: str
    reason: Literal["retired", "newer", "plan_not_loaded"]
    """`newer`: all that names the parcel is later than the plan's edition."""
    successors: tuple[str, ...] = ()
    """The parcels with the largest share come first; empty if they are unknown."""


def find_absent(snapshot: Snapshot, parcel_ids: Sequence[str]) -> dict[str, AbsentParcel]:
    """Returns the ids, of these, whose absence from the loaded plans has a known reason. No loaded plan may have a
    parcel with one of the ids.

    The first evidence is an earlier edition of the plan that was loaded here: it also shows the successors. The second
    is DVF, which pairs a former id with the present one. The third is a document of lineage. The fourth is a sale or a
    permit with an id that the loaded plan of its commune does not have. If all of it is newer than the plan, so is the
    parcel.
    """
    if not parcel_ids:
        return {}
    plans = loads.of_partitions(snapshot, sorted({commune_of(parcel_id) for parcel_id in parcel_ids}))
    editions = {load.partition.code: load.edition for load in plans if load.dataset == PARCELS.id}
    renamed = sold_under_former_ids(snapshot, parcel_ids)
    followed = _documented(snapshot, parcel_ids)
    days = _first_days(snapshot, parcel_ids)
    absent: dict[str, AbsentParcel] = {}
    for parcel_id in parcel_ids:
        edition, day = editions.get(commune_of(parcel_id)), days.get(parcel_id)
        following = tuple(renamed.get(parcel_id, ())) or tuple(followed.get(parcel_id, ()))
        if following or parcel_id in renamed:
            absent[parcel_id] = AbsentParcel(parcel_id, "retired", following)
        elif edition is None:
            absent[parcel_id] = AbsentParcel(parcel_id, "plan_not_loaded")
        elif day is not None:
            absent[parcel_id] = AbsentParcel(parcel_id, "newer" if is_newer(day, edition) else "retired")
    retired = retired_parcels(snapshot, parcel_ids)
    boxes = [Box(*shapely.from_wkb(parcel.geometry).bounds) for parcel in retired if parcel.geometry]
    around = outlines_in_boxes(snapshot, boxes) if boxes else []
    for parcel in retired:
        shown = successors(parcel.geometry, around) if parcel.geometry else ()
        known = absent.get(parcel.parcel_id)
        following = shown or (known.successors if known else ())
        absent[parcel.parcel_id] = AbsentParcel(parcel.parcel_id, "retired", following)
    return absent


def none_exists(unknown: Sequence[str], absent: Mapping[str, AbsentParcel]) -> ServiceError:
    """The error if none of the selected parcels exists. It names those that did, with their successors."""
    known = [absent[parcel_id] for parcel_id in unknown if parcel_id in absent]
    retired, newer, without_plan = (
        [parcel for parcel in known if parcel.reason == reason] for reason in ("retired", "newer", "plan_not_loaded")
    )
    if retired:
        detail = fill(REFUSALS["only_retired"], parcels=", ".join(parcel.parcel_id for parcel in retired))
        following = list(dict.fromkeys(parcel_id for parcel in retired for parcel_id in parcel.successors))
        return ParcelRetired(detail, metadata={"successors": ",".join(following[:MAX_SUCCESSORS])})
    if newer:
        return ParcelNewer(fill(REFUSALS["only_newer"], parcels=", ".join(parcel.parcel_id for parcel in newer)))
    communes = sorted({commune_of(parcel.parcel_id) for parcel in without_plan})
    return ParcelNotFound(
        fill(REFUSALS["no_plan"], communes=", ".join(communes)) if communes else REFUSALS["none_exists"]
    )


def _first_days(snapshot: Snapshot, parcel_ids: Sequence[str]) -> dict[str, str]:
    """The first day on which a sale, a permit or a document names each parcel; empty if it is unknown."""
    days = list(first_sales(snapshot, parcel_ids).items())
    permits = permits_on_former(snapshot, parcel_ids)
    days += [(parcel_id, permit.date_reelle_autorisation or "") for parcel_id, permit in permits]
    days += [(record.parcel_id, record.validated_on or "") for record in lots_of(snapshot, parcel_ids)]
    first: dict[str, str] = {}
    for parcel_id, day in days:
        first[parcel_id] = min(day, first.get(parcel_id, day))
    return first


def _documented(snapshot: Snapshot, parcel_ids: Sequence[str]) -> dict[str, list[str]]:
    """The existing parcels that documents of lineage name as daughters of each of these, over several generations."""
    followed: dict[str, list[str]] = {}
    for parcel_id in parcel_ids:
        generation, seen = {parcel_id}, {parcel_id}
        for _ in range(MAX_GENERATIONS):
            records = lots_of(snapshot, sorted(generation))
            lots = {
                (record.commune_code, record.lot)
                for record in records
                if record.is_mother and record.parcel_id in generation
            }
            generation = {
                record.parcel_id
                for record in records
                if not record.is_mother and (record.commune_code, record.lot) in lots
            } - seen
            if not generation:
                break
            seen |= generation
            present = parcels_by_id(snapshot, sorted(generation))
            followed.setdefault(parcel_id, []).extend(present)
            generation -= present.keys()
    return followed
