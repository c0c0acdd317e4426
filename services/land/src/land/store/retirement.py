"""Parcels that are no more: what a new edition of a plan leaves out, and what sales and permits still name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import shapely
from sqlalchemy import Connection, bindparam, delete, exists, insert, literal, select

from land import parcels
from land.records.parcels import ParcelRecord, RetiredParcelRecord
from land.store import reading
from land.store.boxes import Box
from land.store.loads import Load, is_newer
from land.store.tables import dataset_load, parcel, permit_reference, retired_parcel, sale
from land.units.succession import RetiredParcel, successors

_IDS_AT_ONCE = 5_000

_RETIRED = select(*(retired_parcel.c[name] for name in RetiredParcelRecord._fields)).where(
    retired_parcel.c.commune_code.in_(bindparam("communes", expanding=True)),
    retired_parcel.c.parcel_id.in_(bindparam("parcel_ids", expanding=True)),
)
_RENAMED = (
    select(sale.c.ancien_id_parcelle, sale.c.id_parcelle)
    .where(sale.c.ancien_id_parcelle.in_(bindparam("parcel_ids", expanding=True)), sale.c.ancien_id_parcelle != "")
    .where(exists().where(parcel.c.commune_code == sale.c.commune_code, parcel.c.parcel_id == sale.c.id_parcelle))
    .distinct()
    .order_by(sale.c.ancien_id_parcelle, sale.c.id_parcelle)
)
_PLANS = select(dataset_load.c.unit).where(
    dataset_load.c.dataset == "cadastre-parcels", dataset_load.c.unit.in_(bindparam("communes", expanding=True))
)
_SOLD = (
    select(sale.c.id_parcelle)
    .where(
        sale.c.commune_code.in_(bindparam("communes", expanding=True)),
        sale.c.id_parcelle.in_(bindparam("parcel_ids", expanding=True)),
    )
    .distinct()
)
_SOLD_BEFORE = (
    select(sale.c.ancien_id_parcelle)
    .where(sale.c.ancien_id_parcelle.in_(bindparam("parcel_ids", expanding=True)), sale.c.ancien_id_parcelle != "")
    .distinct()
)
_PERMITTED = select(
    permit_reference.c.commune_code, permit_reference.c.prefix, permit_reference.c.section, permit_reference.c.number
).where(
    permit_reference.c.commune_code.in_(bindparam("communes", expanding=True)),
    permit_reference.c.section.in_(bindparam("sections", expanding=True)),
    permit_reference.c.number.in_(bindparam("numbers", expanding=True)),
    permit_reference.c.placement == "retired",
)


def keep_vanished(connection: Connection, before: Load, after: Load, records: Sequence[ParcelRecord]) -> None:
    """Keeps the parcels that the plan still has and its next edition has not, before that takes its place; forgets
    those that are there again.

    Only of an edition that is known to be newer: what an older one does not have was not there yet.
    """
    if not is_newer(after.edition, before.edition):
        return
    code = after.unit.code
    there = {record.parcel_id for record in records}
    present = set(connection.scalars(select(parcel.c.parcel_id).where(parcel.c.commune_code == code)))
    vanished = present - there
    for ids in _batches(there | vanished):
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


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    ordered = iter(sorted(ids))
    while batch := list(islice(ordered, _IDS_AT_ONCE)):
        yield batch


def find_retired(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, RetiredParcel]:
    """Those of these ids, of which no loaded plan has a parcel, that were parcels once.

    An earlier edition that was loaded here shows it, and what follows on its ground; or DVF, which pairs a former id
    with the present one; or a sale or a permit that names a parcel which its commune's loaded plan does not have.
    """
    if not parcel_ids:
        return {}
    communes = sorted({parcel_id[:5] for parcel_id in parcel_ids})
    wanted = {"communes": communes, "parcel_ids": list(parcel_ids)}
    gone = [RetiredParcelRecord._make(row) for row in connection.execute(_RETIRED, wanted)]
    renamed: dict[str, list[str]] = {}
    for former, now in connection.execute(_RENAMED, wanted):
        renamed.setdefault(former, []).append(now)
    found = {
        parcel_id: RetiredParcel(parcel_id, None, tuple(renamed.get(parcel_id, ())))
        for parcel_id in {*renamed, *_told_of(connection, parcel_ids, wanted)}
    }
    boxes = [Box(*shapely.from_wkb(row.geometry).bounds) for row in gone if row.geometry]
    around = reading.parcels_in_boxes(connection, boxes) if boxes else []
    for row in gone:
        followed = successors(row.geometry, row.parcel_id[:5], around) if row.geometry else ()
        followed = followed or tuple(renamed.get(row.parcel_id, ()))
        found[row.parcel_id] = RetiredParcel(row.parcel_id, row.last_edition, followed)
    return found


def _told_of(connection: Connection, parcel_ids: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> set[str]:
    """Ids that a sale or a permit names although their commune's plan, which is loaded, does not have them."""
    parts = [parsed for parcel_id in parcel_ids if (parsed := parcels.parse(parcel_id))]
    plans = set(connection.scalars(_PLANS, {"communes": wanted["communes"]}))
    told = set(connection.scalars(_SOLD, wanted))
    sections, numbers = sorted({part.section for part in parts}), sorted({part.number for part in parts})
    named = {"communes": wanted["communes"], "sections": sections, "numbers": numbers}
    # A permit that gives no prefix means the ordinary one.
    permits = {(row[0], row[1] or "000", row[2], row[3]) for row in connection.execute(_PERMITTED, named)}
    told |= {str(part) for part in parts if tuple(part) in permits}
    told = {parcel_id for parcel_id in told if parcel_id[:5] in plans}
    return told | set(connection.scalars(_SOLD_BEFORE, {"parcel_ids": wanted["parcel_ids"]}))
