"""Parcels, the territories of communes, and parcels that a newer plan no longer has."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import shapely
from sqlalchemy import Connection, bindparam, delete, exists, insert, literal, select, text

from land.datasets.parcels import ids as parcels
from land.datasets.parcels.records import ParcelOutline, ParcelRecord, RetiredParcelRecord, TerritoryRecord
from land.datasets.parcels.tables import commune_territory, parcel, retired_parcel
from land.datasets.partitions import Partition
from land.datasets.permits.queries import place_references
from land.datasets.permits.tables import permit_reference
from land.datasets.sales.tables import sale
from land.store.boxes import Box, box_around, ids_in_tree, is_in_boxes
from land.store.loads import Load, is_newer
from land.store.prepared import IN_COMMUNES, WITH_IDS, Pending, Prepared, any_of, of_parcels
from land.store.repository import BoxTree, Repository
from land.store.tables import dataset_load

PARCELS = Repository(parcel, ParcelRecord, ["commune_code"], BoxTree("parcel_box", "parcel_id", parcels.to_key))
TERRITORIES = Repository(commune_territory, TerritoryRecord, ["commune_code"])
RETIRED = Repository(retired_parcel, RetiredParcelRecord)
MAX_IDS = 5_000
"""Parcel ids in one statement: databases limit its parameters to some ten thousand."""

_BY_ID = PARCELS.of_parcels()
_OUTLINES_BY_ID = Prepared(
    select(parcel.c.parcel_id, parcel.c.geometry).where(
        parcel.c.commune_code.in_(IN_COMMUNES), parcel.c.parcel_id.in_(WITH_IDS)
    )
)
_IN_BOXES_SQLITE = Prepared(text(ids_in_tree("parcel_box")))
_OUTLINES_IN_BOXES = Prepared(select(parcel.c.parcel_id, parcel.c.geometry).where(text(is_in_boxes("parcel"))))
_PAGE_SQLITE = Prepared(
    text(
        f"SELECT DISTINCT id FROM ({ids_in_tree('parcel_box')}) WHERE id > :after AND id < :before"  # noqa: S608
        " ORDER BY id LIMIT :count"
    )
)
_PAGE = Prepared(
    select(parcel.c.parcel_id)
    .where(
        text(is_in_boxes("parcel")),
        parcel.c.parcel_id > bindparam("after"),
        parcel.c.parcel_id < bindparam("before"),
    )
    .order_by(parcel.c.parcel_id)
    .limit(bindparam("count"))
)
_COMMUNES_SQLITE = Prepared(
    text(f"SELECT DISTINCT id / {parcels.KEYS_OF_COMMUNE} FROM ({ids_in_tree('parcel_box')})")  # noqa: S608
)
_COMMUNES = Prepared(select(parcel.c.commune_code).where(text(is_in_boxes("parcel"))).distinct())
_OUTLINES_OF_COMMUNE = Prepared(
    select(parcel.c.geometry).where(parcel.c.commune_code.in_(IN_COMMUNES), parcel.c.geometry.is_not(None))
)
_TERRITORIES = TERRITORIES.of_communes()
_RETIRED = RETIRED.of_parcels()
_RENAMED = (
    select(sale.c.ancien_id_parcelle, sale.c.id_parcelle)
    .where(sale.c.ancien_id_parcelle.in_(WITH_IDS), sale.c.ancien_id_parcelle != "")
    .where(exists().where(parcel.c.commune_code == sale.c.commune_code, parcel.c.parcel_id == sale.c.id_parcelle))
    .distinct()
    .order_by(sale.c.ancien_id_parcelle, sale.c.id_parcelle)
)
_LOADED_PLANS = select(dataset_load.c.partition).where(
    dataset_load.c.dataset == bindparam("dataset"), dataset_load.c.partition.in_(IN_COMMUNES)
)
_SOLD = (
    select(sale.c.id_parcelle).where(sale.c.commune_code.in_(IN_COMMUNES), sale.c.id_parcelle.in_(WITH_IDS)).distinct()
)
_SOLD_BEFORE = (
    select(sale.c.ancien_id_parcelle)
    .where(sale.c.ancien_id_parcelle.in_(WITH_IDS), sale.c.ancien_id_parcelle != "")
    .distinct()
)
_reference = permit_reference.c
_PERMITTED = select(_reference.commune_code, _reference.prefix, _reference.section, _reference.number).where(
    _reference.commune_code.in_(IN_COMMUNES),
    _reference.section.in_(any_of("sections")),
    _reference.number.in_(any_of("numbers")),
    _reference.placement == "retired",
)


class FormerParcels(NamedTuple):
    """What the store has of ids that no loaded plan has."""

    retired: list[RetiredParcelRecord]
    """The parcels that an earlier loaded edition of the plan had."""
    renamed: dict[str, list[str]]
    """The present ids that DVF pairs with each former id."""
    named: set[str]
    """Ids that a sale or a permit names."""


def replace_parcels(connection: Connection, dataset: str, partition: Partition, rows: Sequence[ParcelRecord]) -> None:
    """Replaces the parcels of a commune, and places the permit references to them again."""
    PARCELS.replace(connection, dataset, partition, rows)
    place_references(connection, {partition.code})


def box_of(connection: Connection, commune_code: str, metres: float) -> Box | None:
    """The box around the outlines of a commune's parcels, widened by so many metres; None without an outline."""
    outlines = _OUTLINES_OF_COMMUNE.values(connection, {"communes": [commune_code]})
    return box_around(shapely.total_bounds(shapely.from_wkb(outlines)).tolist(), metres) if outlines else None


def parcels_by_id(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, ParcelRecord]:
    """The existing ones, by id."""
    if not parcel_ids:
        return {}
    return {record.parcel_id: record for record in PARCELS.read(connection, _BY_ID, of_parcels(parcel_ids))}


def outlines_in_boxes(connection: Connection, boxes: Sequence[Box]) -> Pending[list[ParcelOutline]]:
    """Parcels whose bounding box intersects one of these, in any commune, each once, in order of id."""
    parameters = {"boxes": json.dumps(boxes)}
    if connection.dialect.name == "sqlite":
        ids = [parcels.from_key(key) for key in set(_IN_BOXES_SQLITE.values(connection, parameters))]
        rows = _OUTLINES_BY_ID.start(connection, of_parcels(ids))
    else:
        rows = _OUTLINES_IN_BOXES.start(connection, parameters)
    return lambda: list(map(ParcelOutline._make, sorted(rows())))


def ids_in_boxes(connection: Connection, boxes: Sequence[Box], after: str, before: str, count: int) -> list[str]:
    """The first ids between two ids, in order, of parcels whose bounding box intersects one of the boxes."""
    parameters = {"boxes": json.dumps(boxes), "count": count}
    if connection.dialect.name != "sqlite":
        return _PAGE.values(connection, {**parameters, "after": after, "before": before})
    keys = {"after": parcels.to_key(after), "before": parcels.to_key(before)}
    return list(map(parcels.from_key, _PAGE_SQLITE.values(connection, {**parameters, **keys})))


def communes_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[str]:
    """The communes with a parcel whose bounding box intersects one of the boxes, in order."""
    parameters = {"boxes": json.dumps(boxes)}
    if connection.dialect.name != "sqlite":
        return sorted(_COMMUNES.values(connection, parameters))
    return sorted(map(parcels.commune_from_key, _COMMUNES_SQLITE.values(connection, parameters)))


def territories_of(connection: Connection, communes: Iterable[str]) -> dict[str, bytes]:
    """The loaded territories of these communes as WKB, by commune."""
    territories = TERRITORIES.read(connection, _TERRITORIES, {"communes": sorted(communes)})
    return {record.commune_code: record.geometry for record in territories}


def keep_vanished(connection: Connection, before: Load, after: Load, records: Sequence[ParcelRecord]) -> None:
    """Keeps the loaded parcels that the next edition of their plan does not have, before it replaces them. Deletes the
    kept ones that it has again.

    Does nothing unless the edition is known to be newer: parcels that an older edition does not have are not retired.
    """
    if not is_newer(after.edition, before.edition):
        return
    code = after.partition.code
    present = {record.parcel_id for record in records}
    vanished = set(connection.scalars(select(parcel.c.parcel_id).where(parcel.c.commune_code == code))) - present
    for ids in _batches(present | vanished):
        connection.execute(
            delete(retired_parcel).where(retired_parcel.c.commune_code == code, retired_parcel.c.parcel_id.in_(ids))
        )
    for ids in _batches(vanished):
        old = select(parcel.c.commune_code, parcel.c.parcel_id, literal(before.edition), parcel.c.geometry)
        connection.execute(
            insert(retired_parcel).from_select(
                ["commune_code", "parcel_id", "last_edition", "geometry"],
                old.where(parcel.c.commune_code == code, parcel.c.parcel_id.in_(ids)),
            )
        )


def former_parcels(connection: Connection, parcel_ids: Sequence[str], plans: str) -> FormerParcels:
    """What the store has of ids that no loaded plan has. `plans` is the id of the dataset of plans."""
    parameters = of_parcels(parcel_ids)
    renamed: dict[str, list[str]] = {}
    for former, present in connection.execute(_RENAMED, parameters):
        renamed.setdefault(former, []).append(present)
    ids = [parsed for parcel_id in parcel_ids if (parsed := parcels.parse(parcel_id))]
    parts = {
        "sections": sorted({parcel_id.section for parcel_id in ids}),
        "numbers": sorted({parcel_id.number for parcel_id in ids}),
    }
    # A permit without a prefix means the prefix 000.
    permitted = {
        (row.commune_code, row.prefix or "000", row.section, row.number)
        for row in connection.execute(_PERMITTED, parameters | parts)
    }
    named = set(connection.scalars(_SOLD, parameters))
    named |= {str(parcel_id) for parcel_id in ids if tuple(parcel_id) in permitted}
    loaded = set(connection.scalars(_LOADED_PLANS, parameters | {"dataset": plans}))
    named = {parcel_id for parcel_id in named if parcel_id[:5] in loaded}
    named |= set(connection.scalars(_SOLD_BEFORE, parameters))
    return FormerParcels(RETIRED.read(connection, _RETIRED, parameters), renamed, named)


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    ordered = iter(sorted(ids))
    while batch := list(islice(ordered, MAX_IDS)):
        yield batch
