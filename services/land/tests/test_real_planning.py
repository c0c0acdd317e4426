"""Planning documents on real data. Needs the sample data.

Expected counts and attributes were read in the raw files. Expected areas were measured without the service: on the
ellipsoid, or from the Lambert-93 coordinates of the rings.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import shapely
from gis_files import write_gis
from land_builders import import_file, land_unit, on_sqlite, statuses
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine

from land.datasets import territory
from land.datasets.partitions import Partition
from land.datasets.planning.records import PlanFeatureRecord, ZoneRecord
from land.registry import DATASETS
from land.sources.base import ReadReport
from land.units.urbanism import UrbanismBlock

pytestmark = pytest.mark.samples

LORIENT_RULES = "http://geoservices.lorient-agglo.fr/reglements/56118_PLU_20140123.pdf"
RULES_OF_UB = (
    "https://data.geopf.fr/annexes/gpu/documents/DU_64547/694a3c44118890856aa96c8b01b8961b/"
    "64547_reglement_20260228.pdf#UB"
)
HERITAGE = "Patrimoine bâti à protéger pour des motifs d'ordre culturel, historique, architectural"
SETBACK = "Implantation des constructions par rapport aux voies et aux emprises publiques"


class Row(NamedTuple):
    place: int
    """The index among the accepted records."""
    label: str
    code: str
    """Type of the zone; type and sub-type of the prescription."""
    size: float
    """Square metres, metres, or the longitude of a point."""
    holes: int = 0
    url: str | None = None


ZONE_FILES = {
    "30014_PLU_20171013_zone_urba.geojson": (
        90, 0, Partition("DU_30014"), "30014_PLU_20171013",
        [Row(0, "Ucp", "U", 2_887.9), Row(44, "N", "N", 217_667.0), Row(89, "Ap", "A", 6_291_867.1, 7)],
    ),
    "241800432_PLUi_20200128_zone_urba.geojson": (
        221, 0, Partition("DU_241800432"), "241800432_PLUI_20200128",
        [Row(0, "UE", "U", 32_739.4), Row(110, "N", "N", 2_748.0), Row(220, "N", "N", 17_884.4)],
    ),
    # One feature of 222 is a line that claims to be a polygon.
    "200011781_PLUi_20180101_zone_urba.geojson": (
        222, 1, Partition("DU_200011781"), "200011781_PLUi_20180101",
        [Row(0, "A", "A", 52_161.0), Row(109, "A", "A", 233_169.7), Row(220, "N", "N", 3_271_787.4, 1)],
    ),
    "56118_PLU_20140612_zone_urba.gml.gz": (
        66, 0, Partition("DU_56118"), "56118_PLU_20140612",
        [
            Row(0, "Ubr", "U", 187_960.1, url=LORIENT_RULES),
            Row(32, "Na", "N", 18_251.7, url=LORIENT_RULES),
            Row(65, "Uip", "U", 72_093.2, 1, LORIENT_RULES),
        ],
    ),
    "gpu-zone-urba-64547-UB.json": (
        1, 0, Partition("DU_64547"), "64547_PLU_20260228", [Row(0, "UB", "U", 441_177.1, 2, RULES_OF_UB)],
    ),
}  # fmt: skip
FEATURE_FILES = {
    "30014_PLU_20171013_prescription_surf.geojson": (
        77, Partition("DU_30014", "surface"),
        [
            Row(0, "Secteur de taille et de capacité d'accueil limitées", "16-03", 27_970.6),
            Row(40, "Espace boisé classé", "01-00", 54_355.7),
            Row(76, "Zone de franc-bord", "99-00", 10_558.3),
        ],
    ),
    # TYPEPSC is a number in this file.
    "30014_PLU_20171013_prescription_lin.geojson": (
        15, Partition("DU_30014", "line"),
        [Row(0, SETBACK, "15-01", 47.31), Row(7, SETBACK, "15-01", 828.28), Row(14, SETBACK, "15-01", 2_665.18)],
    ),
    "30014_PLU_20171013_prescription_pct.geojson": (
        93, Partition("DU_30014", "point"),
        [Row(place, HERITAGE, "07-01", lon) for place, lon in ((0, 4.36699), (46, 4.382125), (92, 4.355324))],
    ),
    "241800432_PLUi_20200128_prescription_surf.geojson": (
        32, Partition("DU_241800432", "surface"),
        [
            Row(0, "Création d'un parc paysager", "05-04", 598.0),
            Row(15, "Constructibilité limitée - Cours d'eau", "02-01", 1_372_905.8),
            Row(31, "Périmètre de l'Orientation d'Aménagement et de programmation", "18-06", 5_761.0),
        ],
    ),
    "241800432_PLUi_20200128_prescription_lin.geojson": (
        264, Partition("DU_241800432", "line"),
        [
            Row(0, "Haie a préserver", "07-04", 203.32),
            Row(131, "Constructibilité limitée - cours d'eau 10m", "02-01", 2_276.11),
            Row(263, "Constructibilité limitée - cours d'eau 10m", "02-01", 72_285.0),
        ],
    ),
    "241800432_PLUi_20200128_prescription_pct.geojson": (
        167, Partition("DU_241800432", "point"),
        [
            Row(place, "Batiment agricole susceptible de changer de destination de construction", "16-01", lon)
            for place, lon in ((0, 3.044783), (83, 3.007978), (166, 3.046012))
        ],
    ),
    "30014_PLU_20171013_info_surf.geojson": (
        18, Partition("DU_30014", "surface"),
        [
            Row(0, "Zone d'assainissement collectif", "19-01", 439_046.4),
            Row(10, "Périmètre de droit de préemption urbain", "04-00", 66_186.9),
            Row(14, "Périmètre de droit de préemption urbain", "04-99", 38_352.2),
            Row(17, "Zone à risque d'exposition au plomb", "17-00", 13_684_047.2),
        ],
    ),
}  # fmt: skip


def read_zones(path: Path) -> tuple[ReadReport, list[tuple[Partition, ZoneRecord]]]:
    report = ReadReport(path.name)
    return report, list(DATASETS["gpu-zones"].reader.read(path, report))


def size_of(record: ZoneRecord | PlanFeatureRecord) -> float:
    geometry = shapely.from_wkb(record.geometry)
    return metric(geometry).area or metric(geometry).length or geometry.centroid.x


def holes_of(record: ZoneRecord) -> int:
    return int(shapely.get_num_interior_rings(shapely.get_parts(shapely.from_wkb(record.geometry))).sum())


@pytest.mark.parametrize("name", ZONE_FILES)
def test_zones_match_the_file(samples: Path, name: str) -> None:
    count, rejected, partition, document, rows = ZONE_FILES[name]
    report, records = read_zones(samples / "gpu" / name)
    assert (report.row_count, report.rejected_count, len(records)) == (count, rejected, count - rejected)
    assert {record_partition for record_partition, _ in records} == {partition}
    assert {record.document_id for _, record in records} == {document}
    assert not report.unknown_values
    for row in rows:
        record = records[row.place][1]
        assert (record.label, record.zone_type, holes_of(record)) == (row.label, row.code, row.holes)
        assert record.regulation_url == row.url
        # Lambert-93 stretches by up to one part in a thousand.
        assert size_of(record) == pytest.approx(row.size, rel=2e-3)


@pytest.mark.parametrize("name", FEATURE_FILES)
def test_prescriptions_and_informations_match_the_file(samples: Path, name: str) -> None:
    count, partition, rows = FEATURE_FILES[name]
    report = ReadReport(name)
    dataset = "gpu-informations" if "_info_" in name else "gpu-prescriptions"
    records = list(DATASETS[dataset].reader.read(samples / "gpu" / name, report))
    assert (report.row_count, report.rejected_count, len(records)) == (count, 0, count)
    assert {record_partition for record_partition, _ in records} == {partition}
    assert not report.unknown_values
    for row in rows:
        record = records[row.place][1]
        assert (record.label, f"{record.type_code}-{record.subtype_code}") == (row.label, row.code)
        assert size_of(record) == pytest.approx(row.size, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize(("suffix", "encoding"), [(".gpkg", "UTF-8"), (".shp", "cp1252"), (".shp", "UTF-8")])
def test_geopackages_and_shapefiles_give_the_same_zones_as_geojson(
    samples: Path, tmp_path: Path, suffix: str, encoding: str
) -> None:
    name = "241800432_PLUi_20200128_zone_urba"
    features = json.loads((samples / "gpu" / f"{name}.geojson").read_text(encoding="utf-8"))["features"]
    path = write_gis(tmp_path / f"{name}{suffix}", features, layer=name, encoding=encoding)
    if suffix == ".shp":
        (tmp_path / f"{name}.cpg").unlink()
    _, published = read_zones(samples / "gpu" / f"{name}.geojson")
    report, records = read_zones(path)
    assert (report.row_count, report.rejected_count) == (221, 0)
    for (_, one), (_, other) in zip(published, records, strict=True):
        assert one._replace(geometry=b"", is_repaired=False) == other._replace(geometry=b"", is_repaired=False)
        assert size_of(one) == pytest.approx(size_of(other), rel=1e-6)


def urbanism_of(store: Engine, *parcel_ids: str) -> UrbanismBlock | None:
    return land_unit(store, *parcel_ids, blocks=["urbanism"]).urbanism


def metric(geometry: BaseGeometry) -> BaseGeometry:
    return territory.to_metres(geometry, territory.projection_of(geometry))


def square_around(point: BaseGeometry, side_m: float) -> BaseGeometry:
    return territory.to_degrees(metric(point).buffer(side_m / 2, cap_style="square"), territory.projection_of(point))


def cadastre(folder: Path, *features: Any) -> Path:
    path = folder / "cadastre-2026-06-01-parcelles.json"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return path


def test_parcels_of_ustaritz_lie_in_zone_ub_and_not_in_its_holes(store: Engine, samples: Path, tmp_path: Path) -> None:
    lineage = json.loads((samples / "cadastre" / "cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    present = lineage["current"]["features"]
    ids = [feature["properties"]["id"] for feature in present]
    ub = samples / "gpu" / "gpu-zone-urba-64547-UB.json"
    (part,) = shapely.get_parts(shapely.geometry.shape(json.loads(ub.read_bytes())["features"][0]["geometry"]))
    enclaves = [shapely.Polygon(ring) for ring in part.interiors]
    astride = square_around(shapely.Point(enclaves[0].exterior.coords[0]), 30)
    features = [
        {
            "type": "Feature",
            "properties": {"id": f"64547000ZZ000{number}", "contenance": 1},
            "geometry": json.loads(shapely.to_geojson(shape)),
        }
        for number, shape in enumerate((*enclaves, astride), start=1)
    ]
    import_file(store, "cadastre-parcels", cadastre(tmp_path, *present, *features), tmp_path)
    import_file(store, "gpu-zones", ub, tmp_path)
    for parcel_id in ids:
        block = urbanism_of(store, parcel_id)
        assert block is not None
        assert [(z.record.label, z.ratio) for z in block.zones] == [("UB", 1.0)]
    for number in (1, 2):
        assert urbanism_of(store, f"64547000ZZ000{number}") is None
    cut = urbanism_of(store, "64547000ZZ0003")
    assert cut is not None
    outside = metric(astride).area - metric(astride.intersection(shapely.MultiPolygon(enclaves))).area
    assert 100 < outside < 800
    assert cut.zones[0].area_m2 == pytest.approx(outside, abs=0.2)
    whole = urbanism_of(store, "64547000AN0511", "64547000AN0512", "64547000AN0513")
    assert whole is not None
    # 811 + 513 + 34 declared; 1,317 were declared of the parcel that was divided.
    assert whole.zones[0].area_m2 == pytest.approx(1_358, rel=0.02)
    assert whole.documents[0].approved_on == "2026-02-28"


@on_sqlite
def test_shares_of_neighbouring_zones_add_up_to_the_land(store: Engine, samples: Path, tmp_path: Path) -> None:
    """A square of 40 m around a corner of zone Ucp of 30014. Zones cover all of it."""
    path = samples / "gpu" / "30014_PLU_20171013_zone_urba.geojson"
    ring = json.loads(path.read_text(encoding="utf-8"))["features"][0]["geometry"]["coordinates"][0]
    square = square_around(shapely.Point(ring[0]), 40)
    parcel = {
        "type": "Feature",
        "properties": {"id": "30014000AA0001", "contenance": 1600},
        "geometry": json.loads(shapely.to_geojson(square)),
    }
    import_file(store, "cadastre-parcels", cadastre(tmp_path, parcel), tmp_path)
    for kind in ("surf", "lin", "pct"):
        import_file(
            store, "gpu-prescriptions", samples / "gpu" / f"30014_PLU_20171013_prescription_{kind}.geojson", tmp_path
        )
    import_file(store, "gpu-zones", path, tmp_path)
    unit = land_unit(store, "30014000AA0001", blocks=["urbanism"])
    assert unit.urbanism is not None
    assert len(unit.urbanism.zones) >= 2
    assert sum(z.area_m2 or 0.0 for z in unit.urbanism.zones) == pytest.approx(1_600, rel=0.02)
    assert {statuses(unit)[dataset] for dataset in ("gpu-zones", "gpu-prescriptions")} == {"covered"}
