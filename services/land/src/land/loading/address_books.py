"""Address books for requests, over caches that follow what is loaded. What the caches know is one state of the store,
swapped for the next at once; a book is wholly of the state that its connection sees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock
from typing import Literal

from sqlalchemy import Connection

from land import datasets
from land.addresses.book import MAX_CACHED_COMMUNES, CachedBook, StreetCache
from land.addresses.gazetteer import Commune, Gazetteer, with_former_names
from land.addresses.resolver import AddressBook
from land.loading.known_communes import KnownCommunes
from land.store import addresses, loads
from land.store.loads import Load

Scope = Literal["all", "demo"]
DEMO_DEPARTMENT = "00"
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
    loads: dict[str, Sequence[Load]] = field(default_factory=dict)
    """By commune, of those that were asked for."""

    @cached_property
    def demo_gazetteer(self) -> Gazetteer:
        communes = self.gazetteer.by_code.values()
        return Gazetteer(each for each in communes if each.code.startswith(DEMO_DEPARTMENT))


@dataclass(frozen=True)
class AddressView:
    """What is known of the state of the store that one transaction sees."""

    connection: Connection
    _state: _State
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
        found = self._state.loads.get(commune_code)
        if found is None:
            everything = loads.of_units(self.connection, [commune_code])
            found = [load for load in everything if load.dataset in (datasets.BAN, datasets.PARCELS)]
            if len(self._state.loads) >= MAX_CACHED_COMMUNES:
                self._state.loads.clear()
            self._state.loads[commune_code] = found
        return found


class AddressBooks:
    """Safe for threads."""

    def __init__(self, communes: KnownCommunes) -> None:
        self._communes = communes
        self._cache = StreetCache()
        self._state = _State({}, Gazetteer([]), {}, self._cache.generation)
        self._lock = Lock()

    @property
    def gazetteer(self) -> Gazetteer:
        """The communes of which addresses were loaded when a book was last made."""
        return self._state.gazetteer

    def seen_by(self, connection: Connection) -> AddressView:
        """What a transaction sees, which must have read nothing before: it may be begun anew."""
        return AddressView(connection, self._state_of(connection), self._cache)

    def _state_of(self, connection: Connection) -> _State:
        for _ in range(_RENEWALS):
            seen = loads.revisions(connection)
            state = self._state
            if seen == state.revisions:
                return state
            with self._lock:
                if _is_later(seen, self._state.revisions):
                    self._state = self._followed(connection, seen)
                if seen == self._state.revisions:
                    return self._state
            connection.rollback()
        return _State(loads.revisions(connection), Gazetteer(addresses.communes(connection)), {}, _UNCACHED)

    def _followed(self, connection: Connection, seen: Mapping[str, int]) -> _State:
        """What comes after the present state, with the streets that changed since gone from the cache."""
        before = self._state
        register = self._communes.seen_by(connection)
        changed = {
            unit
            for dataset in datasets.ADDRESSES
            for unit in loads.units_since(connection, dataset, before.revisions.get(dataset, 0))
        }
        if any(seen.get(dataset) != before.revisions.get(dataset) for dataset in datasets.COMMUNE_LISTS):
            former: Mapping[str, Sequence[str]] = register.former_names()
            gazetteer = Gazetteer(_named(addresses.communes(connection), former), register.today)
        else:
            former = before.former_names
            gazetteer = before.gazetteer.changed(changed, _named(addresses.communes(connection, changed), former))
        return _State(seen, gazetteer, former, self._cache.drop(changed))


def _is_later(seen: Mapping[str, int], known: Mapping[str, int]) -> bool:
    return seen != known and all(seen.get(dataset, 0) >= revision for dataset, revision in known.items())


def _named(communes: Sequence[Commune], former: Mapping[str, Sequence[str]]) -> list[Commune]:
    return [with_former_names(commune, former.get(commune.code, ())) for commune in communes]
