"""Joint ownerships (copropriétés) registered on a land unit: a part of the block `buildings`."""

from collections.abc import Sequence
from dataclasses import dataclass

from land.answers.warnings import warning
from land.datasets.joint_ownerships.queries import joint_ownerships_on
from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.datasets.joint_ownerships.registration import RNIC
from land.store.cached_reads import Reads
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

MAX_JOINT_OWNERSHIPS = 100
_DATASET = RNIC.id


@dataclass(frozen=True)
class JointOwnership:
    id: str
    """The number in the register."""
    name: str | None
    lot_count: int | None
    dwelling_lot_count: int | None
    construction_period: str | None
    manager_type: str | None
    parcel_ids: tuple[str, ...]
    """Parcels of the land unit that it names."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[tuple[JointOwnership, ...]]:
    if not site.has(_DATASET):
        return Part(())
    rows = joint_ownerships_on(reads.snapshot, [parcel.parcel_id for parcel in site.parcels])
    ownerships, warnings = joint_ownerships_of(rows), []
    if len(ownerships) > MAX_JOINT_OWNERSHIPS:
        warnings.append(warning("joint_ownerships_truncated", "buildings", limit=MAX_JOINT_OWNERSHIPS))
    return Part(tuple(ownerships[:MAX_JOINT_OWNERSHIPS]), warnings)


RECIPE = Recipe("joint_ownerships", (_DATASET,), compute, part_of="buildings")


def joint_ownerships_of(rows: Sequence[JointOwnershipRecord]) -> list[JointOwnership]:
    """One item per joint ownership with its parcels, the largest first."""
    groups: dict[str, list[JointOwnershipRecord]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    ownerships = [
        JointOwnership(
            id=first.id,
            name=first.name,
            lot_count=first.lot_count,
            dwelling_lot_count=first.dwelling_lot_count,
            construction_period=first.construction_period,
            manager_type=first.manager_type,
            parcel_ids=tuple(row.parcel_id for row in group),
        )
        for group in groups.values()
        for first in group[:1]
    ]
    return sorted(ownerships, key=lambda ownership: (-(ownership.lot_count or 0), ownership.id))
