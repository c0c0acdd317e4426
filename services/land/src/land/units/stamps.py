"""The stamp of a place: a digest of all loads that an answer about land there may depend on.

A stored answer is valid as long as the stamp of its place is the same. Any load, reload or drop near the place changes
the stamp, since it changes the set of loads or one of them. The set has the loads
- of every partition with rows within REACH_M of the land, by the box around these rows;
- of the communes of the land and of those partitions that are communes: some rows have no place, others are found by
  the commune of a neighbouring parcel;
- of partitions that hold rows of these communes though they belong to another one, and of documents that easements
  within REACH_M name.
Whether a publisher fails is not part of it. Altitudes and answers about risks that a publisher gave to requests belong
to no load: `units/stored.py` adds their dates to the stamps of the parts that have them.
"""

import hashlib
from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from land.datasets.easements import queries as easements
from land.datasets.joint_ownerships import queries as joint_ownerships
from land.datasets.owners import queries as owners
from land.datasets.partitions import COUNTRY, codes_of
from land.datasets.permits import queries as permits
from land.sources.values import is_commune_code
from land.store import loads
from land.store.boxes import Box
from land.store.cached_reads import Reads
from land.store.snapshot import Snapshot

REACH_M = 500.0
"""How far around a land unit its answer depends on data: no block reads farther."""
CELLS_PER_DEG = 100
"""Boxes are rounded to cells of about 1 km, so that neighbours share a cached stamp."""

_OF_OTHERS = (permits.FILING_COMMUNES, joint_ownerships.DEPARTMENTS, owners.DEPARTMENTS)
"""Reads the partitions that hold rows of some communes, of those tables whose partitions are not the communes."""


class Place(NamedTuple):
    """Where a land unit lies."""

    communes: tuple[str, ...]
    cells: tuple[tuple[int, int, int, int], ...]
    """Boxes around its parcels, widened by REACH_M: west, south, east and north in cells. Empty without an outline."""

    @property
    def boxes(self) -> list[Box]:
        """The boxes in degrees."""
        return [Box(*(edge / CELLS_PER_DEG for edge in cell)) for cell in self.cells]


def place_of(communes: Sequence[str], boxes: Sequence[Box]) -> Place:
    """The place of a land unit. The boxes are those of its parcels, widened by REACH_M."""
    cells = {
        (
            floor(box.west * CELLS_PER_DEG),
            floor(box.south * CELLS_PER_DEG),
            ceil(box.east * CELLS_PER_DEG),
            ceil(box.north * CELLS_PER_DEG),
        )
        for box in boxes
    }
    return Place(tuple(sorted(communes)), tuple(sorted(cells)))


def stamp_of(reads: Reads, place: Place) -> bytes:
    """The stamp of the place in this snapshot."""
    return reads.cached(_stamp, place)


def _stamp(snapshot: Snapshot, place: Place) -> bytes:
    identities = loads.identities(snapshot, _partitions_near(snapshot, place))
    return hashlib.blake2b(repr(identities).encode(), digest_size=16).digest()


def _partitions_near(snapshot: Snapshot, place: Place) -> set[str]:
    near = loads.partitions_in(snapshot, place.boxes)
    communes = sorted({*place.communes, *filter(is_commune_code, near)})
    partitions = near.union(*map(codes_of, communes))
    for statement in _OF_OTHERS:
        partitions.update(statement.values(snapshot, {"communes": list(place.communes)}))
    partitions |= easements.partitions_in(snapshot, place.boxes) | {COUNTRY}
    for commune in place.communes:
        partitions.update(easements.documents_of(snapshot, commune))
    return partitions
