"""Loads what a request needs and the store does not have, and waits for it as long as the deadline allows."""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Literal, NamedTuple

from land import registry
from land.addresses.commune_lookup import CommuneLookup, agrees_with_place
from land.addresses.gazetteer import Gazetteer
from land.addresses.model import Address, AddressQuery
from land.addresses.place_index import Point
from land.answers.texts import REFUSALS, AnswerWarning, fill, warning
from land.datasets.addresses.registration import ADDRESSES, BAN
from land.datasets.communes.register import CommuneRegister
from land.datasets.parcels.registration import PARCELS
from land.datasets.partitions import DEMO_DEPARTMENT, DEPARTMENTS, department_of
from land.errors import CommuneLoading, SourceUnavailable, StoreUnavailable
from land.loading.fair_queue import FairSlots
from land.loading.geocoder import NationalGeocoder
from land.loading.load_queue import FAILED, LOADING, LoadKey, LoadState
from land.loading.maintenance import UsageLog
from land.loading.on_demand import OnDemand
from land.loading.store_reader import StoreReader
from servicekit.context import remaining_s, requester

ANSWER_S = 0.7
"""Part of the deadline that is reserved for the answer itself."""
COMMUNE_LISTS_S = 2.0
"""What is reserved while the lists of communes, which are large, are still unread."""
MAX_WAIT_S = 15.0
"""A division has a longer deadline, and needs the rest of it for the division."""
RETRY_AFTER_S = 3
RETRY_AFTER_REFUSAL_S = 10
RETRY_AFTER_FAILURE_S = 60
READY_S = 60.0
"""How long a partition that was present counts as present, and what a commune needs as known."""
MAX_READY = 100_000
MAX_COMMUNES = 4_096
"""Communes of which is cached what they need."""
MAX_ADDRESS_LOADS = 4
"""Address files that one query loads at most. With the plan of the commune found, 5 loads."""
Missing = Literal["communes", "addresses", "parcels"]
"""What is loading or unavailable: the lists of communes, or these data of a commune."""
_POSTCODE = re.compile(r"(?<![0-9])[0-9]{5}(?![0-9])")


class DataNotLoaded(Exception):
    """The request needs data that is not loaded, and does not wait for it."""


@dataclass(frozen=True)
class AddressLoads:
    """Loads for the communes that a query may mean."""

    communes: Sequence[str] = ()
    """The codes of these communes, the most populous first."""
    states: Mapping[LoadKey, LoadState] | None = None
    """The load states of their address files that were missing."""
    skipped: Sequence[str] = ()
    """Communes whose addresses are missing and were not loaded, since they are too many."""

    def has_loaded(self) -> bool:
        return "loaded" in (self.states or {}).values()

    def warnings(self, best: Address | None) -> list[AnswerWarning]:
        """What is missing from the answer. `best` is the best address after the loads. Raises CommuneLoading or
        SourceUnavailable if an answer might be wrong.
        """
        missing = {
            key: state
            for key, state in (self.states or {}).items()
            if state in FAILED or (state in LOADING and (key.dataset == BAN.id or best is None))
        }
        warnings = []
        if missing:
            names = ", ".join(dict.fromkeys(key.commune_code for key in missing))
            is_loading = not LOADING.isdisjoint(missing.values())
            if is_loading or best is None or not (best.city_code in self.communes or agrees_with_place(best)):
                raise load_error(missing, "addresses", names)
            warnings.append(warning("addresses_incomplete", communes=names))
        if self.skipped:
            warnings.append(warning("communes_not_searched", communes=", ".join(self.skipped)))
        return warnings


class _Lookup(NamedTuple):
    """What was missing of some communes."""

    until: float
    """When it is looked up again."""
    states: Mapping[LoadKey, LoadState]
    """The load states of the missing partitions."""
    revisions: Mapping[str, int | None]
    """The revisions of their datasets: another one may mean that they are loaded."""
    used: Sequence[str]
    """The communes whose plans are present."""


class Prefetch:
    """Safe for threads."""

    def __init__(
        self,
        on_demand: OnDemand,
        communes: CommuneLookup,
        has_addresses_in: Callable[[str], bool],
        usage: UsageLog,
        max_waiting: int,
        geocoder: NationalGeocoder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`has_addresses_in` says whether addresses of a postcode or commune are loaded. At most `max_waiting` callers
        wait at a time; further ones get CommuneLoading.
        """
        self._on_demand = on_demand
        self._communes = communes
        self._has_addresses_in = has_addresses_in
        self._usage = usage
        self._waiting = FairSlots(max_waiting)
        self._lock = Lock()
        self._geocoder = geocoder
        self._clock = clock
        self._ready: dict[LoadKey, float] = {}
        self._lookups: dict[tuple[str, ...], _Lookup] = {}
        self._keys = lru_cache(maxsize=MAX_COMMUNES)(on_demand.keys)

    def addresses(self, query: AddressQuery, reader: StoreReader) -> AddressLoads:
        """Loads the missing addresses of the communes that a query may mean. Raises CommuneLoading or SourceUnavailable
        if the query names a place and no list of communes can be loaded in time.
        """
        places = [*_POSTCODE.findall(f"{query.label} {query.postcode}"), *query.city_code.split()]
        if any(place.startswith(DEMO_DEPARTMENT) for place in places):
            return AddressLoads()
        has_places = all(map(self._has_addresses_in, places))
        try:
            register = self._register(reader)
        except (CommuneLoading, SourceUnavailable):
            if has_places:
                return AddressLoads()
            raise
        if places and has_places and not register.has_postcodes:
            return AddressLoads()  # the lists do not know the postcode, and would search for other words of the query
        codes = self._communes.find(query)
        if not codes and self._geocoder is not None:
            self._require_waiting(reader)
            parts = (query.number, query.street, query.postcode, query.city)
            code = self._geocoder.commune_of(query.label or " ".join(parts))
            codes = register.current_codes(code) if code else ()
        communes = sorted(filter(register.has_land, codes), key=register.population, reverse=True)
        keys = [key for code in communes for key in self._keys(code, ADDRESSES)]
        keys.sort(key=lambda key: key.dataset != BAN.id)  # most queries ask for house numbers
        states = self._load(keys[:MAX_ADDRESS_LOADS], reader)
        excess = self._missing(keys[MAX_ADDRESS_LOADS:], reader)
        return AddressLoads(communes, states, [key.commune_code for key in excess if key.dataset == BAN.id])

    def addresses_near(self, point: Point, reader: StoreReader) -> bool:
        """Loads the missing addresses of the communes whose centres are nearest to the point. Returns whether any were
        loaded. Raises CommuneLoading or SourceUnavailable if they cannot be loaded in time.
        """
        self._register(reader)
        codes = self._communes.near(point)
        keys = [key for code in codes for key in self._keys(code, (BAN.id,))]
        loaded = AddressLoads(codes, self._load(keys, reader))
        loaded.warnings(None)
        return loaded.has_loaded()

    def plan(self, address: Address, reader: StoreReader) -> list[AnswerWarning]:
        """Loads the cadastral plan for a house number. Warns if it fails, or if the caller cannot wait so long."""
        code = address.city_code or ""
        if not _is_published(code):
            return []
        self._usage.note(code)
        if address.type != "housenumber":
            return []
        codes = [
            "cadastre_loading" if state in LOADING else "cadastre_failed"
            for state in self._load(self._keys(code, (PARCELS.id,)), reader).values()
            if state != "loaded"
        ]
        return [warning(warning_code, commune=code) for warning_code in codes]

    def gazetteer(self, reader: StoreReader) -> Gazetteer:
        """All present communes. Raises CommuneLoading or SourceUnavailable if no list of them is there in time."""
        self._register(reader)
        return self._communes.gazetteer()

    def plans(self, codes: Iterable[str], reader: StoreReader) -> None:
        """Loads cadastral plans. Raises CommuneLoading or SourceUnavailable if one cannot be loaded in time."""
        published = list(filter(_is_published, codes))
        states = self._load([key for code in published for key in self._keys(code, (PARCELS.id,))], reader)
        missing = {key: state for key, state in states.items() if state != "loaded"}
        if missing:
            raise load_error(missing, "parcels", ", ".join(key.commune_code for key in missing))

    def communes(self, codes: Sequence[str], reader: StoreReader) -> Mapping[LoadKey, LoadState]:
        """Loads everything published of these communes. Returns the load state of each partition that was missing.

        Raises CommuneLoading if something takes longer than the caller can wait, and SourceUnavailable if the plan of
        no commune is available. The other data of an imported commune, and files of a département, are loaded in the
        background.
        """
        lookup = self._lookups.get(tuple(codes))
        if lookup is None or not self._is_valid(lookup, reader):
            try:
                lookup = self._look_up(codes, reader)
            except StoreUnavailable:
                if lookup is None:
                    raise
        for code in lookup.used:
            self._usage.note(code)
        return lookup.states

    def _is_valid(self, lookup: _Lookup, reader: StoreReader) -> bool:
        """Whether nothing was loaded since, and each load is in the same state. Begins the retries that are due."""
        if lookup.until < self._clock():
            return False
        if not lookup.states:
            return True
        revisions = reader.view.revisions
        is_same = all(revisions.get(dataset) == revision for dataset, revision in lookup.revisions.items())
        return is_same and self._on_demand.load(list(lookup.states), 0.0, requester.get()) == lookup.states

    def _look_up(self, codes: Sequence[str], reader: StoreReader) -> _Lookup:
        """Raises as `communes`."""
        revisions = reader.view.revisions  # from before the lookup, since a load during it changes them
        reader.release()
        states, used = self._load_all(codes, reader)
        missing = {key: state for key, state in states.items() if state != "loaded"}
        of_missing = {key.dataset: revisions.get(key.dataset) for key in missing}
        if len(self._lookups) >= MAX_COMMUNES:
            self._lookups.clear()
        lookup = self._lookups[tuple(codes)] = _Lookup(self._clock() + READY_S, missing, of_missing, used)
        return lookup

    def _load_all(self, codes: Sequence[str], reader: StoreReader) -> tuple[dict[LoadKey, LoadState], list[str]]:
        """Loads what is missing. Returns its states, and the communes whose plans are present. Raises as `communes`."""
        published = [code for code in codes if _is_published(code)]
        awaited, background = self._divided([key for code in published for key in self._keys(code)], reader)
        states: dict[LoadKey, LoadState] = {}
        plans = [key for key in awaited if key.dataset == PARCELS.id]
        if plans:
            try:
                register = self._register(reader)
                unknown = {key.commune_code for key in plans if not register.has_land(key.commune_code)}
            except SourceUnavailable:
                unknown = {key.commune_code for key in plans}
                if unknown.issuperset(codes):
                    raise
                states.update(dict.fromkeys(plans, "failed"))
            published = [code for code in published if code not in unknown]
            awaited = [key for key in awaited if key.commune_code not in unknown]
            background = [key for key in background if key.commune_code not in unknown]
        states |= self._load(awaited, reader)
        reader.release()
        later_keys = self._on_demand.later_keys(published)
        awaited, later = self._divided([key for code in published for key in later_keys[code]], reader)
        states |= self._load(awaited, reader)
        unavailable = unavailable_plans(states)
        lost = {key.commune_code for key in unavailable}
        loading = {key.commune_code for key, state in states.items() if state in LOADING} - lost
        if loading:
            raise load_error(states, "parcels", ", ".join(sorted(loading)))
        if lost.issuperset(codes):
            raise load_error(unavailable, "parcels", ", ".join(sorted(lost)))
        states |= self._on_demand.load([*background, *later], 0.0, requester.get())
        return states, [code for code in published if code not in lost]

    def _register(self, reader: StoreReader) -> CommuneRegister:
        """Raises CommuneLoading or SourceUnavailable if no list of communes is there in time."""
        states = self._load(self._on_demand.national_keys(), reader, COMMUNE_LISTS_S)
        reader.release()
        register = self._communes.register()
        if register.is_empty:
            raise load_error(states, "communes", "")
        left_s = remaining_s()
        if left_s is not None and left_s < (COMMUNE_LISTS_S if states else ANSWER_S):
            raise CommuneLoading(REFUSALS["communes_loading"], retry_after_s=RETRY_AFTER_S)
        return register

    def _divided(self, keys: Sequence[LoadKey], reader: StoreReader) -> tuple[list[LoadKey], list[LoadKey]]:
        """The missing ones: those that the caller waits for; and those of imported communes, of whole départements and
        of slow publishers, which take minutes.
        """
        missing = self._missing(keys, reader)
        imported = {code for code in {key.commune_code for key in missing} if self._is_imported(code, reader)}
        awaited = [
            key for key in missing if key.commune_code not in imported and registry.DATASETS[key.dataset].is_awaited
        ]
        return awaited, [key for key in missing if key not in awaited]

    def _is_imported(self, code: str, reader: StoreReader) -> bool:
        """Whether the commune's plan is present and was not fetched on demand."""
        [plan] = self._keys(code, (PARCELS.id,))
        return not self._missing([plan], reader) and not self._on_demand.was_fetched(plan)

    def _missing(self, keys: Sequence[LoadKey], reader: StoreReader) -> list[LoadKey]:
        """The keys that the store does not have. Present ones are cached, and count as present if only standbys
        answer.
        """
        now = self._clock()
        unsure = [key for key in keys if self._ready.get(key, 0.0) < now]
        if not unsure:
            return []
        reader.release()
        try:
            missing = self._on_demand.missing(unsure)
        except StoreUnavailable:
            if not self._ready.keys() >= set(unsure):
                raise
            return []
        if len(self._ready) > MAX_READY:
            self._ready.clear()
        self._ready.update((key, now + READY_S) for key in set(unsure).difference(missing))
        return missing

    def _load(
        self, keys: Sequence[LoadKey], reader: StoreReader, reserved_s: float = ANSWER_S
    ) -> dict[LoadKey, LoadState]:
        """Loads the missing keys and returns their states. So much of the deadline is reserved for what follows."""
        missing = self._missing(keys, reader)
        if not missing:
            return {}
        self._require_waiting(reader)
        who = requester.get()
        with self._lock:
            may_wait = self._waiting.take(who)
        if not may_wait:
            return self._on_demand.load(missing, 0.0, who)
        try:
            left_s = remaining_s()
            return self._on_demand.load(
                missing, MAX_WAIT_S if left_s is None else min(left_s - reserved_s, MAX_WAIT_S), who
            )
        finally:
            with self._lock:
                self._waiting.release(who)

    def _require_waiting(self, reader: StoreReader) -> None:
        if not reader.may_wait:
            raise DataNotLoaded
        reader.release()


def unavailable_plans(states: Mapping[LoadKey, LoadState]) -> dict[LoadKey, LoadState]:
    """The states of the cadastral plans that could not be loaded."""
    return {
        key: state
        for key, state in states.items()
        if key.dataset == PARCELS.id and state != "loaded" and state not in LOADING
    }


def load_error(states: Mapping[LoadKey, LoadState], what: Missing, communes: str) -> CommuneLoading | SourceUnavailable:
    """The error that states why data is missing, and when to retry."""
    reasons = set(states.values())
    if "refused" in reasons:
        return CommuneLoading(REFUSALS["loads_refused"], retry_after_s=RETRY_AFTER_REFUSAL_S)
    if "loading" in reasons:
        return CommuneLoading(fill(REFUSALS[f"{what}_loading"], communes=communes), retry_after_s=RETRY_AFTER_S)
    if "no_space" in reasons:
        return SourceUnavailable(REFUSALS["no_space"], retry_after_s=RETRY_AFTER_FAILURE_S)
    detail = fill(REFUSALS[f"{what}_unavailable"], communes=communes)
    return SourceUnavailable(detail, retry_after_s=RETRY_AFTER_FAILURE_S)


def _is_published(code: str) -> bool:
    return department_of(code) in DEPARTMENTS
