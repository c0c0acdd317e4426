"""Makes events of the changes that loads wrote, for the watches of their places.

A row of changes is deleted in the transaction that stores its events. So a process that is killed loses no event and
stores none twice: the row stays, and the next step takes it.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import timedelta

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Connection, Engine

from land.datasets.parcels.queries import parcels_by_id, retired_parcels
from land.datasets.partitions import is_demo
from land.sources.values import is_commune_code
from land.store import events, loads
from land.store.boxes import Box
from land.store.events import FactChange, Origin
from land.store.snapshot import snapshot
from servicekit import locks
from servicekit.clock import utc_now
from servicekit.database import for_writing

INTERVAL_S = 1.0
MAX_PARCELS, MAX_WATCHES = 100, 10
"""Parcels and watches that an event names."""
KEPT = timedelta(days=90)
"""How long events are kept."""
DEMO_OWNERS = "demo "
"""The owners with test keys, who watch the demo alone."""

_Watches = dict[str, dict[str, set[str]]]
"""The ids of the watches of each place, by owner: at most MAX_WATCHES of each owner."""


def match_changes(engine: Engine, events_per_owner: int) -> None:
    """Makes events of all changes that wait, one row after the other, unless another process does it. An owner keeps so
    many events.
    """
    with snapshot(engine) as connection:
        if not events.has_changes(connection):
            return
    with locks.held(engine, "events of changes", lambda: True) as is_held:
        while is_held:
            with snapshot(engine) as connection:
                pending = events.oldest_changes(connection)
                if pending is None:
                    return
                row_id, origin, changes = pending
                new_events = _events_of(connection, changes, origin)
            with for_writing(engine).begin() as connection:
                if events.take_changes(connection, row_id) and new_events:
                    events.add_events(connection, new_events, utc_now(minus=KEPT), events_per_owner)


def _events_of(connection: Connection, changes: Sequence[FactChange], origin: Origin) -> list[events.Event]:
    """One event for each change and each partner who watches one of its places."""
    watches = _watches_of(connection, {place for change in changes for place in change.places})
    now, new_events = utc_now(), []
    for change in changes:
        places: defaultdict[str, list[str]] = defaultdict(list)
        watch_ids: defaultdict[str, set[str]] = defaultdict(set)
        for place in change.places:
            for owner, ids in watches.get(place, {}).items():
                places[owner].append(place)
                watch_ids[owner] |= ids
        new_events += [
            events.Event(
                id=0,
                owner=owner,
                created_at=now,
                kind=change.kind,
                before=change.before,
                after=change.after,
                dataset=origin.dataset,
                previous_edition=origin.previous_edition,
                edition=origin.edition,
                commune_codes=" ".join(sorted({place[:5] for place in owned_places})),
                parcel_ids=" ".join([place for place in owned_places if not is_commune_code(place)][:MAX_PARCELS]),
                watch_ids=" ".join(sorted(watch_ids[owner])[:MAX_WATCHES]),
            )
            for owner, owned_places in sorted(places.items())
        ]
    return new_events


def _watches_of(connection: Connection, places: Collection[str]) -> _Watches:
    by_place: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    of_commune: defaultdict[str, list[str]] = defaultdict(list)
    for place in places:
        of_commune[place[:5]].append(place)
    communes = {place for place in places if is_commune_code(place)}
    for owner, watch_id, watched in events.places_watched(connection, set(places) - communes, communes):
        # what happens to a commune happens to its parcels
        affected = of_commune[watched] if is_commune_code(watched) else {watched, watched[:5]}.intersection(places)
        for place in affected:
            if len(by_place[place][owner]) < MAX_WATCHES:
                by_place[place][owner].add(watch_id)
    _add_areas(connection, _shapes_of(connection, places), by_place)
    return {
        place: {owner: ids for owner, ids in owners.items() if is_demo(place) or not owner.startswith(DEMO_OWNERS)}
        for place, owners in by_place.items()
    }


def _add_areas(
    connection: Connection, shapes: dict[str, bytes], by_place: defaultdict[str, defaultdict[str, set[str]]]
) -> None:
    """Adds the watches of areas that meet these shapes, by place. A place is compared with the areas of an owner until
    MAX_WATCHES of them meet it.
    """
    names, drawn = list(shapes), shapely.from_wkb(list(shapes.values()))
    of_communes: defaultdict[str, list[BaseGeometry]] = defaultdict(list)
    for name, outline in zip(names, drawn, strict=True):
        of_communes[name[:5]].append(outline)
    boxes = [Box(*shapely.total_bounds(outlines).tolist()) for outlines in of_communes.values()]
    tree = shapely.STRtree(drawn)
    corners = shapely.get_point(shapely.get_exterior_ring(shapely.get_geometry(drawn, 0)), 0)
    met: defaultdict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(names), int))
    for owner, watch_id, box in sorted(events.areas_watched(connection, boxes)):
        positions = tree.query(shapely.box(*box))
        positions = positions[met[owner][positions] < MAX_WATCHES]
        if not positions.size:
            continue
        area = shapely.from_wkb(events.area_of(connection, owner, watch_id))
        shapely.prepare(area)
        is_met = shapely.intersects(area, corners[positions])  # faster than outlines, and true for most of them
        is_met[~is_met] = shapely.intersects(area, drawn[positions[~is_met]])
        positions = positions[is_met]
        met[owner][positions] += 1
        for position in positions.tolist():
            by_place[names[position]][owner].add(watch_id)


def _shapes_of(connection: Connection, places: Collection[str]) -> dict[str, bytes]:
    """The outlines of parcels, also of former ones, and the boxes of what is loaded of communes, as WKB."""
    ids = [place for place in places if not is_commune_code(place)]
    former = {record.parcel_id: record.geometry for record in retired_parcels(connection, ids)} if ids else {}
    present = {parcel_id: record.geometry for parcel_id, record in parcels_by_id(connection, ids).items()}
    boxes = loads.boxes_of(connection, [place for place in places if is_commune_code(place)])
    return {parcel_id: outline for parcel_id, outline in (former | present).items() if outline} | {
        code: shapely.to_wkb(shapely.box(*box)) for code, box in boxes.items()
    }
