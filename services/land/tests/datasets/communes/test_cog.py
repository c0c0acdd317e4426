import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from written_files import Writer, partition_request

from land.datasets.communes.cog import COMMUNES, MOVEMENTS, Cog
from land.datasets.communes.records import CommuneRecord, MovementRecord
from land.datasets.partitions import COUNTRY
from land.errors import WholeFilesOnly, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

COG = Cog("https://mirror.example/8740222/")
COMMUNE_HEADER = "TYPECOM,COM,REG,LIBELLE,COMPARENT"
MOVEMENT_HEADER = "MOD,DATE_EFF,TYPECOM_AV,COM_AV,LIBELLE_AV,TYPECOM_AP,COM_AP,LIBELLE_AP"


def test_the_list_of_communes_is_read_whole(sample: Callable[[str], Path]) -> None:
    """Compares three lines of the file: a commune, an arrondissement, a delegated commune."""
    path = sample("cog/v_commune_2026.csv.gz")
    report = ReadReport(path.name)
    read = list(COG.read(path, report))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert len(read) == report.row_count == sum(1 for _ in csv.DictReader(file)) == 37_496
    assert report.rejected_count == 0
    assert {partition for partition, _ in read} == {COMMUNES}
    assert {
        (COMMUNES, CommuneRecord("COM", "2A004", "Ajaccio", "")),
        (COMMUNES, CommuneRecord("ARM", "75118", "Paris 18e Arrondissement", "75056")),
        (COMMUNES, CommuneRecord("COMD", "49382", "Le Fresne-sur-Loire", "49160")),
    } <= set(read)
    assert COG.edition(path, path.name) == "2026"


def test_the_movements_are_read_whole(sample: Callable[[str], Path]) -> None:
    """Compares three lines of the file: a change of name, of département, and a division."""
    path = sample("cog/v_mvt_commune_2026.csv.gz")
    report = ReadReport(path.name)
    read = list(COG.read(path, report))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert len(read) == report.row_count == sum(1 for _ in csv.DictReader(file)) == 13_734
    assert report.rejected_count == 0
    chalons = MovementRecord(
        effective_on="1998-01-04", change="10", old_kind="COM", old_code="51108", old_name="Châlons-sur-Marne",
        new_kind="COM", new_code="51108", new_name="Châlons-en-Champagne",
    )  # fmt: skip
    ajaccio = MovementRecord(
        effective_on="1976-01-01", change="41", old_kind="COM", old_code="20004", old_name="Ajaccio", new_kind="COM",
        new_code="2A004", new_name="Ajaccio",
    )  # fmt: skip
    divided = MovementRecord(
        effective_on="1950-06-17", change="30", old_kind="COM", old_code="51385", old_name="Moronvilliers",
        new_kind="COM", new_code="51440", new_name="Pontfaverger-Moronvilliers",
    )  # fmt: skip
    assert {(MOVEMENTS, chalons), (MOVEMENTS, ajaccio), (MOVEMENTS, divided)} <= set(read)


def test_lines_that_cannot_be_read_are_rejected_with_their_number(write: Writer, report: ReadReport) -> None:
    lines = ["COM,1234,84,Court,", "VILLE,01001,84,Autre,", "COMD,01002,,Sans mère,", "COM,01004,84,Bonne,"]
    read = list(COG.read(write("a.csv", "\n".join([COMMUNE_HEADER, *lines, ""])), report))
    assert [record.code for _, record in read if isinstance(record, CommuneRecord)] == ["01004"]
    assert [line.split(":")[1] for line in report.rejections] == ["2", "3", "4"]
    moved = ["32,2016-13-01,COM,01001,A,COM,01002,B", "30,2007-02-23,COM,97123,Saint-Barthélemy,,,"]
    report = ReadReport("b")
    read = list(COG.read(write("b.csv", "\n".join([MOVEMENT_HEADER, *moved, ""])), report))
    assert [(record.old_code, record.new_code) for _, record in read if isinstance(record, MovementRecord)] == [
        ("97123", "")
    ]
    assert "DATE_EFF" in report.rejections[0]


def test_a_filter_is_refused(write: Writer, report: ReadReport) -> None:
    path = write("a.csv", f"{COMMUNE_HEADER}\nCOM,01004,84,Bonne,\n")
    with pytest.raises(WholeFilesOnly):
        list(COG.read(path, report, CommuneFilter(department="01")))


def test_another_file_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WrongHeader):
        list(COG.read(write("a.csv", "REG,LIBELLE\n84,Auvergne\n"), report))
    with pytest.raises(WrongHeader, match="COMPARENT"):
        list(COG.read(write("b.csv", "TYPECOM,COM,LIBELLE\nCOM,01004,Bonne\n"), report))


def test_its_urls() -> None:
    assert COG.urls(partition_request(COUNTRY, "country")) == [
        "https://mirror.example/8740222/v_commune_2026.csv",
        "https://mirror.example/8740222/v_mvt_commune_2026.csv",
    ]
