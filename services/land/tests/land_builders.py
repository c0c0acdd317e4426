"""Records of parcels, buildings, sales and so on, drawn in metres around a point near Bourges; how to load them; and
how to read an answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import shapely
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine

from land.addresses.model import AddressQuery, Resolution, Scope
from land.datasets import territory
from land.datasets.addresses.records import AddressRecord
from land.datasets.buildings.records import BuildingRecord
from land.datasets.easements.records import EasementRecord
from land.datasets.parcels import ids as parcels
from land.datasets.parcels.records import ParcelRecord, TerritoryRecord
from land.datasets.partitions import Partition
from land.datasets.permits.records import ParcelReference, PermitRecord
from land.datasets.planning.records import PlanFeatureRecord, ZoneRecord
from land.datasets.risk_zones.records import RiskZoneRecord
from land.datasets.sales.records import DvfRow
from land.loading.loader import LoadSummary, load_file, replace_partition
from land.pipeline import Pipeline
from land.registry import DATASETS
from land.selection import AddressRequest, Selection
from land.store.loads import Load
from land.units.assembly import of_selection, with_states
from land.units.model import Block, LandUnit
from land.units.site import Shape
from servicekit.errors import ServiceError
from servicekit.ground import ground_projection

COMMUNE = "18999"
ORIGIN = (521.0, 5_216_556.0)
PROJECTION = ground_projection(2.4)
on_sqlite = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""A store for tests that do not depend on the kind of store."""
on_postgis = pytest.mark.parametrize("store", [pytest.param("postgis", marks=pytest.mark.docker)], indirect=True)


def load(
    engine: Engine, dataset: str, code: str, records: Sequence[Any], *, part: str = "", edition: str = "e1"
) -> bool:
    """Replaces a partition by the records. Returns whether the rows changed."""
    records = [record._replace(dataset=dataset) if hasattr(record, "dataset") else record for record in records]
    return replace_partition(
        engine,
        Load(
            dataset, Partition(code, part), edition, "file", "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z",
            len(records), 0, str(hash(tuple(records))),
        ),
        records,
    )  # fmt: skip


def import_file(
    store: Engine, dataset: str, path: Path, folder: Path, commune: str | None = None, department: str | None = None
) -> LoadSummary:
    return load_file(store, DATASETS[dataset], str(path), folder / "scratch", commune=commune, department=department)


def land_unit(
    store: Engine,
    *parcel_ids: str,
    blocks: Sequence[Block] = ("land",),
    scope: Scope = "all",
) -> LandUnit:
    return unit_of(Pipeline(store), Selection(AddressQuery(), parcel_ids), blocks, scope)


def unit_of(land: Pipeline, selection: Selection, blocks: Sequence[Block], scope: Scope) -> LandUnit:
    """The answer about the selection, before it is written as a message."""
    parts: list[LandUnit] = []

    def write(part: LandUnit) -> bytes:
        parts.append(part)
        return str(len(parts) - 1).encode()

    written = land.written_land_unit(selection, blocks, scope, write)
    pieces = [of_selection(written.selected), *(parts[int(piece)] for piece in written.pieces)]
    return with_states(_joined(pieces), written.selected.states, written.blocks)


def resolution_of(land: Pipeline, query: AddressQuery, scope: Scope = "all") -> Resolution:
    """The answer to a query that is alone in its call. Raises its error."""
    [result] = land.resolve_addresses([AddressRequest(query, scope)])
    if isinstance(result, ServiceError):
        raise result
    assert result is not None
    return result


def coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    """The status of each dataset, and the reason for it."""
    return {entry.dataset: (entry.status, entry.reason) for entry in unit.coverage}


def statuses(unit: LandUnit) -> dict[str, str]:
    return {entry.dataset: entry.status for entry in unit.coverage}


def warning_codes(unit: LandUnit, block: Block | None = None) -> list[str]:
    """The codes of all warnings, or of the block's warnings."""
    return [warning.code for warning in unit.warnings if block in (None, warning.block)]


def polygon_wkb(*rings: Polygon) -> bytes:
    """A polygon or multipolygon as WKB in degrees. The rings are in metres from the origin."""
    return wkb(rings[0] if len(rings) == 1 else MultiPolygon(rings))


def wkb(metric: BaseGeometry) -> bytes:
    """A geometry as WKB in degrees. `metric` is in metres from the origin."""
    moved = shapely.transform(metric, lambda xy: xy + ORIGIN)
    degrees = territory.to_degrees(moved, PROJECTION)
    return bytes(shapely.to_wkb(shapely.set_precision(degrees, 1e-9)))


def lon_lat(x: float, y: float) -> tuple[float, float]:
    """Longitude and latitude of a point in metres from the origin."""
    point = territory.to_degrees(shapely.Point(ORIGIN[0] + x, ORIGIN[1] + y), PROJECTION)
    return point.x, point.y


def parcel(
    number: int,
    *rings: Polygon,
    prefix: str = "000",
    section: str = "AB",
    area: int | None = 400,
    commune: str = COMMUNE,
    is_surveyed: bool | None = True,
    is_repaired: bool = False,
) -> ParcelRecord:
    parcel_id = f"{commune}{prefix}{section}{number:04}"
    assert parcels.parse(parcel_id)
    return ParcelRecord(
        commune_code=commune, parcel_id=parcel_id, prefix=prefix, section=section, number=f"{number:04}",
        cadastral_area_m2=area, is_surveyed=is_surveyed, created_on="2010-01-01", updated_on="2020-01-01",
        geometry=polygon_wkb(*rings) if rings else None, is_repaired=is_repaired,
    )  # fmt: skip


def building(building_id: str, *rings: Polygon, partition: str = COMMUNE, **changes: Any) -> BuildingRecord:
    record = BuildingRecord("cadastre-buildings", partition, building_id, polygon_wkb(*rings), is_repaired=False)
    return record._replace(**changes)


def territory_of(commune: str, *rings: Polygon) -> TerritoryRecord:
    return TerritoryRecord(commune, False, polygon_wkb(*rings))


def land_shape(outline: Polygon) -> Shape:
    """The shape of a land unit. The outline is in metres from the origin."""
    degrees = shapely.from_wkb(polygon_wkb(outline))
    assert isinstance(degrees, Polygon)
    return Shape(degrees)


def square(x: float, y: float, width: float = 20, depth: float = 20) -> Polygon:
    return box(x, y, x + width, y + depth)


def address(
    number: int,
    street: str,
    at: tuple[float, float] | None,
    *,
    suffix: str = "",
    street_id: str | None = None,
    parcel_ids: str = "",
    postcode: str = "18900",
    city: str = "Trifouillis-sur-Cher",
    commune: str = COMMUNE,
    former: str = "",
) -> AddressRecord:
    street_id = street_id or f"{commune}_{abs(hash(street)) % 10_000:04}"
    lon, lat = lon_lat(*at) if at else (None, None)
    tail = f"_{suffix}" if suffix else ""
    return AddressRecord(
        commune_code=commune, id=f"{street_id}_{number:05}{tail}", street_id=street_id, number=number, suffix=suffix,
        street_name=street, street_name_afnor="", alias="", postcode=postcode, commune_name=city,
        old_commune_name=former, lon=lon, lat=lat, is_certified=True, parcel_ids=parcel_ids,
    )  # fmt: skip


def dvf_row(parcel_id: str, mutation: str = "2021-1", **changes: Any) -> DvfRow:
    lon, lat = lon_lat(10, 10)
    row = DvfRow(
        commune_code=parcel_id[:5], id_mutation=mutation, date_mutation="2021-05-06", numero_disposition="000001",
        nature_mutation="Vente", valeur_fonciere=250_000.0, adresse_numero="12", adresse_suffixe="",
        adresse_nom_voie="RUE DES LILAS", code_postal="18900", nom_commune="Trifouillis-sur-Cher",
        id_parcelle=parcel_id, ancien_id_parcelle="", nombre_lots=0, lots=(), code_type_local="1", type_local="Maison",
        surface_reelle_bati=90.0, nombre_pieces_principales=4, code_nature_culture="S",
        code_nature_culture_speciale="", surface_terrain=400.0, lon=lon, lat=lat,
    )  # fmt: skip
    return row._replace(**changes)


def permit(number: str, *references: ParcelReference, series: str = "dau", **changes: Any) -> PermitRecord:
    record = PermitRecord(
        filing_commune=COMMUNE, dataset="sitadel-housing", series=series, number=number, type_dau="PC",
        etat_dau="autorisé", date_reelle_autorisation="2024-02-03", date_reelle_doc=None, date_reelle_daact=None,
        nature_projet_declaree="nouvelle construction", nature_projet_completee=None,
        destination_principale="logements", superficie_terrain="400", references=references, unreadable_references=0,
    )  # fmt: skip
    return record._replace(**changes)


def reference(number: str, section: str = "AB", prefix: str | None = None, commune: str = COMMUNE) -> ParcelReference:
    return ParcelReference(commune, prefix, section, number)


DOCUMENT = f"{COMMUNE}_PLU_20240131"
PARTITION = f"DU_{COMMUNE}"


def zone(label: str, outline: Polygon, zone_type: str | None = "U", **changes: Any) -> ZoneRecord:
    record = ZoneRecord(
        partition=PARTITION, document_id=DOCUMENT, document_type="PLU", approved_on="2024-01-31", label=label,
        long_label=f"Zone {label}", zone_type=zone_type, sector_type=None,
        regulation_url="https://example.invalid/r.pdf", is_repaired=False, geometry=polygon_wkb(outline),
    )  # fmt: skip
    return record._replace(**changes)


def risk_zone(code: str, outline: Polygon) -> RiskZoneRecord:
    return RiskZoneRecord(
        plan_id="18DDT20130005", subject="natural_risk_plan", code=code, name=None, regulation="forbidden",
        regulation_url=None, is_repaired=False, geometry=polygon_wkb(outline),
    )  # fmt: skip


def easement(name: str, outline: BaseGeometry, category: str = "AC1", **changes: Any) -> EasementRecord:
    kind = {"Polygon": "surface", "LineString": "line", "Point": "point"}[outline.geom_type]
    record = EasementRecord(
        document=f"172014607_SUP_18_{category}", category=category, easement_id=f"{category}-{name}",
        generator_id=None, name=name, technical_name=f"{category}_{name}", type=None, act_file=None, act_url=None,
        geometry_kind=kind, is_repaired=False, geometry=wkb(outline),
    )  # fmt: skip
    return record._replace(**changes)


def prescription(label: str, outline: BaseGeometry, type_code: str = "05", **changes: Any) -> PlanFeatureRecord:
    kind = {"Polygon": "surface", "LineString": "line", "Point": "point"}[outline.geom_type]
    record = PlanFeatureRecord(
        partition=PARTITION, document_id=DOCUMENT, document_type="PLU", approved_on="2024-01-31", label=label,
        type_code=type_code, subtype_code="00", geometry_kind=kind, regulation_url=None, is_repaired=False,
        geometry=wkb(outline),
    )  # fmt: skip
    return record._replace(**changes)


def _joined(parts: Iterable[LandUnit]) -> LandUnit:
    """One land unit from its parts. Each adds to the lists of all, and has the only value of its other members."""
    values: dict[str, Any] = {}
    for part in parts:
        for field in fields(LandUnit):
            value = getattr(part, field.name)
            if field.name in ("coverage", "sources", "warnings", "failed"):
                values.setdefault(field.name, []).extend(value)
            elif value is not field.default:
                values[field.name] = value
    return LandUnit(**values)
