import gzip
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import shapely
from gis_files import write_gis
from written_files import Writer

from land.errors import UnreadableFile
from land.sources.base import ReadReport
from land.sources.features import Feature, read_features

RING = [[2.0, 47.0], [2.03, 47.0], [2.03, 47.02], [2.0, 47.02], [2.0, 47.0]]
GML = """<?xml version="1.0" encoding="UTF-8"?>
<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"
  xmlns:u="http://u.example">
  <wfs:member><u:ZONE_URBA gml:id="z.1"><u:the_geom><gml:Polygon srsName="{srs}"><gml:exterior><gml:LinearRing>
  <gml:posList>{positions}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></u:the_geom>
  <u:LIBELLE>Nœud</u:LIBELLE><u:INSEE>01001</u:INSEE><u:TYPEPSC>05</u:TYPEPSC></u:ZONE_URBA></wfs:member>
</wfs:FeatureCollection>
"""


def feature(label: str = "UB", ring: list[list[float]] = RING) -> dict[str, Any]:
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"LIBELLE": label, "TYPEPSC": "05"},
    }


def read(path: Path, layers: tuple[str, ...] = ("ZONE_URBA",)) -> list[Feature]:
    return list(read_features(path, ReadReport("a file"), layers))


def assert_is_outline(outline: Feature) -> None:
    """The geometry equals the outline of the features above to a tenth of a millimetre."""
    assert outline.error is None
    assert outline.geometry is not None
    corners = shapely.points(RING)
    assert max(shapely.distance(shapely.boundary(outline.geometry), corners)) < 1e-9
    assert outline.geometry.area == pytest.approx(0.03 * 0.02, rel=1e-5)


@pytest.mark.parametrize("name", ["zones.gpkg", "ZONE_URBA.shp"])
def test_a_projected_file_becomes_degrees(tmp_path: Path, name: str) -> None:
    [zone] = read(write_gis(tmp_path / name, [feature()], layer="ZONE_URBA"))
    assert dict(zone.properties) == {"LIBELLE": "UB", "TYPEPSC": "05"}
    assert_is_outline(zone)


def test_long_straight_lines_stay_straight_on_the_ground(tmp_path: Path) -> None:
    """The line has 2.3 km along a parallel. Without points in between, it would deviate by 15 cm from Lambert-93."""
    [zone] = read(write_gis(tmp_path / "a.gpkg", [feature()], layer="ZONE_URBA"))
    assert shapely.get_num_coordinates(zone.geometry) > 40


def test_overseas_projections_are_read_from_the_file(tmp_path: Path) -> None:
    ring = [[55.5, -21.0], [55.501, -21.0], [55.501, -20.999], [55.5, -20.999], [55.5, -21.0]]
    [zone] = read(write_gis(tmp_path / "a.gpkg", [feature(ring=ring)], layer="ZONE_URBA", crs="EPSG:2975"))
    assert zone.geometry is not None
    assert zone.geometry.bounds == pytest.approx((55.5, -21.0, 55.501, -20.999), abs=1e-8)


@pytest.mark.parametrize(
    ("encoding", "with_cpg"),
    [("UTF-8", True), ("UTF-8", False), ("cp1252", True), ("cp1252", False), ("ISO-8859-1", True)],
)
def test_a_shapefile_is_read_in_its_own_encoding(tmp_path: Path, encoding: str, with_cpg: bool) -> None:
    label = "Hôtel d'été" if encoding == "ISO-8859-1" else "Cœur d’îlot à 50 €"
    path = write_gis(tmp_path / "ZONE_URBA.shp", [feature(label)], layer="ZONE_URBA", encoding=encoding)
    if not with_cpg:
        (tmp_path / "ZONE_URBA.cpg").unlink(missing_ok=True)
        _forget_language(tmp_path / "ZONE_URBA.dbf")
    assert [zone.properties["LIBELLE"] for zone in read(path)] == [label]


def test_a_wrong_cpg_is_ignored(tmp_path: Path) -> None:
    path = write_gis(tmp_path / "ZONE_URBA.shp", [feature("Été")], layer="ZONE_URBA", encoding="cp1252")
    (tmp_path / "ZONE_URBA.cpg").write_text("UTF-8")
    assert read(path)[0].properties["LIBELLE"] == "Été"
    write_gis(tmp_path / "b.shp", [feature("Été")], layer="b")
    (tmp_path / "b.cpg").write_text("1252")
    assert read(tmp_path / "b.shp")[0].properties["LIBELLE"] == "Été"


def _forget_language(table: Path) -> None:
    content = bytearray(table.read_bytes())
    content[29] = 0
    table.write_bytes(bytes(content))


def test_a_shapefile_with_upper_case_file_names_is_complete(tmp_path: Path) -> None:
    write_gis(tmp_path / "a.shp", [feature("Été")], layer="a", encoding="cp1252")
    for part in list(tmp_path.iterdir()):
        part.rename(tmp_path / f"ZONE_URBA{part.suffix.upper()}")
    assert [zone.properties["LIBELLE"] for zone in read(tmp_path / "ZONE_URBA.SHP")] == ["Été"]


@pytest.mark.parametrize(
    ("srs", "positions"),
    [
        ("urn:ogc:def:crs:EPSG::4326", "47.0 2.0 47.0 2.03 47.02 2.03 47.02 2.0 47.0 2.0"),
        ("EPSG:4326", "2.0 47.0 2.03 47.0 2.03 47.02 2.0 47.02 2.0 47.0"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_gml_is_read_in_the_order_of_its_axes(tmp_path: Path, srs: str, positions: str, zipped: bool) -> None:
    content = GML.format(srs=srs, positions=positions).encode()
    path = tmp_path / "answer"
    path.write_bytes(gzip.compress(content) if zipped else content)
    [zone] = read(path)
    assert (zone.properties["LIBELLE"], zone.properties["INSEE"]) == ("Nœud", "01001")
    assert_is_outline(zone)
    assert [file.name for file in tmp_path.iterdir()] == ["answer"]


@pytest.mark.parametrize("crs", ["urn:ogc:def:crs:EPSG::2154", "EPSG:2154"])
def test_geojson_that_names_a_projection_is_read_in_it(write: Writer, crs: str) -> None:
    ring = [[655000.0, 6665000.0], [655100.0, 6665000.0], [655100.0, 6665100.0], [655000.0, 6665000.0]]
    members = {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": crs}}}
    [zone] = read(write("a.json", json.dumps(members | {"features": [feature(ring=ring)]})))
    assert zone.geometry is not None
    assert zone.geometry.bounds == pytest.approx((2.40686, 47.08373, 2.40818, 47.08464), abs=1e-5)


def test_an_unknown_projection_is_refused(write: Writer) -> None:
    members = {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:999999"}}}
    with pytest.raises(UnreadableFile, match="unknown projection"):
        read(write("a.json", json.dumps(members | {"features": [feature()]})))


def test_a_shapefile_without_projection_or_table_is_refused(tmp_path: Path) -> None:
    path = write_gis(tmp_path / "ZONE_URBA.shp", [feature()], layer="ZONE_URBA")
    (tmp_path / "ZONE_URBA.prj").unlink()
    with pytest.raises(UnreadableFile, match="does not say its projection"):
        read(path)
    (tmp_path / "ZONE_URBA.dbf").unlink()
    with pytest.raises(UnreadableFile, match=r"ZONE_URBA\.dbf, is not beside it"):
        read(path)


def gpkg(folder: Path) -> Path:
    return write_gis(folder / "a.gpkg", [feature(str(n)) for n in range(300)], layer="ZONE_URBA")


def shp(folder: Path) -> Path:
    return write_gis(folder / "a.shp", [feature(str(n)) for n in range(300)], layer="a")


def gml(folder: Path) -> Path:
    path = folder / "a.gml"
    path.write_text(GML.format(srs="EPSG:2154", positions="0 0 0 1 1 1 0 0"), encoding="utf-8")
    return path


def zipped(folder: Path) -> Path:
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(gpkg(folder), "a.gpkg")
    return path


@pytest.mark.parametrize("make", [gpkg, shp, gml, zipped])
@pytest.mark.parametrize("share", [0.99, 0.5, 0.01])
def test_a_truncated_file_is_refused(tmp_path: Path, make: Callable[[Path], Path], share: float) -> None:
    path = make(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(UnreadableFile):
        read(path)


def test_a_truncated_table_is_refused(tmp_path: Path) -> None:
    path = shp(tmp_path)
    table = tmp_path / "a.dbf"
    table.write_bytes(table.read_bytes()[:-200])
    with pytest.raises(UnreadableFile, match="cut short"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"LIBELLE;TYPEZONE\nUB;U\n",
        b"<html>we have moved</html>",
        b'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/etc/hosts</SrcDataSource></OGRVRTLayer>'
        b"</OGRVRTDataSource>",
        b"<!-- --><OGRVRTDataSource></FeatureCollection>",
        bytes(range(256)) * 20,
    ],
    ids=["empty", "csv", "html", "virtual", "virtual behind a comment", "binary"],
)
def test_other_formats_are_refused(write: Writer, content: bytes) -> None:
    with pytest.raises(UnreadableFile):
        read(write("ZONE_URBA.gml", content))


def test_a_database_that_is_no_geopackage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ZONE_URBA.gpkg"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE zone_urba (libelle)")
    database.close()
    with pytest.raises(UnreadableFile, match="neither GeoJSON"):
        read(path)


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("land.sources.gis_formats.MAX_UNPACKED_BYTES", 1_000_000)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ZONE_URBA.gml", b" " * 20_000_000)
    with pytest.raises(UnreadableFile, match="more than 1000000 bytes"):
        read(path)
    packed = tmp_path / "bomb.gz"
    packed.write_bytes(gzip.compress(b"<FeatureCollection>" + b" " * 20_000_000))
    with pytest.raises(UnreadableFile, match="more than 1000000 bytes"):
        read(packed)


def test_paths_in_a_zip_stay_in_the_target_folder(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.zip"
    path.parent.mkdir()
    source = gpkg(tmp_path).read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../ZONE_URBA.gpkg", source)
        archive.writestr("/ZONE_URBA.gpkg", source)
    assert len(read(path)) == 600
    assert {file.name for file in tmp_path.iterdir()} == {"deep", "a.gpkg"}


def test_the_named_layers_of_several_are_read(tmp_path: Path) -> None:
    for layer in ("18999_zone_urba", "18999_prescription_surf"):
        path = write_gis(tmp_path / "a.gpkg", [feature(layer)], layer=layer)
    assert [zone.properties["LIBELLE"] for zone in read(path)] == ["18999_zone_urba"]
    with pytest.raises(UnreadableFile, match="no layer named like INFO_SURF"):
        read(path, ("INFO_SURF",))


@pytest.mark.parametrize("make", [gpkg, shp])
def test_order_and_positions_hold_over_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    monkeypatch.setattr("land.sources.gis.BATCH", 7)
    zones = read(path)
    assert [zone.position for zone in zones] == list(range(1, 301))
    assert [zone.properties["LIBELLE"] for zone in zones] == [str(n) for n in range(300)]


def test_missing_ids_in_a_geopackage_do_not_end_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = gpkg(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM ZONE_URBA WHERE fid BETWEEN 5 AND 40 OR fid = 300")
    monkeypatch.setattr("land.sources.gis.BATCH", 7)
    zones = read(path)
    assert [zone.properties["LIBELLE"] for zone in zones] == [str(n) for n in (*range(4), *range(40, 299))]
