from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from written_files import Writer, partition_request

from land.datasets.partitions import Partition
from land.datasets.sales import registration
from land.datasets.sales.reader import COLUMNS, Dvf
from land.datasets.sales.records import DvfRow
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

DVF = Dvf("https://mirror.example/geo-dvf")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("land.datasets.sales.reader._today", lambda: date(2026, 11, 20))


GOOD = {
    "id_mutation": "2021-1",
    "date_mutation": "2021-03-04",
    "numero_disposition": "000001",
    "nature_mutation": "Vente",
    "valeur_fonciere": "155300.5",
    "adresse_numero": "12",
    "adresse_suffixe": "B",
    "adresse_nom_voie": "RUE DE L'EGLISE",
    "code_postal": "01000",
    "code_commune": "01001",
    "nom_commune": "L'Abergement",
    "id_parcelle": "010010000A0025",
    "ancien_id_parcelle": "014440000A0025",
    "nombre_lots": "7",
    "lot1_numero": "3",
    "lot3_numero": "B12",
    "code_type_local": "2",
    "type_local": "Appartement",
    "surface_reelle_bati": "54",
    "nombre_pieces_principales": "3",
    "code_nature_culture": "S",
    "code_nature_culture_speciale": "PARC",
    "surface_terrain": "602",
    "longitude": "5.428",
    "latitude": "46.134",
}


def table(*changes: dict[str, str]) -> str:
    names = [*COLUMNS, "numero_volume"]
    lines = [",".join(names)]
    lines += [",".join(f'"{(GOOD | change).get(name, "")}"' for name in names) for change in changes]
    return "\n".join([*lines, ""])


def read(path: Path, report: ReadReport, **area: str) -> list[tuple[Partition, DvfRow]]:
    return list(DVF.read(path, report, CommuneFilter(**area)))


def test_a_row_is_read_whole_and_loaded_by_commune_and_year(write: Writer, report: ReadReport) -> None:
    [(partition, row)] = read(write("a.csv", table({})), report)
    assert partition == Partition("01001", "2021")
    assert row == DvfRow(
        commune_code="01001", id_mutation="2021-1", date_mutation="2021-03-04", numero_disposition="000001",
        nature_mutation="Vente", valeur_fonciere=155300.5, adresse_numero="12", adresse_suffixe="B",
        adresse_nom_voie="RUE DE L'EGLISE", code_postal="01000", nom_commune="L'Abergement",
        id_parcelle="010010000A0025", ancien_id_parcelle="014440000A0025", nombre_lots=7, lots=("3", "B12"),
        code_type_local="2", type_local="Appartement", surface_reelle_bati=54.0, nombre_pieces_principales=3,
        code_nature_culture="S", code_nature_culture_speciale="PARC", surface_terrain=602.0, lon=5.428, lat=46.134,
    )  # fmt: skip


def test_empty_values_are_unknown_and_symbolic_prices_stay(write: Writer, report: ReadReport) -> None:
    numbers = ("valeur_fonciere", "surface_reelle_bati", "nombre_pieces_principales", "nombre_lots", "longitude")
    empty = dict.fromkeys(numbers, "")
    [(_, row), (_, symbolic)] = read(write("a.csv", table(empty, {"valeur_fonciere": "0.15"})), report)
    assert (row.valeur_fonciere, row.surface_reelle_bati, row.nombre_pieces_principales) == (None, None, None)
    assert (row.lon, row.lat) == (None, 46.134)
    assert (row.nombre_lots, symbolic.valeur_fonciere) == (0, 0.15)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id_mutation", ""),
        ("date_mutation", "04/03/2021"),
        ("date_mutation", "2021-02-30"),
        ("code_commune", "1001"),
        ("id_parcelle", "01001A25"),
        ("valeur_fonciere", "155 300"),
        ("valeur_fonciere", "-1"),
        ("surface_reelle_bati", "nan"),
        ("nombre_pieces_principales", "3.5"),
        ("nombre_lots", "many"),
        ("longitude", "east"),
        ("latitude", "91"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_its_column(
    write: Writer, report: ReadReport, column: str, value: str
) -> None:
    assert len(read(write("a.csv", table({}, {column: value}, {})), report)) == 2
    [rejection] = report.rejections
    assert rejection.startswith(f"a file:3: {column}: ")


def test_rows_can_be_filtered_by_commune_or_department(write: Writer) -> None:
    path = write("a.csv.gz", table({}, {"code_commune": "97105", "date_mutation": "2022-01-01"}))
    assert [partition for partition, _ in read(path, ReadReport("a"), commune="01001")] == [Partition("01001", "2021")]
    assert [partition for partition, _ in read(path, ReadReport("a"), department="971")] == [Partition("97105", "2022")]


def test_other_and_truncated_files_are_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(WrongHeader, match="numero_disposition"):
        read(write("a.csv", "id_mutation,date_mutation\n1,2\n"), report)
    with pytest.raises(UnreadableFile, match="cut short"):
        read(write("b.csv", table({}, {})[:-30]), report)


def test_the_edition_is_the_year_of_the_address_or_of_the_first_sale(write: Writer) -> None:
    path = write("01001.csv", table({"date_mutation": "2019-05-06"}))
    assert DVF.edition(path, "https://x.example/geo-dvf/latest/csv/2021/communes/01/01001.csv") == "2021"
    assert DVF.edition(path, "01001.csv") == "2019"
    assert DVF.edition(write("empty.csv", ""), "empty.csv") is None


def test_urls_are_those_of_the_published_years() -> None:
    urls = DVF.urls(partition_request("97105"))
    assert urls[0] == "https://mirror.example/geo-dvf/latest/csv/2021/communes/971/97105.csv"
    assert len(urls) == 6
    assert not any(registration.DVF.is_published(code) for code in ("67482", "97608"))


@pytest.mark.samples
def test_every_row_of_the_sample_is_read(sample: Callable[[str], Path], report: ReadReport) -> None:
    placed_rows = read(sample("dvf/dvf-33001-2021.csv"), report)
    assert (len(placed_rows), report.row_count, report.rejected_count) == (164, 164, 0)
    assert {partition for partition, _ in placed_rows} == {Partition("33001", "2021")}
    rows = [row for _, row in placed_rows]
    assert (len({row.id_mutation for row in rows}), len({row.id_parcelle for row in rows})) == (50, 123)
    # Lines 2, 3 and 102 of the file, read by hand.
    assert (rows[0].valeur_fonciere, rows[0].code_nature_culture_speciale, rows[0].surface_terrain) == (
        505.5,
        "ALLEE",
        337,
    )
    assert (rows[1].numero_disposition, rows[1].adresse_suffixe, rows[1].surface_reelle_bati) == ("000002", "T", 55)
    assert (rows[100].id_parcelle, rows[100].nombre_pieces_principales, rows[100].surface_terrain) == (
        "33001000ZI0008",
        3,
        602,
    )
