"""Regulated zones of risk prevention plans: the reader, and what a land unit says of them."""

import json
from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, land_unit, load, lon_lat, parcel, square, statuses
from published_files import BOX
from shapely import Polygon, box
from sqlalchemy import Engine
from written_files import Writer

from land.datasets.partitions import Partition
from land.datasets.risk_zones.reader import RiskZones
from land.datasets.risk_zones.records import RiskZoneRecord
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, PartitionRequest, ReadReport

READER = RiskZones("pprn", "https://mirror.example/ppr")
SURFACE = {"type": "Polygon", "coordinates": [[[2.4, 47.0], [2.5, 47.0], [2.5, 47.1], [2.4, 47.0]]]}
LINE = {"type": "LineString", "coordinates": [[2.4, 47.0], [2.5, 47.0]]}
DEPARTMENT = COMMUNE[:2]


def read(write: Writer, selection: CommuneFilter, **properties: Any) -> list[tuple[Partition, RiskZoneRecord]]:
    geometry = properties.pop("geometry", SURFACE)
    values = {"id_gaspar": "18DDT20130005", "codezone": "R1", "typereg": "03", "nom": "Zone rouge", **properties}
    feature = {"type": "Feature", "geometry": geometry, "properties": values}
    path = write("zones.json", json.dumps({"type": "FeatureCollection", "features": [feature]}))
    return list(READER.read(path, ReadReport("zones.json"), selection))


@pytest.mark.parametrize(
    ("type_code", "regulation"),
    [
        ("01", "conditions"),
        (2, "conditions"),
        ("03", "forbidden"),
        ("04", "forbidden"),
        ("06", "acquisition"),
        ("9", None),
    ],
)
def test_the_kind_of_rule_is_read(write: Writer, type_code: object, regulation: str | None) -> None:
    [(partition, zone)] = read(write, CommuneFilter(), typereg=type_code, urlfic="https://prefecture.example/r1.pdf")
    assert partition == Partition("18", "pprn")
    assert zone[:5] == ("18DDT20130005", "natural_risk_plan", "R1", "Zone rouge", regulation)
    assert zone.regulation_url == "https://prefecture.example/r1.pdf"


def test_a_plan_of_the_neighbours_belongs_to_the_file_that_has_it(write: Writer) -> None:
    [(partition, _)] = read(write, CommuneFilter(department="18"), id_gaspar="45DDT20010001")
    assert partition == Partition("18", "pprn")


def test_lines_are_left_out_and_a_single_commune_is_refused(write: Writer) -> None:
    assert read(write, CommuneFilter(), geometry=LINE) == []
    with pytest.raises(UnreadableFile, match="--department"):
        read(write, CommuneFilter(COMMUNE))


def test_the_archive_of_the_departement_is_asked_for() -> None:
    [url] = READER.urls(PartitionRequest("2A004", "2A", lambda: (0, 0), lambda _: b"", lambda _: BOX))
    assert url == "https://mirror.example/ppr/pprn_2a.zip"
    assert READER.asked_partition(url, None) == Partition("2A", "pprn")
    assert READER.asked_partition("https://mirror.example/ppr/pprt_2a.zip", None) is None


def zone(code: str, west: float, south: float, east: float, north: float) -> RiskZoneRecord:
    outline = shapely.to_wkb(Polygon([lon_lat(x, y) for x, y in box(west, south, east, north).exterior.coords]))
    return RiskZoneRecord(
        plan_id="18DDT20130005", subject="natural_risk_plan", code=code, name=None, regulation="forbidden",
        regulation_url=None, is_repaired=False, geometry=outline,
    )  # fmt: skip


def test_a_zone_in_several_pieces_is_one_and_its_share_is_of_the_land(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])  # 20 m by 20 m
    lot = f"{COMMUNE}000AB0001"
    assert not land_unit(store, lot, blocks=["risks"]).risk_zones
    pieces = [zone("R1", 0, 0, 5, 20), zone("R1", 5, 0, 10, 20), zone("B2", 15, 0, 99, 20), zone("B1", 30, 0, 40, 20)]
    load(store, "pprn-zones", DEPARTMENT, pieces, part="pprn")
    unit = land_unit(store, lot, blocks=["risks"])
    ratios = {item.record.code: item.ratio for item in unit.risk_zones}
    assert ratios == {"R1": pytest.approx(0.5, abs=0.001), "B2": pytest.approx(0.25, abs=0.001)}
    assert (statuses(unit)["pprn-zones"], statuses(unit)["pprt-zones"]) == ("covered", "not_loaded")
    assert "pprn-zones" in {source.id for source in unit.sources}
