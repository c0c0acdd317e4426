import json

import pytest
from written_files import Writer, partition_request

from land.datasets.communes.postcodes import WHOLE, Postcodes
from land.datasets.communes.records import PostcodesRecord
from land.datasets.partitions import COUNTRY
from land.errors import UnreadableFile, WholeFilesOnly
from land.sources.base import CommuneFilter, ReadReport

POSTCODES = Postcodes("https://mirror.example/")
ABZAC = {
    "nom": "Abzac",
    "code": "33001",
    "codesPostaux": ["33230"],
    "centre": {"type": "Point", "coordinates": [-0.126, 45.0202]},
    "codeEpci": "243301165",
}


def test_an_item_becomes_a_commune_with_its_postcodes(write: Writer, report: ReadReport) -> None:
    ajaccio = {"nom": "Ajaccio", "code": "2A004", "codesPostaux": ["20167", "20000"]}
    read = list(POSTCODES.read(write("c.json", json.dumps([ABZAC, ajaccio])), report))
    assert read == [
        (
            WHOLE,
            PostcodesRecord(
                code="33001",
                name="Abzac",
                postcodes="33230",
                lon=-0.126,
                lat=45.0202,
                epci="243301165",
            ),
        ),
        (WHOLE, PostcodesRecord(code="2A004", name="Ajaccio", postcodes="20000|20167", lon=None, lat=None, epci=None)),
    ]
    assert report.row_count == 2


def test_items_that_cannot_be_read_are_rejected_with_their_position(write: Writer, report: ReadReport) -> None:
    items = [{"nom": "Sans code"}, {**ABZAC, "codesPostaux": "33230"}, {**ABZAC, "codesPostaux": ["3323"]}, 7, ABZAC]
    assert len(list(POSTCODES.read(write("c.json", json.dumps(items)), report))) == 1
    assert [line.split(":")[1] for line in report.rejections] == ["1", "2", "3", "4"]


def test_an_invalid_siren_is_an_unknown_intercommunality(write: Writer, report: ReadReport) -> None:
    items = [{**ABZAC, "codeEpci": code} for code in ("24330116", 243301165, "33001", None)]
    read = [record.epci for _, record in POSTCODES.read(write("c.json", json.dumps(items)), report)]
    assert read == [None] * 4
    assert report.unknown_values == {"codeEpci": 3}
    assert report.rejected_count == 0


@pytest.mark.parametrize("content", ['{"message": "unavailable"}', '[{"nom": "Abzac", "co', "<html></html>"])
def test_other_and_truncated_content_is_refused(write: Writer, report: ReadReport, content: str) -> None:
    with pytest.raises(UnreadableFile):
        list(POSTCODES.read(write("c.json", content), report))


def test_a_filter_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WholeFilesOnly):
        list(POSTCODES.read(write("c.json", json.dumps([ABZAC])), report, CommuneFilter(commune="33001")))


def test_its_urls() -> None:
    [url] = POSTCODES.urls(partition_request(COUNTRY, "country"))
    assert url.startswith("https://mirror.example/communes?type=commune-actuelle,arrondissement-municipal&")
    assert "codeEpci" in url
