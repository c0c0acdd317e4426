"""The tests write the register's headers of before and after April 2026, which public code documents."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from published_files import rnic_file
from written_files import Writer, partition_request

from land.datasets.joint_ownerships.reader import Rnic, parcel_of
from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

BASE = "https://tabular.example/api"
SOURCE = Rnic(BASE)
NAME = "20260915-rnc-data-gouv-with-qpv.csv"
FORMER = {
    "EPCI": "",
    "Numéro d'immatriculation": "AA0000001",
    "Type de syndic : bénévole / professionnel / non connu": "bénévole",
    "Nom d’usage de la copropriété": "Les Lilas",
    "Nombre total de lots": "39",
    "Nombre total de lots à usage d'habitation, de bureaux ou de commerces": "20",
    "Nombre de lots à usage d'habitation": "18",
    "Période de construction": "AVANT_1949",
    "Référence Cadastrale 1": "18033000AB0001",
    "Code INSEE commune 1": "18033",
    "Référence Cadastrale 2": "18033000AB0002",
    "Référence Cadastrale 3": "",
}


def read(path: Path, report: ReadReport, department: str | None = None) -> list[JointOwnershipRecord]:
    records = list(SOURCE.read(path, report, CommuneFilter(department=department)))
    assert all(partition == Partition(record.department) for partition, record in records)
    return [record for _, record in records]


def test_a_joint_ownership_has_a_record_for_each_of_its_parcels(write: Writer, report: ReadReport) -> None:
    row = "AA0000001,Les Lilas,professionnel,39,18,AVANT_1949,18033000AB0001,18050000AB0002,18033000AB0001"
    assert read(write(NAME, rnic_file(row)), report) == [
        JointOwnershipRecord(
            department="18",
            commune_code=parcel_id[:5],
            parcel_id=parcel_id,
            id="AA0000001",
            name="Les Lilas",
            lot_count=39,
            dwelling_lot_count=18,
            construction_period="AVANT_1949",
            manager_type="professional",
        )
        for parcel_id in ("18033000AB0001", "18050000AB0002")
    ]
    assert SOURCE.edition(Path(NAME), NAME) == "2026-09-15"
    assert SOURCE.edition(Path(NAME), "/resources/rnc/20260915-050000/20260915-rnc.csv?") == "2026-09-15"


def test_unknown_values_are_absent(write: Writer, report: ReadReport) -> None:
    row = "AA0000002,non connu,Non connu,,non connu,NON_CONNUE,18033000AB0001,,"
    [record] = read(write(NAME, rnic_file(row)), report)
    assert record[4:] == (None, None, None, None, None)
    assert not report.unknown_values


def test_a_row_without_a_reference_is_left_out(write: Writer, report: ReadReport) -> None:
    assert read(write(NAME, rnic_file("AA0000003,,,8,7,,,,", "AA0000004,,,8,7,,non connu,,")), report) == []
    assert (report.row_count, report.rejected_count) == (2, 0)


def test_values_outside_the_dictionary_are_counted(write: Writer, report: ReadReport) -> None:
    rows = ("AA0000005,,coopératif,many,1,?,18033000AB0001,nonsense,", "?,,,,,,18033000AB0001,,")
    [record] = read(write(NAME, rnic_file(*rows)), report)
    assert (record.manager_type, record.lot_count, record.construction_period) == (None, None, None)
    assert report.unknown_values == {
        "type_syndic": 1, "nombre_total_lots": 1, "periode_construction": 1, "reference_cadastrale": 1,
    }  # fmt: skip
    assert "no number of the register" in report.rejections[0]


def test_the_former_header_is_read_too(write: Writer, report: ReadReport) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([FORMER, FORMER.values()])
    records = read(write(NAME, f"\ufeff{out.getvalue()}"), report)
    assert [record.parcel_id for record in records] == ["18033000AB0001", "18033000AB0002"]
    assert records[0][3:] == ("AA0000001", "Les Lilas", 39, 18, "AVANT_1949", "volunteer")


def test_another_header_is_refused_with_its_missing_columns(write: Writer, report: ReadReport) -> None:
    content = rnic_file().replace(b"nombre_total_lots", b"lots")
    with pytest.raises(WrongHeader, match="nombre_total_lots"):
        read(write(NAME, content), report)


@pytest.mark.parametrize(
    ("reference", "parcel_id"),
    [
        ("75056115DF0112", "75115000DF0112"),
        ("69123383BC0108", "69383000BC0108"),
        ("13055208AB0012", "13208000AB0012"),
        ("75102000AB0012", "75102000AB0012"),
        ("18033033AB0012", "18033033AB0012"),
        ("75056000AB0012", None),
        ("13055836AB0012", None),
        ("18033", None),
    ],
)
def test_the_arrondissements_of_three_cities_are_in_the_prefix(reference: str, parcel_id: str | None) -> None:
    assert parcel_of(reference) == parcel_id


@pytest.mark.parametrize(("commune", "code"), [("64547", "64"), ("2A004", "2A"), ("75118", "75"), ("97415", "974")])
def test_a_department_is_requested_by_the_first_reference(commune: str, code: str) -> None:
    [url] = SOURCE.urls(partition_request(commune, "department"))
    query = {name: value for name, [value] in parse_qs(urlsplit(url).query).items()}
    assert query["reference_cadastrale_1__greater"] <= f"{code}{'0' * (14 - len(code))}"
    assert query["reference_cadastrale_1__less"] > f"{commune}999ZZ9999"
    assert SOURCE.asked_partition(url, None) == Partition(code), "also if it has no row"
    assert SOURCE.asked_partition("https://elsewhere.example/?reference_cadastrale_1__greater=64", None) is None


def test_a_department_can_be_selected_and_a_commune_cannot(write: Writer, report: ReadReport) -> None:
    path = write(NAME, rnic_file("AA0000001,,,1,1,,18033000AB0001,,", "AA0000002,,,1,1,,64547000AB0001,,"))
    assert [record.department for record in read(path, report, "64")] == ["64"]
    with pytest.raises(UnreadableFile, match="--department"):
        list(SOURCE.read(path, report, CommuneFilter(commune="18033")))


@pytest.mark.samples
def test_the_documented_file(sample: Callable[[str], Path]) -> None:
    """The header is documented and its rows are synthetic: the postcode is in code_officiel_commune."""
    path = sample("rnic/rnic-header-2026-05.SYNTHETIC-rows.csv")
    report = ReadReport(path.name)
    records = read(path, report)
    assert [record.parcel_id for record in records] == [
        "75102000AB0012", "75111000CD0034", "75111000CD0035", "91286000EF0056",
    ]  # fmt: skip
    assert (report.row_count, report.rejected_count, report.unknown_values) == (4, 0, {})
