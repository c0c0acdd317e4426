"""Joint ownerships (copropriétés) registered on a land unit: a part of the block `buildings`."""

from collections.abc import Sequence

from land.answers.texts import truncated
from land.datasets.grouping import grouped
from land.datasets.joint_ownerships.queries import joint_ownerships_on
from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.datasets.joint_ownerships.registration import RNIC
from land.store.cached_reads import Reads
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

MAX_JOINT_OWNERSHIPS = 100
_DATASET = RNIC.id


JointOwnership = Sequence[JointOwnershipRecord]
"""The rows of a joint ownership: one for each parcel of the land unit that it names."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[tuple[JointOwnership, ...]]:
    """The largest first."""
    if not site.has(_DATASET):
        return Part(())
    rows = joint_ownerships_on(reads.snapshot, [parcel.parcel_id for parcel in site.parcels])
    groups = grouped((row.id, row) for row in rows).values()
    ownerships = sorted(groups, key=lambda of_one: (-(of_one[0].lot_count or 0), of_one[0].id))
    warnings = truncated("joint_ownerships_truncated", "buildings", len(ownerships), MAX_JOINT_OWNERSHIPS)
    return Part(tuple(ownerships[:MAX_JOINT_OWNERSHIPS]), warnings)


RECIPE = Recipe("joint_ownerships", (_DATASET,), compute, part_of="buildings")
