"""Historic monuments of the base Mérimée: the reader, and what a land unit says of those near it."""

from random import Random

import numpy as np
import pytest
import shapely
from land_builders import COMMUNE, easement, land_unit, load, lon_lat, on_sqlite, parcel, square
from published_files import monuments_file
from pyproj import Geod
from sqlalchemy import Engine
from written_files import Writer, partition_request

from land.datasets.easements.records import EasementDocumentRecord
from land.datasets.monuments.reader import Merimee
from land.datasets.monuments.records import MonumentRecord
from land.datasets.partitions import Partition
from land.rpc.messages import land_unit as message_of
from land.sources.base import ReadReport
from landpartner.land.v1 import land_pb2 as pb

READER = Merimee("https://tabular.example/api")
LOT = f"{COMMUNE}000AB0001"
DOCUMENT = EasementDocumentRecord("18", "172014607_SUP_18_AC1", "AC1", "18")


def read(write: Writer, report: ReadReport, *rows: str, delimiter: str) -> list[tuple[Partition, MonumentRecord]]:
    return list(READER.read(write("merimee.csv", monuments_file(*rows, delimiter=delimiter)), report))


def monument(number: int, x: float, y: float) -> MonumentRecord:
    point = shapely.Point(lon_lat(x, y))
    return MonumentRecord(f"PA{number:08}", f"Monument {number}", "1926 : classé MH", shapely.to_wkb(point))


def nearby(store: Engine) -> list[pb.NearbyMonument]:
    return list(message_of(land_unit(store, LOT, blocks=("urbanism",))).urbanism.nearby_monuments)


@pytest.mark.parametrize(
    ("delimiter", "row"),
    [
        (",", 'PA00098765,"Beffroi,  tour",1862 : classé MH\x85,1,"46.2,5.2"'),
        ("|", "PA00098765|Beffroi, tour|1862 : classé MH|01|46.2, 5.2"),
    ],
)
def test_a_monument_is_read_in_both_forms_of_the_file(
    write: Writer, report: ReadReport, delimiter: str, row: str
) -> None:
    [(partition, record)] = read(write, report, row, delimiter=delimiter)
    assert partition == Partition("01")
    assert record[:3] == ("PA00098765", "Beffroi, tour", "1862 : classé MH")
    assert shapely.from_wkb(record.geometry) == shapely.Point(5.2, 46.2)


def test_a_monument_without_a_point_is_left_out_and_a_wrong_one_rejected(write: Writer, report: ReadReport) -> None:
    rows = ("PA00000001||||", "PA00000002|||18|", "PA00000003|||18|5.2", "PA00000004|||18|46.2,5.2")
    [(partition, record)] = read(write, report, *rows, delimiter="|")
    assert (partition, record) == (Partition("18"), record._replace(reference="PA00000004", name=None, protection=None))
    assert report.rejected_count == 2


def test_the_list_of_a_departement_is_asked_for_with_and_without_its_zero() -> None:
    [url] = READER.urls(partition_request("01004", "department"))
    assert url.endswith("/data/csv/?Departement_format_numerique__in=01%2C1")
    assert READER.asked_partition(url, "01004") == Partition("01")


def test_monuments_are_named_only_where_no_surroundings_are_published_in_the_commune(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "merimee", "18", [monument(1, 120, 10), monument(2, 10, -400), monument(3, 10, -501)])
    assert [(item.reference, round(item.distance_m)) for item in nearby(store)] == [
        ("PA00000001", 100),
        ("PA00000002", 400),
    ]
    load(store, "gpu-sup-documents", "18", [DOCUMENT])
    load(store, "gpu-sup", COMMUNE, [easement("Loin", square(3_000, 0))], part="surface")
    assert len(nearby(store)) == 2, "none is drawn in the commune"
    load(store, "gpu-sup", COMMUNE, [easement("Beffroi", square(40, 0))], part="surface")
    assert nearby(store) == []


@on_sqlite
def test_distances_are_those_of_another_reading(store: Engine) -> None:
    """The other reading measures on the ellipsoid, from the monument to points every half metre of the outline."""
    random, ellipsoid = Random(41), Geod(ellps="GRS80")  # noqa: S311
    lot = square(0, 0, 60, 40)
    monuments = [monument(number, random.uniform(-700, 700), random.uniform(-700, 700)) for number in range(60)]
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, lot)])
    load(store, "merimee", "18", monuments)
    outline = np.array([lon_lat(x, y) for x, y in shapely.get_coordinates(shapely.segmentize(lot.exterior, 0.5))])
    expected = {}
    for item in monuments:
        [[lon, lat]] = shapely.get_coordinates(shapely.from_wkb(item.geometry))
        place = np.full(len(outline), lon), np.full(len(outline), lat)
        *_, distances = ellipsoid.inv(outline[:, 0], outline[:, 1], *place)
        expected[item.reference] = float(min(distances))
    expected = {key: distance for key, distance in expected.items() if distance <= 500}
    assert 10 < len(expected) < 50
    assert {item.reference: item.distance_m for item in nearby(store)} == pytest.approx(expected, abs=0.3)
