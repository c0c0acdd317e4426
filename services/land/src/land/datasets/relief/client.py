"""Asks the operator's altimetry service for the altitudes of parcels. Off by default: it receives points inside them.

Service: https://geoservices.ign.fr/documentation/services (Géoplateforme, "calcul altimétrique"). One call has all
points of a request. The altitudes are cached in the store. If the service fails, older ones answer.
"""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import httpx
import shapely
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from land.datasets import territory
from land.datasets.buildings.queries import buildings_in_boxes
from land.datasets.parcels.ids import commune_of
from land.datasets.parcels.queries import parcels_by_id
from land.datasets.partitions import is_demo
from land.datasets.relief.queries import cache
from land.datasets.relief.reader import altitude
from land.datasets.relief.records import Altitudes
from land.datasets.relief.registration import ALTIMETRY
from land.datasets.relief.rows import positions_in, row_of
from land.loading.prefetch import ANSWER_S
from land.loading.publisher_calls import Breakers, Turns, read_answer
from land.loading.store_reader import StoreReader
from land.store import loads
from land.store.boxes import Box
from land.store.snapshot import Snapshot
from servicekit.clock import utc_now
from servicekit.context import remaining_s
from servicekit.database import for_writing

log = logging.getLogger(__name__)

TIMEOUT_S = 2.0
MAX_PAUSE_S = 1.0
"""The longest time that a request waits for its turn."""
MAX_AGE = timedelta(days=365)
"""Older altitudes are asked for again. The publisher renews its terrain model in years."""
MAX_ANSWER_BYTES = 256 * 1024
RESOURCE = "ign_rge_alti_wld"
_SEPARATOR = "|"

Position = tuple[float, float]
"""Longitude and latitude."""


class AltimetryService:
    """Safe for threads."""

    def __init__(self, base: str, engine: Engine, breakers: Breakers, turns: Turns) -> None:
        self._url = f"{base.rstrip('/')}/rest/elevation.json"
        self._engine = engine
        self._breakers = breakers
        self._turns = turns

    def ask(self, parcel_ids: Sequence[str], dates: Mapping[str, str], reader: StoreReader) -> Altitudes | None:
        """The altitudes of those parcels whose altitudes are missing or old. None, without a call, if there are none.
        If the service was called, the reader was released. Nothing is asked of the demo, and of communes whose
        altitudes were imported. `dates` are those of the stored altitudes.
        """
        missing = _missing(parcel_ids, dates, reader.snapshot)
        if not missing:
            return None
        remaining = remaining_s()
        left_s = TIMEOUT_S + MAX_PAUSE_S if remaining is None else remaining - ANSWER_S
        may_call = left_s > 0 and self._breakers.allows(self._url)
        pause_s = self._turns.take(min(MAX_PAUSE_S, left_s / 2)) if may_call else None
        if pause_s is None:
            return Altitudes(has_failed=True)
        positions = _positions(missing, reader.snapshot)
        reader.release()
        time.sleep(pause_s)
        points = [position for of_parcel in positions.values() for position in of_parcel]
        altitudes = self._altitudes(points, min(TIMEOUT_S, left_s - pause_s))
        if altitudes is None:
            return Altitudes(has_failed=True)
        now, next_altitudes = utc_now(), iter(altitudes)
        rows = []
        for parcel_id, of_parcel in positions.items():
            heights = zip(of_parcel, next_altitudes, strict=False)
            rows.append(row_of(parcel_id, [(*place, height) for place, height in heights if height is not None], now))
        try:
            with for_writing(self._engine).begin() as connection:
                cache(connection, ALTIMETRY.id, rows)
        except SQLAlchemyError:
            log.warning("the altitudes of a request were not cached", exc_info=True)
        return Altitudes({row.parcel_id: row for row in rows})

    def _altitudes(self, positions: Sequence[Position], timeout_s: float) -> list[float | None] | None:
        """One for each position, None where the publisher has none. None if the service gives no answer in time."""
        try:
            altitudes = self._request(positions, timeout_s)
        except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
            self._breakers.failed(self._url)
            log.warning("the altimetry service did not answer", extra={"reason": f"{type(error).__name__}: {error}"})
            return None
        self._breakers.succeeded(self._url)
        return altitudes

    def _request(self, positions: Sequence[Position], timeout_s: float) -> list[float | None]:
        """Raises httpx.HTTPError, and ValueError, LookupError or TypeError for a malformed answer."""
        body = {
            "lon": _SEPARATOR.join(f"{longitude:.7f}" for longitude, _ in positions),
            "lat": _SEPARATOR.join(f"{latitude:.7f}" for _, latitude in positions),
            "resource": RESOURCE,
            "delimiter": _SEPARATOR,
            "indent": "false",
            "measures": "false",
            "zonly": "true",
        }
        content = read_answer(
            "POST", self._url, max_bytes=MAX_ANSWER_BYTES, total_s=timeout_s, json=body, timeout=timeout_s
        )
        elevations = json.loads(content)["elevations"]
        if not isinstance(elevations, list) or len(elevations) != len(positions):
            raise ValueError("the answer has another form")
        return [altitude(float(elevation)) for elevation in elevations]


def _missing(parcel_ids: Sequence[str], dates: Mapping[str, str], snapshot: Snapshot) -> dict[str, bytes]:
    """The outlines of the parcels whose altitudes are missing or old, by parcel id."""
    oldest = utc_now(minus=MAX_AGE)
    ids = [name for name in parcel_ids if dates.get(name, "") < oldest and not is_demo(name)]
    communes = sorted(set(map(commune_of, ids)))
    communes_loads = loads.of_partitions(snapshot, communes) if communes else []
    imported = {load.partition.code for load in communes_loads if load.dataset == ALTIMETRY.id}
    ids = [name for name in ids if commune_of(name) not in imported]
    records = parcels_by_id(snapshot, ids) if ids else {}
    return {name: outline for name in ids if name in records and (outline := records[name].geometry)}


def _positions(outlines: Mapping[str, bytes], snapshot: Snapshot) -> Mapping[str, list[Position]]:
    """The points to ask for, by parcel id."""
    degrees = shapely.from_wkb(list(outlines.values()))
    projection = territory.projection_of(degrees[0])
    rows = buildings_in_boxes(snapshot, [Box(*bounds) for bounds in shapely.bounds(degrees).tolist()])
    buildings = territory.all_to_metres([shapely.from_wkb(row.geometry) for row in rows], projection)
    tree = shapely.STRtree(buildings)
    positions = {}
    metric_outlines: list[Any] = territory.all_to_metres(degrees, projection)
    for parcel_id, outline in zip(outlines, metric_outlines, strict=True):
        metric = positions_in(outline, tree.geometries.take(tree.query(outline, "intersects")))
        points = territory.to_degrees(shapely.MultiPoint(metric), projection)
        positions[parcel_id] = [tuple(position) for position in shapely.get_coordinates(points).round(7).tolist()]
    return positions
