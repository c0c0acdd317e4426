"""Public easements in the layouts of the Géoportail de l'urbanisme, and the addresses of its services."""

import json
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from gpu_features import BASE, POLYGON, SQUARE, WFS, collection, feature
from written_files import Writer, partition_request

from land.datasets.easements.codes import CATEGORIES, document_named, is_for_commune, is_for_department
from land.datasets.easements.reader import EasementDocuments, Easements
from land.datasets.easements.records import EasementDetailRecord, EasementDocumentRecord, EasementRecord
from land.datasets.partitions import Partition
from land.datasets.planning.attributes import repaired
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

READER, DOCUMENTS = Easements(BASE, WFS), EasementDocuments(BASE, WFS)
LIVE: dict[str, Any] = {
    "gid": 1, "gpu_doc_id": "b3e5ecaa1ea6a1372fbda8899e000fdc", "gpu_timestamp": "2026-08-27T04:52:53.394Z",
    "suptype": "ac1", "partition": "172014607_SUP_18_AC1", "fichier": "AC1_Tour_19800102_act.pdf",
    "idass": "AC1-172014607-1-1-1", "idgen": "AC1-172014607-1-1", "nomass": "AC1_Tour_abor",
    "typeass": "Périmètre des abords", "modegeoass": "Zone tampon", "paramcalc": 500, "nomsuplitt": "Tour",
}  # fmt: skip
DELIVERED: dict[str, Any] = {
    "IdGen": 1,
    "idAss": 7.0,
    "nomAss": "PM3_X_ass",
    "typeAss": "",
    "ModegeoAss": "Digitalisation",
}
REQUEST = partition_request("18033")._replace(box_commune=lambda metres: (2.0 - metres / 1e5, 47.0, 2.1, 47.2))


def read(
    write: Writer, name: str, content: str, report: ReadReport | None = None, **area: str
) -> list[tuple[Partition, EasementRecord | EasementDetailRecord]]:
    path = write(name, content)
    return list(READER.read(path, report or ReadReport(name), CommuneFilter(**area)))


def test_a_live_easement_has_its_document_act_and_generator(write: Writer) -> None:
    [(partition, record)] = read(write, "answer", collection(feature(LIVE)), commune="18033")
    assert partition == Partition("18033", "surface")
    assert isinstance(record, EasementRecord)
    assert record._replace(geometry=b"") == EasementRecord(
        document="172014607_SUP_18_AC1", category="AC1", easement_id="AC1-172014607-1-1-1",
        generator_id="AC1-172014607-1-1", name="Tour", technical_name="AC1_Tour_abor", type="Périmètre des abords",
        act_file="AC1_Tour_19800102_act.pdf",
        act_url="https://data.geopf.fr/annexes/gpu/documents/172014607_SUP_18_AC1/b3e5ecaa1ea6a1372fbda8899e000fdc/"
        "AC1_Tour_19800102_act.pdf",
        geometry_kind="surface", is_repaired=False, geometry=b"",
    )  # fmt: skip
    assert READER.edition(write("answer", collection(feature(LIVE))), "answer") == "2026-08-27"


def test_a_delivered_file_states_its_document_in_its_name(write: Writer) -> None:
    content = collection(feature(DELIVERED))
    for name, code in {
        "PM3_28_assiette_sup_s.geojson": "SUP_28_PM3",
        "PM3_ASSIETTE_SUP_S_28.geojson": "SUP_28_PM3",
        "110068012_pm1BIS_2a_20161104_assiette_sup_s.geojson": "110068012_SUP_2A_PM1BIS",
    }.items():
        [(partition, record)] = read(write, name, content)
        assert partition == Partition(code, "surface")
        assert isinstance(record, EasementRecord)
        assert (record.easement_id, record.generator_id, record.type, record.act_file) == ("7", "1", None, None)
        assert record.category.upper() == code.rpartition("_")[2]
    with pytest.raises(UnreadableFile, match="states no category"):
        read(write, "assiette_sup_s.geojson", content)
    with pytest.raises(UnreadableFile, match="not a commune"):
        read(write, "PM3_28_assiette_sup_s.geojson", content, commune="28001")
    assert read(write, "PM3_28_assiette_sup_s.geojson", content, department="45") == []
    assert len(read(write, "PM3_28_assiette_sup_s.geojson", content, department="28")) == 1


def test_what_cannot_be_placed_is_left_out_or_rejected(write: Writer) -> None:
    report = ReadReport("answer")
    easements = read(
        write, "answer",
        collection(
            feature(LIVE, modegeoass="Géométrie fictive"),
            feature(LIVE, None),
            feature(LIVE, partition="nonsense"),
            feature(LIVE, idass=""),
            feature(LIVE, partition="172014607_SUP_18_XY9"),
        ),
        report,
    )  # fmt: skip
    assert [record.category for _, record in easements if isinstance(record, EasementRecord)] == ["XY9"]
    assert (report.row_count, report.rejected_count, report.unknown_values) == (5, 3, Counter(SUPTYPE=1))


def test_generators_and_tables_are_details_of_their_document(write: Writer) -> None:
    generator = {
        "idgen": "G1", "idsup": "S1", "nomgen": "AC1_Tour_gen", "typegen": "Monument", "nomsuplitt": "",
        "partition": "172014607_SUP_18_AC1",
    }  # fmt: skip
    [(partition, record)] = read(
        write, "answer", collection(feature(generator, {"type": "Point", "coordinates": [2, 47]})), commune="18033"
    )
    assert partition == Partition("18033", "gen-p")
    document = "172014607_SUP_18_AC1"
    assert record == EasementDetailRecord(
        document=document, kind="generator", key="G1", refers_to="S1", name="AC1_Tour_gen", type="Monument",
        decided_on=None,
    )  # fmt: skip
    tables = {
        "AC1_18_servitude.csv": "IDSUP;NomSupLitt\nS1;La Tour\n",
        "AC1_18_servitude_acte_sup.csv": "IdSup;idActe\nS1;A1\n",
        "AC1_18_acte_sup.csv": "IdActe;nomActe;typeActe;fichier;dateDecis\n"
        "A1;Arrêté;Arrêté ministériel;f.pdf;19880901\nA2;;;;\n",
        "AC1_18_gestionnaire_sup.csv": "IdGest;nomGest\n1;DRAC\n",
    }
    details = [item for name, content in tables.items() for item in read(write, name, content)]
    assert [(partition, *record[1:]) for partition, record in details] == [
        (Partition("SUP_18_AC1", "servitudes"), "servitude", "S1", None, "La Tour", None, None),
        (Partition("SUP_18_AC1", "links"), "link", "S1", "A1", None, None, None),
        (Partition("SUP_18_AC1", "acts"), "act", "A1", None, "Arrêté", "Arrêté ministériel", "1988-09-01"),
        (Partition("SUP_18_AC1", "acts"), "file", "f.pdf", None, "Arrêté", "Arrêté ministériel", "1988-09-01"),
        (Partition("SUP_18_AC1", "acts"), "act", "A2", None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("published", "text"),
    [
        ("CitÃ© refuge de l'ArmÃ©e du Salut", "Cité refuge de l'Armée du Salut"),
        ("LycÃ©e â€“ façade", "LycÃ©e â€“ façade"),
        ("Ã‰glise", "Église"),
        ("Château d'Été", "Château d'Été"),
        ("Ã", "Ã"),
    ],
)
def test_only_text_that_becomes_utf_8_is_repaired(published: str, text: str) -> None:
    assert repaired(published) == text


def test_the_service_is_asked_by_the_place_of_the_parcels() -> None:
    urls = READER.urls(REQUEST)
    assert [url.rpartition("/")[2].partition("?")[0] for url in urls] == [
        f"{table}-sup-{kind}" for table in ("assiette", "generateur") for kind in "slp"
    ]
    wests = {json.loads(parse_qs(urlsplit(url).query)["geom"][0])["coordinates"][0][0][0] for url in urls}
    assert wests == {2.0, 1.98}
    assert [READER.asked_partition(url, "18033") for url in urls] == [
        Partition("18033", part) for part in ("surface", "line", "point", "gen-s", "gen-l", "gen-p")
    ]
    page = parse_qs(urlsplit(READER.page_url(urls[0], ReadReport("", 5_000)) or "").query)
    assert (page["typeNames"], page["startIndex"]) == (["wfs_sup:assiette_sup_s"], ["5000"])
    assert page["bbox"] == ["2.0,47.0,2.1,47.2,EPSG:4326"]
    [acts] = READER.linked_urls(["172014607_SUP_18_AC1"])
    assert acts == f"{BASE}/acte-sup?partition=172014607_SUP_18_AC1"
    assert READER.asked_partition(acts, "18033") == Partition("172014607_SUP_18_AC1", "acts")
    assert "172014607_SUP_18_AC1" in (READER.page_url(acts, ReadReport("", 5_000)) or "")
    for other in (f"{BASE}/assiette-sup-s?geom=1", f"{BASE}/acte-sup?partition=1", f"{BASE}/zone-urba", "https://x/a"):
        assert READER.asked_partition(other, "18033") is None
        assert READER.page_url(other, ReadReport("", 0)) is None


def test_published_documents_are_asked_for_by_departement_and_region(write: Writer) -> None:
    [url] = DOCUMENTS.urls(REQUEST)
    query = parse_qs(urlsplit(url).query)
    assert query["typeNames"] == ["wfs_sup:gestionnaire_sup"]
    assert query["cql_filter"] == ["partition LIKE '%SUP_18%' OR partition LIKE '%SUP_R24%'"]
    assert DOCUMENTS.asked_partition(url, "18033") == Partition("18")
    assert "startIndex=40" in (DOCUMENTS.page_url(url, ReadReport("", 40)) or "")
    names = [
        "1_SUP_18_AC1",
        "172014607_SUP_18_AC1",
        "110000000_SUP_R24_PM1",
        "SUP_45_AC2",
        "110000000_SUP_18033_AS1",
        "",
    ]
    path = write("answer", collection(*(feature({"partition": name}, None) for name in names)))
    report = ReadReport("answer")
    assert list(DOCUMENTS.read(path, report, CommuneFilter("18033"))) == [
        (Partition("18"), EasementDocumentRecord("18", "172014607_SUP_18_AC1", "AC1", "18")),
        (Partition("18"), EasementDocumentRecord("18", "110000000_SUP_R24_PM1", "PM1", "R24")),
        (Partition("18"), EasementDocumentRecord("18", "110000000_SUP_18033_AS1", "AS1", "18033")),
    ]
    assert report.rejected_count == 2
    with pytest.raises(UnreadableFile, match="--department"):
        list(DOCUMENTS.read(path, report))


def test_a_territory_is_a_departement_a_region_or_a_commune() -> None:
    assert len(CATEGORIES) == 65
    assert document_named("172014607_SUP_R84_PM1BIS") == ("172014607_SUP_R84_PM1BIS", "R84", "PM1bis")
    assert document_named("DU_75056") is None
    assert [is_for_department(partition, "69") for partition in ("69", "R84", "69123", "R93", "01004")] == [
        True
    ] * 3 + [False] * 2
    assert [is_for_commune(partition, "69381") for partition in ("69", "R84", "69123", "69381", "69001")] == [
        True
    ] * 4 + [False]
    assert is_for_commune("971", "97105")


def test_lines_and_points_have_their_own_parts(write: Writer) -> None:
    line, point = {"type": "LineString", "coordinates": SQUARE[0][:2]}, {"type": "Point", "coordinates": SQUARE[0][0]}
    easements = read(
        write, "I4_18_x.json", collection(*(feature(DELIVERED, geometry) for geometry in (POLYGON, line, point)))
    )
    assert [partition.part for partition, _ in easements] == ["surface", "line", "point"]
