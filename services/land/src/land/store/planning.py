"""Planning documents: their zones, prescriptions and informations, and where they are in force."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, select, text

from land.partitions import Partition, code_of, document_of
from land.records.planning import DocumentRecord, InForceRecord, PlanFeatureRecord, PlanningCommuneRecord, ZoneRecord
from land.store import loads
from land.store.boxes import Box, ids_in_tree, is_in_boxes
from land.store.cached_reads import Reads
from land.store.communes import whole_communes
from land.store.loads import Load
from land.store.parameters import IN_COMMUNES, any_of
from land.store.prepared import Pending, Prepared
from land.store.repository import BoxTree, Repository
from land.store.tables import (
    commune_postcodes,
    dataset_load,
    planning_commune,
    planning_document,
    planning_in_force,
    planning_information,
    planning_prescription,
    planning_zone,
)

_BOXES = BoxTree("planning_box", "id")
ZONES = Repository(planning_zone, ZoneRecord, ["partition", "part"], _BOXES)
PRESCRIPTIONS = Repository(planning_prescription, PlanFeatureRecord, ["partition", "part"], _BOXES)
INFORMATIONS = Repository(planning_information, PlanFeatureRecord, ["partition", "part"], _BOXES)
DOCUMENTS = Repository(planning_document, DocumentRecord, ["partition"])
COMMUNES = Repository(planning_commune, PlanningCommuneRecord, ["commune_code"])
IN_FORCE = Repository(planning_in_force, InForceRecord, ["commune_code"])
MAX_ROWS = 5_000
"""Zones, prescriptions, and informations, that one request reads: many times those of a hundred parcels."""


def _in_boxes(rows: Select[Any], table: Table) -> dict[str, Prepared]:
    """By dialect: the rows whose bounding box intersects one of the boxes."""
    limited = rows.order_by(table.c.id).limit(MAX_ROWS)
    return {
        "sqlite": Prepared(limited.where(table.c.id.in_(text(ids_in_tree("planning_box"))))),
        "postgresql": Prepared(limited.where(text(is_in_boxes(table.name)))),
    }


_ZONES = _in_boxes(ZONES.select(), planning_zone)


def _features_in_boxes(table: Table) -> dict[str, Prepared]:
    names = ("part" if name == "geometry_kind" else name for name in PlanFeatureRecord._fields)
    return _in_boxes(select(*(table.c[name] for name in names)), table)


_PRESCRIPTIONS = _features_in_boxes(planning_prescription)
_INFORMATIONS = _features_in_boxes(planning_information)
_DOCUMENTS = Prepared(DOCUMENTS.select().where(planning_document.c.partition.in_(any_of("partitions"))))
_IN_FORCE = Prepared(IN_FORCE.select().where(planning_in_force.c.commune_code.in_(IN_COMMUNES)))
_COMMUNES = Prepared(COMMUNES.select().where(planning_commune.c.commune_code.in_(IN_COMMUNES)))
_EPCI = select(commune_postcodes.c.code, commune_postcodes.c.epci).where(
    commune_postcodes.c.code.in_(IN_COMMUNES), commune_postcodes.c.epci.is_not(None)
)


@dataclass(frozen=True)
class PlanningFacts:
    """What the store has on planning around a land unit."""

    zones: Sequence[ZoneRecord]
    prescriptions: Sequence[PlanFeatureRecord]
    informations: Sequence[PlanFeatureRecord]
    documents: Sequence[DocumentRecord]
    """The documents of these."""
    is_rnu: Mapping[str, bool | None]
    """By commune, if the Géoportail answered."""
    loads: Sequence[Load]
    """Loads of these documents and of the communes, also of other datasets."""


def facts_in(reads: Reads, boxes: Sequence[Box], communes: tuple[str, ...]) -> Pending[PlanningFacts | None]:
    """What any document draws, where its bounding box intersects one of these boxes, and what is known of planning in
    these communes. None if there are MAX_ROWS or more zones, prescriptions or informations.
    """
    connection, wanted = reads.snapshot, {"boxes": json.dumps(boxes)}
    dialect = connection.dialect.name
    zones = ZONES.start(connection, _ZONES[dialect], wanted)
    prescriptions = PRESCRIPTIONS.start(connection, _PRESCRIPTIONS[dialect], wanted)
    informations = INFORMATIONS.start(connection, _INFORMATIONS[dialect], wanted)
    return lambda: _facts(reads, zones(), prescriptions(), informations(), communes)


def zones_in(
    reads: Reads, boxes: Sequence[Box], communes: tuple[str, ...]
) -> tuple[Sequence[ZoneRecord], Mapping[str, bool | None], Sequence[Load]] | None:
    """The zones, `is_rnu` and `loads` of `facts_in`, without reading prescriptions."""
    connection = reads.snapshot
    zones = ZONES.read(connection, _ZONES[connection.dialect.name], {"boxes": json.dumps(boxes)})
    if len(zones) >= MAX_ROWS:
        return None
    partitions = tuple(sorted({record.partition for record in zones}))
    return zones, reads.cached(_is_rnu_in, communes), reads.cached(loads.of_partitions, partitions)


def _facts(
    reads: Reads,
    zones: Sequence[ZoneRecord],
    prescriptions: Sequence[PlanFeatureRecord],
    informations: Sequence[PlanFeatureRecord],
    communes: tuple[str, ...],
) -> PlanningFacts | None:
    if max(len(zones), len(prescriptions), len(informations)) >= MAX_ROWS:
        return None
    features = chain(prescriptions, informations)
    found = {record.partition for record in zones} | {record.partition for record in features}
    partitions = tuple(sorted(found))
    return PlanningFacts(
        zones,
        prescriptions,
        informations,
        reads.cached(_documents_of, partitions) if partitions else (),
        reads.cached(_is_rnu_in, communes),
        reads.cached(loads.of_partitions, tuple(sorted({*partitions, *communes}))),
    )


def _documents_of(connection: Connection, partitions: tuple[str, ...]) -> list[DocumentRecord]:
    return DOCUMENTS.read(connection, _DOCUMENTS, {"partitions": list(partitions)})


def _is_rnu_in(connection: Connection, communes: tuple[str, ...]) -> dict[str, bool | None]:
    found = COMMUNES.read(connection, _COMMUNES, {"communes": list(communes)})
    return {each.commune_code: each.is_rnu for each in found}


def partitions_of(connection: Connection, communes: Sequence[str]) -> dict[str, list[str]]:
    """By commune, the documents that it may share with others, whether they are loaded or not. These are the documents
    in force in its middle, that of its intercommunality, and that of the commune that contains it.
    """
    whole = whole_communes(connection, communes)  # a part of a commune belongs to no intercommunality itself
    wanted = sorted({*whole, *whole.values()})
    epci = {row.code: document_of(row.epci) for row in connection.execute(_EPCI, {"communes": wanted})}
    found = {
        code: {document_of(whole[code]), *(epci[key] for key in (code, whole[code]) if key in epci)}
        for code in communes
    }
    for record in IN_FORCE.read(connection, _IN_FORCE, {"communes": communes}):
        found[record.commune_code].add(record.partition)
    return {code: sorted(names - {code_of("document", code)}) for code, names in found.items()}


def replace_zones(connection: Connection, dataset: str, partition: Partition, records: Sequence[ZoneRecord]) -> None:
    """Replaces the zones of a document's part. With zones, deletes those of the other parts: a document is either a
    plan or a carte communale.
    """
    if records:
        others = dataset_load.c.partition == partition.code, dataset_load.c.part != partition.part
        loaded = select(dataset_load.c.part).where(dataset_load.c.dataset == dataset, *others)
        for part in connection.scalars(loaded).all():
            ZONES.replace(connection, dataset, Partition(partition.code, part), [])
        connection.execute(delete(dataset_load).where(dataset_load.c.dataset == dataset, *others))
    ZONES.replace(connection, dataset, partition, records, row_keys(planning_zone, partition))


def replace_features(features: Repository[PlanFeatureRecord]) -> Callable[..., None]:
    """A function that replaces the prescriptions, or informations, of a document's part."""

    def replace(
        connection: Connection, dataset: str, partition: Partition, records: Sequence[PlanFeatureRecord]
    ) -> None:
        features.replace(connection, dataset, partition, records, row_keys(features.table, partition))

    return replace


def row_keys(table: Table, partition: Partition) -> Iterator[int]:
    """Numbers for the rows of a part, below 2^63 and the same at each load. Tables with one R*Tree share the range.

    Two of ten million rows have the same number with a probability of 1 in 100,000. Then the load fails.
    """
    for place in count():
        named = f"{table.name} {partition.code} {partition.part} {place}".encode()
        yield int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "big") >> 1
