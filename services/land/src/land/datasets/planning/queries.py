"""Planning documents: their zones, prescriptions and informations, and where they are in force."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Index, Table, Text, bindparam, delete, select

from land.datasets.communes.queries import commune_postcodes, whole_communes
from land.datasets.facts import Fact, FactKind, values_of
from land.datasets.partitions import Partition, code_of, document_of
from land.datasets.planning.records import (
    DocumentRecord,
    InForceRecord,
    PlanFeatureRecord,
    PlanningCommuneRecord,
    ZoneRecord,
)
from land.store import loads
from land.store.boxes import Box
from land.store.cached_reads import Reads
from land.store.feature_rows import FeatureRows, in_tree
from land.store.loads import Load
from land.store.prepared import IN_COMMUNES, Prepared, of_communes
from land.store.repository import BoxTree, Repository
from land.store.tables import dataset_load, table_of


def _drawn_in_a_document(row: type[ZoneRecord] | type[PlanFeatureRecord], name: str) -> Table:
    return table_of(
        row,
        name,
        [],
        Column("id", BigInteger, primary_key=True, autoincrement=False),
        Column("part", Text, nullable=False),
        Index(f"{name}_document", "partition", "part"),
        geometry_kind=None,
    )


planning_zone = _drawn_in_a_document(ZoneRecord, "planning_zone")
planning_prescription = _drawn_in_a_document(PlanFeatureRecord, "planning_prescription")
planning_information = _drawn_in_a_document(PlanFeatureRecord, "planning_information")
planning_document = table_of(DocumentRecord, "planning_document", ["partition", "document_id"])
planning_in_force = table_of(InForceRecord, "planning_in_force", ["commune_code", "partition"])
planning_commune = table_of(PlanningCommuneRecord, "planning_commune", ["commune_code"])
_BOXES = BoxTree("planning_box", "id")
ZONES = Repository(planning_zone, ZoneRecord, ["partition", "part"], _BOXES)
PRESCRIPTIONS = Repository(planning_prescription, PlanFeatureRecord, ["partition", "part"], _BOXES)
INFORMATIONS = Repository(planning_information, PlanFeatureRecord, ["partition", "part"], _BOXES)
DOCUMENTS = Repository(planning_document, DocumentRecord, ["partition"])
COMMUNES = Repository(planning_commune, PlanningCommuneRecord, ["commune_code"])
IN_FORCE = Repository(planning_in_force, InForceRecord, ["commune_code"])
MAX_ROWS = 5_000
"""Zones, prescriptions, and informations, that one request reads: many times those of a hundred parcels."""


def _in_boxes(repository: Repository[Any], fields: Sequence[str]) -> Prepared:
    columns = repository.table.c
    names = ("part" if name == "geometry_kind" else name for name in fields)
    return repository.in_boxes(select(*(columns[name] for name in names)).order_by(columns.id).limit(MAX_ROWS))


_ZONES = _in_boxes(ZONES, ZoneRecord._fields)
_PRESCRIPTIONS = _in_boxes(PRESCRIPTIONS, PlanFeatureRecord._fields)
_INFORMATIONS = _in_boxes(INFORMATIONS, PlanFeatureRecord._fields)


def _features(repository: Repository[Any]) -> FeatureRows:
    columns = repository.table.c
    of_values = {"partition": columns.partition.in_}
    return FeatureRows(repository.select(), (columns.id,), "partition", in_tree(repository), of_values)


ZONE_FEATURES, PRESCRIPTION_FEATURES = _features(ZONES), _features(PRESCRIPTIONS)
_documents_of = DOCUMENTS.reading(
    Prepared(DOCUMENTS.select().where(planning_document.c.partition.in_(IN_COMMUNES))), of_communes
)
_IN_FORCE = IN_FORCE.of_communes()
_COMMUNES = COMMUNES.of_communes()
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
    """Whether the national rules apply in each commune, if the Géoportail answered."""
    loads: Sequence[Load]
    """Loads of these documents and of the communes, also of other datasets."""


def facts_in(reads: Reads, boxes: Sequence[Box], communes: tuple[str, ...]) -> PlanningFacts | None:
    """What any document draws, where its bounding box intersects one of these boxes, and what is known of planning in
    these communes. None if there are MAX_ROWS or more zones, prescriptions or informations.
    """
    connection, in_boxes = reads.snapshot, {"boxes": json.dumps(boxes)}
    zones = ZONES.read(connection, _ZONES, in_boxes)
    prescriptions, informations = (
        repository.read(connection, statement, in_boxes)
        for repository, statement in ((PRESCRIPTIONS, _PRESCRIPTIONS), (INFORMATIONS, _INFORMATIONS))
    )
    if max(len(zones), len(prescriptions), len(informations)) >= MAX_ROWS:
        return None
    of_features = {record.partition for record in (*prescriptions, *informations)}
    partitions = tuple(sorted(of_features.union(record.partition for record in zones)))
    return PlanningFacts(
        zones,
        prescriptions,
        informations,
        reads.cached(_documents_of, partitions) if partitions else (),
        reads.cached(_is_rnu_in, communes),
        reads.cached(loads.of_partitions, tuple(sorted({*partitions, *communes}))),
    )


def zones_in(
    reads: Reads, boxes: Sequence[Box], communes: tuple[str, ...]
) -> tuple[Sequence[ZoneRecord], Mapping[str, bool | None], Sequence[Load]] | None:
    """The zones, `is_rnu` and `loads` of `facts_in`, without reading prescriptions."""
    zones = ZONES.read(reads.snapshot, _ZONES, {"boxes": json.dumps(boxes)})
    if len(zones) >= MAX_ROWS:
        return None
    partitions = tuple(sorted({record.partition for record in zones}))
    return zones, reads.cached(_is_rnu_in, communes), reads.cached(loads.of_partitions, partitions)


def _is_rnu_in(connection: Connection, communes: tuple[str, ...]) -> dict[str, bool | None]:
    records = COMMUNES.read(connection, _COMMUNES, {"communes": list(communes)})
    return {record.commune_code: record.is_rnu for record in records}


def partitions_of(connection: Connection, communes: Sequence[str]) -> dict[str, list[str]]:
    """The documents that may apply in each commune, whether they are loaded or not. These are the documents in force in
    its middle and the own ones of the commune, of the commune that contains it, and of its intercommunality.
    """
    whole = whole_communes(connection, communes)  # a part of a commune belongs to no intercommunality itself
    codes = sorted({*whole, *whole.values()})
    epci = {row.code: document_of(row.epci) for row in connection.execute(_EPCI, {"communes": codes})}
    documents = {
        code: {code_of("document", code), document_of(whole[code])}
        | {epci[key] for key in (code, whole[code]) if key in epci}
        for code in communes
    }
    for record in IN_FORCE.read(connection, _IN_FORCE, {"communes": communes}):
        documents[record.commune_code].add(record.partition)
    return {code: sorted(names) for code, names in documents.items()}


def replace_zones(connection: Connection, dataset: str, partition: Partition, records: Sequence[ZoneRecord]) -> None:
    """Replaces the zones of a document's part. With zones, deletes those of the other parts: a document is either a
    plan or a carte communale.
    """
    if records:
        columns = dataset_load.c
        is_other_part = (columns.dataset == dataset) & (columns.partition == partition.code)
        is_other_part &= columns.part != partition.part
        for part in connection.scalars(select(columns.part).where(is_other_part)).all():
            ZONES.replace(connection, dataset, Partition(partition.code, part), [])
        connection.execute(delete(dataset_load).where(is_other_part))
    ZONES.replace(connection, dataset, partition, records)


def _fact_reader(
    repository: Repository[Any], kind: FactKind, key: Callable[[Any], str], names: tuple[str, ...]
) -> Callable[..., Iterator[Fact]]:
    """A function that gives the rows of a document's part as facts about their ground, by these columns."""
    columns = repository.table.c
    of_part = (columns.partition == bindparam("of_partition"), columns.part == bindparam("of_part"))
    statement = Prepared(select(*(columns[name] for name in names), columns.geometry).where(*of_part))

    def facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
        parameters = {"of_partition": partition.code, "of_part": partition.part}
        for *values, geometry in statement.rows(connection, parameters):
            value = dict(zip(names, values, strict=True))
            yield Fact(kind, key(value), value, geometry=geometry)

    return facts


zone_facts = _fact_reader(ZONES, "plan", lambda zone: "zone", ("label", "long_label", "zone_type", "sector_type"))
"""The zones of a document. Not its date: each change of a document repeats all zones."""
prescription_facts = _fact_reader(
    PRESCRIPTIONS,
    "prescription",
    lambda row: f"{row['type_code']} {row['subtype_code']} {row['label']}",
    ("label", "type_code", "subtype_code"),
)
_IN_FORCE_OF = Prepared(
    select(planning_in_force.c.commune_code).where(planning_in_force.c.partition == bindparam("of_partition"))
)
_OF_PARTITION = Prepared(DOCUMENTS.select().where(planning_document.c.partition == bindparam("of_partition")))


def document_facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """The planning document of each commune in whose middle it is in force."""
    of_partition = {"of_partition": partition.code}
    communes = _IN_FORCE_OF.values(connection, of_partition)
    for record in DOCUMENTS.read(connection, _OF_PARTITION, of_partition):
        for commune in communes:
            value = values_of(record, ("document_id", "document_type", "approved_on", "url"))
            yield Fact("plan", "document", value, commune)


def in_force_facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """The planning documents that are in force in the middle of a commune."""
    for record in IN_FORCE.read(connection, _IN_FORCE, {"communes": [partition.code]}):
        yield Fact("plan", "in_force", {"document": record.partition}, record.commune_code)


def commune_facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """Whether the national rules apply in a commune."""
    for record in COMMUNES.read(connection, _COMMUNES, {"communes": [partition.code]}):
        yield Fact("plan", "rnu", {"is_rnu": record.is_rnu}, record.commune_code)
