"""Zones, prescriptions and documents of a deposit, in each generation of the standard."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio.raw  # type: ignore[import-untyped]
import pytest
import shapely
from gis_files import write_gis
from gpu_features import (
    BOW_TIE,
    DOCUMENTS,
    INFORMATIONS,
    LIVE,
    OF_2014,
    POLYGON,
    PRESCRIPTION,
    SINCE_2017,
    SQUARE,
    ZONES,
    collection,
    feature,
    prescriptions,
    zone,
    zones,
)
from written_files import Writer

from land.datasets.partitions import Partition
from land.datasets.planning.records import DocumentRecord, PlanFeatureRecord, ZoneRecord
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import ReadReport


def test_a_zone_of_the_standard_since_2017(write: Writer, report: ReadReport) -> None:
    [(partition, record)] = zones(write("a.json.gz", collection(feature(SINCE_2017))), report)
    assert partition == Partition("DU_18999")
    assert record._replace(geometry=b"") == ZoneRecord(
        partition="DU_18999", document_id="18999_PLU_20240131", document_type="PLU", approved_on="2024-01-31",
        label="UB", long_label="Zone UB : faubourgs", zone_type="U", sector_type=None, regulation_url=None,
        is_repaired=False, geometry=b"",
    )  # fmt: skip
    assert shapely.equals(shapely.from_wkb(record.geometry), shapely.Polygon(SQUARE[0]))


def test_a_zone_of_the_standards_before_has_its_document_from_the_commune(write: Writer, report: ReadReport) -> None:
    record = zone(write, report, OF_2014)
    assert (record.partition, record.document_id, record.document_type) == ("DU_18999", "DU_18999", None)
    assert (record.approved_on, record.regulation_url) == ("2014-01-23", "http://plans.example/18999.pdf")


def test_a_zone_of_the_live_service_has_the_address_of_its_rule(write: Writer, report: ReadReport) -> None:
    record = zone(write, report, LIVE)
    assert (record.partition, record.document_id, record.approved_on) == (
        "DU_18999",
        "18999_PLU_20260228",
        "2026-02-28",
    )
    assert record.regulation_url == (
        "https://data.geopf.fr/annexes/gpu/documents/DU_18999/694a3c44118890856aa96c8b01b8961b/"
        "18999_r%C3%A8glement%202.pdf#UB"
    )


def test_the_file_name_identifies_a_document_of_several_communes(tmp_path: Path) -> None:
    path = tmp_path / "200011781_PLUi_20180101_zone_urba.geojson"
    path.write_text(collection(feature(OF_2014)), encoding="utf-8")
    [(partition, record)] = zones(path, ReadReport(path.name))
    assert partition == Partition("DU_200011781")
    assert (record.document_id, record.document_type) == ("200011781_PLUi_20180101", "PLUi")
    assert ZONES.edition(path, path.name) == "2018-01-01"


@pytest.mark.parametrize(
    ("idurba", "partition", "kind", "approved_on"),
    [
        ("1899920140123", "DU_18999", None, "2014-01-23"),
        ("18999_20140123", "DU_18999", None, "2014-01-23"),
        ("2A004_POS_19991231", "DU_2A004", "POS", "1999-12-31"),
        ("241800432_PLUI_20200128", "DU_241800432", "PLUi", "2020-01-28"),
        ("241800432_PLUi_20200128_B", "DU_241800432_B", "PLUi", "2020-01-28"),
        ("75056_PSMV_20211011", "PSMV_75056", "PSMV", "2021-10-11"),
        ("18999_CC_20010230", "DU_18999", "CC", None),
    ],
)
def test_every_form_of_idurba_is_read(
    write: Writer, report: ReadReport, idurba: str, partition: str, kind: str | None, approved_on: str | None
) -> None:
    record = zone(write, report, SINCE_2017 | {"IDURBA": idurba})
    document = (record.partition, record.document_id, record.document_type, record.approved_on)
    assert document == (partition, idurba, kind, approved_on)


def test_a_zone_of_an_unknown_document_is_rejected(write: Writer, report: ReadReport) -> None:
    path = write("a.json", collection(feature(SINCE_2017), feature(SINCE_2017, IDURBA="le PLU")))
    assert len(zones(path, report)) == 1
    assert report.rejections == ["a file:2: neither PARTITION, IDURBA nor INSEE tells the document"]


@pytest.mark.parametrize(("published", "zone_type"), [("AUC", "AUc"), ("nh ", "Nh"), ("Z", None), (None, None)])
def test_zone_types_are_those_of_the_standard(
    write: Writer, report: ReadReport, published: str | None, zone_type: str | None
) -> None:
    assert zone(write, report, SINCE_2017 | {"TYPEZONE": published}).zone_type == zone_type
    assert report.unknown_values == ({} if zone_type else {"TYPEZONE": 1})


def test_a_sector_of_a_carte_communale_has_the_official_label_of_its_type(write: Writer, report: ReadReport) -> None:
    sector = {"LIBELLE": "ZC", "TYPESECT": "01", "IDURBA": "18999_CC_20050607", "URLFIC": "javascript:alert(1)"}
    [(partition, record)] = zones(write("a.json", collection(feature(sector))), report)
    assert partition == Partition("DU_18999", "cc")
    assert (record.document_type, record.zone_type, record.long_label) == (
        "CC",
        None,
        "Secteur ouvert à la construction",
    )
    assert record.regulation_url is None


@pytest.mark.parametrize(
    ("published", "sector_type"), [("01", "01"), (3, "03"), ("99", "99"), ("04", None), ("", None), (None, None)]
)
def test_sector_types_are_those_of_the_standard(
    write: Writer, report: ReadReport, published: str | int | None, sector_type: str | None
) -> None:
    sector = {"LIBELLE": "ZC", "TYPESECT": published, "IDURBA": "18999_CC_20050607"}
    [(_, record)] = zones(write("a.json", collection(feature(sector))), report)
    assert (record.sector_type, record.zone_type) == (sector_type, None)
    assert report.unknown_values == ({} if sector_type else {"TYPESECT": 1})


def test_missing_attributes_are_named(write: Writer, report: ReadReport) -> None:
    other = {"nom": "UB", "IDURBA": "18999_PLU_20240131"}
    with pytest.raises(WrongHeader) as caught:
        zones(write("a.json", collection(feature(other))), report)
    assert caught.value.missing == ("LIBELLE", "TYPEZONE or TYPESECT")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (feature(SINCE_2017, None), "no geometry"),
        (feature(SINCE_2017, {"type": "Point", "coordinates": [2.0, 47.0]}), "geometry: a point is no zone"),
        (feature(SINCE_2017, {"type": "Polygon", "coordinates": [["x"]]}), "geometry: coordinates cannot be read"),
        (feature(SINCE_2017, {"type": "Nothing"}), "geometry: coordinates cannot be read"),
        (
            feature(SINCE_2017, {"type": "Polygon", "coordinates": [[[6e5, 6e6], [7e5, 6e6], [7e5, 7e6], [6e5, 6e6]]]}),
            "geometry: coordinates are no longitude and latitude",
        ),
        (feature(SINCE_2017, LIBELLE="drop"), "missing: LIBELLE"),
        (feature(SINCE_2017, LIBELONG="x" * 3_000), "LIBELONG: longer than 2000 characters"),
        (3, "not a feature with properties"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_features_that_cannot_be_read_are_rejected_with_their_position(
    write: Writer, report: ReadReport, bad: Any, reason: str
) -> None:
    path = write("a.json", collection(feature(SINCE_2017), bad, feature(SINCE_2017)))
    assert len(zones(path, report)) == 2
    assert (report.row_count, report.rejections) == (3, [f"a file:2: {reason}"])


def test_an_outline_that_crosses_itself_is_repaired_and_counted(write: Writer, report: ReadReport) -> None:
    record = zone(write, report, SINCE_2017, {"type": "Polygon", "coordinates": BOW_TIE})
    assert record.is_repaired
    assert report.repaired_count == 1
    assert shapely.from_wkb(record.geometry).is_valid


def test_holes_are_kept(write: Writer, report: ReadReport) -> None:
    hole = [[2.0004, 47.0004], [2.0004, 47.0006], [2.0006, 47.0006], [2.0006, 47.0004], [2.0004, 47.0004]]
    record = zone(write, report, SINCE_2017, {"type": "MultiPolygon", "coordinates": [[SQUARE[0], hole]]})
    (part,) = shapely.get_parts(shapely.from_wkb(record.geometry))
    assert shapely.get_num_interior_rings(part) == 1


def test_a_truncated_file_is_refused(write: Writer, report: ReadReport) -> None:
    content = collection(*[feature(SINCE_2017)] * 3)
    with pytest.raises(UnreadableFile, match="truncated"):
        zones(write("a.json", content[:-40]), report)


def test_the_edition_is_the_deposit_s_if_the_name_has_none(write: Writer) -> None:
    assert ZONES.edition(write("a.json", collection(feature(LIVE))), "zone-urba?partition=DU_18999") == "2026-03-06"
    assert ZONES.edition(write("b.json", collection(feature(OF_2014))), "zone_urba.json") == "2014-01-23"
    assert ZONES.edition(write("c.json", collection(feature(LIVE))), "zone_urba_2025-12-31.json") == "2025-12-31"


def test_rows_can_be_filtered_by_commune_or_department(write: Writer) -> None:
    ids = ("18999_PLU_20240131", "19001_PLU_20240131", "75056_PLU_20240131", "241800432_PLUI_20200128")
    path = write("a.json", collection(*(feature(SINCE_2017, IDURBA=document) for document in ids)))

    def chosen(**only: str) -> list[str]:
        return [partition.code for partition, _ in zones(path, ReadReport("a file"), **only)]

    assert chosen(commune="18999") == ["DU_18999"]
    assert chosen(commune="75118") == ["DU_75056"]
    assert chosen(department="19") == ["DU_19001"]
    assert len(chosen()) == 4


def test_prescriptions_are_partitioned_by_geometry_kind(write: Writer, report: ReadReport) -> None:
    line = {"type": "LineString", "coordinates": [[2.0, 47.0], [2.001, 47.0]]}
    point = {"type": "MultiPoint", "coordinates": [[2.0, 47.0]]}
    features = [feature(PRESCRIPTION, geometry) for geometry in (POLYGON, line, point)]
    records = prescriptions(write("a.json", collection(*features)), report)
    assert [(partition, record.geometry_kind) for partition, record in records] == [
        (Partition("DU_18999", kind), kind) for kind in ("surface", "line", "point")
    ]
    assert records[0][1]._replace(geometry=b"") == PlanFeatureRecord(
        partition="DU_18999", document_id="18999_PLU_20240131", document_type="PLU", approved_on="2024-01-31",
        label="ER 1", type_code="05", subtype_code="01", geometry_kind="surface", regulation_url=None,
        is_repaired=False, geometry=b"",
    )  # fmt: skip


def test_informations_have_their_own_type_attributes(write: Writer, report: ReadReport) -> None:
    information = feature({**PRESCRIPTION, "TYPEINF": 4, "STYPEINF": "01"}, POLYGON)
    [(partition, record)] = INFORMATIONS.read(write("a.json", collection(information)), report)
    assert (partition, record.type_code, record.subtype_code) == (Partition("DU_18999", "surface"), "04", "01")


@pytest.mark.parametrize(
    ("published", "code"),
    [("05", "05"), (5, "05"), (15.0, "15"), ("5", None), ("ER", None), (None, None), (True, None)],
)
def test_a_code_read_as_a_number_gets_its_leading_zero(
    write: Writer, report: ReadReport, published: Any, code: str | None
) -> None:
    [(_, record)] = prescriptions(write("a.json", collection(feature(PRESCRIPTION, TYPEPSC=published))), report)
    assert (record.type_code, record.subtype_code) == (code, "01" if code else None)
    assert report.unknown_values == ({} if code else {"TYPEPSC": 1})


def test_a_document_of_a_deposit_and_one_of_the_live_service(write: Writer, report: ReadReport) -> None:
    deposited = {
        "IDURBA": "18999_PLU_20240131",
        "TYPEDOC": "PLU",
        "DATAPPRO": "20240131",
        "URLREG": "https://a.example/r",
    }
    live = {
        "partition": "DU_200070159",
        "name": "200070159_PLUi_20230928",
        "du_type": "PLUi",
        "gpu_doc_id": "048baf0750b3de3650b7d0cf81c530ce",
    }
    path = write("a.json", collection(feature(deposited, None)))
    assert list(DOCUMENTS.read(path, report)) == [
        (
            Partition("DU_18999"),
            DocumentRecord(
                partition="DU_18999",
                document_id="18999_PLU_20240131",
                document_type="PLU",
                approved_on="2024-01-31",
                url="https://a.example/r",
            ),
        )
    ]
    page = "https://www.geoportail-urbanisme.gouv.fr/document/by-id/048baf0750b3de3650b7d0cf81c530ce"
    path = write("b.json", collection(feature(live)))
    assert list(DOCUMENTS.read(path, report)) == [
        (
            Partition("DU_200070159"),
            DocumentRecord(
                partition="DU_200070159",
                document_id="200070159_PLUi_20230928",
                document_type="PLUi",
                approved_on="2023-09-28",
                url=page,
            ),
        )
    ]


@pytest.mark.parametrize("name", ["DOC_URBA.dbf", "doc_urba.gpkg", "DOC_URBA.zip"])
def test_a_table_of_documents_needs_no_geometry(tmp_path: Path, report: ReadReport, name: str) -> None:
    table = tmp_path / name.replace(".zip", ".dbf")
    columns = [np.array([text], dtype=object) for text in ("18999_PLU_20240131", "PLU", "20240131")]
    driver = "GPKG" if table.suffix == ".gpkg" else "ESRI Shapefile"
    names = ["IDURBA", "TYPEDOC", "DATAPPRO"]
    pyogrio.raw.write(table, None, columns, names, driver=driver, layer="DOC_URBA", geometry_type=None, crs=None)
    if name.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.write(table, "18999_PLU/DOC_URBA.DBF")
    assert list(DOCUMENTS.read(tmp_path / name, report)) == [
        (
            Partition("DU_18999"),
            DocumentRecord(
                partition="DU_18999",
                document_id="18999_PLU_20240131",
                document_type="PLU",
                approved_on="2024-01-31",
                url=None,
            ),
        )
    ]


def test_only_the_wanted_layers_of_a_deposit_s_zip_are_read(tmp_path: Path, report: ReadReport) -> None:
    folder = tmp_path / "Donnees_geographiques"
    folder.mkdir()
    write_gis(folder / "18999_ZONE_URBA_20240131.shp", [feature(SINCE_2017)] * 2, layer="18999_ZONE_URBA_20240131")
    write_gis(folder / "18999_PRESCRIPTION_SURF_20240131.shp", [feature(PRESCRIPTION)], layer="PRESCRIPTION_SURF")
    path = tmp_path / "18999_PLU_20240131.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"Donnees_geographiques/{file.name}")
        archive.writestr("Reglement/18999_reglement.pdf", b"%PDF")
    assert [partition for partition, _ in zones(path, report)] == [Partition("DU_18999")] * 2
    assert [partition for partition, _ in prescriptions(path, report)] == [Partition("DU_18999", "surface")]
