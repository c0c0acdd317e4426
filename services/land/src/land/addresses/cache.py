"""Caches of communes and streets that follow the store.

A cached state is valid for one set of dataset revisions and is replaced as a whole. Every answer is read from one
snapshot, and uses cached data only if the snapshot has the same revisions.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from prometheus_client import Counter, Gauge

from land.addresses.commune_lookup import CommuneLookup
from land.addresses.gazetteer import Commune, Gazetteer, make_commune
from land.addresses.model import Scope
from land.addresses.place_index import PlaceIndex
from land.addresses.resolver import AddressIndex
from land.addresses.stored_streets import FORM_VERSION, StoredStreets, encode
from land.addresses.street_starts import TIERS
from land.addresses.streets import StreetIndex
from land.addresses.suggesting import SuggestIndex
from land.datasets.addresses import queries as addresses
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.records import AddressCommune, HouseNumberPoint, Street
from land.datasets.addresses.registration import ADDRESSES
from land.datasets.communes.registration import COMMUNE_LISTS
from land.datasets.partitions import DEMO_DEPARTMENT
from land.store import loads
from land.store.snapshot import Snapshot, restart

MAX_CACHED_NAMES = 200_000
"""Street names in memory, at most 100 MB. France has two million."""
MAX_CACHED_COMMUNES = 10_000
_MAX_RESTARTS = 3
"""A restarted transaction sees what the cache knows, unless a backup was restored."""
_UNCACHED = -1

_names = Gauge("land_street_cache_names", "Street names in memory.")
_lookups = Counter("land_street_cache_lookups", "Communes looked up in the cache of streets.", ["result"])


class StreetCache:
    """Street indexes by commune; evicts the least recently used. Safe for threads."""

    def __init__(self) -> None:
        self._name_count = 0
        self._streets: OrderedDict[str, StreetIndex] = OrderedDict()
        self.generation = 0
        """Increases with every `evict`: streets read in an earlier generation may be outdated."""
        self._lock = Lock()
        self._hit_count = self._miss_count = 0

    def sample(self) -> None:
        """Sets the metrics of this cache."""
        with self._lock:
            hit_count, miss_count = self._hit_count, self._miss_count
            self._hit_count = self._miss_count = 0
        _names.set(self._name_count)
        _lookups.labels("hit").inc(hit_count)
        _lookups.labels("miss").inc(miss_count)

    def get(self, commune_code: str, generation: int) -> StreetIndex | None:
        """None if the commune is not cached, or if the generation is not the current one."""
        with self._lock:
            streets = self._streets.get(commune_code) if generation == self.generation else None
            if streets is None:
                self._miss_count += 1
            else:
                self._hit_count += 1
                self._streets.move_to_end(commune_code)
            return streets

    def put(self, commune_code: str, streets: StreetIndex, generation: int) -> None:
        """Caches streets that were read in this generation; ignores them if it is not the current one."""
        with self._lock:
            if generation != self.generation or commune_code in self._streets:
                return
            self._streets[commune_code] = streets
            self._name_count += len(streets)
            while self._streets and (self._name_count > MAX_CACHED_NAMES or len(self._streets) > MAX_CACHED_COMMUNES):
                _, evicted = self._streets.popitem(last=False)
                self._name_count -= len(evicted)

    def evict(self, commune_codes: Iterable[str]) -> int:
        """Removes communes whose addresses changed. Returns the new generation."""
        with self._lock:
            self.generation += 1
            for code in commune_codes:
                evicted = self._streets.pop(code, None)
                self._name_count -= len(evicted) if evicted is not None else 0
            return self.generation


@dataclass(frozen=True)
class _State:
    """The communes at a set of revisions."""

    revisions: Mapping[str, int]
    gazetteer: Gazetteer
    former_names: Mapping[str, Sequence[str]]
    generation: int
    """The generation of the street cache."""

    inhabited: frozenset[str] = frozenset()
    """Codes of the present communes that have inhabitants; empty without the lists of communes."""

    @cached_property
    def has_whole_country(self) -> bool:
        return bool(self.inhabited) and self.gazetteer.by_code.keys() >= self.inhabited

    @cached_property
    def demo_gazetteer(self) -> Gazetteer:
        communes = self.gazetteer.by_code.items()
        return Gazetteer(commune for code, commune in communes if code.startswith(DEMO_DEPARTMENT))


@dataclass(frozen=True)
class CachedIndex:
    """An `AddressIndex` over one snapshot."""

    gazetteer: Gazetteer
    _snapshot: Snapshot
    _cache: StreetCache
    _generation: int

    def streets(self, commune_codes: Sequence[str]) -> list[StreetIndex]:
        cached = {code: self._cache.get(code, self._generation) for code in commune_codes}
        missing = [code for code, streets in cached.items() if streets is None]
        read = self._read(missing) if missing else {}
        return [read[code] if streets is None else streets for code, streets in cached.items()]

    def _read(self, commune_codes: Sequence[str]) -> dict[str, StreetIndex]:
        """The streets of communes that are not cached, and caches them."""
        forms = streets.forms(self._snapshot, commune_codes, FORM_VERSION)
        read = {}
        for code in commune_codes:
            form = forms.get(code) or encode(streets.streets(self._snapshot, code))
            read[code] = StreetIndex(StoredStreets(code, form))
            self._cache.put(code, read[code], self._generation)
        return read

    def numbers(self, street: Street, number: int) -> list[HouseNumberPoint]:
        return addresses.numbers(self._snapshot, street.commune_code, street.id, number)

    def is_name(self, word: str) -> bool:
        return bool(streets.communes_with_start(self._snapshot, word, range(len(TIERS) + 1), 1))


@dataclass(frozen=True)
class AddressSnapshot:
    """The addresses of one snapshot of the store."""

    snapshot: Snapshot
    revisions: Mapping[str, int]
    """The revisions of all datasets."""
    _state: _State
    _cache: StreetCache
    _places: "_Places"

    def index(self, scope: Scope) -> AddressIndex:
        gazetteer = self._state.demo_gazetteer if scope == "demo" else self._state.gazetteer
        return CachedIndex(gazetteer, self.snapshot, self._cache, self._state.generation)

    def has_whole_country(self, scope: Scope) -> bool:
        """Whether the addresses of every inhabited commune are loaded. The demo is a country of its own."""
        return scope == "demo" or self._state.has_whole_country

    def suggestions(self, scope: Scope) -> SuggestIndex:
        is_demo = scope == "demo"
        gazetteer = self._state.demo_gazetteer if is_demo else self._state.gazetteer
        places = PlaceIndex(gazetteer.by_code) if is_demo else self._places.of(gazetteer)
        return SuggestIndex(self.snapshot, gazetteer, places, is_demo)


class _Places:
    """The communes by name and place: those with loaded addresses, and all others of the register. Safe for threads."""

    def __init__(self, communes: CommuneLookup) -> None:
        self._communes = communes
        self._lock = Lock()
        self._of: tuple[Gazetteer, Gazetteer] | None = None
        self._index = PlaceIndex({})

    def of(self, loaded: Gazetteer) -> PlaceIndex:
        listed = self._communes.gazetteer()
        with self._lock:
            if self._of is None or self._of[0] is not loaded or self._of[1] is not listed:
                self._index = self._index.updated({**listed.by_code, **loaded.by_code})
                self._of = loaded, listed
            return self._index


class AddressCache:
    """Safe for threads."""

    def __init__(self, communes: CommuneLookup) -> None:
        self.communes = communes
        self._streets = StreetCache()
        self.sample = self._streets.sample
        self._state = _State({}, Gazetteer([]), {}, self._streets.generation)
        self._places = _Places(communes)
        self._lock = Lock()

    def has_addresses_in(self, place: str) -> bool:
        """Whether addresses of a postcode, or of a commune by its code, were loaded in the last snapshot."""
        gazetteer = self._state.gazetteer
        return place in gazetteer.by_code or bool(gazetteer.with_postcode(place))

    def at(self, snapshot: Snapshot) -> AddressSnapshot:
        """The addresses of a snapshot that nothing has read yet: if it is older than the cache, it is restarted. Raises
        StandbyFailed if a standby is older than the cache.
        """
        for _ in range(_MAX_RESTARTS):
            revisions = loads.revisions(snapshot)
            state = self._state_at(snapshot, _indexed(revisions))
            if state is not None:
                return AddressSnapshot(snapshot, revisions, state, self._streets, self._places)
            restart(snapshot)
        revisions = loads.revisions(snapshot)
        gazetteer = Gazetteer(_communes(addresses.communes(snapshot), {}))
        state = _State(_indexed(revisions), gazetteer, {}, _UNCACHED)
        return AddressSnapshot(snapshot, revisions, state, self._streets, self._places)

    def _state_at(self, snapshot: Snapshot, revisions: Mapping[str, int]) -> _State | None:
        """None if the snapshot is older than the cache."""
        state = self._state
        if revisions == state.revisions:
            return state
        with self._lock:
            known = self._state.revisions
            if revisions != known and all(revisions.get(dataset, 0) >= value for dataset, value in known.items()):
                self._state = self._next_state(snapshot, revisions)
            return self._state if revisions == self._state.revisions else None

    def _next_state(self, snapshot: Snapshot, revisions: Mapping[str, int]) -> _State:
        """The state at these revisions. Evicts the streets that changed."""
        before = self._state
        register = self.communes.register_at(snapshot)
        changed = {
            unit
            for dataset in ADDRESSES
            for unit in loads.partitions_since(snapshot, dataset, before.revisions.get(dataset, 0))
        }
        if any(revisions.get(dataset) != before.revisions.get(dataset) for dataset in COMMUNE_LISTS):
            former: Mapping[str, Sequence[str]] = register.former_names()
            gazetteer = Gazetteer(_communes(addresses.communes(snapshot), former), register.current_codes)
        else:
            former = before.former_names
            gazetteer = before.gazetteer.replace(changed, _communes(addresses.communes(snapshot, changed), former))
        return _State(revisions, gazetteer, former, self._streets.evict(changed), register.inhabited)


def _indexed(revisions: Mapping[str, int]) -> dict[str, int]:
    """The revisions of the datasets from which the communes follow."""
    return {dataset: revisions[dataset] for dataset in (*ADDRESSES, *COMMUNE_LISTS) if dataset in revisions}


def _communes(rows: Iterable[AddressCommune], former: Mapping[str, Sequence[str]]) -> list[Commune]:
    """Communes with the former names of both BAN and INSEE."""
    return [make_commune(*row._replace(former_names=(*row.former_names, *former.get(row.code, ())))) for row in rows]
