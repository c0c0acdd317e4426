"""What land does for a caller, each call in one snapshot of the store: resolve an address, assemble a land unit, tell
what is loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Literal

import shapely
from sqlalchemy import Connection, Engine

from land import datasets, parcels
from land.addresses.book import CachedBook, DemoBook, StreetCache
from land.addresses.gazetteer import Gazetteer
from land.addresses.model import AddressQuery, ParcelMatch, Resolution
from land.addresses.placing import NEAREST_LIMIT_M, match_parcels
from land.addresses.resolver import AddressBook, Found, HouseNumberPoint, resolve
from land.errors import AddressNotFound, ParcelNotFound
from land.messages import AnswerWarning, Language, text, warning
from land.provenance import Edition, sources_of
from land.records import Box, NearbyAddress, ParcelRecord
from land.sources.base import Licence
from land.store import addresses, loads, reading
from land.store.loads import Load
from land.units.assembly import ADDRESS_REACH_M, UnitFacts, assemble
from land.units.frontage import SIGHT_M
from land.units.geometry import widened
from land.units.model import Block, LandUnit
from servicekit.errors import InvalidPayload, Violation

Scope = Literal["all", "demo"]
DEMO_DEPARTMENT = "00"
MAX_PARCEL_IDS = 100
MAX_PAGE = 500


@dataclass(frozen=True)
class Selection:
    """What selects the land: parcel ids where there are any, else the address."""

    address: AddressQuery
    parcel_ids: Sequence[str]


class LandService:
    """Safe for threads. Holds the caches of addresses, which follow the store's loads."""

    def __init__(self, engine: Engine, licences: Mapping[str, Licence]) -> None:
        self._engine = engine
        self._licences = licences
        self._gazetteer = Gazetteer([])
        self._gazetteer_revision = -1
        self._gazetteer_lock = Lock()
        self._street_cache = StreetCache()

    def resolve_address(self, query: AddressQuery, scope: Scope, language: Language) -> Resolution:
        """Raises InvalidPayload for an empty query, AddressNotFound."""
        if query.is_empty():
            raise InvalidPayload(
                "The address is empty.", violations=[Violation("", "empty", "Give a label, or some of the fields.")]
            )
        with reading.snapshot(self._engine) as connection:
            found = resolve(query, self._book(connection, scope))
            if found is None:
                raise AddressNotFound(text("address_not_found", language))
            matches, said = self._place(connection, found, language)
            editions = _editions(connection, [found.address.city_code or ""], (datasets.BAN, datasets.PARCELS))
        return Resolution(
            found.address, matches, found.alternatives, tuple(sources_of(editions, self._licences)), tuple(said)
        )

    def land_unit(self, selection: Selection, blocks: Sequence[Block], scope: Scope, language: Language) -> LandUnit:
        """Raises InvalidPayload, AddressNotFound, ParcelNotFound."""
        if not selection.parcel_ids and selection.address.is_empty():
            raise InvalidPayload(
                "Nothing selects land.", violations=[Violation("", "empty", "Give parcel_ids or an address.")]
            )
        wanted = _parcel_ids(selection.parcel_ids)
        with reading.snapshot(self._engine) as connection:
            found: Found | None = None
            matches: tuple[ParcelMatch, ...] = ()
            said: list[AnswerWarning] = []
            if not selection.address.is_empty():
                found = resolve(selection.address, self._book(connection, scope))
            if found is None and not wanted:
                raise AddressNotFound(text("address_not_found", language))
            if found and not wanted:
                matches, said = self._place(connection, found, language)
                wanted = [match.parcel_id for match in matches]
                if not wanted:
                    raise ParcelNotFound(_no_parcel(found, said, language))
            if scope == "demo":
                wanted = [parcel_id for parcel_id in wanted if parcel_id.startswith(DEMO_DEPARTMENT)]
            records = reading.parcels_by_id(connection, wanted) if wanted else {}
            if not records:
                raise ParcelNotFound(text("no_parcel_known", language))
            facts = self._facts(connection, wanted, records, blocks)
        facts = replace(facts, address=found.address if found else None, matches=matches)
        unit = assemble(facts, blocks, self._licences, language)
        return replace(unit, warnings=(*said, *unit.warnings))

    def coverage(self, unit: str, scope: Scope, after: tuple[str, str, str], limit: int) -> list[Load]:
        """Loads in order of dataset, unit and part, after the given one."""
        with reading.snapshot(self._engine) as connection:
            department = DEMO_DEPARTMENT if scope == "demo" else ""
            return loads.page(connection, unit, department, after, min(limit, MAX_PAGE))

    def _book(self, connection: Connection, scope: Scope) -> AddressBook:
        self._follow_loads(connection)
        book = CachedBook(
            self._gazetteer,
            self._street_cache,
            partial(addresses.streets_of, connection),
            partial(addresses.numbers_of, connection),
        )
        return DemoBook(book, DEMO_DEPARTMENT) if scope == "demo" else book

    def _follow_loads(self, connection: Connection) -> None:
        """Brings the caches to the state of the store that this connection sees."""
        current = loads.current_revision(connection, datasets.BAN)
        if current == self._gazetteer_revision:
            return
        with self._gazetteer_lock:
            if current <= self._gazetteer_revision:
                return
            changed = loads.units_since(connection, datasets.BAN, self._gazetteer_revision)
            known = dict(self._gazetteer.by_code)
            known.update({commune.code: commune for commune in addresses.communes(connection, changed)})
            self._street_cache.drop(changed)
            self._gazetteer = Gazetteer(known.values())
            self._gazetteer_revision = current

    def _place(
        self, connection: Connection, found: Found, language: Language
    ) -> tuple[tuple[ParcelMatch, ...], list[AnswerWarning]]:
        """The parcels of a found address, and what must be said of them."""
        if found.missing_number is not None:
            return (), [warning("number_not_found", language, number=found.missing_number)]
        if found.point is None:
            return (), [warning("house_number_needed", language)]
        commune = found.address.city_code or ""
        around = _around(connection, found.point)
        if not around and not _editions(connection, [commune], (datasets.PARCELS,)):
            return (), [warning("cadastre_not_covered", language, commune=commune)]
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
        if outlines and "land" in blocks:
            bounds = shapely.MultiPoint(shapely.get_coordinates(outlines)).envelope
            around = reading.parcels_in_box(connection, Box(*widened(bounds, SIGHT_M)))
            nearby = reading.addresses_in_box(connection, communes, Box(*widened(bounds, ADDRESS_REACH_M)))
        return UnitFacts(
            selected=wanted,
            records=records,
            around=around,
            nearby=nearby,
            commune_names=reading.commune_names(connection, communes),
            sales=reading.sales_on(connection, known),
            permits=reading.permits_on(connection, known),
            ambiguous_permit_count=reading.ambiguous_permit_count(connection, known),
            retired_reference_counts=reading.retired_reference_counts(connection, communes),
            editions=_editions(connection, communes),
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


def _around(connection: Connection, point: HouseNumberPoint) -> list[ParcelRecord]:
    """The declared parcels that exist, and those near the address point."""
    declared = [parcel_id for parcel_id in point.parcel_ids if parcels.parse(parcel_id)]
    found = reading.parcels_by_id(connection, declared) if declared else {}
    if point.lon is not None and point.lat is not None:
        box = Box(*widened(shapely.Point(point.lon, point.lat), NEAREST_LIMIT_M))
        found |= {record.parcel_id: record for record in reading.parcels_in_box(connection, box)}
    return list(found.values())


def _editions(connection: Connection, communes: Sequence[str], only: Sequence[str] | None = None) -> list[Edition]:
    """The loaded editions that hold facts of these communes."""
    units = sorted({*communes, *(datasets.filing_commune(code) for code in communes)})
    return [
        Edition(load.dataset, load.unit.code, load.edition, load.retrieved_at, load.url)
        for load in loads.of_units(connection, units)
        if (only is None or load.dataset in only)
        and load.unit.code in {datasets.unit_of(load.dataset, code) for code in communes}
    ]


def _no_parcel(found: Found, said: Sequence[AnswerWarning], language: Language) -> str:
    if found.point is None:
        said = [*said, warning("house_number_needed", language)]
    return " ".join(dict.fromkeys(item.detail for item in said)) or "The address leads to no parcel."
