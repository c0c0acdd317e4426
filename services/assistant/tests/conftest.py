"""Land units for the tests: rectangles near Orléans, given in metres and converted to degrees, and real parcels."""

import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import Transformer
from shapely import MultiLineString, Polygon, STRtree, box
from shapely.geometry.base import BaseGeometry

import databases
import needs
from assistant.assessment.facts import DATASETS, LandFacts
from assistant.models.base import Brief
from assistant.prompts.loader import load_prompt
from assistant.study import study
from assistant.writing.facts import names_of
from landpartner.land.v1 import land_pb2
from servicekit.ground import ground_projection
from servicekit.languages import Language

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode leaves it out

ORIGIN = (232.0, 5_304_225.0)
_PROJECTION = ground_projection(1.9)
_TO_DEGREES = Transformer.from_crs(_PROJECTION, 4326, always_xy=True)


def degrees(shape: BaseGeometry) -> bytes:
    """GeoJSON of a shape in metres on the ground from ORIGIN."""
    moved = shapely.transform(
        shape,
        lambda points: np.round(
            np.column_stack(_TO_DEGREES.transform(points[:, 0] + ORIGIN[0], points[:, 1] + ORIGIN[1])), 7
        ),
    )
    return shapely.to_geojson(moved).encode()


def make_land_unit(
    width_m: float = 30.0,
    depth_m: float = 40.0,
    *,
    zone_type: str | None = "U",
    buildings: list[Polygon] | None = None,
    front: bool = True,
) -> land_pb2.LandUnit:
    """A rectangle with its south side on the way. With `zone_type` None, it has no zoning."""
    outline = degrees(box(0, 0, width_m, depth_m))
    unit = land_pb2.LandUnit(parcel_ids=["45234000AB0012"], geometry=outline, is_lineage_known=True)
    lines = MultiLineString([[(0, 0), (width_m, 0)]]) if front else MultiLineString()
    unit.land.CopyFrom(
        land_pb2.LandBlock(
            commune_name="Orléans",
            department_code="45",
            cadastral_area_m2=width_m * depth_m,
            geometric_area_m2=width_m * depth_m,
            frontage_m=width_m if front else 0.0,
            frontage=degrees(lines) if front else b"",
            is_contiguous=True,
            is_surveyed=False,
        )
    )
    if zone_type is not None:
        zone = land_pb2.PlanningZone(label="UB", zone_type=zone_type, overlap_ratio=1.0)
        unit.urbanism.CopyFrom(land_pb2.UrbanismBlock(zones=[zone], is_rnu=False))
    footprints = buildings or []
    unit.buildings.CopyFrom(
        land_pb2.BuildingsBlock(
            count=len(footprints),
            footprint_area_m2=sum(b.area for b in footprints),
            ground_coverage_ratio=sum(b.area for b in footprints) / (width_m * depth_m),
            items=[land_pb2.Building(id=str(i), geometry=degrees(b)) for i, b in enumerate(footprints)],
        )
    )
    for dataset in ("dvf", "gpu-zones", "gpu-prescriptions", "cadastre-buildings"):
        unit.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)
    return unit


def make_rich_unit() -> land_pb2.LandUnit:
    """1,200 m² in zone UB with a house, sales, permits, easements, risks, an owner, ratings and relief."""
    unit = make_land_unit(buildings=[box(8, 6, 20, 16)])
    for fact in ("easements", "informations", "joint_ownerships", "owners", "energy_ratings", "terrain", "permits"):
        for dataset in DATASETS[fact]:
            unit.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)
    unit.urbanism.informations.add(label="DPU", type_code="04", subtype_code="00", geometry_kind="surface")
    unit.urbanism.easements.add(category="AC1", name="Église", type="Périmètre des abords", overlap_ratio=1.0)
    unit.urbanism.easements.add(category="I4", name="Ligne", geometry_kind="line")
    for subject, level in (("clay", "3"), ("radon", "1"), ("seismic", "2")):
        unit.risks.items.add(subject=subject, status="present", level=level, grain="point")
    unit.risks.items.add(subject="cavity", status="none", grain="point")
    plan = unit.risks.items.add(subject="natural_risk_plan", status="present", grain="parcel")
    plan.findings.add(name="PPRi", zones=["R1", "B2"])
    site = unit.risks.items.add(subject="polluted_soil", status="present", grain="site")
    site.findings.add(name="Garage", distance_m=123.4)
    unit.land.owners.add(
        name="SCI DES *LILAS*", siren="123456789", right_code="P", group_code="6", parcel_ids=unit.parcel_ids
    )
    unit.land.terrain.mean_altitude_m = 112.4
    unit.land.terrain.mean_slope_percent = 4.2
    unit.land.terrain.max_slope_percent = 9.6
    unit.land.terrain.aspect = "se"
    unit.buildings.energy_ratings.count = 2
    unit.buildings.energy_ratings.energy.add(letter="D", count=2)
    unit.dvf_sales.add(id_mutation="a", id_parcelle="p", date_mutation="2021-12-31", valeur_fonciere=312500.0)
    unit.urban_authorizations.add(num_dau="1", type_dau="PC", etat_dau="terminé", date_reelle_autorisation="2016-03-04")
    market = unit.real_estate
    market.period_from, market.period_to = "2021-01-01", "2025-12-31"
    market.kind, market.sale_count, market.radius_m, market.median_price_eur_per_m2 = "house", 23, 500.0, 3120.0
    for number, price in enumerate((2400.0, 2850.0, 3100.0, 3300.0, 4150.0)):
        market.comparables.add(
            id_mutation=str(number),
            date_mutation=f"202{number + 1}-05-0{number + 1}",
            price_eur_per_m2=price,
            kind="house",
        )
    return unit


def polygon_of(geojson: bytes) -> Polygon:
    shape = shapely.from_geojson(geojson)
    assert isinstance(shape, Polygon), json.loads(geojson)["type"]
    return shape


@pytest.fixture
def land_unit() -> Callable[..., land_pb2.LandUnit]:
    return make_land_unit


@pytest.fixture
def rich_unit() -> land_pb2.LandUnit:
    return make_rich_unit()


@pytest.fixture
def bare_unit() -> land_pb2.LandUnit:
    return land_pb2.LandUnit(parcel_ids=["45234000AB0012"])


def brief_of(unit: land_pb2.LandUnit, language: Language, question: str = "") -> Brief:
    done = study(LandFacts(unit), question)
    return Brief(**vars(done), question=question, language=language, prompt=load_prompt(), names=names_of(unit))


@pytest.fixture
def make_brief() -> Callable[..., Brief]:
    return brief_of


@pytest.fixture
def degrees_of() -> Callable[[BaseGeometry], bytes]:
    return degrees


@pytest.fixture
def read_polygon() -> Callable[[bytes], Polygon]:
    return polygon_of


_TO_METRES = Transformer.from_crs(4326, _PROJECTION, always_xy=True)


def to_metres(shape: BaseGeometry) -> BaseGeometry:
    moved: BaseGeometry = shapely.transform(shape, lambda p: np.column_stack(_TO_METRES.transform(p[:, 0], p[:, 1])))
    return moved


def parcels_of(path: Path, step: int) -> Iterator[land_pb2.LandUnit]:
    """Every `step`th parcel of a cadastre file. Its frontage is the boundary that no other parcel touches."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    drawn = [shapely.geometry.shape(feature["geometry"]) for feature in features]
    shapes = [shapely.make_valid(shape, method="structure", keep_collapsed=False) for shape in drawn]
    metric = [to_metres(shape) for shape in shapes]
    tree = STRtree(metric)
    for index in range(0, len(shapes), step):
        properties, shape = features[index]["properties"], metric[index]
        around = [metric[i].buffer(0.2) for i in tree.query(shape.buffer(0.3)) if i != index]
        free = shapely.line_merge(shape.boundary.difference(shapely.union_all(around)))
        lines = MultiLineString(
            [li for li in shapely.get_parts(free) if li.geom_type == "LineString" and li.length > 0.5]
        )
        back = shapely.transform(lines, lambda p: np.column_stack(_TO_DEGREES.transform(p[:, 0], p[:, 1])))
        unit = land_pb2.LandUnit(
            parcel_ids=[properties["id"]], geometry=json.dumps(features[index]["geometry"]).encode()
        )
        unit.land.department_code = properties["commune"][:2]
        unit.land.geometric_area_m2 = shape.area
        if "contenance" in properties:
            unit.land.cadastral_area_m2 = properties["contenance"]
        unit.land.frontage_m = lines.length
        unit.land.frontage = shapely.to_geojson(back).encode()
        unit.land.is_contiguous = True
        unit.land.is_surveyed = bool(properties.get("arpente"))
        yield unit


@pytest.fixture(scope="session")
def read_parcels() -> Callable[[Path, int], Iterator[land_pb2.LandUnit]]:
    return parcels_of


@pytest.fixture(scope="session")
def sample_data() -> Path:
    return needs.sample_data()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assistant.sqlite'}"


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with databases.server(tmp_path_factory) as server, databases.database(server, "assistant") as url:
        yield url
