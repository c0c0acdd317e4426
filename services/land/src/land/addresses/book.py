"""The address book of one request: the gazetteer and streets from bounded caches, the numbers from the store."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from land.addresses.gazetteer import Gazetteer
from land.addresses.resolver import HouseNumberPoint
from land.addresses.streets import CommuneStreets, Street

MAX_CACHED_NAMES = 600_000
"""Names of streets held at a time, of the two million that France has: about 500 MB."""
MAX_CACHED_COMMUNES = 10_000


class StreetCache:
    """Streets by commune, the least recently used dropped past a bound. Safe for threads."""

    def __init__(self, max_names: int = MAX_CACHED_NAMES, max_communes: int = MAX_CACHED_COMMUNES) -> None:
        self._max_names = max_names
        self._max_communes = max_communes
        self._names = 0
        self._held: OrderedDict[str, CommuneStreets] = OrderedDict()
        self._generation = 0
        self._lock = Lock()

    @property
    def generation(self) -> int:
        """Goes up with every `drop`: what was read before one must not be put back after it."""
        return self._generation

    def get(self, commune_code: str, generation: int) -> CommuneStreets | None:
        """Streets as they are at this generation; None where something was dropped since, whatever it was."""
        with self._lock:
            streets = self._held.get(commune_code) if generation == self._generation else None
            if streets is not None:
                self._held.move_to_end(commune_code)
            return streets

    def put(self, commune_code: str, streets: CommuneStreets, generation: int) -> None:
        """Keeps streets that were read at this generation; does nothing where something was dropped since."""
        with self._lock:
            if generation != self._generation or commune_code in self._held:
                return
            self._held[commune_code] = streets
            self._names += len(streets)
            while self._held and (self._names > self._max_names or len(self._held) > self._max_communes):
                _, dropped = self._held.popitem(last=False)
                self._names -= len(dropped)

    def drop(self, commune_codes: Iterable[str]) -> int:
        """Forgets communes whose addresses were loaded anew. Returns the generation that begins."""
        with self._lock:
            self._generation += 1
            for code in commune_codes:
                dropped = self._held.pop(code, None)
                self._names -= len(dropped) if dropped is not None else 0
            return self._generation


class CachedBook:
    """An `AddressBook` for one request: all that it gives is of the state of the store that the functions read, and of
    which the gazetteer and the cache's generation are too.
    """

    def __init__(
        self,
        gazetteer: Gazetteer,
        cache: StreetCache,
        generation: int,
        read_streets: Callable[[str], list[Street]],
        read_numbers: Callable[[Street, int], list[HouseNumberPoint]],
    ) -> None:
        self.gazetteer = gazetteer
        self._cache = cache
        self._generation = generation
        self._read_streets = read_streets
        self.numbers = read_numbers

    def streets(self, commune_code: str) -> CommuneStreets:
        streets = self._cache.get(commune_code, self._generation)
        if streets is None:
            streets = CommuneStreets(self._read_streets(commune_code))
            self._cache.put(commune_code, streets, self._generation)
        return streets
