"""Planning documents in the store: what a load replaces, and what an answer asks for.

Geometries have ids of our own making, the same on every load, so that on SQLite one R*Tree serves both tables.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import shapely
from sqlalchemy import Connection, Select, Table, bindparam, delete, insert, select, text

from land.partitions import Partition, code_of, document_of
from land.records.planning import DocumentRecord, InForceRecord, PlanningCommuneRecord, PrescriptionRecord, ZoneRecord
from land.store import bulk, loads
from land.store.boxes import Box, ids_in_tree, keys_in_table
from land.store.communes import whole_communes
from land.store.loads import Load
from land.store.tables import (
    commune_postcodes,
    dataset_load,
    planning_commune,
    planning_document,
    planning_in_force,
    planning_prescription,
    planning_zone,
)

MAX_ROWS = 5_000
"""Zones, and prescriptions, of one request: many times what a hundred parcels have."""


def _in_boxes(table: Table, names: Sequence[str]) -> dict[str, Select[Any]]:
    """By dialect: the rows whose bounding box meets one of the boxes."""
    rows = select(*(table.c[name] for name in names)).order_by(table.c.id).limit(MAX_ROWS)
    ids = {"sqlite": ids_in_tree("planning_box"), "postgresql": keys_in_table(table.name, "id")}
    return {dialect: rows.where(table.c.id.in_(text(query))) for dialect, query in ids.items()}


_ZONES = _in_boxes(planning_zone, ZoneRecord._fields)
_PRESCRIPTIONS = _in_boxes(
    planning_prescription, ["part" if name == "geometry_kind" else name for name in PrescriptionRecord._fields]
)
_DOCUMENTS = select(planning_document).where(planning_document.c.partition.in_(bindparam("partitions", expanding=True)))
_IN_FORCE = select(planning_in_force).where(planning_in_force.c.commune_code.in_(bindparam("communes", expanding=True)))
_EPCI = select(commune_postcodes.c.code, commune_postcodes.c.epci).where(
    commune_postcodes.c.code.in_(bindparam("communes", expanding=True)), commune_postcodes.c.epci.is_not(None)
)
_COMMUNES = select(planning_commune).where(planning_commune.c.commune_code.in_(bindparam("communes", expanding=True)))


@dataclass(frozen=True)
class PlanningFacts:
    """What the store knows of planning around a land unit."""

    zones: Sequence[ZoneRecord]
    prescriptions: Sequence[PrescriptionRecord]
    documents: Sequence[DocumentRecord]
    """The documents of these zones and prescriptions."""
    is_rnu: Mapping[str, bool | None]
    """By commune, where the Géoportail answered."""
    loads: Sequence[Load]
    """Loads of these documents, and of the communes; also of other datasets."""


def facts_in(connection: Connection, boxes: Sequence[Box], communes: Sequence[str]) -> PlanningFacts | None:
    """All that is known of planning in boxes around land in these communes: zones and prescriptions whose own box meets
    one of them, in any document. None where they are too many to tell.
    """
    dialect, wanted = connection.dialect.name, {"boxes": json.dumps(boxes)}
    zones = [ZoneRecord._make(row) for row in connection.execute(_ZONES[dialect], wanted)]
    prescriptions = [PrescriptionRecord._make(row) for row in connection.execute(_PRESCRIPTIONS[dialect], wanted)]
    if max(len(zones), len(prescriptions)) >= MAX_ROWS:
        return None
    partitions = {record.partition for record in zones} | {record.partition for record in prescriptions}
    loaded = loads.of_units(connection, sorted({*partitions, *communes}))
    rnu = {row.commune_code: row.is_rnu for row in connection.execute(_COMMUNES, {"communes": list(communes)})}
    rows = connection.execute(_DOCUMENTS, {"partitions": sorted(partitions)})
    documents = [DocumentRecord._make(row) for row in rows]
    return PlanningFacts(zones, prescriptions, documents, rnu, loaded)


def replace_zones(connection: Connection, dataset: str, unit: Partition, records: Sequence[ZoneRecord]) -> None:
    if records:
        _forget_other_parts(connection, dataset, unit)
    _replace(
        connection,
        planning_zone,
        unit,
        [
            (r.partition, unit.part, r.document_id, r.document_type, r.approved_on, r.label, r.long_label, r.zone_type,
             r.sector_type, r.regulation_url, r.is_repaired, r.geometry)
            for r in records
        ],
    )  # fmt: skip


def _forget_other_parts(connection: Connection, dataset: str, unit: Partition) -> None:
    """A plan takes the place of a carte communale, and the other way round."""
    others = dataset_load.c.unit == unit.code, dataset_load.c.part != unit.part
    for part in connection.scalars(select(dataset_load.c.part).where(dataset_load.c.dataset == dataset, *others)).all():
        _replace(connection, planning_zone, Partition(unit.code, part), [])
    connection.execute(delete(dataset_load).where(dataset_load.c.dataset == dataset, *others))


def replace_prescriptions(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[PrescriptionRecord]
) -> None:
    _replace(
        connection,
        planning_prescription,
        unit,
        [
            (r.partition, unit.part, r.document_id, r.document_type, r.approved_on, r.label, r.type_code,
             r.subtype_code, r.regulation_url, r.is_repaired, r.geometry)
            for r in records
        ],
    )  # fmt: skip


def replace_documents(connection: Connection, dataset: str, unit: Partition, records: Sequence[DocumentRecord]) -> None:
    connection.execute(delete(planning_document).where(planning_document.c.partition == unit.code))
    unique = {record.document_id: record for record in records}
    bulk.insert(connection, planning_document, [unique[key] for key in sorted(unique)])


def replace_communes(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[PlanningCommuneRecord]
) -> None:
    connection.execute(delete(planning_commune).where(planning_commune.c.commune_code == unit.code))
    for record in records[-1:]:
        connection.execute(insert(planning_commune).values(**record._asdict()))


def replace_in_force(connection: Connection, dataset: str, unit: Partition, records: Sequence[InForceRecord]) -> None:
    connection.execute(delete(planning_in_force).where(planning_in_force.c.commune_code == unit.code))
    bulk.insert(connection, planning_in_force, sorted(set(records)))


def partitions_of(connection: Connection, communes: Sequence[str]) -> dict[str, list[str]]:
    """By commune, the documents that it may share with others, whether they are loaded or not: those in force in its
    middle, the one that its intercommunality would have, and that of the commune that it is a part of.
    """
    whole = whole_communes(connection, communes)  # a part of a commune is itself in no intercommunality
    epci = {
        row.code: document_of(row.epci)
        for row in connection.execute(_EPCI, {"communes": sorted({*whole, *whole.values()})})
    }
    found = {
        code: {document_of(whole[code]), *(epci[key] for key in (code, whole[code]) if key in epci)}
        for code in communes
    }
    for row in connection.execute(_IN_FORCE, {"communes": list(communes)}):
        found[row.commune_code].add(row.partition)
    return {code: sorted(names - {code_of("document", code)}) for code, names in found.items()}


def _replace(connection: Connection, table: Table, unit: Partition, rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows of a document's part, their geometry last, in place of those that are there."""
    here = (table.c.partition == unit.code) & (table.c.part == unit.part)
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        old = [(key,) for key in connection.scalars(select(table.c.id).where(here))]
        if old:
            connection.exec_driver_sql("DELETE FROM planning_box WHERE id = ?", old)
    connection.execute(delete(table).where(here))
    keys = [_key(table.name, unit, place) for place in range(len(rows))]
    bulk.insert(connection, table, ((key, *row) for key, row in zip(keys, rows, strict=True)))
    if sqlite and rows:
        bounds = shapely.bounds(shapely.from_wkb([row[-1] for row in rows])).tolist()
        connection.exec_driver_sql(
            "INSERT INTO planning_box VALUES (?, ?, ?, ?, ?)",
            [(key, west, east, south, north) for key, (west, south, east, north) in zip(keys, bounds, strict=True)],
        )


def _key(table: str, unit: Partition, place: int) -> int:
    """A number below 2^63. Two of ten million rows share one with a chance of 1 in 100,000, and then a load fails."""
    named = f"{table} {unit.code} {unit.part} {place}".encode()
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "big") >> 1
