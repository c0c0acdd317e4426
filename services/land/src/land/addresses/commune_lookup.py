"""Finds the communes that a query names, including communes whose addresses are not loaded.

Each wrong commune costs a download, so the first criterion that finds a commune decides. The order is: the code, a
postcode with the exact name, a postcode with a similar name, the name, the postcode.
"""

from collections.abc import Callable, Sequence
from threading import Lock

from land.addresses.gazetteer import MIN_CITY_SIMILARITY, Commune, Gazetteer, make_commune
from land.addresses.model import Address, AddressQuery
from land.addresses.parsing import Reading, interpretations
from land.addresses.place_index import PlaceIndex, Point
from land.addresses.resolver import AddressMatch
from land.addresses.spellings import city_similarity
from land.datasets.communes import queries as communes
from land.datasets.communes.register import CommuneRegister
from land.datasets.communes.registration import COMMUNE_LISTS
from land.datasets.partitions import department_of
from land.store import loads
from land.store.snapshot import Snapshot, Store, snapshot
from land.store.standbys import Servers

MAX_COMMUNES = 50
"""The most communes that a query may name: 46 communes a postcode. A name that more communes share is too ambiguous."""
MAX_NEAR = 2
NEAR_KM = 30.0
"""The longest distance to the centres of communes that may have the address nearest to a point."""
MIN_STREET_SIMILARITY = 0.85
"""The similarity of a street in the place that the query names, from which no further communes are searched."""
_Finder = Callable[[Reading, Gazetteer], Sequence[Commune]]


class CommuneLookup:
    """Caches the register of communes, and a gazetteer of all of them. Safe for threads."""

    def __init__(self, store: Store, servers: Servers | None = None) -> None:
        self._servers = servers or Servers(store)
        self._lock = Lock()
        self._revision = -1
        self._register = CommuneRegister([], [], [])
        self._gazetteer: Gazetteer | None = None

    def register(self) -> CommuneRegister:
        """The register as last loaded. Raises StoreUnavailable."""
        return self._servers.read(self._read)

    def _read(self, server: Store) -> CommuneRegister:
        with snapshot(server) as current:
            return self.register_at(current)

    def register_at(self, at: Snapshot) -> CommuneRegister:
        """The register in a snapshot, or a newer one from the cache."""
        revision = sum(loads.revisions(at, COMMUNE_LISTS).values())
        with self._lock:
            if revision > self._revision:
                self._register = CommuneRegister(*communes.lists(at))
                self._gazetteer = None
                self._revision = revision
            return self._register

    def find(self, query: AddressQuery) -> tuple[str, ...]:
        """Codes of the present communes that a query names. Raises StoreUnavailable."""
        return find_communes(query, self._gazetteer_of(self.register()))

    def gazetteer(self) -> Gazetteer:
        """The present communes of the register that was read last. Does not read the store."""
        return self._gazetteer_of(self._register)

    def near(self, point: Point) -> tuple[str, ...]:
        """Codes of the present communes whose centres are nearest to a point. Does not read the store."""
        nearest = PlaceIndex(self.gazetteer().by_code).nearest(point, MAX_NEAR, NEAR_KM)
        return tuple(commune.code for commune in nearest)

    def warm_up(self) -> None:
        """Fills the cache before the first request; about 1 s for the whole country."""
        self._gazetteer_of(self.register())

    def _gazetteer_of(self, register: CommuneRegister) -> Gazetteer:
        with self._lock:
            if self._gazetteer is None or register is not self._register:
                former = register.former_names()
                self._gazetteer = Gazetteer(
                    (
                        make_commune(code, name, register.postcodes(code), former.get(code, ()), *register.centre(code))
                        for code, name in register.names.items()
                        if code not in register.arrondissement_cities
                    ),
                    register.current_codes,
                )
            return self._gazetteer


def find_communes(query: AddressQuery, gazetteer: Gazetteer) -> tuple[str, ...]:
    """Codes of present communes without duplicates; empty if the query names no place."""
    if coded := gazetteer.present_codes(query.city_code.strip().upper()):
        return tuple(sorted(coded))
    parsed = [interpretation.reading for interpretation in interpretations(query, gazetteer)]
    for find in _FINDERS:
        for reading in parsed:
            matching_communes = find(reading, gazetteer)
            if 0 < len(matching_communes) <= MAX_COMMUNES:
                return tuple(dict.fromkeys(commune.code for commune in matching_communes))
    return ()


def is_conclusive(match: AddressMatch | None) -> bool:
    """Whether the address agrees with the place that the query names, so that no further commune must be loaded."""
    if match is None:
        return False
    agreed = match.address.matched
    place = {agreed.city, agreed.postcode, agreed.city_code} - {None}
    return place == {1.0} and (agreed.street is None or agreed.street >= MIN_STREET_SIMILARITY)


def agrees_with_place(address: Address) -> bool:
    """Whether the query has the postcode of the address, or its city, which may be misspelled."""
    return address.matched.postcode == 1.0 or (address.matched.city or 0.0) >= MIN_CITY_SIMILARITY


def _by_name_and_postcode(reading: Reading, gazetteer: Gazetteer) -> Sequence[Commune]:
    return [commune for commune in gazetteer.named(reading.city) if reading.postcode in commune.postcodes]


def _by_similar_name_and_postcode(reading: Reading, gazetteer: Gazetteer) -> Sequence[Commune]:
    if not reading.city or gazetteer.named(reading.city):
        return ()
    return [
        commune
        for commune in gazetteer.with_postcode(reading.postcode)
        if city_similarity(reading.city, commune.search_names) >= MIN_CITY_SIMILARITY
    ]


def _by_name(reading: Reading, gazetteer: Gazetteer) -> Sequence[Commune]:
    """Communes with the name. If the postcode disagrees, those of its département, or all if there are none."""
    named = gazetteer.named(reading.city)
    department = department_of(reading.postcode) if reading.postcode else ""
    return [commune for commune in named if department_of(commune.code) == department] or named


_FINDERS: tuple[_Finder, ...] = (
    _by_name_and_postcode,
    _by_similar_name_and_postcode,
    _by_name,
    lambda reading, gazetteer: gazetteer.with_postcode(reading.postcode),
)
