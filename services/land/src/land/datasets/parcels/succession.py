"""What followed former parcels on their land, as two editions of the plan show it."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import shapely

from land.datasets import territory
from land.datasets.facts import Fact, values_of
from land.datasets.parcels.queries import outlines_in_boxes, retired_in_commune
from land.datasets.parcels.records import ParcelOutline, RetiredParcelRecord
from land.datasets.partitions import Partition
from land.store.boxes import Box
from land.store.repository import Transaction

OF_SUCCESSOR = 0.5
"""A present parcel is a successor if at least this share of it lies on the former parcel."""
OF_FORMER = 0.1
"""It is also one if it covers at least this share of the former parcel. Outlines of two editions differ by less."""

ChangeKind = Literal[
    "division", "merger", "renumbering", "redistribution", "redrawing", "from_public_domain", "to_public_domain"
]


class Lineage(NamedTuple):
    """One change by which parcels became others. Which daughter comes from which mother is not known."""

    mothers: tuple[str, ...]
    """Empty for land that had no number."""
    daughters: tuple[str, ...]
    """Empty for land that has none since, such as public roads."""
    kind: ChangeKind
    source: str
    """The dataset: of documents, or of two editions of the plan that were compared."""
    date: str | None = None
    """The validation of the document. The plan shows only that the change is later than `last_edition`."""
    last_edition: str | None = None
    """The last edition of the plan that had the mothers."""
    nature: str | None = None
    document: str | None = None


def kind_of(mother_count: int, daughter_count: int) -> ChangeKind:
    if not mother_count:
        return "from_public_domain"
    if not daughter_count:
        return "to_public_domain"
    if mother_count == 1:
        return "renumbering" if daughter_count == 1 else "division"
    return "merger" if daughter_count == 1 else "redistribution"


def shown_changes(connection: Transaction, retired: Sequence[RetiredParcelRecord]) -> list[Lineage]:
    """One change for the retired parcels that have the same successors."""
    outlines = {record: shapely.from_wkb(record.geometry) for record in retired if record.geometry}
    if not outlines:
        return []
    around = outlines_in_boxes(connection, [Box(*outline.bounds) for outline in outlines.values()])
    tree = shapely.STRtree(shapely.from_wkb([record.geometry for record in around]))
    mothers: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for record, outline in outlines.items():
        near = [around[at] for at in sorted(tree.query(outline, "intersects").tolist())]
        daughters = successors(shapely.to_wkb(outline), near)
        mothers.setdefault((record.last_edition, tuple(sorted(daughters))), []).append(record.parcel_id)
    return [
        Lineage(tuple(ids), daughters, kind_of(len(ids), len(daughters)), "cadastre-parcels", last_edition=edition)
        for (edition, daughters), ids in mothers.items()
    ]


def successors(former: bytes, present: Sequence[ParcelOutline]) -> tuple[str, ...]:
    """Ids of the present parcels that succeed a former outline (WKB), those with the largest share first."""
    if not present:
        return ()
    outline = shapely.from_wkb(former)
    projection = territory.projection_of(outline)
    ground = territory.to_metres(outline, projection)
    outlines = territory.all_to_metres([shapely.from_wkb(record.geometry) for record in present], projection)
    shared = shapely.area(shapely.intersection(outlines, ground)).tolist()
    shares = [
        (-round(area, 1), record.parcel_id)
        for record, outline, area in zip(present, outlines, shared, strict=True)
        if area > 0 and (area >= OF_SUCCESSOR * outline.area or area >= OF_FORMER * ground.area)
    ]
    return tuple(parcel_id for _, parcel_id in sorted(shares))


def facts(connection: Transaction, _: str, partition: Partition) -> Iterator[Fact]:
    """What followed each former parcel of a commune."""
    for change in shown_changes(connection, retired_in_commune(connection, partition.code)):
        value = values_of(change, ("mothers", "daughters", "last_edition", "kind"))
        for parcel_id in change.mothers:
            yield Fact("lineage", parcel_id, value, parcel_id)
