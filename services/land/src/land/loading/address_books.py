"""Address books for requests, over caches that follow what is loaded. What the caches know is one state of the store,
swapped for the next at once; a book is wholly of the state that its connection sees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock
from typing import Literal

from sqlalchemy import Connection

from land import registry
from land.addresses.book import MAX_CACHED_COMMUNES, CachedBook, StreetCache
from land.addresses.gazetteer import Commune, Gazetteer, with_former_names
from land.addresses.resolver import AddressBook
from land.loading.known_communes import KnownCommunes
from land.partitions import DEMO_DEPARTMENT
from land.store import addresses, loads
from land.store.loads import Load

Scope = Literal["all", "demo"]
_FOLLOWED = (*registry.ADDRESSES, *registry.COMMUNE_LISTS)
_PLACED = (registry.BAN.id, registry.PARCELS.id)
_READ = frozenset((*_FOLLOWED, *_PLACED))
_RENEWALS = 3
"""A transaction that sees less than the caches know begins anew, and then sees as much, but on a replica that lags."""
_UNCACHED = -1


@dataclass(frozen=True)
class _State:
    revisions: Mapping[str, int]
    gazetteer: Gazetteer
    former_names: Mapping[str, Sequence[str]]
    generation: int
    """Of the street cache."""

    @cached_property
    def demo_gazetteer(self) -> Gazetteer:
        communes = self.gazetteer.by_code.values()
        return Gazetteer(each for each in communes if each.code.startswith(DEMO_DEPARTMENT))


@dataclass(frozen=True)
class _Loaded:
    """The loads of addresses and parcels. Apart from the state: nothing else changes when parcels are loaded."""

    revisions: Mapping[str, int]
    by_commune: dict[str, Sequence[Load]] = field(default_factory=dict)
    """Of those that were asked for."""


@dataclass(frozen=True)
class AddressView:
    """What is known of the state of the store that one transaction sees."""

    connection: Connection
    _state: _State
    _loaded: _Loaded
    _cache: StreetCache

    def book(self, scope: Scope) -> AddressBook:
        return CachedBook(
            self._state.demo_gazetteer if scope == "demo" else self._state.gazetteer,
            self._cache,
            self._state.generation,
            partial(addresses.streets_of, self.connection),
            partial(addresses.numbers_of, self.connection),
        )

    def loads_of(self, commune_code: str) -> Sequence[Load]:
        """The loads of the commune's own addresses and parcels."""
        known = self._loaded.by_commune
        found = known.get(commune_code)
        if found is None:
            everything = loads.of_partitions(self.connection, [commune_code])
            found = [load for load in everything if load.dataset in _PLACED]
            if len(known) >= MAX_CACHED_COMMUNES:
                known.clear()
            known[commune_code] = found
        return found


class AddressBooks:
    """Safe for threads."""

    def __init__(self, communes: KnownCommunes) -> None:
        self._communes = communes
        self._cache = StreetCache()
        self._state = _State({}, Gazetteer([]), {}, self._cache.generation)
        self._loaded = _Loaded({})
        self._lock = Lock()

    @property
    def gazetteer(self) -> Gazetteer:
        """The communes of which addresses were loaded when a book was last made."""
        return self._state.gazetteer

    def seen_by(self, connection: Connection) -> AddressView:
        """What a transaction sees, which must have read nothing before: it may be begun anew."""
        for _ in range(_RENEWALS):
            seen = loads.revisions(connection, _READ)
            state = self._state_of(connection, _only(_FOLLOWED, seen))
            if state is not None:
                return AddressView(connection, state, self._loaded_at(_only(_PLACED, seen)), self._cache)
            connection.rollback()
        seen = loads.revisions(connection, _READ)
        state = _State(_only(_FOLLOWED, seen), Gazetteer(addresses.communes(connection)), {}, _UNCACHED)
        return AddressView(connection, state, _Loaded(_only(_PLACED, seen)), self._cache)

    def _state_of(self, connection: Connection, seen: Mapping[str, int]) -> _State | None:
        """None where a transaction sees less than the caches know."""
        state = self._state
        if seen == state.revisions:
            return state
        with self._lock:
            if _is_later(seen, self._state.revisions):
                self._state = self._followed(connection, seen)
            return self._state if seen == self._state.revisions else None

    def _loaded_at(self, seen: Mapping[str, int]) -> _Loaded:
        loaded = self._loaded
        if seen != loaded.revisions:
            self._loaded = loaded = _Loaded(seen)
        return loaded

    def _followed(self, connection: Connection, seen: Mapping[str, int]) -> _State:
        """What comes after the present state, with the streets that changed since gone from the cache."""
        before = self._state
        register = self._communes.seen_by(connection)
        changed = {
            unit
            for dataset in registry.ADDRESSES
            for unit in loads.partitions_since(connection, dataset, before.revisions.get(dataset, 0))
        }
        if any(seen.get(dataset) != before.revisions.get(dataset) for dataset in registry.COMMUNE_LISTS):
            former: Mapping[str, Sequence[str]] = register.former_names()
            gazetteer = Gazetteer(_named(addresses.communes(connection), former), register.today)
        else:
            former = before.former_names
            gazetteer = before.gazetteer.changed(changed, _named(addresses.communes(connection, changed), former))
        return _State(seen, gazetteer, former, self._cache.drop(changed))


def _only(wanted: Sequence[str], revisions: Mapping[str, int]) -> dict[str, int]:
    return {dataset: revisions[dataset] for dataset in wanted if dataset in revisions}


def _is_later(seen: Mapping[str, int], known: Mapping[str, int]) -> bool:
    return seen != known and all(seen.get(dataset, 0) >= revision for dataset, revision in known.items())


def _named(communes: Sequence[Commune], former: Mapping[str, Sequence[str]]) -> list[Commune]:
    return [with_former_names(commune, former.get(commune.code, ())) for commune in communes]
