"""Watches of partners, the changes that loads write in their own transaction, and the events of the watches."""

import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    text,
    true,
    tuple_,
)

from land.datasets.facts import FactKind
from land.datasets.partitions import Partition
from land.store.boxes import Box, ids_in_tree, meets_boxes
from land.store.loads import COMMUNE_CODE_LENGTH, boxes_of, lock
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, of_parcels
from land.store.repository import insert_rows
from land.store.tables import dataset_load, metadata, upsert
from servicekit.webhooks.endpoints import Endpoints

watch = Table(
    "watch",
    metadata,
    Column("owner", String(80), primary_key=True, comment="the scope and the id of the partner"),
    Column("watch_id", String(40), primary_key=True),
    Column("name", Text),
    Column("created_at", String(20), nullable=False),
    Column("area", LargeBinary, comment="WKB, of a watch of an area"),
    Column("positions", Integer, nullable=False, comment="of the area, or the number of parcels"),
    *(Column(name, Float(53)) for name in Box._fields),
)
watched_place = Table(
    "watched_place",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("parcel_id", String(14), primary_key=True, comment="empty for the whole commune"),
    Column("owner", String(80), primary_key=True),
    Column("watch_id", String(40), primary_key=True),
    Index("watched_place_watch", "owner", "watch_id"),
)
event = Table(
    "event",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("owner", String(80), nullable=False),
    Column("created_at", String(20), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("before", LargeBinary, comment="JSON"),
    Column("after", LargeBinary, comment="JSON"),
    Column("dataset", String(40), nullable=False),
    Column("previous_edition", String(40)),
    Column("edition", String(40), nullable=False),
    Column("commune_codes", Text, nullable=False, comment="separated by spaces, as the following"),
    Column("parcel_ids", Text, nullable=False),
    Column("watch_ids", Text, nullable=False),
    Index("event_owner", "owner", "id"),
    Index("event_created", "created_at"),
    comment="Ids grow in the order of commits, so a reader that has seen one has seen all before it.",
)
pending_changes = Table(
    "pending_changes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("dataset", String(40), nullable=False),
    Column("edition", String(40), nullable=False),
    Column("previous_edition", String(40)),
    Column("changes", LargeBinary, nullable=False, comment="compressed JSON"),
    comment="What loads changed, until events are made of it.",
)
webhooks = Endpoints(metadata, event)
evicted_facts = Table(
    "evicted_facts",
    metadata,
    Column("dataset", String(40), primary_key=True),
    Column("partition", String(40), primary_key=True),
    Column("part", String(200), primary_key=True),
    Column("edition", String(40), nullable=False),
    Column("facts", LargeBinary, nullable=False, comment="compressed JSON"),
    comment="Facts of watched partitions that were evicted, which the next load of the part is compared with.",
)
_f = evicted_facts.c
_w, _p, _e, _l, _c = watch.c, watched_place.c, event.c, dataset_load.c, pending_changes.c
_CHANGES_OF_ROW = 5_000
"""Changes that become events in one transaction."""
_PARCELS_OF_STATEMENT = 10_000
_PLACES = select(_p.owner, _p.watch_id, _p.commune_code, _p.parcel_id)
_OF_COMMUNES = Prepared(_PLACES.where(_p.commune_code.in_(IN_COMMUNES)))
_OF_PARCELS = Prepared(_PLACES.where(_p.commune_code.in_(IN_COMMUNES), _p.parcel_id.in_(WITH_IDS)))
_MEETS_BOXES = text(meets_boxes("ST_MakeEnvelope(west, south, east, north, 4326)"))
_IS_IN_TREE = tuple_(_w.owner, _w.watch_id).in_(text(ids_in_tree("watch_box", "owner, found.watch_id")))
_AREAS = Prepared(
    select(_w.owner, _w.watch_id, _w.west, _w.south, _w.east, _w.north).where(_MEETS_BOXES),
    sqlite=text(
        ids_in_tree("watch_box", "owner, found.watch_id, found.min_lon, found.min_lat, found.max_lon, max_lat")
    ),
)
_AREA = Prepared(select(_w.area).where(_w.owner == bindparam("of_owner"), _w.watch_id == bindparam("of_watch")))
_ANY = select(literal(1)).select_from(watch).limit(1)
_ANY_AREA = Prepared(_ANY.where(_MEETS_BOXES), sqlite=_ANY.where(_IS_IN_TREE))


@dataclass(frozen=True)
class Watch:
    """What a partner watches: parcels, a commune or an area."""

    watch_id: str
    name: str | None
    created_at: str
    area: bytes | None = None
    commune_code: str = ""
    parcel_ids: Sequence[str] = ()


class FactChange(NamedTuple):
    """A fact that is new, changed or gone at some places. Both values are JSON; None where there was or is no fact."""

    kind: FactKind
    before: bytes | None
    after: bytes | None
    places: list[str]
    """Parcel ids or commune codes, in order."""


class Origin(NamedTuple):
    """The load that changes come from."""

    dataset: str
    edition: str
    previous_edition: str | None


class Event(NamedTuple):
    """A row of `event`, in the order of its columns."""

    id: int
    owner: str
    created_at: str
    kind: str
    before: bytes | None
    after: bytes | None
    dataset: str
    previous_edition: str | None
    edition: str
    commune_codes: str
    parcel_ids: str
    watch_ids: str


def put_watch(connection: Connection, owner: str, new: Watch, box: Box | None, positions: int) -> None:
    """Stores a watch, or only the name of one that exists."""
    row = {
        "owner": owner, "watch_id": new.watch_id, "name": new.name, "created_at": new.created_at, "area": new.area,
        "positions": positions,
    }  # fmt: skip
    connection.execute(upsert(connection, watch, name=new.name), row | (box._asdict() if box else {}))
    places = [(parcel_id[:5], parcel_id) for parcel_id in new.parcel_ids]
    if new.commune_code:
        places.append((new.commune_code, ""))
    of_watch = {"owner": owner, "watch_id": new.watch_id}
    delete_places(connection, owner, new.watch_id)
    if places:
        rows = [of_watch | {"commune_code": commune, "parcel_id": parcel_id} for commune, parcel_id in places]
        connection.execute(insert(watched_place), rows)


def delete_watch(connection: Connection, owner: str, watch_id: str) -> bool:
    """Returns whether there was one."""
    delete_places(connection, owner, watch_id)
    return connection.execute(delete(watch).where(_w.owner == owner, _w.watch_id == watch_id)).rowcount > 0


def delete_places(connection: Connection, owner: str, watch_id: str) -> None:
    connection.execute(delete(watched_place).where(_p.owner == owner, _p.watch_id == watch_id))


def owners_after(connection: Connection, after: str, limit: int) -> list[str]:
    """The owners of watches or endpoints after this one, in order."""
    statement = select(_w.owner).distinct().where(_w.owner > after).order_by(_w.owner).limit(limit)
    return sorted({*connection.scalars(statement), *webhooks.owners_after(connection, after, limit)})[:limit]


def delete_owner(connection: Connection, owner: str) -> None:
    """Deletes the watches and endpoints of an owner."""
    connection.execute(delete(watched_place).where(_p.owner == owner))
    connection.execute(delete(watch).where(_w.owner == owner))
    webhooks.delete_all(connection, [owner])


def watch_count(connection: Connection, owner: str) -> tuple[int, int]:
    """The number of watches of an owner, and of their positions."""
    statement = select(func.count(), func.coalesce(func.sum(_w.positions), 0)).where(_w.owner == owner)
    count, positions = connection.execute(statement).one()
    return count, int(positions)


def watches(connection: Connection, owner: str, after: str, limit: int, only: str = "") -> list[Watch]:
    """The watches after an id, in order of id, or `only` one."""
    statement = select(_w.watch_id, _w.name, _w.created_at, _w.area).where(
        _w.owner == owner, _w.watch_id > after, _w.watch_id == only if only else true()
    )
    rows = connection.execute(statement.order_by(_w.watch_id).limit(limit)).all()
    of_page = (_p.owner == owner, _p.watch_id.in_([row.watch_id for row in rows]))
    places = select(_p.watch_id, _p.commune_code, _p.parcel_id).where(*of_page).order_by(_p.parcel_id)
    parcels: dict[str, list[str]] = {row.watch_id: [] for row in rows}
    communes: dict[str, str] = {}
    for watch_id, commune_code, parcel_id in connection.execute(places):
        if parcel_id:
            parcels[watch_id].append(parcel_id)
        else:
            communes[watch_id] = commune_code
    return [Watch(*row, communes.get(row.watch_id, ""), parcels[row.watch_id]) for row in rows]


def is_watched(connection: Connection, partition: Partition, communes: Collection[str]) -> bool:
    """Whether a watch is of one of these communes, or of an area that meets the loads of the partition. Of a partition
    without communes: whether there is any watch.
    """
    if not communes:
        return connection.scalar(_ANY) is not None
    in_commune = select(literal(1)).where(_p.commune_code.in_(sorted(communes))).limit(1)
    if connection.scalar(in_commune) is not None:
        return True
    boxes = list(boxes_of(connection, {partition.code, *communes}).values())
    return bool(_ANY_AREA.rows(connection, {"boxes": json.dumps(boxes)}))


def watched_communes(connection: Connection, department: str) -> list[str]:
    """The loaded communes of a département with watches, in order."""
    places = select(_p.commune_code).where(_p.commune_code.startswith(department))
    meets = (_w.west <= _l.east) & (_w.east >= _l.west) & (_w.south <= _l.north) & (_w.north >= _l.south)
    is_commune = func.length(_l.partition) == COMMUNE_CODE_LENGTH
    in_areas = select(_l.partition).join(watch, meets).where(_l.partition.startswith(department), is_commune)
    return sorted(connection.scalars(places.union(in_areas)))


def places_watched(
    connection: Connection, parcel_ids: Collection[str], communes: Collection[str]
) -> list[tuple[str, str, str]]:
    """The watches of these parcels and of their communes, and all watches in these communes: owner, id and place."""
    rows = _OF_COMMUNES.rows(connection, {"communes": list(communes)}) if communes else []
    ordered = sorted(parcel_ids)
    for start in range(0, len(ordered), _PARCELS_OF_STATEMENT):
        part = ordered[start : start + _PARCELS_OF_STATEMENT]
        rows += _OF_PARCELS.rows(connection, of_parcels(part) | {"parcel_ids": ["", *part]})
    return [(owner, watch_id, parcel_id or commune) for owner, watch_id, commune, parcel_id in rows]


def areas_watched(connection: Connection, boxes: Sequence[Box]) -> set[tuple[str, str, Box]]:
    """The owner, the id and the box of each watch of an area whose box meets one of these."""
    rows = _AREAS.rows(connection, {"boxes": json.dumps(boxes)})
    return {(owner, watch_id, Box(*box)) for owner, watch_id, *box in rows}


def area_of(connection: Connection, owner: str, watch_id: str) -> bytes:
    """The area of a watch, as WKB."""
    (area,) = _AREA.values(connection, {"of_owner": owner, "of_watch": watch_id})
    return bytes(area)


def put_changes(connection: Connection, changes: Sequence[FactChange], origin: Origin) -> None:
    """Stores changes until `take_changes`."""
    rows = []
    for start in range(0, len(changes), _CHANGES_OF_ROW):
        document = orjson.dumps(list(map(tuple, changes[start : start + _CHANGES_OF_ROW])), default=bytes.decode)
        rows.append(origin._asdict() | {"changes": zlib.compress(document, level=1)})
    connection.execute(insert(pending_changes), rows)


def has_changes(connection: Connection) -> bool:
    return connection.scalar(select(_c.id).limit(1)) is not None


def oldest_changes(connection: Connection) -> tuple[int, Origin, list[FactChange]] | None:
    """The id, the origin and the content of the row of changes that waits longest."""
    row = connection.execute(select(pending_changes).order_by(_c.id).limit(1)).first()
    if row is None:
        return None
    changes = [
        FactChange(kind, before and before.encode(), after and after.encode(), places)
        for kind, before, after, places in orjson.loads(zlib.decompress(row.changes))
    ]
    return row.id, Origin(row.dataset, row.edition, row.previous_edition), changes


def take_changes(connection: Connection, row_id: int) -> bool:
    """Deletes a row of changes. Returns whether it existed."""
    return connection.execute(delete(pending_changes).where(_c.id == row_id)).rowcount > 0


def add_events(connection: Connection, events: Sequence[Event], oldest: str, max_per_owner: int) -> None:
    """Stores events, whose ids are set here. Deletes those from before the instant `oldest`, and the oldest of an owner
    who has more than `max_per_owner`. Other writers of events wait until this transaction ends: so ids become visible
    in their order.
    """
    lock(connection, "events")
    last = connection.scalar(select(func.max(_e.id))) or 0
    insert_rows(connection, event, Event._fields, ((id_, *new[1:]) for id_, new in enumerate(events, last + 1)))
    connection.execute(delete(event).where(_e.created_at < oldest, _e.id <= last))
    for owner in sorted({new.owner for new in events}):
        newest = select(_e.id).where(_e.owner == owner).order_by(_e.id.desc())
        excess = connection.scalar(newest.offset(max_per_owner).limit(1))
        connection.execute(delete(event).where(_e.owner == owner, _e.id <= (excess or 0)))


def put_evicted_facts(connection: Connection, dataset: str, partition: Partition, edition: str, facts: bytes) -> None:
    """Stores the facts of a part whose rows are deleted."""
    take_evicted_facts(connection, dataset, partition)
    row = {"dataset": dataset, "partition": partition.code, "part": partition.part, "edition": edition, "facts": facts}
    connection.execute(insert(evicted_facts), row)


def take_evicted_facts(connection: Connection, dataset: str, partition: Partition) -> tuple[str, bytes] | None:
    """Deletes the facts of an evicted part. Returns its edition and them; None if there are none."""
    is_part = (_f.dataset == dataset, _f.partition == partition.code, _f.part == partition.part)
    row = connection.execute(delete(evicted_facts).where(*is_part).returning(_f.edition, _f.facts)).first()
    return None if row is None else (row.edition, row.facts)


def events_after(connection: Connection, owner: str, after: int, limit: int) -> list[Event]:
    statement = select(event).where(_e.owner == owner, _e.id > after).order_by(_e.id).limit(limit)
    return list(map(Event._make, connection.execute(statement)))
