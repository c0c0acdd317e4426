"""Parcels, the territories of communes, and parcels that a newer plan no longer has."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import shapely
from sqlalchemy import ColumnElement, Connection, Index, Table, bindparam, delete, func, insert, literal, select, text

from land.datasets.parcels import ids as parcels
from land.datasets.parcels.records import ParcelOutline, ParcelRecord, RetiredParcelRecord, TerritoryRecord
from land.store.boxes import Box, box_around, ids_in_tree, is_in_boxes
from land.store.feature_rows import FeatureRows, Where
from land.store.loads import Load
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, of_parcels
from land.store.repository import BoxTree, Repository
from land.store.tables import table_of

parcel = table_of(
    ParcelRecord,
    "parcel",
    ["commune_code", "parcel_id"],
    Index("parcel_reference", "commune_code", "section", "number", "prefix"),
)
commune_territory = table_of(TerritoryRecord, "commune_territory", ["commune_code"])
retired_parcel = table_of(RetiredParcelRecord, "retired_parcel", ["commune_code", "parcel_id"])


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
_IN_BOXES = Prepared(
    select(parcel.c.parcel_id).where(text(is_in_boxes("parcel"))), sqlite=text(ids_in_tree("parcel_box"))
)
"""The ids, or their keys on SQLite, as all statements with boxes."""
_OUTLINES_IN_BOXES = Prepared(select(parcel.c.parcel_id, parcel.c.geometry).where(text(is_in_boxes("parcel"))))
_PAGE = Prepared(
    select(parcel.c.parcel_id)
    .where(
        text(is_in_boxes("parcel")),
        parcel.c.parcel_id > bindparam("after"),
        parcel.c.parcel_id < bindparam("before"),
    )
    .order_by(parcel.c.parcel_id)
    .limit(bindparam("count")),
    sqlite=text(
        f"SELECT DISTINCT id FROM ({ids_in_tree('parcel_box')}) WHERE id > :after AND id < :before"  # noqa: S608
        " ORDER BY id LIMIT :count"
    ),
)
_COMMUNES = Prepared(
    select(parcel.c.commune_code).where(text(is_in_boxes("parcel"))).distinct(),
    sqlite=text(f"SELECT DISTINCT id / {parcels.KEYS_OF_COMMUNE} FROM ({ids_in_tree('parcel_box')})"),  # noqa: S608
)
_OF_COMMUNE = Prepared(
    select(parcel.c.parcel_id).where(parcel.c.commune_code.in_(IN_COMMUNES)).order_by(parcel.c.parcel_id)
)
_OUTLINES_OF_COMMUNE = Prepared(
    select(parcel.c.geometry).where(parcel.c.commune_code.in_(IN_COMMUNES), parcel.c.geometry.is_not(None))
)
_SECTIONS_WITH_UNDRAWN = Prepared(
    select(func.substr(parcel.c.parcel_id, 1, 10))
    .where(parcel.c.commune_code.in_(IN_COMMUNES), parcel.c.geometry.is_(None))
    .distinct()
)
_WRITTEN = Prepared(
    PARCELS.select()
    .where(parcel.c.commune_code.in_(IN_COMMUNES), parcel.c.parcel_id.like(bindparam("pattern")))
    .order_by(parcel.c.parcel_id)
)
_TERRITORIES = TERRITORIES.of_communes()
_RETIRED_IN_COMMUNE = RETIRED.of_communes()
_FIRST_COMPARED = Prepared(
    select(func.min(retired_parcel.c.last_edition)).where(retired_parcel.c.commune_code == bindparam("commune"))
)


def _in_section(table: Table, *columns: ColumnElement[Any]) -> Prepared:
    ids = table.c.parcel_id.between(bindparam("first"), bindparam("last"))
    return Prepared(
        select(*columns).where(table.c.commune_code == bindparam("commune"), ids).order_by(table.c.parcel_id)
    )


def box_of(connection: Connection, commune_code: str, metres: float) -> Box | None:
    """The box around the outlines of a commune's parcels, widened by so many metres; None without an outline."""
    outlines = _OUTLINES_OF_COMMUNE.values(connection, {"communes": [commune_code]})
    return box_around(shapely.total_bounds(shapely.from_wkb(outlines)).tolist(), metres) if outlines else None


def sections_with_undrawn(connection: Connection, communes: Sequence[str]) -> list[str]:
    """The sections with a parcel without an outline, as the first ten characters of its id."""
    return _SECTIONS_WITH_UNDRAWN.values(connection, {"communes": list(communes)})


def ids_of(connection: Connection, commune_code: str) -> list[str]:
    """The ids of a commune's parcels, in order."""
    return _OF_COMMUNE.values(connection, {"communes": [commune_code]})


def parcels_by_id(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, ParcelRecord]:
    """The existing ones, by id."""
    if not parcel_ids:
        return {}
    return {record.parcel_id: record for record in PARCELS.read(connection, _BY_ID, of_parcels(parcel_ids))}


def parcels_written(connection: Connection, communes: Sequence[str], pattern: str) -> list[ParcelRecord]:
    """The parcels of the communes whose id has this form, where `_` is any character, in order of id."""
    return PARCELS.read(connection, _WRITTEN, {"communes": list(communes), "pattern": pattern})


def chosen_in_boxes(connection: Connection, boxes: Sequence[Box], chosen: parcels.ParcelKeys) -> list[str]:
    """The ids of those chosen parcels whose bounding box intersects one of these, each once."""
    return list(map(parcels.from_key, parcels.among(_keys_in_boxes(connection, boxes), chosen)))


def _keys_in_boxes(connection: Connection, boxes: Sequence[Box]) -> set[int]:
    found = _IN_BOXES.values(connection, {"boxes": json.dumps(boxes)})
    return set(found if connection.dialect.name == "sqlite" else map(parcels.to_key, found))


def outlines_of(connection: Connection, parcel_ids: Sequence[str]) -> list[ParcelOutline]:
    """The outlines of these parcels, in order of id."""
    return list(map(ParcelOutline._make, sorted(_OUTLINES_BY_ID.rows(connection, of_parcels(parcel_ids)))))


def outlines_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[ParcelOutline]:
    """Parcels whose bounding box intersects one of these, in any commune, each once, in order of id."""
    if connection.dialect.name == "sqlite":
        return outlines_of(connection, list(map(parcels.from_key, _keys_in_boxes(connection, boxes))))
    rows = _OUTLINES_IN_BOXES.rows(connection, {"boxes": json.dumps(boxes)})
    return list(map(ParcelOutline._make, sorted(rows)))


def ids_in_boxes(connection: Connection, boxes: Sequence[Box], after: str, before: str, count: int) -> list[str]:
    """The first ids between two ids, in order, of parcels whose bounding box intersects one of the boxes."""
    parameters = {"boxes": json.dumps(boxes), "count": count}
    if connection.dialect.name != "sqlite":
        return _PAGE.values(connection, {**parameters, "after": after, "before": before})
    keys = {"after": parcels.to_key(after), "before": parcels.to_key(before)}
    return list(map(parcels.from_key, _PAGE.values(connection, {**parameters, **keys})))


def communes_in_boxes(connection: Connection, boxes: Sequence[Box]) -> list[str]:
    """The communes with a parcel whose bounding box intersects one of the boxes, in order."""
    found = _COMMUNES.values(connection, {"boxes": json.dumps(boxes)})
    return sorted(map(parcels.commune_from_key, found) if connection.dialect.name == "sqlite" else found)


def territories_of(connection: Connection, communes: Iterable[str]) -> dict[str, bytes]:
    """The loaded territories of these communes as WKB, by commune."""
    territories = TERRITORIES.read(connection, _TERRITORIES, {"communes": sorted(communes)})
    return {record.commune_code: record.geometry for record in territories}


def _of_ids(ids: Sequence[str]) -> Where:
    return parcel.c.commune_code.in_(sorted({parcel_id[:5] for parcel_id in ids})) & parcel.c.parcel_id.in_(ids)


def _in_box(connection: Connection, box: Box) -> Where:
    in_communes = parcel.c.commune_code.in_(communes_in_boxes(connection, [box]))
    boxes = json.dumps([box])
    if connection.dialect.name != "sqlite":
        return in_communes & text(is_in_boxes("parcel")).bindparams(boxes=boxes)
    ids = json.dumps(list(map(parcels.from_key, _keys_in_boxes(connection, [box]))))
    return in_communes & parcel.c.parcel_id.in_(text("SELECT value FROM json_each(:ids)").bindparams(ids=ids))


FEATURES = FeatureRows(
    PARCELS.select(),
    (parcel.c.commune_code, parcel.c.parcel_id),
    "commune_code",
    _in_box,
    {"commune_code": parcel.c.commune_code.in_, "parcel_id": _of_ids},
    id_start=5,
)


def keep_vanished(connection: Connection, before: Load, after: Load, records: Sequence[ParcelRecord]) -> None:
    """Keeps the loaded parcels that the next edition of their plan does not have, before it replaces them. Deletes the
    kept ones that it has again.
    """
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


retired_parcels = RETIRED.reading(RETIRED.of_parcels(), of_parcels)
"""The parcels, of these ids, that an earlier loaded edition of the plan had."""


def of_section(section: str) -> dict[str, str]:
    """The parameters for the parcels of a section, by the first ten characters of their ids."""
    return {"commune": parcels.commune_of(section), "first": f"{section}0000", "last": f"{section}9999"}


retired_in_section = RETIRED.reading(_in_section(retired_parcel, *RETIRED.columns), of_section)
"""The parcels of a section that an earlier loaded edition of the plan had."""


def retired_in_commune(connection: Connection, commune_code: str) -> list[RetiredParcelRecord]:
    """The parcels of a commune that an earlier loaded edition of the plan had, in order."""
    return sorted(RETIRED.read(connection, _RETIRED_IN_COMMUNE, {"communes": [commune_code]}))


areas_in_section = _in_section(
    parcel, parcel.c.parcel_id, func.coalesce(parcel.c.cadastral_area_m2, parcel.c.geometric_area_m2)
).pairs(of_section)
"""The declared area of each parcel of a section, or else the drawn one, in m²."""


def first_compared_edition(connection: Connection, commune: str) -> str | None:
    """The first edition of the commune's plan that is known to have been compared with the next one."""
    editions: list[str | None] = _FIRST_COMPARED.values(connection, {"commune": commune})
    return editions[0]


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    ordered = iter(sorted(ids))
    while batch := list(islice(ordered, MAX_IDS)):
        yield batch
