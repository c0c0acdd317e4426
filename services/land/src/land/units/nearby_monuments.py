"""Historic monuments near a land unit, where their surroundings (AC1) are not published: a part of `urbanism`.

Without a delimited perimeter, the surroundings are what is visible from the monument, or together with it, within 500 m
(Code du patrimoine, art. L621-30). The list gives points, so neither sight nor the monument's own outline is known.
"""

from dataclasses import dataclass

import shapely

from land.datasets.easements.queries import categories_in
from land.datasets.monuments.queries import monuments_in_boxes
from land.datasets.monuments.registration import MERIMEE
from land.store import loads
from land.store.cached_reads import Reads
from land.store.snapshot import Snapshot
from land.units.easements import Easements
from land.units.overlap import metric_of
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

REACH_M = 500.0
MAX_ITEMS = 50
_SURROUNDINGS = "AC1"


@dataclass(frozen=True)
class NearbyMonument:
    reference: str
    name: str | None
    protection: str | None
    distance_m: float


def _have_surroundings(snapshot: Snapshot, communes: tuple[str, ...]) -> bool:
    """Whether surroundings of a monument are drawn in each commune."""
    boxes = loads.boxes_of(snapshot, communes)
    return all(_SURROUNDINGS in categories_in(snapshot, [boxes[commune]]) for commune in communes)


def compute(reads: Reads, site: Site, parts: Parts) -> Part[tuple[NearbyMonument, ...]]:
    """The nearest first, MAX_ITEMS at most. None where surroundings are published and drawn in the communes."""
    easements: Easements | None = parts["easements"].block
    is_published = easements is not None and _SURROUNDINGS in easements.published_categories
    monuments = monuments_in_boxes(reads.snapshot, site.boxes(REACH_M))
    if site.shape is None or not monuments or (is_published and reads.cached(_have_surroundings, site.communes)):
        return Part(())
    distances = shapely.distance(metric_of(monuments, site.shape), site.shape.metric).tolist()
    nearest = sorted(zip(distances, monuments, strict=True), key=lambda pair: pair[0])
    return Part(
        tuple(
            NearbyMonument(monument.reference, monument.name, monument.protection, round(distance, 1))
            for distance, monument in nearest[:MAX_ITEMS]
            if distance <= REACH_M
        )
    )


RECIPE = Recipe("nearby_monuments", (MERIMEE.id,), compute, part_of="urbanism")
