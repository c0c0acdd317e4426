from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from written_files import Writer, partition_request

from land.datasets.addresses.reader import ADDRESS_COLUMNS, BanAddresses
from land.datasets.addresses.records import AddressRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

BAN = BanAddresses("https://mirror.example/")
HEADER = ";".join(ADDRESS_COLUMNS)
FIRST = (
    "04001_pk624e_00001_bis;1;BIS;Impasse de l’Église;04510;04001;Aiglun;Ancienne;6.135212;44.070028;"
    "Impasse du Curé;Le Bourg;IMPASSE DE L EGLISE;1;040010000B0967|040010000B0563"
)
SECOND = "97105_0021_00012;12;;Rue Schœlcher;97100;97105;Basse-Terre;;;;;;RUE SCHOELCHER;0;"


def read(path: Path, report: ReadReport, **area: str) -> list[tuple[Partition, AddressRecord]]:
    return list(BAN.read(path, report, CommuneFilter(**area)))


def test_a_row_becomes_an_address(write: Writer, report: ReadReport) -> None:
    [(partition, address), (_, second)] = read(write("a.csv", f"{HEADER}\n{FIRST}\n{SECOND}\n"), report)
    assert partition == Partition("04001")
    assert address == AddressRecord(
        commune_code="04001",
        id="04001_pk624e_00001_bis",
        street_id="04001_pk624e",
        number=1,
        suffix="bis",
        street_name="Impasse de l’Église",
        street_name_afnor="IMPASSE DE L EGLISE",
        alias="Impasse du Curé",
        postcode="04510",
        commune_name="Aiglun",
        old_commune_name="Ancienne",
        lon=6.135212,
        lat=44.070028,
        is_certified=True,
        parcel_ids="040010000B0967|040010000B0563",
    )
    assert (second.lon, second.lat, second.is_certified, second.suffix) == (None, None, False, "")


def test_rows_can_be_filtered_by_commune_or_department(write: Writer) -> None:
    path = write("a.csv.gz", f"{HEADER}\n{FIRST}\n{SECOND}\n")
    assert [partition.code for partition, _ in read(path, ReadReport("a"), commune="04001")] == ["04001"]
    assert [partition.code for partition, _ in read(path, ReadReport("a"), department="971")] == ["97105"]
    assert read(path, ReadReport("a"), department="97") == []


def test_rows_that_cannot_be_read_are_rejected_with_line_and_column(write: Writer, report: ReadReport) -> None:
    bad = [
        FIRST.replace(";04001;", ";4001;"),
        FIRST.replace(";1;BIS;", ";1 bis;;"),
        FIRST.replace("6.135212", "six"),
        FIRST.replace("44.070028", "6335099.35"),
        FIRST.replace("44.070028", "nan"),
        FIRST.replace("04001_pk624e_00001_bis", "pk624e"),
    ]
    assert [a.id for _, a in read(write("a.csv", "\n".join([HEADER, *bad, SECOND, ""])), report)] == [
        "97105_0021_00012"
    ]
    assert report.rejected_count == 6
    assert [text.split(": ")[:2] for text in report.rejections] == [
        ["a file:2", "code_insee"],
        ["a file:3", "numero"],
        ["a file:4", "lon, lat"],
        ["a file:5", "lon, lat"],
        ["a file:6", "lon, lat"],
        ["a file:7", "id"],
    ]


def test_a_file_of_another_dataset_is_refused_with_its_missing_columns(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WrongHeader, match="numero, rep"):
        read(write("a.csv", "id;nom_voie;x\n1;2;3\n"), report)


def test_a_truncated_file_is_refused_at_its_end(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile, match="cut short"):
        read(write("a.csv", f"{HEADER}\n{FIRST}\n{SECOND[:40]}"), report)


def test_its_urls() -> None:
    assert BAN.urls(partition_request("75118")) == [
        "https://mirror.example/ban/communes/75118/download/csv-legacy/adresses"
    ]


@pytest.mark.samples
def test_all_of_paris_is_read(sample: Callable[[str], Path], report: ReadReport) -> None:
    records = {address.id: address for _, address in BAN.read(sample("ban/adresses-75.csv.gz"), report)}
    assert report.row_count == len(records) == 158_048
    assert report.rejected_count == 0
    by_commune = Counter(address.commune_code for address in records.values())
    assert (by_commune["75118"], by_commune["75111"], len(by_commune)) == (12_280, 8_373, 20)
    assert all(address.parcel_ids == "" and address.is_certified for address in records.values())
    assert len({address.street_id for address in records.values()}) == 7_571
    # Read off the file by hand: its first two rows, and the one of a suffix.
    first = records["75101_cfq3tf_00001"]
    assert (first.number, first.street_name, first.postcode) == (1, "Avenue du Général Lemonnier", "75001")
    assert (first.lon, first.lat, first.commune_name) == (2.330113, 48.861299, "Paris 1er Arrondissement")
    second = records["75101_cfq3tf_00002"]
    assert (second.number, second.lon, second.lat) == (2, 2.330403, 48.861059)
    lettered = records["75118_2921_00033_b"]
    assert (lettered.street_id, lettered.number, lettered.suffix) == ("75118_2921", 33, "b")


@pytest.mark.samples
def test_declared_parcels_of_aiglun_are_kept(sample: Callable[[str], Path], report: ReadReport) -> None:
    records = [address for _, address in BAN.read(sample("ban/ban-04001-rnb-fixture.csv"), report)]
    assert len(records) == 50
    assert sum(address.parcel_ids != "" for address in records) > 40
    assert sum("|" in address.parcel_ids for address in records) >= 2
    assert (records[0].suffix, records[0].street_id) == ("bis", "04001_pk624e")
    assert (records[0].street_name, records[0].parcel_ids) == ("Impasse de la Treille àéêù", "040010000B0487")
    assert (records[3].street_name, records[3].parcel_ids) == ("Chemin de l'Orée du Bois", "040010000A2415")
    assert records[1].street_name_afnor == "IMPASSE DE LA TREILLE"
