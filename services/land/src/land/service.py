"""What land does for a caller, each call in one snapshot of the store: resolve an address, assemble a land unit, tell
what is loaded.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import shapely
from sqlalchemy import Connection, Engine

from land import parcels, registry
from land.addresses.model import AddressQuery, ParcelMatch, Resolution
from land.addresses.placing import NEAREST_LIMIT_M, match_parcels
from land.addresses.resolver import Found, HouseNumberPoint, resolve
from land.errors import AddressNotFound, ParcelNotFound, ParcelRetired
from land.loading.address_books import AddressBooks, AddressView, Scope
from land.loading.known_communes import KnownCommunes
from land.messages import AnswerWarning, Language, text, warning
from land.partitions import COUNTRY, DEMO_DEPARTMENT, codes_of
from land.provenance import Edition, Source, sources_of
from land.records.addresses import NearbyAddress
from land.records.parcels import ParcelRecord
from land.store import loads, planning, reading
from land.store.boxes import Box
from land.store.buildings import MAX_ROWS, buildings_in_boxes
from land.store.loads import Load
from land.store.parcels import parcels_by_id, parcels_in_box, parcels_in_boxes, territories_of
from land.store.permits import ambiguous_permit_count, permits_on, retired_reference_counts
from land.store.planning import PlanningFacts
from land.store.sales import newest_sale_on, sales_in_box, sales_on
from land.store.snapshot import snapshot
from land.units.assembly import ADDRESS_REACH_M, UnitFacts, assemble
from land.units.buildings import MATCH_REACH_M
from land.units.frontage import SIGHT_M
from land.units.geometry import widened
from land.units.model import Block, LandUnit
from land.units.real_estate import Market
from land.units.succession import RetiredParcel, find_retired
from land.units.urbanism import LINE_REACH_M
from servicekit.errors import InvalidPayload, ServiceError, Violation

MAX_PARCEL_IDS = 100
MAX_PAGE = 500
TOGETHER_S = 0.05
"""Most addresses take a hundredth of it."""


class Asked(NamedTuple):
    """An address to resolve."""

    query: AddressQuery
    scope: Scope
    language: Language


@dataclass(frozen=True)
class Selection:
    """What selects the land: parcel ids where there are any, else the address."""

    address: AddressQuery
    parcel_ids: Sequence[str]
    needs_all: bool = False
    """Whether the request fails where the plan of one of several parcels cannot be had."""


@dataclass(frozen=True)
class LoadedPage:
    """Part of what is loaded, with the sources that it comes from."""

    loads: Sequence[Load]
    sources: Sequence[Source]


class LandService:
    """Safe for threads. Holds the caches of addresses, which follow the store's loads."""

    def __init__(self, engine: Engine, communes: KnownCommunes | None = None) -> None:
        self._engine = engine
        self._books = AddressBooks(communes or KnownCommunes(engine))

    def resolve_address(self, query: AddressQuery, scope: Scope, language: Language) -> Resolution:
        """Raises InvalidPayload for an empty query, AddressNotFound."""
        with snapshot(self._engine) as connection:
            return self._resolve(Asked(query, scope, language), self._books.seen_by(connection))

    def resolve_addresses(self, asked: Sequence[Asked]) -> list[Resolution | ServiceError | None]:
        """For each what `resolve_address` returns or raises, all of one state of the store; None for those that are not
        begun within TOGETHER_S, so that none waits for several that take long.
        """
        results: list[Resolution | ServiceError | None] = []
        ends = time.monotonic() + TOGETHER_S
        with snapshot(self._engine) as connection:
            view = self._books.seen_by(connection)
            for each in asked:
                is_late = results and time.monotonic() >= ends
                results.append(None if is_late else self._result(each, view))
        return results

    def _result(self, asked: Asked, view: AddressView) -> Resolution | ServiceError:
        try:
            return self._resolve(asked, view)
        except ServiceError as error:
            return error

    def _resolve(self, asked: Asked, view: AddressView) -> Resolution:
        if asked.query.is_empty():
            raise InvalidPayload(
                "The address is empty.", violations=[Violation("", "empty", "Give a label, or some of the fields.")]
            )
        found = resolve(asked.query, view.book(asked.scope))
        if found is None:
            raise AddressNotFound(text("address_not_found", asked.language))
        matches, said = self._place(view, found, asked.language)
        sources = sources_of([_edition(load) for load in view.loads_of(found.address.city_code or "")])
        return Resolution(found.address, matches, found.alternatives, tuple(sources), tuple(said))

    def land_unit(self, selection: Selection, blocks: Sequence[Block], scope: Scope, language: Language) -> LandUnit:
        """Raises InvalidPayload, AddressNotFound, ParcelNotFound, ParcelRetired."""
        if not selection.parcel_ids and selection.address.is_empty():
            raise InvalidPayload(
                "Nothing selects land.", violations=[Violation("", "empty", "Give parcel_ids or an address.")]
            )
        wanted = _parcel_ids(selection.parcel_ids)
        with snapshot(self._engine) as connection:
            view = self._books.seen_by(connection)
            found: Found | None = None
            matches: tuple[ParcelMatch, ...] = ()
            said: list[AnswerWarning] = []
            if not selection.address.is_empty():
                found = resolve(selection.address, view.book(scope))
            if found is None and not wanted:
                raise AddressNotFound(text("address_not_found", language))
            if found and not wanted:
                matches, said = self._place(view, found, language)
                wanted = [match.parcel_id for match in matches]
                if not wanted:
                    raise ParcelNotFound(_no_parcel(found, said, language))
            if scope == "demo":
                wanted = [parcel_id for parcel_id in wanted if parcel_id.startswith(DEMO_DEPARTMENT)]
            records = parcels_by_id(connection, wanted) if wanted else {}
            unknown = [parcel_id for parcel_id in wanted if parcel_id not in records]
            retired = find_retired(connection, unknown)
            if not records:
                raise _nothing_known(unknown, retired, language)
            facts = self._facts(connection, wanted, records, blocks)
            facts = replace(facts, address=found.address if found else None, matches=matches, retired=retired)
            unit = assemble(facts, blocks, language)
        return replace(unit, warnings=(*said, *unit.warnings))

    def prepare(self) -> None:
        """Reads what the first address that is asked for would otherwise wait for."""
        with snapshot(self._engine) as connection:
            self._books.seen_by(connection)

    def has_addresses_in(self, place: str) -> bool:
        """Whether addresses of a postcode, or of a commune by its code, are loaded."""
        gazetteer = self._books.gazetteer
        return place in gazetteer.by_code or bool(gazetteer.with_postcode(place))

    def coverage(self, commune: str, scope: Scope, after: tuple[str, str, str], limit: int) -> LoadedPage:
        """Loads in order of dataset, unit and part, after the given one; where a commune is given, those that may hold
        facts of it.
        """
        department = DEMO_DEPARTMENT if scope == "demo" else ""
        with snapshot(self._engine) as connection:
            units: list[str] = []
            if commune:
                shared = planning.partitions_of(connection, [commune])[commune]
                units = sorted({*codes_of(commune), registry.GPU_ZONES.code_of(commune), COUNTRY, *shared})
            found = loads.page(connection, units, department, after, min(limit, MAX_PAGE))
        return LoadedPage(found, sources_of([_edition(load) for load in found]))

    def _place(
        self, view: AddressView, found: Found, language: Language
    ) -> tuple[tuple[ParcelMatch, ...], list[AnswerWarning]]:
        """The parcels of a found address, and what must be said of them."""
        if found.missing_number is not None:
            return (), [warning("number_not_found", language, number=found.missing_number)]
        if found.point is None:
            return (), [warning("house_number_needed", language)]
        commune = found.address.city_code or ""
        around = _declared(view.connection, found.point)
        if not around and not any(load.dataset == registry.PARCELS.id for load in view.loads_of(commune)):
            return (), [warning("cadastre_not_covered", language, commune=commune)]
        around = around or _near(view.connection, found.point)
        matches = match_parcels(found.point, commune, around)
        existing = {match.parcel_id for match in matches}
        said = [
            warning("declared_parcel_missing", language, parcel_id=parcel_id)
            for parcel_id in found.point.parcel_ids
            if parcel_id not in existing
        ]
        if not matches:
            said.append(warning("no_parcel", language, limit_m=f"{NEAREST_LIMIT_M:.0f}"))
        elif matches[0].kind == "nearest":
            said.append(warning("nearest_parcel", language, distance_m=matches[0].distance_m))
        return matches, said

    def _facts(
        self,
        connection: Connection,
        wanted: Sequence[str],
        records: Mapping[str, ParcelRecord],
        blocks: Sequence[Block],
    ) -> UnitFacts:
        known = list(records)
        communes = sorted({record.commune_code for record in records.values()})
        outlines = [shapely.from_wkb(record.geometry) for record in records.values() if record.geometry]
        around: list[ParcelRecord] = []
        nearby: list[NearbyAddress] = []
        territories: dict[str, bytes] = {}
        if outlines and "land" in blocks:
            around = parcels_in_boxes(connection, [Box(*widened(outline, SIGHT_M)) for outline in outlines])
            territories = territories_of(connection, {*communes, *(record.commune_code for record in around)})
            reach = [Box(*widened(outline, ADDRESS_REACH_M)) for outline in outlines]
            nearby = reading.addresses_in_boxes(connection, communes, reach)
        buildings = None
        if not {"buildings", "real_estate"}.isdisjoint(blocks):
            buildings = buildings_in_boxes(connection, [Box(*widened(outline, MATCH_REACH_M)) for outline in outlines])
        planned: PlanningFacts | None = None
        if "urbanism" in blocks:
            boxes = [Box(*widened(outline, LINE_REACH_M)) for outline in outlines]
            planned = planning.facts_in(connection, boxes, communes)
        editions = _editions(connection, communes)
        return UnitFacts(
            selected=wanted,
            records=records,
            around=around,
            nearby=nearby,
            territories=territories,
            commune_names=reading.commune_names(connection, communes),
            sales=sales_on(connection, known),
            permits=permits_on(connection, known),
            ambiguous_permit_count=ambiguous_permit_count(connection, known),
            retired_reference_counts=retired_reference_counts(connection, communes),
            editions=editions,
            market=_market(connection, communes, editions) if "real_estate" in blocks else None,
            buildings=buildings if buildings is not None and len(buildings) < MAX_ROWS else None,
            planning=planned,
        )


def _parcel_ids(given: Sequence[str]) -> list[str]:
    """Upper case, duplicates folded. Raises InvalidPayload with a pointer to each malformed one."""
    if len(given) > MAX_PARCEL_IDS:
        detail = f"At most {MAX_PARCEL_IDS} parcels."
        raise InvalidPayload(detail, violations=[Violation("/parcel_ids", "too_many", detail)])
    parsed = [parcels.parse(text) for text in given]
    violations = [
        Violation(f"/parcel_ids/{index}", "malformed_parcel_id", "Not a 14-character cadastral parcel id.")
        for index, parcel_id in enumerate(parsed)
        if parcel_id is None
    ]
    if violations:
        raise InvalidPayload("A parcel id is malformed.", violations=violations)
    return list(dict.fromkeys(str(parcel_id) for parcel_id in parsed))


def _declared(connection: Connection, point: HouseNumberPoint) -> list[ParcelRecord]:
    """The parcels that the address file names, of those that exist."""
    named = [parcel_id for parcel_id in point.parcel_ids if parcels.parse(parcel_id)]
    return list(parcels_by_id(connection, named).values())


def _near(connection: Connection, point: HouseNumberPoint) -> list[ParcelRecord]:
    if point.lon is None or point.lat is None:
        return []
    return parcels_in_box(connection, Box(*widened(shapely.Point(point.lon, point.lat), NEAREST_LIMIT_M)))


def _edition(load: Load) -> Edition:
    return Edition(load.dataset, load.partition.code, load.edition, load.retrieved_at, load.url, load.partition.part)


def _editions(connection: Connection, communes: Sequence[str]) -> list[Edition]:
    """The loaded editions that hold facts of these communes; those of planning stand with their documents."""
    units = sorted({unit for code in communes for unit in codes_of(code)})
    return [
        _edition(load)
        for load in loads.of_partitions(connection, units)
        if load.dataset not in registry.PLANNING
        and load.partition.code in {registry.DATASETS[load.dataset].code_of(code) for code in communes}
    ]


def _nothing_known(unknown: Sequence[str], retired: Mapping[str, RetiredParcel], language: Language) -> ParcelNotFound:
    """What to say where none of the parcels exists: that one was a parcel once says more than that it is none."""
    if not retired:
        return ParcelNotFound(text("no_parcel_known", language))
    gone = [retired[parcel_id] for parcel_id in unknown if parcel_id in retired]
    detail = text("no_parcel_but_retired", language, parcels=", ".join(parcel.parcel_id for parcel in gone))
    following = list(dict.fromkeys(parcel_id for parcel in gone for parcel_id in parcel.successors))
    return ParcelRetired(detail, metadata={"successors": ",".join(following[:MAX_PARCEL_IDS])})


def _market(connection: Connection, communes: Sequence[str], editions: Sequence[Edition]) -> Market:
    """Sales nearby, for as long as the connection is open."""
    years = [edition.part for edition in editions if edition.dataset == registry.DVF.id and edition.part]
    return Market(
        sales_in=partial(sales_in_box, connection, communes),
        period_from=f"{min(years)}-01-01" if years else None,
        period_to=newest_sale_on(connection, communes),
    )


def _no_parcel(found: Found, said: Sequence[AnswerWarning], language: Language) -> str:
    if found.point is None:
        said = [*said, warning("house_number_needed", language)]
    return " ".join(dict.fromkeys(item.detail for item in said)) or "The address leads to no parcel."
