"""What partners watch, and the feed of their events."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine

from land.answers.refusals import invalid, parse_ids
from land.answers.texts import REFUSALS, fill
from land.errors import WatchNotFound
from land.store import events
from land.store.boxes import Box
from land.store.events import Event, Watch
from land.store.snapshot import snapshot
from servicekit.clock import utc_now
from servicekit.database import for_writing

_ID_BYTES = 10


@dataclass(frozen=True)
class Watches:
    """The watches of partners. An owner is a partner in a scope. Safe for threads."""

    engine: Engine
    max_per_owner: int
    max_positions: int
    """Of all areas of an owner; a parcel counts as one."""

    def create(
        self, owner: str, name: str | None, parcel_ids: Sequence[str], commune_code: str, area: BaseGeometry | None
    ) -> Watch:
        """Watches parcels, a commune or an area. A second watch of the same is the first one, with the new name. Raises
        InvalidPayload for malformed or too many parcels, or too many watches.
        """
        parcels = sorted(parse_ids(parcel_ids))
        outline = shapely.to_wkb(area, output_dimension=2, byte_order=1) if area is not None else None
        target = repr((parcels, commune_code, outline)).encode()
        watch_id = hashlib.blake2b(target, digest_size=_ID_BYTES).hexdigest()
        new = Watch(watch_id, name, utc_now(), outline, commune_code, parcels)
        with for_writing(self.engine).begin() as connection:
            size = len(parcels) if area is None else int(shapely.get_num_coordinates(area))
            events.put_watch(connection, owner, new, Box(*area.bounds) if area is not None else None, size)
            count, positions = events.watch_count(connection, owner)
            if count > self.max_per_owner:
                raise invalid("", "too_many", fill(REFUSALS["too_many_watches"], limit=self.max_per_owner))
            if positions > self.max_positions:
                raise invalid("", "too_many", fill(REFUSALS["watches_too_detailed"], limit=self.max_positions))
            (stored,) = events.watches(connection, owner, "", 1, only=watch_id)
        return stored

    def delete(self, owner: str, watch_id: str) -> None:
        """Its events stay in the feed. Raises WatchNotFound."""
        with for_writing(self.engine).begin() as connection:
            if not events.delete_watch(connection, owner, watch_id):
                raise WatchNotFound(REFUSALS["no_watch"])

    def page(self, owner: str, after: str, limit: int) -> list[Watch]:
        """The watches after an id, in order of id."""
        with snapshot(self.engine) as connection:
            return events.watches(connection, owner, after, limit)

    def events(self, owner: str, after: int, limit: int) -> list[Event]:
        """The events after an id, the oldest first."""
        with snapshot(self.engine) as connection:
            return events.events_after(connection, owner, after, limit)
