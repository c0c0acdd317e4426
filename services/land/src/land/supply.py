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
from threading import Semaphore
from typing import NamedTuple, Protocol

from land import datasets, parcels
from land.addresses.model import Address, AddressQuery, Resolution
from land.communes import CommuneRegister
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.address_books import DEMO_DEPARTMENT, Scope
from land.loading.geocoder import NationalGeocoder
from land.loading.known_communes import KnownCommunes
from land.loading.on_demand import Key, OnDemand, State
from land.messages import AnswerWarning, Language, text, warning
from land.service import MAX_PARCEL_IDS, Asked, LandService, LoadedPage, Selection
from land.units.model import Block, LandUnit
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload, ServiceError

ANSWERING_S = 0.7
"""Of the deadline, kept back for the answer itself."""
LISTING_S = 2.0
"""The same where the list of communes, which is large, is still to be read."""
WAIT_S = 15.0
"""The longest: a division has a longer deadline, and needs the rest of it for the division."""
RETRY_AFTER_S = 3
RETRY_AFTER_FAILURE_S = 60
READY_S = 60.0
"""How long what was there is taken to be there still."""
MAX_READY = 100_000
LIKE_STREET = 0.85
"""A street like enough, in the very place that the query names, is not looked for where nothing is loaded."""
_TOLD_BY_PLANS = (datasets.GPU_ZONES, datasets.GPU_PRESCRIPTIONS)
"""What is missing where it is not known which plans are in force."""
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
        communes: KnownCommunes,
        usage: Usage,
        max_waiting: int,
        geocoder: NationalGeocoder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """At most `max_waiting` callers wait at a time, each in a thread of its own; more are told to come back."""
        self._land = land
        self._on_demand = on_demand
        self._communes = communes
        self._usage = usage
        self._waiting = Semaphore(max_waiting)
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
        if found is None or not _is_settled(query, found.address):
            meant = self._meant(query, language)
            states = self._bring([key for code in meant for key in self._keys(code, datasets.ADDRESSES)])
            if "loaded" in states.values():
                found = self._found(query, language)
            if found is None or not _is_settled(query, found.address):
                said = self._lacking_addresses(found, meant, states, language)
        if found is None:
            raise AddressNotFound(text("address_not_found", language))
        found, lacking = self._with_parcels(found, query, language)
        return replace(found, warnings=(*found.warnings, *said, *lacking))

    def land_unit(self, selection: Selection, blocks: Sequence[Block], scope: Scope, language: Language) -> LandUnit:
        """As `LandService.land_unit`; also raises CommuneLoading and SourceUnavailable."""
        ids = [parcels.parse(parcel_id) for parcel_id in selection.parcel_ids[: MAX_PARCEL_IDS + 1]]
        is_refused = None in ids or len(ids) > MAX_PARCEL_IDS
        if scope == "demo" or is_refused:
            return self._land.land_unit(selection, blocks, scope, language)
        if ids:
            states = self._bring_communes(sorted({parcel.commune_code for parcel in ids if parcel}), language)
            unit = self._land.land_unit(selection, blocks, scope, language)
            return _with_failures(unit, states, language)
        try:
            at_once = self._land.land_unit(selection, blocks, scope, language)
        except (AddressNotFound, ParcelNotFound):
            at_once = None
        address = at_once.address if at_once else None
        if address is None or not _is_settled(selection.address, address):
            address = self.resolve_address(selection.address, scope, language).address
            at_once = None
        states = self._bring_communes([address.city_code or ""], language)
        if at_once is None or "loaded" in states.values():
            at_once = self._land.land_unit(selection, blocks, scope, language)
        return _with_failures(at_once, states, language)

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
        if any(place.startswith(DEMO_DEPARTMENT) for place in places):
            return ()
        try:
            register = self._known_communes(language)
        except (CommuneLoading, SourceUnavailable):
            if all(self._land.has_addresses_in(place) for place in places):
                return ()
            raise
        meant = self._communes.meant(query)
        if not meant and self._geocoder is not None:
            self._require_fetching()
            parts = (query.number, query.street, query.postcode, query.city)
            code = self._geocoder.commune_of(query.label or " ".join(parts))
            meant = register.today(code) if code else ()
        return tuple(code for code in meant if register.has_land(code))

    def _known_communes(self, language: Language) -> CommuneRegister:
        """Raises CommuneLoading or SourceUnavailable where no list of communes is there in time."""
        states = self._bring(self._on_demand.national_keys(), LISTING_S)
        register = self._communes.current()
        if register.is_empty:
            raise _not_there(states, "communes", "", language)
        left_s = remaining_s()
        if left_s is not None and left_s < (LISTING_S if states else ANSWERING_S):
            raise CommuneLoading(text("communes_loading", language), retry_after_s=RETRY_AFTER_S)
        return register

    def _lacking_addresses(
        self, found: Resolution | None, meant: Sequence[str], states: Mapping[Key, State], language: Language
    ) -> list[AnswerWarning]:
        """What to say where addresses of a commune that is meant are not there. Raises where no answer may be given."""
        lacking = {
            key: state
            for key, state in states.items()
            if (state == "failed" and key.dataset == datasets.BAN)
            or (state == "loading" and (key.dataset == datasets.BAN or found is None))
        }
        names = ", ".join(dict.fromkeys(key.commune_code for key in lacking))
        if not lacking:
            return []
        if "loading" in lacking.values() or found is None or found.address.city_code not in meant:
            raise _not_there(lacking, "addresses", names, language)
        return [warning("addresses_incomplete", language, communes=names)]

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
        said = ["cadastre_loading" if state == "loading" else "cadastre_failed" for state in states.values()]
        return found, [warning(each, language, commune=code) for each in said]

    def _bring_communes(self, codes: Sequence[str], language: Language) -> Mapping[Key, State]:
        """Has all that is published of these communes brought in. Raises CommuneLoading where something takes longer
        than the caller can wait, SourceUnavailable where their parcels cannot be had.

        Nobody waits for the rest of a commune whose plan somebody imported: it comes for those who ask later.
        """
        published = [code for code in codes if self._is_published(code)]
        lacking = self._awaited(self._lacking([key for code in published for key in self._keys(code)]))
        if any(key.dataset == datasets.PARCELS for key in lacking):
            register = self._known_communes(language)
            nowhere = {key.commune_code for key in lacking if not register.has_land(key.commune_code)}
            published = [code for code in published if code not in nowhere]
            lacking = [key for key in lacking if key.commune_code not in nowhere]
        states = self._bring(lacking)
        shared = self._shared_plans(published, {key.commune_code for key in lacking})
        states |= self._bring(self._awaited(self._lacking(shared)))
        names = ", ".join(dict.fromkeys(key.commune_code for key, state in states.items() if state != "loaded"))
        has_plans = all(state == "loaded" for key, state in states.items() if key.dataset == datasets.PARCELS)
        if "loading" in states.values() or not has_plans:
            raise _not_there(states, "parcels", names, language)
        for code in published:
            self._usage.note(code)
        return states

    def _awaited(self, lacking: Sequence[Key]) -> list[Key]:
        """Those that the caller waits for; the others are brought in beside."""
        by_hand = {code for code in {key.commune_code for key in lacking} if self._is_imported(code)}
        self._bring_later([key for key in lacking if key.commune_code in by_hand])
        return [key for key in lacking if key.commune_code not in by_hand]

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

    def _bring_later(self, keys: Sequence[Key]) -> None:
        """Has them fetched without waiting, and does not look at them again for a while."""
        self._on_demand.bring(keys, 0.0)
        until = self._clock() + READY_S
        self._ready.update((key, until) for key in keys)

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
        if not self._waiting.acquire(blocking=False):
            return self._on_demand.bring(lacking, 0.0)
        try:
            left_s = remaining_s()
            return self._on_demand.bring(lacking, WAIT_S if left_s is None else min(left_s - kept_s, WAIT_S))
        finally:
            self._waiting.release()


def _is_settled(query: AddressQuery, address: Address) -> bool:
    """Whether the address agrees with the place that the query names, so that it need not be looked for elsewhere."""
    agreed, code = address.matched, query.city_code.strip().upper()
    names_place = code or agreed.city is not None or agreed.postcode is not None
    return (
        bool(names_place)
        and (agreed.street is None or agreed.street >= LIKE_STREET)
        and {agreed.city, agreed.postcode} <= {None, 1.0}
        and code in ("", address.city_code)
    )


def _not_there(
    states: Mapping[Key, State], what: str, communes: str, language: Language
) -> CommuneLoading | SourceUnavailable:
    if "loading" in states.values():
        return CommuneLoading(text(f"{what}_loading", language, communes=communes), retry_after_s=RETRY_AFTER_S)
    detail = text(f"{what}_unavailable", language, communes=communes)
    return SourceUnavailable(detail, retry_after_s=RETRY_AFTER_FAILURE_S)


def _with_failures(unit: LandUnit, states: Mapping[Key, State], language: Language) -> LandUnit:
    """The unit, saying of each dataset whose publisher did not give it that it is not whole.

    Plans that cover the whole unit are all that is asked: it matters no more that another could not be had.
    """
    covered = {each.dataset for each in unit.coverage if each.status == "covered"}
    lost = [key.dataset for key, state in states.items() if state == "failed"]
    named = [name for dataset in lost for name in (_TOLD_BY_PLANS if dataset == datasets.GPU_IN_FORCE else [dataset])]
    failed = [name for name in dict.fromkeys(named) if name not in _TOLD_BY_PLANS or name not in covered]
    if not failed:
        return unit
    coverage = tuple(
        replace(each, status="partial", reason="source_unavailable") if each.dataset in failed else each
        for each in unit.coverage
    )
    said = [warning("source_unavailable", language, dataset=dataset) for dataset in failed]
    if datasets.CADASTRE_COMMUNES in failed:
        unit = _without_frontage(unit, language)
    return replace(unit, coverage=coverage, warnings=(*unit.warnings, *said))


def _without_frontage(unit: LandUnit, language: Language) -> LandUnit:
    """The unit, where it cannot be told whether what it faces is another commune's land."""
    if unit.land is None or unit.land.frontage_m is None:
        return unit
    land = replace(unit.land, frontage_m=None, frontage=b"")
    others = (each for each in unit.warnings if each.code != "frontage_estimated")
    return replace(unit, land=land, warnings=(*others, warning("frontage_unknown", language, "land")))
