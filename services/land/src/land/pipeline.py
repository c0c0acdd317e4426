"""Answers a request in four steps, each once: find the address, load missing data, read, assemble."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple, TypeVar

import shapely
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup, is_conclusive
from land.addresses.gazetteer import Commune
from land.addresses.labels import numbered_address
from land.addresses.missing_place import missing_place
from land.addresses.model import Address, AddressQuery, Resolution, Scope
from land.addresses.parcel_matching import parcels_of
from land.addresses.place_index import Point
from land.addresses.references import (
    ParcelReference,
    communes_of,
    match_ban_id,
    match_building,
    match_parcels,
    parcel_addresses,
    planned_commune,
    read_ban_id,
    read_parcel,
    read_rnb_id,
)
from land.addresses.resolver import AddressMatch, resolve
from land.addresses.reverse import LIMIT_M, ReversedAddress, nearest_address, parcels_containing
from land.addresses.suggesting import Typed, suggest
from land.addresses.text_repair import repaired
from land.addresses.unique_street import resolve_unique
from land.answers.provenance import Source, address_loads, has_plan, loads_of, sources_of
from land.answers.refusals import (
    EMPTY_ADDRESS,
    NO_ADDRESS_NEAR,
    NOTHING_SELECTED,
    contradictions,
    invalid,
    no_parcel,
    not_found,
    parse_ids,
)
from land.answers.texts import fill
from land.answers.warnings import AnswerWarning, warning
from land.datasets.communes.queries import merged_communes
from land.datasets.easements import queries as easements
from land.datasets.parcels.queries import ids_of, parcels_by_id
from land.datasets.partitions import COUNTRY, DEMO_DEPARTMENT, arrondissements_of, codes_of
from land.datasets.planning import queries as planning
from land.datasets.relief.client import AltimetryService
from land.datasets.relief.queries import dates_of
from land.datasets.relief.records import Altitudes
from land.datasets.risks import queries as risks
from land.datasets.risks.lookups import RiskLookups
from land.datasets.risks.queries import AnswerAge
from land.datasets.risks.questions import places_of
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable, StoreUnavailable
from land.features.pages import FeaturePage, FeatureSearch, features_page
from land.loading.load_queue import LoadKey, LoadState
from land.loading.loaded_data import DatasetState, LoadedCommune, dataset_states, loaded_communes
from land.loading.prefetch import DataNotLoaded, Prefetch, load_error, unavailable_plans
from land.loading.store_reader import StoreReader
from land.parcel_search.model import ParcelPage, ParcelSearch
from land.parcel_search.sale_statistics import SaleQuestion, SaleStatistics, sale_statistics
from land.parcel_search.search import search_page
from land.store import loads
from land.store.cached_reads import ReadCache
from land.store.loads import Load
from land.store.snapshot import Snapshot
from land.store.standbys import Servers
from land.tiles.drawing import DrawnTile, check_tile, draw_tile
from land.tiles.grid import Tile
from land.units import stamps
from land.units.assembly import Selected, assemble, failed_recipes, of_selection, part_names, statement, with_states
from land.units.model import Block, LandUnit, joined
from land.units.site import Site, site_of
from land.units.stamps import Place, place_of
from land.units.stored import StoredUnits, stored_place
from land.units.succession import AbsentParcel, find_absent, none_exists
from servicekit.context import one_of_batch
from servicekit.errors import ServiceError

MAX_PAGE = 500
BATCH_S = 0.05
"""A batch starts no further address after this time. Most addresses take a hundredth of it."""
_FINISHED = "finished"
"""The name under which a finished answer is stored."""

T = TypeVar("T")
Write = Callable[[LandUnit], bytes]
"""Writes a part of a land unit. Bytes of parts that follow each other make one land unit."""


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


@dataclass(frozen=True)
class LoadedPage:
    """Part of what is loaded, with its sources."""

    loads: Sequence[Load]
    sources: Sequence[Source]


class PublisherAnswers(NamedTuple):
    """What publishers answered about the parcels, and what of it was stored before."""

    altitudes: Altitudes
    altitude_dates: Mapping[str, str]
    """When the stored altitudes were given, by parcel. Not read if none are asked for."""
    lookups: Mapping[tuple[str, str], str]
    """Why answers about risks are missing or old."""
    risk_ages: Sequence[AnswerAge]


@dataclass(frozen=True)
class Ground:
    """The selected parcels that exist, and former and newer ones among the others."""

    site: Site
    absent: Mapping[str, AbsentParcel]

    @property
    def is_whole(self) -> bool:
        """Whether all selected parcels exist."""
        return len(self.site.parcels) == len(self.site.selected)


@dataclass(frozen=True)
class WrittenLandUnit:
    """A land unit without what its selection adds, in pieces whose bytes follow each other."""

    selected: Selected
    blocks: Sequence[Block]
    pieces: Sequence[bytes]
    place: Place | None
    """The place of its stored parts; None if not all parts are stored."""


class Pipeline:
    """One method per RPC. Safe for threads."""

    def __init__(
        self,
        engine: Engine,
        addresses: AddressCache | None = None,
        prefetch: Prefetch | None = None,
        servers: Servers | None = None,
        altimetry: AltimetryService | None = None,
        risks: RiskLookups | None = None,
        max_age: timedelta = timedelta(),
        stored: StoredUnits | None = None,
    ) -> None:
        """If `prefetch` is None, only loaded data answers; if `altimetry` is None, only stored altitudes; if `risks` is
        None, only stored answers about risks. Each answer is read from one of the `servers`. Data that was loaded on
        demand is refreshed after `max_age`; zero turns that off. If `stored` is None, every land unit is computed.
        """
        self._stored = stored
        self._max_age = max_age
        self._servers = servers or Servers(engine)
        self._addresses = addresses or AddressCache(CommuneLookup(engine))
        self._reads = ReadCache()
        self._prefetch = prefetch
        self._altimetry = altimetry
        self._risks = risks

    def resolve_addresses(self, requests: Sequence[AddressRequest]) -> list[Resolution | ServiceError | None]:
        """Returns for each request its answer or its error: InvalidPayload for an empty query, AddressNotFound,
        CommuneLoading or SourceUnavailable. A request that is alone may wait for data. Of several requests, some may
        get None: they need data that is not loaded, or the batch ran out of time. Send each of these alone. Raises
        StoreUnavailable.
        """
        ends = time.monotonic() + BATCH_S

        def resolve_all(reader: StoreReader) -> list[Resolution | ServiceError | None]:
            outcomes: list[Resolution | ServiceError | None] = []
            for index, request in enumerate(requests):
                with one_of_batch(index):
                    is_in_time = not index or time.monotonic() < ends
                    outcomes.append(self._outcome(request, reader) if is_in_time else None)
            return outcomes

        return self._read(resolve_all, may_wait=len(requests) == 1)

    def land_unit(self, selection: Selection, blocks: Sequence[Block], scope: Scope) -> LandUnit:
        """Computes the land unit. Raises InvalidPayload, AddressNotFound, ParcelNotFound, ParcelRetired,
        CommuneLoading, SourceUnavailable.
        """

        def compute(selected: Selected, reader: StoreReader) -> LandUnit:
            names = part_names(blocks)
            answers = self._ask(selected.ids, names, reader)
            ground = _ground_of(selected, answers, reader)
            parts = assemble(reader.reads, ground.site, names, ground.absent)
            stated = statement(ground.site.loads, names, selected.address is not None, failed_recipes(parts))
            unit = joined([of_selection(selected), stated, *parts.values()])
            return with_states(unit, selected.states, names)

        return self._select(selection, scope, compute)

    def written_land_unit(
        self, selection: Selection, blocks: Sequence[Block], scope: Scope, write: Write
    ) -> WrittenLandUnit:
        """The land unit of `land_unit`, from stored parts. Computes those that are missing, and stores them unless they
        failed. Raises the same errors.
        """

        def answer(selected: Selected, reader: StoreReader) -> WrittenLandUnit:
            names = part_names(blocks)
            return self._written(selected, names, self._ask(selected.ids, names, reader), reader, write)

        return self._select(selection, scope, answer)

    def finished_land_unit(
        self,
        selection: Selection,
        blocks: Sequence[Block],
        scope: Scope,
        write: Write,
        finish: Callable[[WrittenLandUnit], bytes],
    ) -> bytes:
        """What `finish` makes of `written_land_unit`. It is stored as well, with all that it depends on apart from
        loads: the request, what the request led to, and what publishers answered. Raises the same errors.
        """

        def answer(selected: Selected, reader: StoreReader) -> bytes:
            names = part_names(blocks)
            answers = self._ask(selected.ids, names, reader)
            facts = repr((selection, blocks, replace(selected, unavailable=None), _details(selected, answers)))
            stored = self._stored.find(reader.reads, selected.ids, (_FINISHED,), facts=facts) if self._stored else {}
            if stored:
                return stored[_FINISHED].body
            written = self._written(selected, names, answers, reader, write)
            body = finish(written)
            if self._stored and written.place is not None:
                self._stored.put(reader.reads, selected.ids, written.place, {_FINISHED: body}, facts=facts)
            return body

        return self._select(selection, scope, answer)

    def _written(
        self, selected: Selected, names: tuple[str, ...], answers: PublisherAnswers, reader: StoreReader, write: Write
    ) -> WrittenLandUnit:
        details = _details(selected, answers)
        stored = self._stored.find(reader.reads, selected.ids, names, details) if self._stored else {}
        parts = {name: part.body for name, part in stored.items()}
        place = next((stored_place(part.place) for part in stored.values()), None)
        communes, failed = {parcel_id[:5] for parcel_id in selected.ids}, failed_recipes({})
        if missing := [name for name in names if name not in parts]:
            ground = _ground_of(selected, answers, reader)
            computed = assemble(reader.reads, ground.site, missing, ground.absent)
            new_parts = {name: write(part) for name, part in computed.items()}
            parts |= new_parts
            communes, failed = set(ground.site.communes), failed_recipes(computed)
            place = place_of(ground.site.communes, ground.site.boxes(stamps.REACH_M)) if ground.is_whole else None
            if self._stored and place is not None:
                whole = {name: body for name, body in new_parts.items() if not computed[name].failed}
                self._stored.put(reader.reads, selected.ids, place, whole, details)
        key = tuple(sorted(communes)), names, selected.address is not None, failed, write
        statement_bytes = reader.reads.cached(_written_statement, key)
        pieces = [statement_bytes, *(parts[name] for name in names)]
        return WrittenLandUnit(selected, names, pieces, None if failed else place)

    def parcels_of(self, commune_code: str) -> list[str]:
        """The ids of the commune's parcels in loaded data."""
        return self._read(lambda reader: ids_of(reader.snapshot, commune_code))

    def _select(self, selection: Selection, scope: Scope, answer: Callable[[Selected, StoreReader], T]) -> T:
        """The answer about the selected parcels, whose communes are loaded."""
        if not selection.parcel_ids and selection.address.is_empty():
            raise invalid("", "empty", NOTHING_SELECTED)
        ids = parse_ids(selection.parcel_ids)

        def read(reader: StoreReader) -> T:
            if ids:
                selected = self._by_ids(ids, selection, reader, scope)
            else:
                selected = self._by_address(selection.address, reader, scope)
            if scope == "demo":
                selected = replace(selected, ids=[name for name in selected.ids if name.startswith(DEMO_DEPARTMENT)])
            return answer(selected, reader)

        return self._read(read)

    def _ask(self, ids: Sequence[str], names: Sequence[str], reader: StoreReader) -> PublisherAnswers:
        """Asks publishers for what the parts need about these parcels and the store does not have. Releases the reader
        before it waits.
        """
        with_risks, altimetry = "risks" in names, self._altimetry if "land" in names else None

        def read() -> tuple[dict[str, str], list[AnswerAge]]:
            dates = dates_of(reader.snapshot, ids) if altimetry is not None else {}
            return dates, risks.ages(reader.snapshot, places_of(ids)) if with_risks else []

        dates, ages = read()
        snapshot = reader.snapshot
        questions = self._risks.ask(ids, ages, reader) if with_risks and self._risks is not None else None
        altitudes = altimetry.ask(ids, dates, reader) if altimetry is not None else None
        lookups = questions.finish(reader) if questions is not None else {}
        if reader.snapshot is not snapshot:
            dates, ages = read()
        return PublisherAnswers(altitudes or Altitudes(), dates, lookups, ages)

    def suggest_addresses(self, typed: Typed, scope: Scope) -> list[Address]:
        """Loads nothing: the next key press would not wait for it."""

        def answer(reader: StoreReader) -> list[Address]:
            index = reader.view.suggestions(scope)
            reference = read_parcel(AddressQuery(typed.text, city_code=typed.city_code))
            named = parcel_addresses(reader.snapshot, reference, index.gazetteer) if reference else []
            return [*named, *suggest(typed, index)][: typed.limit]

        return self._read(answer)

    def reverse_address(self, point: Point, scope: Scope) -> ReversedAddress:
        """Raises AddressNotFound, CommuneLoading and SourceUnavailable."""
        return self._read(lambda reader: self._reverse(point, scope, reader))

    def _reverse(self, point: Point, scope: Scope, reader: StoreReader) -> ReversedAddress:
        def may_answer(commune: str) -> bool:
            return scope == "all" or commune.startswith(DEMO_DEPARTMENT)

        prefetch = self._prefetch_for(scope)
        nearest = nearest_address(reader.snapshot, point, may_answer)
        if nearest is None and prefetch is not None and prefetch.addresses_near(point, reader):
            nearest = nearest_address(reader.snapshot, point, may_answer)
        if nearest is None:
            raise AddressNotFound(fill(NO_ADDRESS_NEAR, limit_m=LIMIT_M))
        number, distance_m = nearest
        address = numbered_address(number)
        warnings: list[AnswerWarning] = [] if prefetch is None else prefetch.plan(address, reader)
        commune_loads = address_loads(reader.reads, number.commune_code)
        parcels = parcels_containing(reader.snapshot, point, may_answer)
        if not (parcels or warnings or has_plan(reader.reads, number.commune_code)):
            warnings = [warning("cadastre_not_covered", commune=number.commune_code)]
        return ReversedAddress(address, distance_m, parcels, tuple(sources_of(commune_loads)), tuple(warnings))

    def search_parcels(self, search: ParcelSearch, scope: Scope) -> ParcelPage:
        """Raises InvalidPayload; if a parcel or an address names the area, also ParcelNotFound, ParcelRetired,
        AddressNotFound, CommuneLoading and SourceUnavailable.
        """
        return self._read(lambda reader: self._search(search, scope, reader))

    def _search(self, search: ParcelSearch, scope: Scope, reader: StoreReader) -> ParcelPage:
        named = None
        if search.parcel_id:
            self._load_communes([search.parcel_id[:5]], reader, scope)
            is_visible = scope != "demo" or search.parcel_id.startswith(DEMO_DEPARTMENT)
            named = parcels_by_id(reader.snapshot, [search.parcel_id]).get(search.parcel_id) if is_visible else None
            if named is None:
                absent = find_absent(reader.snapshot, [search.parcel_id] if is_visible else [])
                raise none_exists([search.parcel_id], absent)
        if search.address is None:
            return search_page(reader.reads, search, named, scope)
        selected = self._by_address(search.address, reader, scope, "/around/address")
        records = parcels_by_id(reader.snapshot, selected.ids).values()
        shape = shapely.union_all([shapely.from_wkb(record.geometry) for record in records if record.geometry])
        if shape.is_empty:
            raise none_exists(selected.ids, {})
        page = search_page(reader.reads, replace(search, shape=shape), None, scope)
        return replace(page, warnings=[*selected.warnings, *page.warnings])

    def sale_statistics(self, question: SaleQuestion, scope: Scope) -> SaleStatistics:
        """The prices of the loaded sales of an area. Loads nothing."""
        return self._read(lambda reader: sale_statistics(reader.reads, question, scope))

    def features(self, search: FeatureSearch, scope: Scope) -> FeaturePage:
        """A page of a collection, from loaded data. Raises InvalidPayload."""
        return self._read(lambda reader: features_page(reader.reads, search, scope))

    def tile(self, layer: str, tile: Tile, scope: Scope, known_version: str) -> DrawnTile:
        """A tile of one of `tiles.drawing.LAYERS`, from loaded data. Raises InvalidPayload if there is none."""
        checked_layer = check_tile(layer, tile)
        return self._read(lambda reader: draw_tile(reader.reads, checked_layer, tile, scope, known_version))

    def coverage(self, commune: str, scope: Scope, after: tuple[str, str, str], limit: int) -> LoadedPage:
        """What is loaded after the given dataset, partition and part. With `commune`, what may have rows of it."""
        department = DEMO_DEPARTMENT if scope == "demo" else ""

        def read_page(reader: StoreReader) -> list[Load]:
            codes: set[str] = set()
            if commune:
                documents = planning.partitions_of(reader.snapshot, [commune])[commune]
                codes = {*codes_of(commune), COUNTRY, *documents, *easements.documents_of(reader.snapshot, commune)}
                codes.update(*merged_communes(reader.snapshot, [commune]).values())
            return loads.page(reader.snapshot, sorted(codes), department, after, min(limit, MAX_PAGE))

        page = self._read(read_page)
        return LoadedPage(page, sources_of(page))

    def communes(self, scope: Scope, after: str, limit: int) -> list[LoadedCommune]:
        return self._read(lambda reader: loaded_communes(reader.snapshot, scope, after, min(limit, MAX_PAGE)))

    def dataset_states(self) -> list[DatasetState]:
        return self._read(lambda reader: dataset_states(reader.snapshot, self._max_age))

    def prepare(self) -> None:
        """Fills the caches that the first address would otherwise wait for."""
        self._read(lambda reader: reader.view)

    def _read(self, answer: Callable[[StoreReader], T], *, may_wait: bool = True) -> T:
        """The answer from one server. A standby that fails is replaced by the primary."""

        def read_from(server: Engine) -> T:
            with StoreReader(server, self._addresses, self._reads, may_wait=may_wait) as reader:
                return answer(reader)

        return self._servers.read(read_from)

    def _outcome(self, request: AddressRequest, reader: StoreReader) -> Resolution | ServiceError | None:
        try:
            return self._resolve(request, reader)
        except DataNotLoaded:
            return None
        except StoreUnavailable:
            raise
        except ServiceError as error:
            return error

    def _resolve(self, request: AddressRequest, reader: StoreReader) -> Resolution:
        if request.query.is_empty():
            raise invalid("", "empty", EMPTY_ADDRESS)
        match, warnings = self._find(request, reader)
        prefetch = self._prefetch_for(request.scope)
        if prefetch is not None:
            warnings += prefetch.plan(match.address, reader)
        matches, match_warnings = parcels_of(reader.reads, match)
        code = match.address.city_code or ""
        communes = arrondissements_of(code) or [code]
        kind = match.address.type
        loads_used = [load for commune in communes for load in address_loads(reader.reads, commune, kind)]
        sources = sources_of([*loads_used, *match.loads])
        return Resolution(match.address, matches, match.alternatives, tuple(sources), (*match_warnings, *warnings))

    def _find(
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
        prefetch = self._prefetch_for(scope)
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
                raise not_found(missing, warnings, within)
            warnings = [warning("place_inferred", commune=match.address.city)]
        return match, [*repairs, *contradictions(match), *warnings]

    def _named(
        self, query: AddressQuery, reference: ParcelReference | None, reader: StoreReader, scope: Scope
    ) -> AddressMatch | None:
        """The land that a query names by an identifier or a parcel reference; None if it may name an address. Loads the
        data of the communes that the query names. Raises AddressNotFound if it names an id that no data has.
        """
        prefetch, gazetteers = self._prefetch_for(scope), [reader.view.index(scope).gazetteer]
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
            raise not_found(None, [], "")
        return match

    def _by_reference(
        self, query: AddressQuery, reference: ParcelReference, reader: StoreReader, scope: Scope
    ) -> AddressMatch | None:
        communes = self._communes_of(reference, reader, scope)
        prefetch = self._prefetch_for(scope)
        if prefetch is not None and communes:
            prefetch.plans(communes, reader)
        street = None if reference.is_certain else resolve(query, reader.view.index(scope))
        streets = [street.address] if street and street.address.matched.street == 1.0 else []
        return match_parcels(reader.snapshot, reference, communes, streets) if communes else None

    def _communes_of(self, reference: ParcelReference, reader: StoreReader, scope: Scope) -> Mapping[str, Commune]:
        """The communes that the reference may name: the loaded ones alone if the list of all is not available."""
        prefetch, loaded = self._prefetch_for(scope), reader.view.index(scope).gazetteer
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

    def _by_address(self, query: AddressQuery, reader: StoreReader, scope: Scope, within: str = "/address") -> Selected:
        """The parcels of an address. Raises AddressNotFound, and ParcelNotFound if it has none."""
        match, warnings = self._find(AddressRequest(query, scope), reader, within)
        codes = [match.address.city_code or ""] if match.point is not None or match.parcels else []
        states = self._load_communes(codes, reader, scope)
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
        states = self._load_communes(sorted({parcel_id[:5] for parcel_id in ids}), reader, scope)
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

    def _load_communes(self, codes: Sequence[str], reader: StoreReader, scope: Scope) -> dict[LoadKey, LoadState]:
        prefetch = self._prefetch_for(scope)
        if prefetch is None or not codes:
            return {}
        return dict(prefetch.communes(codes, reader))

    def _prefetch_for(self, scope: Scope) -> Prefetch | None:
        """The demo is never fetched."""
        return None if scope == "demo" else self._prefetch


def _ground_of(selected: Selected, answers: PublisherAnswers, reader: StoreReader) -> Ground:
    """Raises as `Pipeline.land_unit` if none of the parcels exists."""
    records = parcels_by_id(reader.snapshot, selected.ids)
    unknown = [parcel_id for parcel_id in selected.ids if parcel_id not in records]
    absent = find_absent(reader.snapshot, unknown)
    if not records:
        raise selected.unavailable or none_exists(unknown, absent)
    communes = tuple(sorted({record.commune_code for record in records.values()}))
    site = site_of(selected.ids, records, reader.reads.cached(loads_of, communes))
    site = replace(
        site,
        altitudes=answers.altitudes,
        lookups=answers.lookups,
        is_territory_missing=selected.is_territory_missing,
    )
    return Ground(site, absent)


def _details(selected: Selected, answers: PublisherAnswers) -> dict[str, str]:
    """What parts depend on apart from loads, by their names. Parts that depend on nothing else have none."""
    altitudes = answers.altitudes
    dates = {**answers.altitude_dates, **{name: row.retrieved_at for name, row in altitudes.rows.items()}}
    of_land = selected.is_territory_missing, altitudes.has_failed, sorted(dates.items())
    of_risks = sorted(answers.lookups.items()), sorted(answers.risk_ages)
    return {name: repr(facts) for name, facts in (("land", of_land), ("risks", of_risks)) if any(facts)}


def _written_statement(
    snapshot: Snapshot, key: tuple[tuple[str, ...], tuple[str, ...], bool, tuple[str, ...], Write]
) -> bytes:
    communes, names, has_address, failed, write = key
    return write(statement(loads_of(snapshot, communes), names, has_address, failed))
