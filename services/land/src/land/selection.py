"""Selects the land of a request: finds its address or its parcels, and loads the data of their communes first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import is_conclusive
from land.addresses.gazetteer import Commune
from land.addresses.missing_place import missing_place
from land.addresses.model import AddressQuery, Scope
from land.addresses.parcel_matching import parcels_of
from land.addresses.references import (
    ParcelReference,
    communes_of,
    match_ban_id,
    match_building,
    match_parcels,
    planned_commune,
    read_ban_id,
    read_parcel,
    read_rnb_id,
)
from land.addresses.resolver import AddressMatch, resolve
from land.addresses.text_repair import repaired
from land.addresses.unique_street import resolve_unique
from land.answers.refusals import contradictions, no_parcel, not_found
from land.answers.texts import AnswerWarning, warning
from land.datasets.partitions import DEMO_DEPARTMENT
from land.errors import CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.load_queue import LoadKey, LoadState
from land.loading.prefetch import Prefetch, load_error, unavailable_plans
from land.loading.store_reader import StoreReader
from land.units.assembly import Selected
from land.units.succession import find_absent, none_exists


class AddressRequest(NamedTuple):
    query: AddressQuery
    scope: Scope


@dataclass(frozen=True)
class Selection:
    """What selects the land: parcel ids if there are any, else the address."""

    address: AddressQuery
    parcel_ids: Sequence[str]
    needs_all: bool = False
    """Whether the request fails if the plan of one of several parcels is unavailable."""


class Selector:
    """Finds what requests name. Safe for threads."""

    def __init__(self, addresses: AddressCache, prefetch: Prefetch | None) -> None:
        """If `prefetch` is None, only loaded data answers."""
        self._addresses = addresses
        self._prefetch = prefetch

    def select(self, selection: Selection, ids: list[str], reader: StoreReader, scope: Scope) -> Selected:
        """The selected parcels, whose communes are loaded: those with the `ids` if there are any."""
        selected = (
            self._by_ids(ids, selection, reader, scope) if ids else self.by_address(selection.address, reader, scope)
        )
        if scope == "demo":
            selected = replace(selected, ids=[name for name in selected.ids if name.startswith(DEMO_DEPARTMENT)])
        return selected

    def find(
        self, request: AddressRequest, reader: StoreReader, within: str = ""
    ) -> tuple[AddressMatch, list[AnswerWarning]]:
        """The address, and what is missing from the search. If the loaded addresses do not settle the query, loads the
        addresses of the communes that it may mean, and searches again. Raises AddressNotFound. `within` is the JSON
        pointer of the query.
        """
        query, scope = repaired(request.query), request.scope
        repairs = [warning("text_repaired")] if query is not request.query else []
        warnings: list[AnswerWarning] = []
        reference = read_parcel(query)
        match = self._named(query, reference, reader, scope)
        if match is not None:
            return match, repairs
        match = resolve(query, reader.view.index(scope))
        prefetch = self.prefetch_for(scope)
        if prefetch is not None and not is_conclusive(match):
            loaded = prefetch.addresses(query, reader)
            if loaded.has_loaded():
                match = resolve(query, reader.view.index(scope))
            if not is_conclusive(match):
                warnings = loaded.warnings(match.address if match else None)
        if reference is not None and (match is None or match.address.type == "municipality"):
            self._refuse_parcel(reference, reader, scope)
        if match is None:
            missing = missing_place(query, [reader.view.index(scope).gazetteer, self._addresses.communes.gazetteer()])
            if missing == "place_missing" and reader.view.has_whole_country(scope):
                match = resolve_unique(query, scope, reader.view.index(scope), reader.snapshot)
            if match is None:
                raise not_found(missing, warnings, within, scope)
            warnings = [warning("place_inferred", commune=match.address.city)]
        return match, [*repairs, *contradictions(match), *warnings]

    def _named(
        self, query: AddressQuery, reference: ParcelReference | None, reader: StoreReader, scope: Scope
    ) -> AddressMatch | None:
        """The land that a query names by an identifier or a parcel reference; None if it may name an address. Loads the
        data of the communes that the query names. Raises AddressNotFound if it names an id that no data has.
        """
        prefetch, gazetteers = self.prefetch_for(scope), [reader.view.index(scope).gazetteer]
        if address_id := read_ban_id(query.label):
            if prefetch is not None:
                prefetch.addresses(AddressQuery(city_code=address_id[:5]), reader).warnings(None)
            is_visible = scope != "demo" or address_id.startswith(DEMO_DEPARTMENT)
            match = match_ban_id(reader.snapshot, address_id) if is_visible else None
        elif rnb_id := read_rnb_id(query.label):
            match = match_building(reader.snapshot, rnb_id, [*gazetteers, self._addresses.communes.gazetteer()])
            code = match.address.city_code or "" if match else ""
            if scope == "demo" and not code.startswith(DEMO_DEPARTMENT):
                match = None
        elif reference is not None:
            return self._by_reference(query, reference, reader, scope)
        else:
            return None
        if match is None:
            raise not_found(None, [], "", scope)
        return match

    def _by_reference(
        self, query: AddressQuery, reference: ParcelReference, reader: StoreReader, scope: Scope
    ) -> AddressMatch | None:
        communes = self._communes_of(reference, reader, scope)
        prefetch = self.prefetch_for(scope)
        if prefetch is not None and communes:
            prefetch.plans(communes, reader)
        street = None if reference.is_certain else resolve(query, reader.view.index(scope))
        streets = [street.address] if street and street.address.matched.street == 1.0 else []
        return match_parcels(reader.snapshot, reference, communes, streets) if communes else None

    def _communes_of(self, reference: ParcelReference, reader: StoreReader, scope: Scope) -> Mapping[str, Commune]:
        """The communes that the reference may name: the loaded ones alone if the list of all is not available."""
        prefetch, loaded = self.prefetch_for(scope), reader.view.index(scope).gazetteer
        if prefetch is None or not reference.place:
            self._addresses.communes.register_at(reader.snapshot)
            communes = communes_of(reference, [loaded, self._addresses.communes.gazetteer()])
            communes = communes or planned_commune(reader.snapshot, reference)
            return {code: communes[code] for code in communes if scope == "all" or code.startswith(DEMO_DEPARTMENT)}
        try:
            return communes_of(reference, [loaded, prefetch.gazetteer(reader)])
        except (CommuneLoading, SourceUnavailable):
            if communes := communes_of(reference, [loaded]):
                return communes
            raise

    def _refuse_parcel(self, reference: ParcelReference, reader: StoreReader, scope: Scope) -> None:
        """Raises ParcelNotFound, ParcelRetired or ParcelNewer if the reference names a commune."""
        ids = [reference.id_in(code) for code in self._communes_of(reference, reader, scope)]
        if ids:
            raise none_exists(ids, find_absent(reader.snapshot, ids))

    def by_address(self, query: AddressQuery, reader: StoreReader, scope: Scope, within: str = "/address") -> Selected:
        """The parcels of an address. Raises AddressNotFound, and ParcelNotFound if it has none."""
        match, warnings = self.find(AddressRequest(query, scope), reader, within)
        codes = [match.address.city_code or ""] if match.point is not None or match.parcels else []
        states = self.load_communes(codes, reader, scope)
        matches, match_warnings = parcels_of(reader.reads, match)
        if not matches:
            raise ParcelNotFound(no_parcel(match, match_warnings))
        ids = [match.parcel_id for match in matches]
        warnings = [*match_warnings, *warnings]
        return Selected(ids, match.address, matches, states=states, warnings=warnings)

    def _by_ids(self, ids: list[str], selection: Selection, reader: StoreReader, scope: Scope) -> Selected:
        """The ids whose plans are available; the others with a warning. The address is only looked up in loaded data.
        Raises SourceUnavailable if no plan is available, or if one is not and the selection needs all.
        """
        match = None if selection.address.is_empty() else resolve(selection.address, reader.view.index(scope))
        states = self.load_communes(sorted({parcel_id[:5] for parcel_id in ids}), reader, scope)
        plans = unavailable_plans(states)
        lost = {key.commune_code for key in plans}
        available = [parcel_id for parcel_id in ids if parcel_id[:5] not in lost]
        error = None
        if len(available) < len(ids):
            error = load_error(plans, "parcels", ", ".join(sorted(lost)))
            if selection.needs_all:
                raise error
        warnings = [warning("parcel_unavailable", parcel_id=parcel_id) for parcel_id in ids if parcel_id[:5] in lost]
        of_available = {key: state for key, state in states.items() if key.commune_code not in lost}
        address = match.address if match else None
        warnings += contradictions(match) if match else []
        return Selected(available, address, states=of_available, warnings=warnings, unavailable=error)

    def load_communes(self, codes: Sequence[str], reader: StoreReader, scope: Scope) -> dict[LoadKey, LoadState]:
        prefetch = self.prefetch_for(scope)
        return {} if prefetch is None or not codes else dict(prefetch.communes(codes, reader))

    def prefetch_for(self, scope: Scope) -> Prefetch | None:
        """The demo is never fetched."""
        return None if scope == "demo" else self._prefetch
