"""Permits, and the parcels that their references name.

A reference gives a section and a number, rarely the prefix. It is *placed* if exactly one parcel of the commune's
cadastre matches, *ambiguous* if several match, and *retired* if none matches. A retired reference is wrong, or its
parcel no longer exists. A reference is *unchecked* if no cadastre is loaded. Answers show placed references only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    SmallInteger,
    Text,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    null,
    select,
    true,
    update,
)

from contract.collections import PERMIT_FACT
from land.datasets.communes.queries import whole_communes
from land.datasets.facts import Fact, values_of
from land.datasets.parcels import ids as parcels
from land.datasets.parcels.queries import communes_in_boxes, parcel
from land.datasets.partitions import Partition, filing_commune
from land.datasets.permits.records import PermitRecord, PermitReferenceRow, Placement
from land.store.boxes import Box
from land.store.feature_rows import FeatureRows, Where
from land.store.loads import lock
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, any_of, of_communes, of_parcels
from land.store.repository import Repository
from land.store.tables import table_of

permit = table_of(
    PermitRecord,
    "permit",
    ["filing_commune", "dataset", "number"],
    references=None,
    unreadable_references=SmallInteger,
)
permit_reference = table_of(
    PermitReferenceRow,
    "permit_reference",
    ["commune_code", "section", "number", "dataset", "permit_number", "prefix"],
    Column("filing_commune", Text, nullable=False),
    Column("placement", Text, nullable=False, server_default="unchecked"),
    Column("parcel_id", Text),
    Index("permit_reference_parcel", "commune_code", "parcel_id"),
    Index("permit_reference_filing", "filing_commune", "dataset"),
)
"""`parcel_id` is the one parcel that a placed reference names."""
placement = table_of(Placement, "placement", ["commune_code"])
PERMITS = Repository(permit, PermitRecord, ["filing_commune", "dataset"])
REFERENCES = Repository(permit_reference, PermitReferenceRow, ["filing_commune", "dataset"])
FILING_COMMUNES = REFERENCES.values_of_communes("filing_commune")
PLACEMENTS = Repository(placement, Placement)

_reference = permit_reference.c
_OF_REFERENCE = (
    (permit.c.filing_commune == _reference.filing_commune)
    & (permit.c.dataset == _reference.dataset)
    & (permit.c.number == _reference.permit_number)
)
_PLACED_ON = (_reference.commune_code.in_(IN_COMMUNES), _reference.parcel_id.in_(WITH_IDS))
_ON_PARCELS = Prepared(
    select(_reference.parcel_id, *PERMITS.columns)
    .join(permit, _OF_REFERENCE)
    .where(*_PLACED_ON)
    .order_by(_reference.parcel_id, permit.c.series, permit.c.number, permit.c.dataset)
    .distinct()
)
_NAMED = Prepared(
    select(_reference.parcel_id)
    .where(_reference.commune_code.in_(IN_COMMUNES), _reference.parcel_id.is_not(None))
    .distinct()
)
_PERMITTED_SINCE = Prepared(
    select(_reference.parcel_id)
    .join(permit, _OF_REFERENCE)
    .where(*_PLACED_ON, permit.c.date_reelle_autorisation >= bindparam("since"))
    .distinct()
)
_NAME = (_reference.commune_code, _reference.section, _reference.number)


def _naming(outcome: str, *columns: ColumnElement[Any]) -> Prepared:
    """Reads references of this placement with the section and number of any of some parcels, and their permits."""
    names = zip(_NAME, (IN_COMMUNES, any_of("sections"), any_of("numbers")), strict=True)
    return Prepared(
        select(*columns)
        .join(permit, _OF_REFERENCE)
        .where(*(column.in_(values) for column, values in names), _reference.placement == outcome)
        .order_by(permit.c.series, permit.c.number, permit.c.dataset)
    )


_AMBIGUOUS = _naming("ambiguous", *_NAME, _reference.dataset, _reference.permit_number)
_RETIRED = _naming("retired", *_NAME, _reference.prefix, *PERMITS.columns)
placements_in = PLACEMENTS.reading(PLACEMENTS.of_communes(), of_communes)
"""Counts of the references to parcels of these communes; only communes with any."""

_FACTS = Prepared(
    select(_reference.parcel_id, *PERMITS.columns)
    .join(permit, _OF_REFERENCE)
    .where(
        _reference.filing_commune == bindparam("of_commune"),
        _reference.dataset == bindparam("of_dataset"),
        _reference.parcel_id.is_not(None),
    )
)


def facts(connection: Connection, dataset: str, partition: Partition) -> Iterator[Fact]:
    """The permits of a filing commune on the parcels that their references name."""
    for parcel_id, *columns in _FACTS.rows(connection, {"of_commune": partition.code, "of_dataset": dataset}):
        row = PermitRecord(*columns)
        yield Fact(
            "permit", f"{row.series} {row.number}", values_of(row, ("series", "number", *PERMIT_FACT)), parcel_id
        )


def _in_box(connection: Connection, box: Box) -> Where:
    return _reference.commune_code.in_(communes_in_boxes(connection, [box]))


def _of_ids(ids: Sequence[str]) -> Where:
    return _reference.commune_code.in_(sorted({parcel_id[:5] for parcel_id in ids})) & _reference.parcel_id.in_(ids)


FEATURES = FeatureRows(
    select(_reference.commune_code, _reference.parcel_id, *PERMITS.columns, parcel.c.geometry)
    .join(permit, _OF_REFERENCE)
    .join(parcel, (parcel.c.commune_code == _reference.commune_code) & (parcel.c.parcel_id == _reference.parcel_id))
    .where(_reference.placement == "placed"),
    tuple(permit_reference.primary_key),
    "commune_code",
    _in_box,
    {"commune_code": _reference.commune_code.in_, "parcel_id": _of_ids},
)
"""Each permit on each of its parcels, with the parcel's outline."""


def replace_permits(
    connection: Connection,
    dataset: str,
    partition: Partition,
    permits: Iterable[PermitRecord],
    references: Sequence[PermitReferenceRow],
) -> None:
    """Replaces the permits of a filing commune with their references, and places the references."""
    references = _in_present_communes(connection, references)
    filed = (_reference.filing_commune == partition.code, _reference.dataset == dataset)
    communes = set(connection.scalars(select(_reference.commune_code).where(*filed).distinct()))
    REFERENCES.replace(connection, dataset, partition, references)
    PERMITS.replace(connection, dataset, partition, permits)
    place_references(connection, communes | {reference.commune_code for reference in references})


def _in_present_communes(connection: Connection, references: Sequence[PermitReferenceRow]) -> list[PermitReferenceRow]:
    """The references, those to a merged commune in the commune that contains it. There, the prefix of its parcels is
    the end of its code. Some merged communes still have a plan of their own.
    """
    merged = {
        code: commune
        for code, commune in whole_communes(connection, sorted({row.commune_code for row in references})).items()
        if commune != filing_commune(code) and not _has_plan(connection, code)
    }
    return [
        row._replace(commune_code=merged[row.commune_code], prefix=row.prefix or row.commune_code[2:])
        if row.commune_code in merged
        else row
        for row in references
    ]


def _has_plan(connection: Connection, commune: str) -> bool:
    return connection.scalar(select(parcel.c.parcel_id).where(parcel.c.commune_code == commune).limit(1)) is not None


def place_references(connection: Connection, communes: Iterable[str]) -> None:
    """Places all references to parcels of these communes again, and counts the placements."""
    for commune in sorted(communes):
        lock(connection, f"placing {commune}")
        _place(connection, commune)


def place_again(connection: Connection, commune: str) -> None:
    """Places the references to a commune whose plan was loaded, also those in the commune that it merged into."""
    elsewhere = (_reference.filing_commune == commune, _reference.commune_code != commune)
    wholes = set(connection.scalars(select(_reference.commune_code).where(*elsewhere)))
    prefix = func.replace(_reference.prefix, commune[2:], "")
    connection.execute(update(permit_reference).where(*elsewhere).values(commune_code=commune, prefix=prefix))
    place_references(connection, {commune, *wholes})


def _place(connection: Connection, commune: str) -> None:
    is_in_commune = _reference.commune_code == commune
    if not _has_plan(connection, commune):
        connection.execute(update(permit_reference).where(is_in_commune).values(placement="unchecked", parcel_id=None))
    else:
        matching = (
            select(func.count(), func.min(parcel.c.parcel_id))
            .where(
                parcel.c.commune_code == _reference.commune_code,
                parcel.c.section == _reference.section,
                parcel.c.number == _reference.number,
                (_reference.prefix == "") | (_reference.prefix == parcel.c.prefix),
            )
            .correlate(permit_reference)
        )
        count = matching.with_only_columns(func.count()).scalar_subquery()
        only = matching.with_only_columns(func.min(parcel.c.parcel_id)).scalar_subquery()
        outcome = case((count == 1, "placed"), (count > 1, "ambiguous"), else_="retired")
        parcel_id = case((count == 1, only), else_=null())
        is_changed = (_reference.placement != outcome) | _reference.parcel_id.is_distinct_from(parcel_id)
        connection.execute(
            update(permit_reference).where(is_in_commune, is_changed).values(placement=outcome, parcel_id=parcel_id)
        )
    connection.execute(delete(placement).where(placement.c.commune_code == commune))
    outcomes = [name for name in Placement._fields if name != "commune_code"]
    counts = (func.count().filter(_reference.placement == outcome) for outcome in outcomes)
    connection.execute(
        insert(placement).from_select(
            ["commune_code", *outcomes], select(literal(commune), *counts).where(is_in_commune)
        )
    )


def permits_on(connection: Connection, parcel_ids: Sequence[str]) -> list[tuple[str, PermitRecord]]:
    """Parcel id and permit, for each reference that is placed on one of these parcels. In order of parcel, series,
    number and dataset. The records have no references.
    """
    rows = _ON_PARCELS.rows(connection, of_parcels(parcel_ids))
    return [(parcel_id, PermitRecord(*values)) for parcel_id, *values in rows]


def parcels_with_permits(connection: Connection, communes: tuple[str, ...]) -> parcels.ParcelKeys:
    """The parcels of the communes that a permit is placed on."""
    return parcels.keys_of(_NAMED.values(connection, of_communes(communes)))


def permitted_since(connection: Connection, parcel_ids: Sequence[str], since: str) -> set[str]:
    """The parcels, of these, on which a permit was granted on this date or later."""
    return set(_PERMITTED_SINCE.values(connection, of_parcels(parcel_ids) | {"since": since}))


def ambiguous_permit_count(connection: Connection, parcel_ids: Sequence[str]) -> int:
    """Permits whose reference has the section and number of one of these parcels and matches several parcels."""
    ids = [parsed for parcel_id in parcel_ids if (parsed := parcels.parse(parcel_id))]
    rows = _AMBIGUOUS.rows(connection, _names_of(ids))
    named = {(key.commune_code, key.section, key.number) for key in ids}
    return len({(dataset, permit) for *reference, dataset, permit in rows if tuple(reference) in named})


def permits_on_former(connection: Connection, parcel_ids: Sequence[str]) -> list[tuple[str, PermitRecord]]:
    """Parcel id and permit, for each reference to one of these parcels that the loaded plan of its commune does not
    have. In order of series, number and dataset. The records have no references.
    """
    ids = {parsed: parcel_id for parcel_id in parcel_ids if (parsed := parcels.parse(parcel_id))}
    # A permit without a prefix means the prefix 000.
    return [
        (ids[named], PermitRecord(*values))
        for commune, section, number, prefix, *values in _RETIRED.rows(connection, _names_of(ids))
        if (named := parcels.ParcelId(commune, prefix or "000", section, number)) in ids
    ]


def _names_of(ids: Iterable[parcels.ParcelId]) -> dict[str, Any]:
    """Parameters for references with the section and number of any of these parcels."""
    return {
        "communes": sorted({parcel_id.commune_code for parcel_id in ids}),
        "sections": sorted({parcel_id.section for parcel_id in ids}),
        "numbers": sorted({parcel_id.number for parcel_id in ids}),
    }


def placements(connection: Connection, commune: str) -> list[Placement]:
    """Counts of references by commune; of one commune if given."""
    is_selected = placement.c.commune_code == commune if commune else true()
    statement = PLACEMENTS.select().where(is_selected).order_by(placement.c.commune_code)
    return [Placement._make(row) for row in connection.execute(statement)]
