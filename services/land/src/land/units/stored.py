"""Stored parts of land units, and finished answers: each is made once for each edition of the data near it.

A part is stored as bytes, with the place of the unit and the stamp of that place. It answers as long as the stamp is
the same in the request's own snapshot. A finished answer is the only part of its unit with its facts.
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
from land.units.stamps import Place, stamp_of
from servicekit.languages import Language, language

Details = Mapping[str, str]
"""What parts depend on apart from loads, by their names: a part with other details is not found."""
_NO_DETAILS: Details = MappingProxyType({})
MAX_ASKED = 10_000
"""Communes and languages that are noted."""
_parts = Counter("land_stored_parts", "Parts of land units that were looked up, by result.", ["result"])
_bytes = Gauge("land_stored_units_bytes", "Size of the stored parts of land units.")
_hits, _misses = _parts.labels("hit"), _parts.labels("miss")


class StoredUnits:
    """Safe for threads."""

    def __init__(self, file: UnitFile) -> None:
        self._file = file

    def find(
        self,
        reads: Reads,
        parcel_ids: Sequence[str],
        names: Sequence[str],
        details: Details = _NO_DETAILS,
        *,
        facts: str = "",
    ) -> dict[str, StoredPart]:
        """The stored parts of these names, by name: those that are as a computation in this snapshot would be."""
        return {
            part.name: part
            for part in self._file.parts(_key(parcel_ids, facts))
            if part.name in names
            and part.stamp == stamp_of(reads, stored_place(part.place)) + _digest(details.get(part.name, ""))
        }

    def put(
        self,
        reads: Reads,
        parcel_ids: Sequence[str],
        place: Place,
        parts: Mapping[str, bytes],
        details: Details = _NO_DETAILS,
        *,
        facts: str = "",
    ) -> None:
        """Stores parts of the unit of these parcels, which were computed in this snapshot. All parcels must exist."""
        stamp, text = stamp_of(reads, place), json.dumps(place)
        stored_parts = [
            StoredPart(name, parcel_ids[0][:5], text, stamp + _digest(details.get(name, "")), body)
            for name, body in parts.items()
        ]
        self._file.put(_key(parcel_ids, facts), stored_parts)


class RequestedUnits(StoredUnits):
    """Stored parts for requests: counts what they find, and notes the communes that they ask for."""

    def __init__(self, file: UnitFile) -> None:
        super().__init__(file)
        self._asked_at: dict[tuple[str, Language], float] = {}

    def find(
        self,
        reads: Reads,
        parcel_ids: Sequence[str],
        names: Sequence[str],
        details: Details = _NO_DETAILS,
        *,
        facts: str = "",
    ) -> dict[str, StoredPart]:
        parts = super().find(reads, parcel_ids, names, details, facts=facts)
        _hits.inc(len(parts))
        _misses.inc(len(names) - len(parts))
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


def _key(parcel_ids: Sequence[str], facts: str) -> bytes:
    return _digest(f"{language.get()} {','.join(parcel_ids)} {facts}")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


@lru_cache(maxsize=10_000)
def stored_place(text: str) -> Place:
    """The place of a stored part."""
    communes, cells = json.loads(text)
    return Place(tuple(communes), tuple(tuple(cell) for cell in cells))
