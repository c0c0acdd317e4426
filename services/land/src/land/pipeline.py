"""Answers a request in four steps, each once: find the address, load missing data, read, assemble."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import shapely
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.labels import numbered_address
from land.addresses.model import Address, AddressQuery, Resolution, Scope
from land.addresses.parcel_matching import parcels_of
from land.addresses.place_index import Point
from land.addresses.references import parcel_addresses, read_parcel
from land.addresses.reverse import LIMIT_M, ReversedAddress, nearest_address, parcels_containing
from land.addresses.suggesting import Typed, suggest
from land.answers.provenance import address_loads, has_plan, sources_of
from land.answers.refusals import invalid, parse_ids
from land.answers.texts import REFUSALS, AnswerWarning, fill, warning
from land.datasets.communes.queries import merged_communes
from land.datasets.easements import queries as easements
from land.datasets.parcels.queries import ids_of, parcels_by_id
from land.datasets.partitions import COUNTRY, DEMO_DEPARTMENT, arrondissements_of, codes_of
from land.datasets.planning import queries as planning
from land.datasets.relief.client import AltimetryService
from land.datasets.risks.lookups import RiskLookups
from land.errors import AddressNotFound, StoreUnavailable
from land.features.pages import FeaturePage, FeatureSearch, features_page
from land.loading.loaded_data import DatasetState, LoadedCommune, dataset_states, loaded_communes
from land.loading.prefetch import DataNotLoaded, Prefetch
from land.loading.store_reader import StoreReader
from land.parcel_search.model import ParcelPage, ParcelSearch
from land.parcel_search.sale_statistics import SaleQuestion, SaleStatistics, sale_statistics
from land.parcel_search.search import search_page
from land.selection import AddressRequest, Selection, Selector
from land.store import loads
from land.store.cached_reads import ReadCache
from land.store.loads import Load
from land.store.standbys import Servers
from land.tiles.drawing import DrawnTile, check_tile, draw_tile
from land.tiles.grid import Tile
from land.unit_answers import UnitAnswers, Write, WrittenLandUnit
from land.units.assembly import Selected
from land.units.model import Block
from land.units.stored import StoredUnits
from land.units.succession import find_absent, none_exists
from servicekit.context import one_of_batch
from servicekit.errors import ServiceError

MAX_PAGE = 500
BATCH_S = 0.05
"""A batch starts no further address after this time. Most addresses take a hundredth of it."""

T = TypeVar("T")


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
        self._max_age = max_age
        self._servers = servers or Servers(engine)
        self._addresses = addresses or AddressCache(CommuneLookup(engine))
        self._reads = ReadCache()
        self._selector = Selector(self._addresses, prefetch)
        self._units = UnitAnswers(stored, altimetry, risks)

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

    def written_land_unit(
        self, selection: Selection, blocks: Sequence[Block], scope: Scope, write: Write
    ) -> WrittenLandUnit:
        """Raises InvalidPayload, AddressNotFound, ParcelNotFound, ParcelRetired, CommuneLoading, SourceUnavailable."""
        return self._select(
            selection, scope, lambda selected, reader: self._units.written(selected, blocks, reader, write)
        )

    def finished_land_unit(
        self,
        selection: Selection,
        blocks: Sequence[Block],
        scope: Scope,
        write: Write,
        finish: Callable[[WrittenLandUnit], bytes],
    ) -> bytes:
        """What `finish` makes of `written_land_unit`. Raises the same errors."""
        return self._select(
            selection,
            scope,
            lambda selected, reader: self._units.finished(selection, selected, blocks, reader, write, finish),
        )

    def parcels_of(self, commune_code: str) -> list[str]:
        """The ids of the commune's parcels in loaded data."""
        return self._read(lambda reader: ids_of(reader.snapshot, commune_code))

    def _select(self, selection: Selection, scope: Scope, answer: Callable[[Selected, StoreReader], T]) -> T:
        """The answer about the selected parcels, whose communes are loaded."""
        if not selection.parcel_ids and selection.address.is_empty():
            raise invalid("", "empty", REFUSALS["nothing_selected"])
        ids = parse_ids(selection.parcel_ids)
        return self._read(lambda reader: answer(self._selector.select(selection, ids, reader, scope), reader))

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

        prefetch = self._selector.prefetch_for(scope)
        nearest = nearest_address(reader.snapshot, point, may_answer)
        if nearest is None and prefetch is not None and prefetch.addresses_near(point, reader):
            nearest = nearest_address(reader.snapshot, point, may_answer)
        if nearest is None:
            raise AddressNotFound(fill(REFUSALS["no_address_near"], limit_m=LIMIT_M))
        number, distance_m = nearest
        address = numbered_address(number)
        warnings: list[AnswerWarning] = [] if prefetch is None else prefetch.plan(address, reader)
        commune_loads = address_loads(reader.reads, number.commune_code)
        parcels = parcels_containing(reader.snapshot, point, may_answer)
        if not (parcels or warnings or has_plan(reader.reads, number.commune_code)):
            warnings = [warning("cadastre_not_covered", commune=number.commune_code)]
        return ReversedAddress(address, distance_m, parcels, sources=sources_of(commune_loads), warnings=warnings)

    def search_parcels(self, search: ParcelSearch, scope: Scope) -> ParcelPage:
        """Raises InvalidPayload; if a parcel or an address names the area, also ParcelNotFound, ParcelRetired,
        AddressNotFound, CommuneLoading and SourceUnavailable.
        """
        return self._read(lambda reader: self._search(search, scope, reader))

    def _search(self, search: ParcelSearch, scope: Scope, reader: StoreReader) -> ParcelPage:
        named = None
        if search.parcel_id:
            self._selector.load_communes([search.parcel_id[:5]], reader, scope)
            is_visible = scope != "demo" or search.parcel_id.startswith(DEMO_DEPARTMENT)
            named = parcels_by_id(reader.snapshot, [search.parcel_id]).get(search.parcel_id) if is_visible else None
            if named is None:
                absent = find_absent(reader.snapshot, [search.parcel_id] if is_visible else [])
                raise none_exists([search.parcel_id], absent)
        if search.address is None:
            return search_page(reader.reads, search, named, scope)
        selected = self._selector.by_address(search.address, reader, scope, "/around/address")
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

    def coverage(self, commune: str, scope: Scope, after: tuple[str, str, str], limit: int) -> list[Load]:
        """What is loaded after the given dataset, partition and part. With `commune`, what may have rows of it."""
        department = DEMO_DEPARTMENT if scope == "demo" else ""

        def read_page(reader: StoreReader) -> list[Load]:
            codes: set[str] = set()
            if commune:
                documents = planning.partitions_of(reader.snapshot, [commune])[commune]
                codes = {*codes_of(commune), COUNTRY, *documents, *easements.documents_of(reader.snapshot, commune)}
                codes.update(*merged_communes(reader.snapshot, [commune]).values())
            return loads.page(reader.snapshot, sorted(codes), department, after, min(limit, MAX_PAGE))

        return self._read(read_page)

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
            raise invalid("", "empty", REFUSALS["address_empty"])
        match, warnings = self._selector.find(request, reader)
        prefetch = self._selector.prefetch_for(request.scope)
        if prefetch is not None:
            warnings += prefetch.plan(match.address, reader)
        matches, match_warnings = parcels_of(reader.reads, match)
        code = match.address.city_code or ""
        communes = arrondissements_of(code) or [code]
        kind = match.address.type
        loads_used = [load for commune in communes for load in address_loads(reader.reads, commune, kind)]
        sources = sources_of([*loads_used, *match.loads])
        warnings = [*match_warnings, *warnings]
        return Resolution(match.address, matches, match.alternatives, sources=sources, warnings=warnings)
