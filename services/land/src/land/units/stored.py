"""Stored parts of land units: each is computed once for each edition of the data near it.

A part is stored as bytes, with the place of the unit and the stamp of that place. It answers as long as the stamp is
the same in the request's own snapshot.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from types import MappingProxyType

from prometheus_client import Counter, Gauge

from land.store.cached_reads import Reads
from land.store.unit_file import StoredPart, UnitFile
from land.units import stamps
from land.units.site import Site
from land.units.stamps import Place, place_of, stamp_of
from servicekit.languages import Language, language

Details = Mapping[str, str]
"""What parts depend on apart from loads, by their names: a part with other details is not found."""
_NO_DETAILS: Details = MappingProxyType({})
MAX_ASKED = 10_000
"""Communes and languages that are noted."""
_parts = Counter("land_stored_parts", "Parts of land units that were looked up, by result.", ["result"])
_bytes = Gauge("land_stored_units_bytes", "Size of the stored parts of land units.")
for _result in ("hit", "miss"):
    _parts.labels(_result)


class StoredUnits:
    """Safe for threads."""

    def __init__(self, file: UnitFile) -> None:
        self._file = file

    def find(
        self, reads: Reads, parcel_ids: Sequence[str], names: Sequence[str], details: Details = _NO_DETAILS
    ) -> dict[str, bytes]:
        """The stored parts of these names, by name: those that are as a computation in this snapshot would be."""
        return {
            part.name: part.body
            for part in self._file.parts(_key(parcel_ids))
            if part.name in names
            and part.stamp == stamp_of(reads, _place(part.place)) + _digest(details.get(part.name, ""))
        }

    def put(self, reads: Reads, site: Site, parts: Mapping[str, bytes], details: Details = _NO_DETAILS) -> None:
        """Stores parts that were computed in this snapshot. All selected parcels must exist."""
        place = place_of(site.communes, site.boxes(stamps.REACH_M))
        stamp, text = stamp_of(reads, place), json.dumps(place)
        commune = site.selected[0][:5]
        stored_parts = [
            StoredPart(name, commune, text, stamp + _digest(details.get(name, "")), body)
            for name, body in parts.items()
        ]
        self._file.put(_key(site.selected), stored_parts)


class RequestedUnits(StoredUnits):
    """Stored parts for requests: counts what they find, and notes the communes that they ask for."""

    def __init__(self, file: UnitFile) -> None:
        super().__init__(file)
        self._asked_at: dict[tuple[str, Language], float] = {}

    def find(
        self, reads: Reads, parcel_ids: Sequence[str], names: Sequence[str], details: Details = _NO_DETAILS
    ) -> dict[str, bytes]:
        parts = super().find(reads, parcel_ids, names, details)
        _parts.labels("hit").inc(len(parts))
        _parts.labels("miss").inc(len(names) - len(parts))
        if len(self._asked_at) >= MAX_ASKED:
            self._asked_at = {}
        for parcel_id in parcel_ids[:1]:
            self._asked_at[parcel_id[:5], language.get()] = time.monotonic()
        return parts

    def asked_since(self, instant: float) -> list[tuple[str, Language]]:
        """The communes that this process was asked for since an instant of the monotonic clock, the last one first,
        with the language.
        """
        communes = sorted(self._asked_at.copy().items(), key=itemgetter(1), reverse=True)
        return [commune for commune, asked_at in communes if asked_at >= instant]

    @property
    def has_room(self) -> bool:
        """Whether the file is less than half full."""
        return self._file.size_bytes < self._file.max_bytes / 2

    def sample(self) -> None:
        """Sets the metric of the size."""
        _bytes.set(self._file.size_bytes)


def _key(parcel_ids: Sequence[str]) -> bytes:
    return _digest(f"{language.get()} {','.join(parcel_ids)}")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


@lru_cache(maxsize=10_000)
def _place(text: str) -> Place:
    communes, cells = json.loads(text)
    return Place(tuple(communes), tuple(tuple(cell) for cell in cells))
