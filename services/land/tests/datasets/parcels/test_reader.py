import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shapely
from hypothesis import example, given
from hypothesis import strategies as st
from written_files import Writer, partition_request

from land.datasets.parcels import ids as parcels
from land.datasets.parcels.reader import BATCH, CadastreParcels
from land.datasets.parcels.records import ParcelRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport
from land.sources.geometry import parse_polygons

CADASTRE = CadastreParcels("https://mirror.example/etalab-cadastre")
SQUARE = [[[2.0, 47.0], [2.001, 47.0], [2.001, 47.001], [2.0, 47.001], [2.0, 47.0]]]
BOW_TIE = [[[2.0, 47.0], [2.001, 47.001], [2.001, 47.0], [2.0, 47.001], [2.0, 47.0]]]


def feature(**changes: Any) -> dict[str, Any]:
    properties = {
        "id": "010010000A0025",
        "commune": "01001",
        "prefixe": "000",
        "section": "A",
        "numero": "25",
        "contenance": 1200,
        "arpente": False,
        "created": "2007-04-16",
        "updated": "2014-11-07",
    } | changes
    geometry = properties.pop("geometry", {"type": "Polygon", "coordinates": SQUARE})
    return {"type": "Feature", "geometry": geometry, "properties": {k: v for k, v in properties.items() if v != "drop"}}


def collection(*features: Any, **members: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features} | members)


def read(path: Path, report: ReadReport, **area: str) -> list[ParcelRecord]:
    return [parcel for _, parcel in CADASTRE.read(path, report, CommuneFilter(**area))]


def read_one(write: Writer, report: ReadReport, **changes: Any) -> ParcelRecord:
    [parcel] = read(write("a.json", collection(feature(**changes))), report)
    return parcel


def test_a_feature_becomes_a_parcel_with_its_parts_padded(write: Writer, report: ReadReport) -> None:
    [(partition, parcel)] = CADASTRE.read(write("a.json.gz", collection(feature())), report)
    assert partition == Partition("01001")
    assert parcel._replace(geometry=None) == ParcelRecord(
        commune_code="01001", parcel_id="010010000A0025", prefix="000", section="0A", number="0025",
        cadastral_area_m2=1200, is_surveyed=False, created_on="2007-04-16", updated_on="2014-11-07", geometry=None,
        is_repaired=False,
    )  # fmt: skip
    assert parcel.geometry is not None
    assert shapely.equals(shapely.from_wkb(parcel.geometry), shapely.Polygon(SQUARE[0]))


def test_an_id_that_is_absent_is_built_from_its_parts(write: Writer, report: ReadReport) -> None:
    assert read_one(write, report, id="drop").parcel_id == "010010000A0025"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "01001A25"},
        {"id": "010010000A00251"},
        {"id": "010010000A0025\n"},
        {"numero": "26"},
        {"prefixe": "042"},
        {"id": "drop", "section": "drop"},
        {"id": 25},
    ],
    ids=str,
)
def test_an_id_that_is_malformed_or_disagrees_with_its_parts_is_rejected(
    write: Writer, report: ReadReport, changes: dict[str, Any]
) -> None:
    path = write("a.json", collection(feature(), feature(**changes)))
    assert len(read(path, report)) == 1
    assert report.rejections[0].startswith("a file:2: id: ")


@pytest.mark.parametrize(("contenance", "area"), [("drop", None), (None, None), (0, None), (1, 1)])
def test_contenance_is_unknown_where_absent_or_zero(
    write: Writer, report: ReadReport, contenance: object, area: int | None
) -> None:
    assert read_one(write, report, contenance=contenance).cadastral_area_m2 == area


@pytest.mark.parametrize("contenance", [-1, 10**9 + 1, 10**17, "12", True, [1]])
def test_a_contenance_that_is_no_area_costs_the_area_alone(
    write: Writer, report: ReadReport, contenance: object
) -> None:
    record = read_one(write, report, contenance=contenance)
    assert (record.parcel_id, record.cadastral_area_m2) == ("010010000A0025", None)
    assert record.geometry is not None
    assert report.unknown_values == {"contenance": 1}


def test_absent_plan_facts_are_unknown(write: Writer, report: ReadReport) -> None:
    parcel = read_one(write, report, arpente="drop", created="drop", updated=None)
    assert (parcel.is_surveyed, parcel.created_on, parcel.updated_on) == (None, None, None)


def test_null_geometry_is_kept_as_unknown(write: Writer, report: ReadReport) -> None:
    parcel = read_one(write, report, geometry=None)
    assert (parcel.geometry, parcel.is_repaired) == (None, False)


def test_invalid_rings_are_repaired_and_counted(write: Writer, report: ReadReport) -> None:
    parcel = read_one(write, report, geometry={"type": "Polygon", "coordinates": BOW_TIE})
    assert parcel.is_repaired
    assert report.repaired_count == 1
    assert parcel.geometry is not None
    shape = shapely.from_wkb(parcel.geometry)
    assert shape.is_valid
    assert shape.geom_type == "MultiPolygon"
    assert shape.area == pytest.approx(0.001 * 0.001 / 2)


def test_a_ring_without_area_leaves_a_parcel_without_geometry(write: Writer, report: ReadReport) -> None:
    flat = [[[2.0, 47.0], [2.1, 47.0], [2.2, 47.0], [2.0, 47.0]]]
    parcel = read_one(write, report, geometry={"type": "Polygon", "coordinates": flat})
    assert (parcel.geometry, parcel.is_repaired) == (None, True)


def test_heights_are_dropped_and_open_rings_closed(write: Writer, report: ReadReport) -> None:
    heights = [[[x, y, 12.5] for x, y in SQUARE[0]]]
    plain = read_one(write, report)
    assert read_one(write, report, geometry={"type": "Polygon", "coordinates": heights}).geometry == plain.geometry
    opened = {"type": "Polygon", "coordinates": [SQUARE[0][:-1]]}
    assert read_one(write, report, geometry=opened).geometry == plain.geometry


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [2.0, 47.0]},
        {"type": "GeometryCollection", "geometries": []},
        {"type": "Polygon"},
        {"type": "Polygon", "coordinates": [[2.0, 47.0]]},
        {"type": "Polygon", "coordinates": [["ab", "cd", "ef", "ab"]]},
        {"type": "Polygon", "coordinates": [[[0.0, 6e6], [1.0, 6e6], [1.0, 7e6], [0.0, 6e6]]]},
        "POLYGON",
    ],
    ids=str,
)
def test_an_outline_that_cannot_be_read_costs_the_outline_alone(
    write: Writer, report: ReadReport, geometry: object
) -> None:
    record = read_one(write, report, geometry=geometry)
    assert (record.parcel_id, record.cadastral_area_m2, record.geometry) == ("010010000A0025", 1200, None)
    assert report.unknown_values == {"geometry": 1}


def test_a_plan_whose_outlines_cannot_be_read_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile, match="21 outlines of 21"):
        read(write("a.json", collection(*[feature(geometry="POLYGON")] * 21)), report)


def test_an_item_that_is_not_a_feature_is_rejected_with_its_position(write: Writer, report: ReadReport) -> None:
    assert len(read(write("a.json", collection(3, feature(), {"type": "Feature"}, None)), report)) == 1
    assert [text.split(": ")[0] for text in report.rejections] == ["a file:1", "a file:3", "a file:4"]


def test_an_id_that_two_rows_have_is_named_and_the_first_is_kept(write: Writer, report: ReadReport) -> None:
    path = write("a.json", collection(feature(), feature(numero="26", id="drop"), feature(contenance=3)))
    assert [parcel.cadastral_area_m2 for parcel in read(path, report)] == [1200, 1200]
    assert report.rejections == ["a file:3: id: 010010000A0025 is in an earlier row, which is kept"]


def test_order_holds_over_batches(write: Writer, report: ReadReport) -> None:
    count = BATCH + 3
    path = write("a.json", collection(*(feature(id="drop", numero=str(n)) for n in range(1, count + 1))))
    assert [int(parcel.number) for parcel in read(path, report)] == list(range(1, count + 1))
    assert report.row_count == count


def test_rows_can_be_filtered_by_commune_or_department(write: Writer) -> None:
    path = write(
        "a.json", collection(feature(), feature(id="drop", commune="2A004"), feature(id="drop", commune="97105"))
    )
    assert [p.commune_code for p in read(path, ReadReport("a"), commune="2A004")] == ["2A004"]
    assert [p.commune_code for p in read(path, ReadReport("a"), department="971")] == ["97105"]


def test_a_commune_without_parcels_is_empty_not_wrong(write: Writer, report: ReadReport) -> None:
    assert read(write("a.json", collection()), report) == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"note": 1}',
        '{"type": "Topology", "features": []}',
        "id;numero\n1;2\n",
        "{}",
        collection(feature()) + "x",
    ],
)
def test_other_documents_are_unreadable(write: Writer, report: ReadReport, content: str) -> None:
    with pytest.raises(UnreadableFile, match="a file"):
        read(write("a.json", content), report)


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_file_truncated_anywhere_is_unreadable(write: Writer, name: str) -> None:
    whole = collection(feature(), feature(id="drop", numero="26"))
    for length in range(0, len(whole) - 1, 7):
        with pytest.raises(UnreadableFile):
            read(write(name, whole[:length]), ReadReport("a file"))


def test_the_edition_is_in_the_address(write: Writer) -> None:
    path = write("a.json", "")
    assert CADASTRE.edition(path, "https://x.example/2022-01-01/geojson/communes/01/01001/a.json.gz") == "2022-01-01"
    assert CADASTRE.edition(path, "cadastre-01001-parcelles.json.gz") is None


def test_urls_name_the_department_even_overseas() -> None:
    base = "https://mirror.example/etalab-cadastre/latest/geojson/communes"
    assert CADASTRE.urls(partition_request("75118")) == [f"{base}/75/75118/cadastre-75118-parcelles.json.gz"]
    assert CADASTRE.urls(partition_request("97105")) == [f"{base}/971/97105/cadastre-97105-parcelles.json.gz"]


ring = st.lists(st.tuples(st.floats(-170, 170), st.floats(-80, 80)), min_size=0, max_size=8)


@example([[[(-1, 1), (1, 0), (0, 0), (-1, 1), (1, 0), (0, 1)]]])  # GEOS's first repair leaves it invalid
@example([[[(0, 1), (0, 1.773e-261), (-2, 0), (-1, 0)], [(0, -1), (0, 1.619e-274), (-2, 0), (-3, 1)]]])  # divides by 0
@given(st.lists(st.one_of(st.none(), st.lists(ring, max_size=3)), max_size=6))
def test_a_parsed_polygon_is_valid_or_absent(geometries: list[Any]) -> None:
    shapes = parse_polygons([g if g is None else {"type": "Polygon", "coordinates": g} for g in geometries])
    assert len(shapes) == len(geometries)
    for shape in shapes:
        if shape.wkb is not None:
            geometry = shapely.from_wkb(shape.wkb)
            assert geometry.is_valid
            assert geometry.geom_type in ("Polygon", "MultiPolygon")


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "count", "unknown_area"),
    [
        ("cadastre-75118-parcelles.json.gz", 6_821, 0),
        ("cadastre-91216-parcelles.json.gz", 4_241, 1),
        ("cadastre-38001-01008-parcelles-rnb-fixture.json", 3, 0),
        ("cadastre-44109-sitadel-sample-parcelles.json", 14, 0),
        ("cadastre-75056-sitadel-sample-parcelles.json", 5, 0),
    ],
)
def test_every_parcel_of_the_samples_is_read(
    sample: Callable[[str], Path], report: ReadReport, name: str, count: int, unknown_area: int
) -> None:
    records = read(sample(f"cadastre/{name}"), report)
    assert (len({p.parcel_id for p in records}), report.row_count, report.rejected_count) == (count, count, 0)
    assert all(p.geometry for p in records)
    assert all(parcels.parse(p.parcel_id) for p in records)
    assert sum(p.cadastral_area_m2 is None for p in records) == unknown_area
    # One parcel of the 38001-01008 file crosses itself as published; it is the only one of all samples.
    assert [p.parcel_id for p in records if p.is_repaired] == (["010080000A0382"] if "01008" in name else [])


@pytest.mark.samples
def test_known_parcels_of_the_samples_read_as_published(sample: Callable[[str], Path], report: ReadReport) -> None:
    # Read off the files by hand.
    paris = {p.parcel_id: p for p in read(sample("cadastre/cadastre-75118-parcelles.json.gz"), report)}
    first, last = paris["75118000AA0002"], paris["75118000DF0093"]
    assert (first.cadastral_area_m2, first.created_on, first.updated_on) == (23_120, "2007-04-16", "2014-11-07")
    assert (last.cadastral_area_m2, last.number, last.is_surveyed) == (199, "0093", False)
    assert sum(p.is_surveyed is True for p in paris.values()) == 30
    epinay = {p.parcel_id: p for p in read(sample("cadastre/cadastre-91216-parcelles.json.gz"), report)}
    assert (epinay["91216000AC0389"].cadastral_area_m2, epinay["91216000AC0389"].is_surveyed) == (None, True)
    assert (epinay["91216000ZE0235"].cadastral_area_m2, epinay["91216000ZE0235"].created_on) == (217, "2018-09-27")
    nantes = {p.parcel_id: p for p in read(sample("cadastre/cadastre-44109-sitadel-sample-parcelles.json"), report)}
    assert (nantes["44109000IN0620"].cadastral_area_m2, nantes["44109000IN0620"].is_surveyed) == (408, True)
    geometry = nantes["44109000IN0620"].geometry
    assert geometry is not None
    assert shapely.get_coordinates(shapely.from_wkb(geometry))[0].tolist() == [-1.5815998, 47.2081268]
