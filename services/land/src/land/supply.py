"""Land whose data comes when it is asked for: `LandService`, with what an answer lacks fetched from its publishers.

An answer that draws on loaded communes alone costs next to nothing more here. Where something is missing, the caller
waits for it as long as its deadline allows, and is then told to come back; what a publisher fails to give is left out,
and said so.
"""

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, Protocol

from land import datasets, parcels
from land.addresses.commune_lookup import CommuneLookup, is_conclusive
from land.addresses.model import AddressQuery, Resolution, Scope
from land.communes import CommuneRegister
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.fair import FairSlots
from land.loading.geocoder import NationalGeocoder
from land.loading.load_queue import LOADING, Key, State
from land.loading.on_demand import OnDemand
from land.messages import AnswerWarning, Language, text, warning
from land.not_loaded import RETRY_AFTER_S, lacking_addresses, not_there, unavailable_plans, with_states
from land.parcels import ParcelId
from land.service import MAX_PARCEL_IDS, Asked, LandService, LoadedPage, Selection
from land.units.model import Block, LandUnit
from servicekit.context import remaining_s, requester
from servicekit.errors import InvalidPayload, ServiceError

ANSWERING_S = 0.7
"""Of the deadline, kept back for the answer itself."""
LISTING_S = 2.0
"""The same where the list of communes, which is large, is still to be read."""
WAIT_S = 15.0
"""The longest: a division has a longer deadline, and needs the rest of it for the division."""
READY_S = 60.0
"""How long what was there is taken to be there still."""
MAX_READY = 100_000
MAX_ADDRESS_LOADS = 4
"""Files of addresses that one query loads, whatever it names: with the plan of the commune found, 5 loads."""
_POSTCODE = re.compile(r"(?<![0-9])[0-9]{5}(?![0-9])")


class _Plans(NamedTuple):
    until: float
    """When what is known of them is looked up again."""
    keys: tuple[Key, ...]


_NO_PLANS = _Plans(0.0, ())


class NotAtHand(Exception):
    """What an answer needs is still to be fetched, and nobody waits for it."""


class Usage(Protocol):
    def note(self, commune_code: str) -> None:
        """Hears that a commune served an answer, or is about to."""


class SuppliedLand:
    """Safe for threads."""

    def __init__(
        self,
        land: LandService,
        on_demand: OnDemand,
        communes: CommuneLookup,
        usage: Usage,
        max_waiting: int,
        geocoder: NationalGeocoder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """At most `max_waiting` callers wait at a time, each in a thread of its own; others get CommuneLoading."""
        self._land = land
        self._on_demand = on_demand
        self._communes = communes
        self._usage = usage
        self._waiting = FairSlots(max_waiting)
        self._lock = Lock()
        self._geocoder = geocoder
        self._clock = clock
        self._may_fetch = True
        """Whether an answer waits for what it lacks; NotAtHand is raised instead."""
        self._ready: dict[Key, float] = {}
        self._plans: dict[str, _Plans] = {}
        self._keys = lru_cache(maxsize=4_096)(on_demand.keys)

    def resolve_address(self, query: AddressQuery, scope: Scope, language: Language) -> Resolution:
        """As `LandService.resolve_address`; also raises CommuneLoading and SourceUnavailable."""
        if scope == "demo" or query.is_empty():
            return self._land.resolve_address(query, scope, language)
        return self._completed(self._found(query, language), query, language)

    def resolve_addresses(self, asked: Sequence[Asked]) -> list[Resolution | ServiceError | None]:
        """As `LandService.resolve_addresses`; None for those too for which something has to be fetched."""
        at_hand = copy(self)
        at_hand._may_fetch = False
        found = self._land.resolve_addresses(asked)
        return [at_hand._result(each, result) for each, result in zip(asked, found, strict=True)]

    def _result(self, asked: Asked, found: Resolution | ServiceError | None) -> Resolution | ServiceError | None:
        if found is None or asked.scope == "demo" or isinstance(found, InvalidPayload):
            return found
        try:
            return self._completed(found if isinstance(found, Resolution) else None, asked.query, asked.language)
        except NotAtHand:
            return None
        except ServiceError as error:
            return error

    def _completed(self, found: Resolution | None, query: AddressQuery, language: Language) -> Resolution:
        """What was found among what is loaded, with what it lacks. Raises as `resolve_address`, and NotAtHand."""
        said: list[AnswerWarning] = []
        if found is None or not is_conclusive(query, found.address):
            meant = self._meant(query, language)
            keys = self._address_keys(meant)
            states = self._bring(keys[:MAX_ADDRESS_LOADS])
            others = self._lacking(keys[MAX_ADDRESS_LOADS:])
            skipped = [key.commune_code for key in others if key.dataset == datasets.BAN]
            if "loaded" in states.values():
                found = self._found(query, language)
            if found is None or not is_conclusive(query, found.address):
                said = lacking_addresses(found, meant, states, language)
                if skipped:
                    said.append(warning("communes_not_searched", language, communes=", ".join(skipped)))
        if found is None:
            raise AddressNotFound(" ".join([text("address_not_found", language), *(each.detail for each in said)]))
        found, lacking = self._with_parcels(found, query, language)
        return replace(found, warnings=(*found.warnings, *said, *lacking))

    def land_unit(self, selection: Selection, blocks: Sequence[Block], scope: Scope, language: Language) -> LandUnit:
        """As `LandService.land_unit`; also raises CommuneLoading and SourceUnavailable."""
        ids = [parcels.parse(parcel_id) for parcel_id in selection.parcel_ids[: MAX_PARCEL_IDS + 1]]
        is_refused = None in ids or len(ids) > MAX_PARCEL_IDS
        if scope == "demo" or is_refused:
            return self._land.land_unit(selection, blocks, scope, language)
        if ids:
            return self._unit_of(selection, [each for each in ids if each], blocks, language)
        try:
            at_once = self._land.land_unit(selection, blocks, scope, language)
        except (AddressNotFound, ParcelNotFound):
            at_once = None
        address = at_once.address if at_once else None
        if address is None or not is_conclusive(selection.address, address):
            address = self.resolve_address(selection.address, scope, language).address
            at_once = None
        states = self._bring_communes([address.city_code or ""], language)
        if at_once is None or "loaded" in states.values():
            at_once = self._land.land_unit(selection, blocks, scope, language)
        return with_states(at_once, states, language)

    def _unit_of(
        self, selection: Selection, ids: Sequence[ParcelId], blocks: Sequence[Block], language: Language
    ) -> LandUnit:
        """The unit of parcels that are given. Without `selection.needs_all`, a parcel whose plan cannot be had is left
        out of it, with a warning, unless it is the only one that may exist.
        """
        states = self._bring_communes(sorted({each.commune_code for each in ids}), language)
        plans = unavailable_plans(states)
        lost = {key.commune_code for key in plans}
        left_out = list(dict.fromkeys(str(each) for each in ids if each.commune_code in lost))
        if not left_out:
            return with_states(self._land.land_unit(selection, blocks, "all", language), states, language)
        unavailable = not_there(plans, "parcels", ", ".join(sorted(lost)), language)
        if selection.needs_all:
            raise unavailable
        rest = replace(selection, parcel_ids=[str(each) for each in ids if each.commune_code not in lost])
        try:
            unit = self._land.land_unit(rest, blocks, "all", language)
        except ParcelNotFound:
            raise unavailable from None
        said = [warning("parcel_unavailable", language, parcel_id=parcel_id) for parcel_id in left_out]
        of_rest = {key: state for key, state in states.items() if key.commune_code not in lost}
        unit = with_states(unit, of_rest, language)
        return replace(unit, warnings=(*said, *unit.warnings))

    def coverage(self, commune: str, scope: Scope, after: tuple[str, str, str], limit: int) -> LoadedPage:
        """As `LandService.coverage`: what is loaded, and not what could be."""
        return self._land.coverage(commune, scope, after, limit)

    def _found(self, query: AddressQuery, language: Language) -> Resolution | None:
        try:
            return self._land.resolve_address(query, "all", language)
        except AddressNotFound:
            return None

    def _meant(self, query: AddressQuery, language: Language) -> tuple[str, ...]:
        """The communes that a query speaks of. Raises CommuneLoading or SourceUnavailable where it names a place and no
        list of communes can be had to tell which.
        """
        places = [*_POSTCODE.findall(f"{query.label} {query.postcode}"), *query.city_code.split()]
        if any(place.startswith(datasets.DEMO_DEPARTMENT) for place in places):
            return ()
        try:
            register = self._known_communes(language)
        except (CommuneLoading, SourceUnavailable):
            if all(self._land.has_addresses_in(place) for place in places):
                return ()
            raise
        meant = self._communes.find(query)
        if not meant and self._geocoder is not None:
            self._require_fetching()
            parts = (query.number, query.street, query.postcode, query.city)
            code = self._geocoder.commune_of(query.label or " ".join(parts))
            meant = register.current_codes(code) if code else ()
        published = [code for code in meant if register.has_land(code)]
        return tuple(sorted(published, key=register.population, reverse=True))

    def _address_keys(self, codes: Sequence[str]) -> list[Key]:
        """The addresses of all communes before the localities of any: house numbers are what most queries ask for."""
        keys = [key for code in codes for key in self._keys(code, datasets.ADDRESSES)]
        return sorted(keys, key=lambda key: key.dataset != datasets.BAN)

    def _known_communes(self, language: Language) -> CommuneRegister:
        """Raises CommuneLoading or SourceUnavailable where no list of communes is there in time."""
        states = self._bring(self._on_demand.national_keys(), LISTING_S)
        register = self._communes.register()
        if register.is_empty:
            raise not_there(states, "communes", "", language)
        left_s = remaining_s()
        if left_s is not None and left_s < (LISTING_S if states else ANSWERING_S):
            raise CommuneLoading(text("communes_loading", language), retry_after_s=RETRY_AFTER_S)
        return register

    def _with_parcels(
        self, found: Resolution, query: AddressQuery, language: Language
    ) -> tuple[Resolution, list[AnswerWarning]]:
        """The answer with its parcels, where these can be had in time; their absence is a warning."""
        code = found.address.city_code or ""
        if not self._is_published(code):
            return found, []
        self._usage.note(code)
        if found.address.type != "housenumber":
            return found, []
        states = self._bring(self._keys(code, (datasets.PARCELS,)))
        if "loaded" in states.values():
            return self._land.resolve_address(query, "all", language), []
        said = ["cadastre_loading" if state in LOADING else "cadastre_failed" for state in states.values()]
        return found, [warning(each, language, commune=code) for each in said]

    def _bring_communes(self, codes: Sequence[str], language: Language) -> Mapping[Key, State]:
        """Loads what is published of these communes. Returns the state of each key that was missing.

        Raises CommuneLoading where something takes longer than the caller can wait, SourceUnavailable where the parcels
        of none of the communes can be had.

        Nobody waits for the rest of a commune whose plan was imported: it is loaded in the background.
        """
        published = [code for code in codes if self._is_published(code)]
        lacking, beside = self._parted(self._lacking([key for code in published for key in self._keys(code)]))
        states: dict[Key, State] = {}
        plans = [key for key in lacking if key.dataset == datasets.PARCELS]
        if plans:
            try:
                register = self._known_communes(language)
                unknown = {key.commune_code for key in plans if not register.has_land(key.commune_code)}
            except SourceUnavailable:
                unknown = {key.commune_code for key in plans}
                if unknown.issuperset(codes):
                    raise
                states.update(dict.fromkeys(plans, "failed"))
            published = [code for code in published if code not in unknown]
            lacking = [key for key in lacking if key.commune_code not in unknown]
        states |= self._bring(lacking)
        shared = self._shared_plans(published, {key.commune_code for key in lacking})
        awaited, later = self._parted(self._lacking(shared))
        states |= self._bring(awaited)
        unavailable = unavailable_plans(states)
        lost = {key.commune_code for key in unavailable}
        loading = {key.commune_code for key, state in states.items() if state in LOADING} - lost
        if loading:
            raise not_there(states, "parcels", ", ".join(sorted(loading)), language)
        if lost.issuperset(codes):
            raise not_there(unavailable, "parcels", ", ".join(sorted(lost)), language)
        for code in published:
            if code not in lost:
                self._usage.note(code)
        return states | self._on_demand.bring([*beside, *later], 0.0, requester.get())

    def _parted(self, lacking: Sequence[Key]) -> tuple[list[Key], list[Key]]:
        """Those that the caller waits for, and those of imported communes, which are loaded in the background."""
        by_hand = {code for code in {key.commune_code for key in lacking} if self._is_imported(code)}
        return (
            [key for key in lacking if key.commune_code not in by_hand],
            [key for key in lacking if key.commune_code in by_hand],
        )

    def _shared_plans(self, codes: Sequence[str], changed: Collection[str]) -> list[Key]:
        """The planning documents of these communes that others have too. They are remembered for a while, but for
        communes of which something has just come, which may say more of them.
        """
        now = self._clock()
        unsure = [code for code in codes if code in changed or self._plans.get(code, _NO_PLANS).until < now]
        if unsure:
            if len(self._plans) > MAX_READY:
                self._plans.clear()
            found = self._on_demand.shared_plan_keys(unsure)
            self._plans.update((code, _Plans(now + READY_S, tuple(keys))) for code, keys in found.items())
        return [key for code in codes for key in self._plans.get(code, _NO_PLANS).keys]

    def _is_imported(self, code: str) -> bool:
        """Whether the commune's plan is there and was not fetched on demand."""
        [plan] = self._keys(code, (datasets.PARCELS,))
        return not self._lacking([plan]) and not self._on_demand.was_fetched(plan)

    def _is_published(self, code: str) -> bool:
        return parcels.department_of(code) in datasets.DEPARTMENTS

    def _lacking(self, keys: Sequence[Key]) -> list[Key]:
        """Those that are not there, the rest remembered for a while."""
        now = self._clock()
        unsure = [key for key in keys if self._ready.get(key, 0.0) < now]
        if not unsure:
            return []
        missing = self._on_demand.missing(unsure)
        if len(self._ready) > MAX_READY:
            self._ready.clear()
        self._ready.update((key, now + READY_S) for key in set(unsure).difference(missing))
        return missing

    def _require_fetching(self) -> None:
        if not self._may_fetch:
            raise NotAtHand

    def _bring(self, keys: Sequence[Key], kept_s: float = ANSWERING_S) -> dict[Key, State]:
        """How those of the keys fared that were not there. So much of the deadline is kept for what comes after."""
        lacking = self._lacking(keys)
        if not lacking:
            return {}
        self._require_fetching()
        who = requester.get()
        with self._lock:
            may_wait = self._waiting.take(who)
        if not may_wait:
            return self._on_demand.bring(lacking, 0.0, who)
        try:
            left_s = remaining_s()
            return self._on_demand.bring(lacking, WAIT_S if left_s is None else min(left_s - kept_s, WAIT_S), who)
        finally:
            with self._lock:
                self._waiting.release(who)
