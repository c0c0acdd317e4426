"""Public easements: the land that bears them, their causes and acts, and what of them is published."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import shapely
from sqlalchemy import Column, Connection, Index, Text, and_, bindparam, func, select

from land.datasets.easements.codes import Document, document_named, is_for_commune
from land.datasets.easements.records import ACTS, EasementDetailRecord, EasementDocumentRecord, EasementRecord
from land.datasets.easements.rows import pieces
from land.datasets.facts import Fact
from land.datasets.parcels.queries import box_of
from land.datasets.partitions import Partition, department_of
from land.store import loads
from land.store.boxes import Box
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.store.prepared import Prepared, any_of
from land.store.repository import Repository
from land.store.tables import dataset_load, table_of

DATASET, DOCUMENTS_DATASET = "gpu-sup", "gpu-sup-documents"
KINDS = ("surface", "line", "point")
"""The parts of a partition that are in the table of easements. The others are in that of details."""
EASEMENTS = Repository.placed(EasementRecord, "easement", geometry_kind=None)
easement_detail = table_of(
    EasementDetailRecord,
    "easement_detail",
    [],
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("easement_detail_partition", "partition", "part"),
    Index("easement_detail_key", "document", "kind", "key"),
)
easement_document = table_of(EasementDocumentRecord, "easement_document", ["department", "document"])
DETAILS = Repository(easement_detail, EasementDetailRecord, ["partition", "part"])
DOCUMENTS = Repository(easement_document, EasementDocumentRecord, ["department"])
MAX_ROWS = 5_000
"""Pieces of easements that one request reads."""
_AROUND_M = 50.0
"""Land around a commune's parcels whose easements are stored with it."""
_e = EASEMENTS.table.c
_generator, _servitude, _link, _act, _file = (
    easement_detail.alias(name) for name in ("generator", "servitude", "link", "act", "file")
)
_DOCUMENTS_IN = EASEMENTS.in_boxes(select(_e.document).distinct())
_WITH_DETAILS = Prepared(
    select(easement_detail.c.partition).where(easement_detail.c.document.in_(any_of("documents"))).distinct()
)


class EasementPiece(NamedTuple):
    """A piece of the land that bears an easement, with the easement's cause and one of its acts."""

    document: str
    category: str
    easement_id: str
    name: str
    type: str | None
    geometry_kind: str
    geometry: bytes
    generator_name: str | None
    generator_type: str | None
    act_name: str | None
    """The name of the act's file, if the act itself is unknown."""
    act_type: str | None
    decided_on: str | None
    act_url: str | None


def _detail(alias: Any, kind: str, key: Any) -> Any:
    return and_(alias.c.document == _e.document, alias.c.kind == kind, alias.c.key == key)


_PIECES = (
    select(
        _e.document, _e.category, _e.easement_id,
        func.coalesce(_e.name, _servitude.c.name, _e.technical_name), _e.type, _e.part, _e.geometry,
        _generator.c.name, _generator.c.type,
        func.coalesce(_act.c.name, _file.c.name, _e.act_file), func.coalesce(_act.c.type, _file.c.type),
        func.coalesce(_act.c.decided_on, _file.c.decided_on), _e.act_url,
    )
    .select_from(EASEMENTS.table)
    # a cause is stored with the easements of the same file or place, so that neighbouring communes do not double it
    .outerjoin(
        _generator, and_(_generator.c.partition == _e.partition, _detail(_generator, "generator", _e.generator_id))
    )
    .outerjoin(_servitude, _detail(_servitude, "servitude", _generator.c.refers_to))
    .outerjoin(_link, _detail(_link, "link", _generator.c.refers_to))
    .outerjoin(_act, _detail(_act, "act", _link.c.refers_to))
    .outerjoin(_file, _detail(_file, "file", _e.act_file))
    .order_by(_e.id)
    .limit(MAX_ROWS)
)  # fmt: skip
_IN_BOXES = EASEMENTS.in_boxes(_PIECES)
_PUBLISHED = Prepared(DOCUMENTS.select().where(easement_document.c.department.in_(any_of("departments"))))
_l = dataset_load.c
_LOADED_DOCUMENTS = Prepared(
    select(_l.partition, _l.part.in_(KINDS)).where(_l.dataset == DATASET, _l.partition.contains("SUP_")).distinct()
)
_UNKNOWN_ACTS = (
    select(_e.document)
    .where(
        _e.partition == bindparam("of_partition"),
        _e.document.not_in(
            select(_l.partition).where(
                _l.dataset == DATASET, _l.part == ACTS, _l.retrieved_at >= bindparam("since")
            )
        ),
    )
    .distinct()
    .order_by(_e.document)
)  # fmt: skip


@dataclass(frozen=True)
class Publication:
    """What is published and loaded for some communes."""

    categories: frozenset[str]
    """The categories whose easements are known in all of the communes."""
    is_whole: bool
    """Whether everything that is published is loaded, for each of the communes by place or by its documents."""
    loads: Sequence[Load]
    """The loads of the communes and of whole documents: those with rows if there are any."""


def facts_in(
    reads: Reads, boxes: Sequence[Box], communes: tuple[str, ...]
) -> tuple[Sequence[EasementPiece], Publication]:
    """The pieces whose bounding box intersects one of these boxes, and what is published of the communes."""
    rows = _IN_BOXES.rows(reads.snapshot, {"boxes": json.dumps(boxes)})
    return list(map(EasementPiece._make, rows)), reads.cached(_publication, communes)


def _publication(connection: Connection, communes: tuple[str, ...]) -> Publication:
    departments = {commune: department_of(commune) for commune in communes}
    published = DOCUMENTS.read(connection, _PUBLISHED, {"departments": sorted({*departments.values()})})
    documents = [document for commune in communes for document in _documents_of(connection, commune, are_whole=True)]
    partitions = [*communes, *departments.values(), *(document.code for document in documents)]
    all_loads = loads.of_partitions(connection, partitions)
    easement_loads = [load for load in all_loads if load.dataset == DATASET]
    listed_departments = {load.partition.code for load in all_loads if load.dataset == DOCUMENTS_DATASET}
    communes_by_place = {load.partition.code for load in easement_loads}.intersection(communes)
    is_whole = all(
        commune in communes_by_place
        or (departments[commune] in listed_departments and _are_in(documents, published, commune))
        for commune in communes
    )
    categories = [
        {
            document.category
            for document in (*documents, *(published if commune in communes_by_place else ()))
            if is_for_commune(document.territory, commune)
        }
        for commune in communes
    ]
    filled = [load for load in easement_loads if load.row_count]
    return Publication(frozenset(set.intersection(*categories)), is_whole, filled or easement_loads)


def _are_in(documents: Sequence[Document], published: Sequence[EasementDocumentRecord], commune: str) -> bool:
    """Whether the documents that are published for a commune are loaded as a whole."""
    names = {document.code for document in documents}
    return all(row.document in names for row in published if is_for_commune(row.territory, commune))


def categories_in(connection: Connection, boxes: Sequence[Box]) -> set[str]:
    """The categories of the documents with easements in one of these boxes."""
    names = _DOCUMENTS_IN.values(connection, {"boxes": json.dumps(boxes)})
    return {document.category for name in names if (document := document_named(name))}


def partitions_in(connection: Connection, boxes: Sequence[Box]) -> set[str]:
    """The partitions with details of the documents whose easements are in one of these boxes."""
    documents = _DOCUMENTS_IN.values(connection, {"boxes": json.dumps(boxes)})
    return set(_WITH_DETAILS.values(connection, {"documents": documents}))


def documents_of(connection: Connection, commune: str) -> list[str]:
    """The loaded documents of easements, also those of which only the acts are loaded, for land of the commune."""
    return [document.code for document in _documents_of(connection, commune, are_whole=False)]


def _documents_of(connection: Connection, commune: str, *, are_whole: bool) -> list[Document]:
    rows = _LOADED_DOCUMENTS.rows(connection)
    documents = {document_named(name) for name, is_whole in rows if is_whole or not are_whole}
    return sorted(document for document in documents if document and is_for_commune(document.territory, commune))


def unknown_acts(connection: Connection, partition: str, since: str) -> list[str]:
    """The documents of a commune's easements whose acts were not loaded since an instant."""
    return list(connection.scalars(_UNKNOWN_ACTS, {"of_partition": partition, "since": since}))


def replace_easements(connection: Connection, dataset: str, partition: Partition, records: Iterable[Any]) -> None:
    """Replaces the easements, or the details, of a part: its records are of one class. Easements are cut into pieces.
    Of a commune, only what reaches its parcels is kept.
    """
    if partition.part not in KINDS:
        DETAILS.replace(connection, dataset, partition, records)
        return
    around = None if document_named(partition.code) else box_of(connection, partition.code, _AROUND_M)
    EASEMENTS.replace(connection, dataset, partition, pieces(records, shapely.box(*around) if around else None))


_FACTS = Prepared(
    select(_e.document, _e.easement_id, _e.category, func.coalesce(_e.name, _e.technical_name), _e.type, _e.geometry)
    .where(_e.partition == bindparam("of_partition"), _e.part == bindparam("of_part"))
)  # fmt: skip


def facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """The easements of a part, on the ground of their pieces."""
    parameters = {"of_partition": partition.code, "of_part": partition.part}
    for document, easement_id, category, name, type_, geometry in _FACTS.rows(connection, parameters):
        value = {"category": category, "easement_id": easement_id, "name": name, "type": type_}
        yield Fact("easement", f"{document} {easement_id}", value, geometry=geometry)
