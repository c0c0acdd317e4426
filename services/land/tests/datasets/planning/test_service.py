"""Requests to the live service of the Géoportail de l'urbanisme, and its answers."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from gpu_features import (
    BASE,
    COMMUNES,
    DOCUMENTS,
    IN_FORCE,
    PRESCRIPTIONS,
    SINCE_2017,
    WFS,
    ZONES,
    collection,
    feature,
    zones,
)
from written_files import Writer, partition_request

from land.datasets.partitions import Partition
from land.datasets.planning.records import InForceRecord, PlanningCommuneRecord
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

START = ReadReport("")


def test_a_truncated_answer_states_how_many_features_there_are(write: Writer, report: ReadReport) -> None:
    zones(write("a.json", collection(feature(SINCE_2017), numberMatched=5001, numberReturned=1)), report)
    assert (report.row_count, report.expected_count) == (1, 5001)


def test_the_rest_of_a_truncated_answer_comes_in_pages(write: Writer) -> None:
    url = PRESCRIPTIONS.page_url(f"{BASE}/prescription-surf?partition=DU_200011781", ReadReport("", 5_000))
    page = urlsplit(url or "")
    assert f"{page.scheme}://{page.netloc}{page.path}" == WFS
    parameters = {name: value for name, [value] in parse_qs(page.query).items()}
    assert (parameters["typeNames"], parameters["cql_filter"]) == (
        "wfs_du:prescription_surf",
        "partition='DU_200011781'",
    )
    assert (parameters["startIndex"], parameters["sortBy"]) == ("5000", "gid")
    assert PRESCRIPTIONS.page_url("https://elsewhere.example/prescription-surf?partition=DU_200011781", START) is None
    assert PRESCRIPTIONS.page_url(f"{BASE}/prescription-surf?partition=DU_2' OR '1'='1", START) is None
    assert COMMUNES.page_url(f"{BASE}/municipality?insee=18999", START) is None


def test_documents_in_force_are_those_that_regulate_construction(write: Writer, report: ReadReport) -> None:
    properties: list[dict[str, Any]] = [
        {"partition": "DU_200011781", "du_type": "PLUi", "name": "200011781_PLUi_20180101"},
        {"partition": "PSMV_18999_A", "du_type": "PSMV"},
        {"partition": "DU_18999", "du_type": "CC"},
        {"partition": "DU_200054781", "du_type": "SCOT"},
        {"partition": "nonsense", "du_type": "PLU"},
        {"partition": None, "du_type": "PLU"},
    ]
    path = write("document", collection(*(feature(facts) for facts in properties)))
    assert list(IN_FORCE.read(path, report, CommuneFilter(commune="18999"))) == [
        (Partition("18999"), InForceRecord("18999", partition))
        for partition in ("DU_200011781", "PSMV_18999_A", "DU_18999")
    ]
    assert report.rejected_count == 2
    with pytest.raises(UnreadableFile, match="--commune"):
        list(IN_FORCE.read(path, report))


def test_documents_in_force_are_requested_by_place() -> None:
    [url] = IN_FORCE.urls(partition_request("18999")._replace(locate_commune=lambda: (2.39601234567, 47.0815)))
    assert json.loads(parse_qs(urlsplit(url).query)["geom"][0]) == {"type": "Point", "coordinates": [2.396012, 47.0815]}
    assert IN_FORCE.asked_partition(url, "18999") == Partition("18999")
    assert IN_FORCE.asked_partition(url, None) is None


def test_an_answer_without_features_is_a_document_without_zones(write: Writer, report: ReadReport) -> None:
    assert zones(write("a.json", collection(totalFeatures=0)), report) == []
    zone_url, sector_url = ZONES.urls(partition_request("18999", "document"))
    assert ZONES.asked_partition(zone_url, None) == Partition("DU_18999")
    assert ZONES.asked_partition(sector_url, None) == Partition("DU_18999", "cc")
    point_url = PRESCRIPTIONS.urls(partition_request("75118", "document"))[2]
    assert PRESCRIPTIONS.asked_partition(point_url, None) == Partition("DU_75056", "point")
    assert ZONES.asked_partition(f"{BASE}/zone-urba?geom=1", None) is None
    assert ZONES.asked_partition("https://elsewhere.example/gpu/zone-urba?partition=DU_18999", None) is None


def test_the_live_service_is_requested_by_partition_and_commune() -> None:
    assert ZONES.urls(partition_request("75118", "document")) == [
        f"{BASE}/zone-urba?partition=DU_75056",
        f"{BASE}/secteur-cc?partition=DU_75056",
    ]
    assert COMMUNES.urls(partition_request("75118")) == [f"{BASE}/municipality?insee=75118"]
    assert DOCUMENTS.urls(partition_request("18999", "document")) == [f"{BASE}/document?partition=DU_18999"]


@pytest.mark.parametrize(
    ("published", "is_rnu"), [(True, True), (False, False), ("true", True), (None, None), ("?", None)]
)
def test_the_publisher_states_where_the_national_rules_apply(
    write: Writer, report: ReadReport, published: Any, is_rnu: bool | None
) -> None:
    facts = {"insee": "01001", "name": "L'ABERGEMENT", "is_rnu": published, "is_deleted": False}
    gone = facts | {"insee": "01002", "is_deleted": True}
    odd = facts | {"insee": "1A"}
    path = write("a.json", collection(*(feature(members, None) for members in (facts, gone, odd))))
    assert list(COMMUNES.read(path, report)) == [(Partition("01001"), PlanningCommuneRecord("01001", is_rnu))]
    assert report.rejections == ["a file:3: INSEE: '1A' is no commune code"]
