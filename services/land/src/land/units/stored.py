"""Stored parts of land units: each is computed once for each edition of the data near it.

A part is stored as bytes, with the place of the unit and the stamp of that place. It answers as long as the stamp is
the same in the request's own snapshot.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from prometheus_client import Counter, Gauge

from land.store.cached_reads import Reads
from land.store.unit_file import StoredPart, UnitFile
from land.units import stamps
from land.units.site import Site
from land.units.stamps import Place, place_of, stamp_of
from servicekit.languages import language

_parts = Counter("land_stored_parts", "Parts of land units that were looked up, by result.", ["result"])
_bytes = Gauge("land_stored_units_bytes", "Size of the stored parts of land units.")
for _result in ("hit", "miss", "voided"):
    _parts.labels(_result)


class StoredUnits:
    """Safe for threads."""

    def __init__(self, file: UnitFile) -> None:
        self._file = file

    def find(self, reads: Reads, parcel_ids: Sequence[str], names: Sequence[str]) -> dict[str, bytes]:
        """The stored parts of these names, by name: those that are as a computation in this snapshot would be."""
        parts, voided_count = {}, 0
        for part in self._file.parts(_key(parcel_ids)):
            if part.name in names:
                if stamp_of(reads, _place(part.place)) == part.stamp:
                    parts[part.name] = part.body
                else:
                    voided_count += 1
        _parts.labels("hit").inc(len(parts))
        _parts.labels("voided").inc(voided_count)
        _parts.labels("miss").inc(len(names) - len(parts) - voided_count)
        return parts

    def put(self, reads: Reads, site: Site, parts: Mapping[str, bytes]) -> None:
        """Stores parts that were computed in this snapshot. All selected parcels must exist."""
        place = place_of(site.communes, site.boxes(stamps.REACH_M))
        stamp, text = stamp_of(reads, place), json.dumps(place)
        commune = site.selected[0][:5]
        self._file.put(
            _key(site.selected), [StoredPart(name, commune, text, stamp, body) for name, body in parts.items()]
        )

    def sample(self) -> None:
        """Sets the metric of the size."""
        _bytes.set(self._file.size_bytes)


def _key(parcel_ids: Sequence[str]) -> bytes:
    return hashlib.blake2b(f"{language.get()} {','.join(parcel_ids)}".encode(), digest_size=16).digest()


@lru_cache(maxsize=10_000)
def _place(text: str) -> Place:
    communes, cells = json.loads(text)
    return Place(tuple(communes), tuple(tuple(cell) for cell in cells))
