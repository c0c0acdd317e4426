"""The address book of one request: the gazetteer and streets from bounded caches, the numbers from the store."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from land.addresses.gazetteer import Gazetteer
from land.addresses.resolver import HouseNumberPoint
from land.addresses.streets import CommuneStreets, Street

MAX_CACHED_NAMES = 300_000
"""Names of streets held at a time, about 100 MB."""
MAX_CACHED_COMMUNES = 5_000


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

    def get(self, commune_code: str) -> CommuneStreets | None:
        with self._lock:
            streets = self._held.get(commune_code)
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

    def drop(self, commune_codes: list[str]) -> None:
        """Forgets communes whose addresses were loaded anew."""
        with self._lock:
            self._generation += 1
            for code in commune_codes:
                dropped = self._held.pop(code, None)
                self._names -= len(dropped) if dropped is not None else 0


class CachedBook:
    """An `AddressBook` for one request: what it reads comes from one state of the store."""

    def __init__(
        self,
        gazetteer: Gazetteer,
        cache: StreetCache,
        read_streets: Callable[[str], list[Street]],
        read_numbers: Callable[[Street, int], list[HouseNumberPoint]],
    ) -> None:
        self.gazetteer = gazetteer
        self._cache = cache
        self._generation = cache.generation
        self._read_streets = read_streets
        self.numbers = read_numbers

    def streets(self, commune_code: str) -> CommuneStreets:
        streets = self._cache.get(commune_code)
        if streets is None:
            streets = CommuneStreets(self._read_streets(commune_code))
            self._cache.put(commune_code, streets, self._generation)
        return streets


class DemoBook:
    """An address book that knows the communes of one département only."""

    def __init__(self, book: CachedBook, department: str) -> None:
        communes = book.gazetteer.by_code.values()
        self.gazetteer = Gazetteer(commune for commune in communes if commune.code.startswith(department))
        self.streets = book.streets
        self.numbers = book.numbers
