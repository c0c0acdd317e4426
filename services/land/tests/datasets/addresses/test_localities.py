from pathlib import Path

import pytest
from written_files import Writer, partition_request

from land.datasets.addresses.reader import BanLocalities
from land.datasets.addresses.records import LocalityRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

LOCALITIES = BanLocalities("https://mirror.example/")
HEADER = (
    "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;"
    "source_position;source_nom_voie"
)
PLACE = "04001_b012;Les Cléments;04510;04001;Aiglun;04002;Ancienne;950000;6335000;6.13;44.07;commune;commune"
OVERSEAS = "97105_b003;Morne à l'Eau;97100;97105;Basse-Terre;;;;;;;commune;commune"


def read(path: Path, report: ReadReport, **area: str) -> list[tuple[Partition, LocalityRecord]]:
    return list(LOCALITIES.read(path, report, CommuneFilter(**area)))


def test_a_row_becomes_a_locality(write: Writer, report: ReadReport) -> None:
    assert read(write("l.csv", f"{HEADER}\n{PLACE}\n{OVERSEAS}\n"), report) == [
        (
            Partition("04001"),
            LocalityRecord(
                commune_code="04001",
                id="04001_b012",
                name="Les Cléments",
                postcode="04510",
                commune_name="Aiglun",
                old_commune_name="Ancienne",
                lon=6.13,
                lat=44.07,
            ),
        ),
        (
            Partition("97105"),
            LocalityRecord(
                commune_code="97105",
                id="97105_b003",
                name="Morne à l'Eau",
                postcode="97100",
                commune_name="Basse-Terre",
                old_commune_name="",
                lon=None,
                lat=None,
            ),
        ),
    ]
    assert (report.row_count, report.rejected_count) == (2, 0)


def test_rows_can_be_filtered_by_commune_or_department(write: Writer) -> None:
    path = write("l.csv.gz", f"{HEADER}\n{PLACE}\n{OVERSEAS}\n")
    assert [partition.code for partition, _ in read(path, ReadReport("l"), commune="04001")] == ["04001"]
    assert [partition.code for partition, _ in read(path, ReadReport("l"), department="971")] == ["97105"]


def test_rows_that_cannot_be_read_are_rejected_with_their_line(write: Writer, report: ReadReport) -> None:
    rows = [
        PLACE.replace(";04001;", ";4001;"),
        PLACE.replace("04001_b012", ""),
        PLACE.replace("Les Cléments", " "),
        PLACE.replace("6.13", "east"),
        PLACE.replace("44.07", "144.07"),
        PLACE,
    ]
    assert len(read(write("l.csv", "\n".join([HEADER, *rows, ""])), report)) == 1
    assert [line.split(":")[1] for line in report.rejections] == ["2", "3", "4", "5", "6"]


def test_other_and_truncated_files_are_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WrongHeader, match="nom_lieu_dit"):
        read(write("a.csv", f"{HEADER.replace('nom_lieu_dit', 'nom_voie')}\n{PLACE}\n"), report)
    with pytest.raises(UnreadableFile):
        read(write("b.csv", f"{HEADER}\n{PLACE}\n{PLACE[:30]}"), report)


def test_its_urls() -> None:
    assert LOCALITIES.urls(partition_request("04001")) == [
        "https://mirror.example/ban/communes/04001/download/csv-legacy/lieux-dits",
    ]
