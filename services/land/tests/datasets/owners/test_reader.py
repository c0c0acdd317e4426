"""The tests write the DGFiP's format: a CSV with `;` and no quotes, plain or in an archive of départements."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from published_files import archive, legal_persons_file, legal_persons_row
from written_files import Writer, partition_request

from land.datasets.owners.reader import DATASET, LegalPersons
from land.datasets.owners.records import OwnerRecord
from land.errors import SourceUnavailable, UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

BASE = "https://catalogue.example/datasets"
SOURCE = LegalPersons(BASE)
NAME = "PM_25_NB_180.csv"
COMPANY = {
    "c19": "500889175",
    "c20": "0 - Personnes morales non remarquables ",
    "c21": "5499",
    "c22": "SARL",
    "c23": "6M",
}


def read(path: Path, report: ReadReport, department: str | None = None) -> list[OwnerRecord]:
    return [record for _, record in SOURCE.read(path, report, CommuneFilter(department=department))]


def test_a_right_is_read_by_position(write: Writer, report: ReadReport) -> None:
    path = write(NAME, legal_persons_file(legal_persons_row(12)))
    assert read(path, report) == [
        OwnerRecord(
            department="18",
            commune_code="18033",
            parcel_id="18033000AB0012",
            right_code="P",
            holder="211800334",
            name="COMMUNE DE BOURGES",
            siren="211800334",
            legal_form_code="7210",
            legal_form="COM",
            group_code="4",
        )
    ]
    assert SOURCE.edition(path, path.name) == "2025"


def test_parts_of_a_parcel_are_one_right_and_holders_and_rights_are_several(write: Writer, report: ReadReport) -> None:
    rows = [
        legal_persons_row(),
        legal_persons_row(c14="B", c18="PBOTHER"),
        legal_persons_row(**COMPANY),
        legal_persons_row(c17="G - Gérant, mandataire, gestionnaire"),
    ]
    rights = read(write(NAME, legal_persons_file(*rows)), report)
    assert [(legal_right.right_code, legal_right.name) for legal_right in rights] == [
        ("P", "COMMUNE DE BOURGES"), ("P", "6M"), ("G", "COMMUNE DE BOURGES"),
    ]  # fmt: skip
    assert (report.row_count, report.rejected_count) == (4, 0)


def test_older_files_have_latin_1_other_names_and_codes_without_labels(write: Writer, report: ReadReport) -> None:
    content = legal_persons_file(legal_persons_row(c4="   ", c5="B ", c17="P", c20="4", c23="STE \"L'ÉTÉ"))
    text = content.decode("utf-8-sig").replace("Code droit - par", "Code droit (Propriétaire(s) parcelle)")
    [record] = read(write("PM_23_NB_180.txt", text.encode("latin-1")), report)
    assert (record.parcel_id, record.right_code, record.group_code) == ("180330000B0001", "P", "4")
    assert record.name == "STE \"L'ÉTÉ"


@pytest.mark.parametrize(
    ("siren", "right", "name", "expected_name"),
    [
        ("U20253020", "P", "ASS SYNDICALE LIBRE INDARRA", "ASS SYNDICALE LIBRE INDARRA"),
        ("U20253020", "P", "INDIVISION EXEMPLE", None),
        ("U20253020", "P", "MADAME EXEMPLE", None),
        ("U20253020", "S", "EXEMPLE CHRISTOPHE", None),
        ("833947153", "P", "MONSIEUR EXEMPLE", "MONSIEUR EXEMPLE"),
        ("380047548", "S", "GESTION ET PATRIMOINE", "GESTION ET PATRIMOINE"),
    ],
)
def test_names_that_may_be_of_individuals_are_left_out(
    write: Writer, report: ReadReport, siren: str, right: str, name: str, expected_name: str | None
) -> None:
    [record] = read(write(NAME, legal_persons_file(legal_persons_row(c17=right, c19=siren, c23=name))), report)
    assert record.name == expected_name
    assert record.siren == (siren if siren.isdigit() else None)
    assert record.holder == siren


def test_sole_traders_are_left_out(write: Writer, report: ReadReport) -> None:
    path = write(NAME, legal_persons_file(legal_persons_row(c21="1000", c22="EI", c23="EXEMPLE MARIE")))
    assert read(path, report) == []
    assert report.rejected_count == 0


@pytest.mark.parametrize(
    ("department", "direction", "commune", "code"),
    [
        ("75", "0", "118", "75118"),
        ("2A", "0", "004", "2A004"),
        ("1", "0", "4", "01004"),
        ("97", "4", "415", "97415"),
        ("974", "4", "415", "97415"),
        ("97", "4", "15", "97415"),
    ],
)
def test_communes_overseas_have_several_forms(
    write: Writer, report: ReadReport, department: str, direction: str, commune: str, code: str
) -> None:
    path = write("file.csv", legal_persons_file(legal_persons_row(c0=department, c1=direction, c2=commune)))
    assert [record.commune_code for record in read(path, report)] == [code]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"c2": "x"}, "no commune code"),
        ({"c5": "ABC"}, "no parcel"),
        ({"c17": "? - Inconnu"}, "no right"),
        ({"c18": "", "c19": ""}, "both are empty"),
    ],
)
def test_a_row_without_parcel_right_or_holder_is_rejected(
    write: Writer, report: ReadReport, changes: dict[str, str], reason: str
) -> None:
    path = write(NAME, legal_persons_file(legal_persons_row(**changes), legal_persons_row()))
    assert len(read(path, report)) == 1
    assert reason in report.rejections[0]


def test_an_archive_is_read_by_department(write: Writer, report: ReadReport) -> None:
    files = {
        "lisez-moi.txt": b"?",
        "dossier/PM_25_NB_180.csv": legal_persons_file(legal_persons_row()),
        "dossier/PM_25_NB_2A0.csv": legal_persons_file(legal_persons_row(commune="2A004")),
    }
    path = write("attachment", archive(files))
    assert [legal_right.department for legal_right in read(path, report, "2A")] == ["2A"]
    assert [legal_right.department for legal_right in read(path, report)] == ["18", "2A"]
    assert SOURCE.edition(path, "/attachments/x") == "2025"
    with pytest.raises(UnreadableFile, match="no file of département 64"):
        read(path, report, "64")
    with pytest.raises(UnreadableFile, match="100 times"):
        read(write("bomb", archive({"PM_25_NB_180.csv": b"0" * 70_000_000})), report)


@pytest.mark.parametrize("header", ["a;b", ";".join(["x"] * 24)])
def test_another_header_is_refused(write: Writer, report: ReadReport, header: str) -> None:
    with pytest.raises(WrongHeader):
        read(write(NAME, f"{header}\n"), report)


def test_one_commune_cannot_be_selected(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile, match="--department"):
        list(SOURCE.read(write(NAME, legal_persons_file()), report, CommuneFilter(commune="18033")))


IDS = (
    "fichier_des_locaux_situation_2025_zip",
    "fichier_des_parcelles_situation_2025_dpts_01_a_56_zip",
    "fichier_des_parcelles_situation_2025_dpts_57_a_976_zip",
    "fichier_des_parcelles_situation_2023_dept_01_a_61_zip",
    "description_des_fichiers_pdf",
)


@pytest.mark.parametrize(
    ("commune", "listed", "chosen"),
    [
        ("18033", IDS, IDS[1]),
        ("2A004", IDS, IDS[1]),
        ("64547", IDS, IDS[2]),
        ("97415", IDS, IDS[2]),
        ("18033", IDS[3:], IDS[3]),
    ],
)
def test_the_newest_archive_of_the_department_is_requested(commune: str, listed: tuple[str, ...], chosen: str) -> None:
    urls = []

    def read_list(url: str) -> bytes:
        urls.append(url)
        return json.dumps({"attachments": [{"id": attachment_id} for attachment_id in listed]}).encode()

    request = partition_request(commune, "department")._replace(read_list=read_list)
    assert SOURCE.urls(request) == [f"{BASE}/{DATASET}/attachments/{chosen}"]
    assert urls == [f"{BASE}/{DATASET}"]


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b'{"attachments": [1]}', b'{"attachments": []}'])
def test_a_catalogue_without_archives_is_a_failure(answer: bytes) -> None:
    request = partition_request("18033", "department")._replace(read_list=lambda _: answer)
    with pytest.raises(SourceUnavailable):
        SOURCE.urls(request)


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "rows", "rights", "parcels", "co_owned"),
    [("640.64547", 2_323, 1_922, 1_845, 27), ("750.75118", 5_819, 5_806, 5_222, 2_794)],
)
def test_real_files(
    sample: Callable[[str], Path], name: str, rows: int, rights: int, parcels: int, co_owned: int
) -> None:
    """The counts were read off the files without the service."""
    path = sample(f"personnes-morales/PM_25_NB_{name}.csv.gz")
    report = ReadReport(path.name)
    records = read(path, report)
    assert (report.row_count, report.rejected_count, report.unknown_values) == (rows, 0, {})
    assert (len(records), len({record.parcel_id for record in records})) == (rights, parcels)
    assert len({record.parcel_id for record in records if record.right_code == "S"}) == co_owned
    titles = ("MR ", "MME ", "MLLE ", "MADAME ", "INDIVISION ", "CONSORTS ")
    assert not [record for record in records if record.siren is None and record.name and record.name.startswith(titles)]
