import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_files import Writer, partition_request

from land.datasets.partitions import Partition
from land.datasets.permits.codes import DEMOLITION, DEVELOPMENT, HOUSING, PREMISES
from land.datasets.permits.reader import Sitadel, fold
from land.datasets.permits.records import ParcelReference, PermitRecord
from land.errors import UnreadableFile, WrongHeader
from land.registry import DATASETS
from land.sources.base import CommuneFilter, ReadReport

BASE = "https://mirror.example/dido/api/v1"
HOMES, SHOPS, LAND, RUINS = (Sitadel(BASE, family) for family in (HOUSING, PREMISES, DEVELOPMENT, DEMOLITION))
PERMIT: dict[str, Any] = {
    "COMM": "44109",
    "TYPE_DAU": "PC",
    "NUM_DAU": "0441091200392",
    "ETAT_DAU": 6,
    "DATE_REELLE_AUTORISATION": "2014-03-25",
    "DATE_REELLE_DOC": "2014-09-01",
    "DATE_REELLE_DAACT": None,
    "NATURE_PROJET_DECLAREE": 1,
    "NATURE_PROJET_COMPLETEE": 3,
    "DESTINATION_PRINCIPALE": 1,
    "SEC_CADASTRE1": "IN",
    "NUM_CADASTRE1": "620",
    "SEC_CADASTRE2": None,
    "NUM_CADASTRE2": None,
    "SEC_CADASTRE3": None,
    "NUM_CADASTRE3": None,
    "SUPERFICIE_TERRAIN": 816,
    "ADR_CODPOST_TER": "44100",
}


def as_json(*changes: dict[str, Any]) -> str:
    return json.dumps([PERMIT | change for change in changes])


def as_csv(*changes: dict[str, Any], titled: bool = False) -> str:
    lines = [";".join(f'"{name.title()} label"' for name in PERMIT)] if titled else []
    lines.append(";".join(f'"{name}"' for name in PERMIT))
    for change in changes:
        values = (PERMIT | change).values()
        lines.append(";".join("" if v is None else str(v) if isinstance(v, int) else f'"{v}"' for v in values))
    return "\n".join([*lines, ""])


def read(source: Sitadel, path: Path, report: ReadReport, **area: str) -> list[PermitRecord]:
    return [record for _, record in source.read(path, report, CommuneFilter(**area))]


@pytest.mark.parametrize(
    "content", [as_json({}), as_csv({}), as_csv({}, titled=True)], ids=["json", "csv", "titled csv"]
)
def test_json_and_csv_with_one_or_two_header_lines_read_alike(write: Writer, report: ReadReport, content: str) -> None:
    [(partition, permit)] = HOMES.read(write("permits", content), report)
    assert partition == Partition("44109")
    assert permit == PermitRecord(
        filing_commune="44109",
        dataset="sitadel-housing",
        series="dau",
        number="0441091200392",
        type_dau="PC",
        etat_dau="terminé",
        date_reelle_autorisation="2014-03-25",
        date_reelle_doc="2014-09-01",
        date_reelle_daact=None,
        nature_projet_declaree="nouvelle construction",
        nature_projet_completee="transformation avec extension de surface",
        destination_principale="logements",
        superficie_terrain="816",
        references=(ParcelReference("44109", None, "IN", "0620"),),
        unreadable_references=0,
    )
    assert not report.unknown_values


def test_each_file_has_its_own_destination_codes(write: Writer, report: ReadReport) -> None:
    path = write("a.json", as_json({"DESTINATION_PRINCIPALE": 2}))
    assert read(HOMES, path, report)[0].destination_principale == "non résidentiel"
    assert read(SHOPS, path, report)[0].destination_principale == "hébergement hôtelier"


def test_a_code_outside_the_dictionary_is_unknown_and_counted(write: Writer, report: ReadReport) -> None:
    changes = {"DESTINATION_PRINCIPALE": 9, "ETAT_DAU": 3, "TYPE_DAU": "XX", "DATE_REELLE_DOC": "2014-13-01"}
    [permit] = read(HOMES, write("a.json", as_json(changes)), report)
    assert (permit.destination_principale, permit.etat_dau, permit.type_dau, permit.date_reelle_doc) == (None,) * 4
    assert report.unknown_values == Counter(changes.keys())
    assert report.rejected_count == 0


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        (0, None),
        ("0", None),
        (None, None),
        ("", None),
        (816, "816"),
        ("12349", "12349"),
        (1200, "1200"),
        ("17,50", "17.5"),
    ],
)
def test_the_area_of_the_ground_is_a_decimal_text_and_zero_is_unknown(
    write: Writer, report: ReadReport, published: object, expected: str | None
) -> None:
    [permit] = read(HOMES, write("a.json", as_json({"SUPERFICIE_TERRAIN": published})), report)
    assert permit.superficie_terrain == expected
    assert not report.unknown_values


def test_development_and_demolition_have_their_own_series_and_type(write: Writer, report: ReadReport) -> None:
    for source, series, kind in ((LAND, "pa", "PA"), (RUINS, "pd", "PD")):
        row = {name: value for name, value in PERMIT.items() if name not in ("TYPE_DAU", "NUM_DAU", "ETAT_DAU")}
        row |= {f"NUM_{kind}": PERMIT["NUM_DAU"], f"ETAT_{kind}": "2", "NUM_CADASTRE1": 488.0}
        [permit] = read(source, write("a.json", json.dumps([row])), report)
        assert (permit.series, permit.type_dau, permit.etat_dau) == (series, kind, "autorisé")
        assert permit.references == (ParcelReference("44109", None, "IN", "0488"),)


def test_references_of_paris_are_in_the_arrondissement_of_the_number(write: Writer, report: ReadReport) -> None:
    paris = {"COMM": "75056", "NUM_DAU": "07511812V0029"}
    path = write("a.json", as_json(paris, {}))
    [(partition, permit)] = HOMES.read(path, report, CommuneFilter(commune="75118"))
    assert partition == Partition("75056")
    assert permit.references[0].commune_code == "75118"
    assert [p.filing_commune for p in read(HOMES, path, report, department="75")] == ["75056"]


def test_references_that_cannot_be_read_are_counted_and_no_reference_is_none(write: Writer, report: ReadReport) -> None:
    dirty = {"SEC_CADASTRE2": "837", "SEC_CADASTRE3": "AK", "NUM_CADASTRE3": "79P"}
    lost = {"NUM_DAU": "01305512V0029", "COMM": "13055", "ADR_CODPOST_TER": "13"}
    none = {"NUM_DAU": "0441091200393", "SEC_CADASTRE1": None, "NUM_CADASTRE1": None}
    permits = read(HOMES, write("a.json", as_json(dirty, none, lost)), report)
    assert report.row_count == 3
    assert [(len(p.references), p.unreadable_references) for p in permits] == [(1, 2), (0, 0), (0, 1)]


def test_rows_of_one_number_become_one_permit(write: Writer, report: ReadReport) -> None:
    rows = (
        {"DESTINATION_PRINCIPALE": None},
        {"NUM_DAU": "0441091200393"},
        {"DESTINATION_PRINCIPALE": 4, "SEC_CADASTRE2": "IN", "NUM_CADASTRE2": 621},
        {"DESTINATION_PRINCIPALE": 3},
    )
    first, second = read(SHOPS, write("a.csv", as_csv(*rows)), report)
    assert (first.number, second.number) == ("0441091200392", "0441091200393")
    assert first.destination_principale == "commerce"
    assert [r.number for r in first.references] == ["0620", "0621"]
    assert fold([first, second]) == [first, second]


@pytest.mark.parametrize(
    ("change", "column"),
    [({"COMM": "Nantes"}, "COMM"), ({"NUM_DAU": ""}, "NUM_DAU"), ({"NUM_DAU": "PC 044 109"}, "NUM_DAU")],
    ids=str,
)
def test_a_row_without_commune_or_number_is_rejected(
    write: Writer, report: ReadReport, change: dict[str, str], column: str
) -> None:
    assert len(read(HOMES, write("a.csv", as_csv({}, change)), report)) == 1
    assert report.rejections[0].startswith(f"a file:3: {column}: ")


def test_columns_are_matched_in_any_case_and_those_missing_are_named(write: Writer, report: ReadReport) -> None:
    lower = [{name.lower(): value for name, value in PERMIT.items()}]
    assert len(read(HOMES, write("a.json", json.dumps(lower)), report)) == 1
    assert len(read(HOMES, write("a.csv", as_csv({}).replace("ETAT_DAU", "Etat_Dau")), report)) == 1
    for content in (as_json({}), as_csv({}), as_csv({}, titled=True)):
        with pytest.raises(WrongHeader, match="missing columns: NUM_PA, ETAT_PA"):
            read(LAND, write("a.json", content), report)
    with pytest.raises(WrongHeader, match="missing columns: COMM"):
        read(LAND, write("a.csv", "a;b\n1;2\n"), report)


def test_optional_columns_may_be_absent(write: Writer, report: ReadReport) -> None:
    short = {name: value for name, value in PERMIT.items() if "PROJET" not in name and "DESTINATION" not in name}
    [permit] = read(HOMES, write("a.json", json.dumps([short])), report)
    assert (permit.nature_projet_declaree, permit.destination_principale) == (None, None)


@pytest.mark.parametrize("content", ["", '{"COMM": "44109"}', as_json({})[:-1], as_json({})[:-40], as_csv({})[:-40]])
def test_other_and_truncated_files_are_unreadable(write: Writer, report: ReadReport, content: str) -> None:
    with pytest.raises(UnreadableFile, match="a file"):
        read(HOMES, write("a.json", content), report)


def test_an_item_that_is_not_an_object_is_rejected_with_its_position(write: Writer, report: ReadReport) -> None:
    assert len(read(HOMES, write("a.json", json.dumps([PERMIT, 3])), report)) == 1
    assert report.rejections == ["a file:2: not an object"]
    assert read(HOMES, write("b.json", "[]"), report) == []


def test_editions_are_months(write: Writer) -> None:
    path = write("a.csv", "")
    assert HOMES.edition(path, "Liste-des-permis-damenager.2026-01.31555.csv") == "2026-01"
    assert HOMES.edition(path, "https://x.example/csv?millesime=2026-09&COMM=eq:44109") == "2026-09"
    assert HOMES.edition(path, "a.csv") is None


def test_urls_name_the_filing_commune() -> None:
    assert HOMES.urls(partition_request("75118", "filing_commune")) == [
        f"{BASE}/datafiles/8b35affb-55fc-4c1f-915b-7750f974446a/csv"
        "?withColumnName=true&withColumnDescription=false&withColumnUnit=false&COMM=eq:75056"
    ]


def test_the_four_files_are_four_sources() -> None:
    ids = {"sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition"}
    assert ids <= set(DATASETS)
    assert all(dataset.id == key and dataset.licence.publisher for key, dataset in DATASETS.items())


@pytest.mark.samples
def test_development_permits_of_toulouse(sample: Callable[[str], Path], report: ReadReport) -> None:
    permits = {p.number: p for p in read(LAND, sample("sitadel/Liste-des-permis-damenager.2026-01.31555.csv"), report)}
    assert (len(permits), report.rejected_count, dict(report.unknown_values)) == (251, 0, {})
    assert Counter(p.etat_dau for p in permits.values()) == {
        "autorisé": 182,
        "terminé": 41,
        "commencé": 18,
        "annulé": 10,
    }
    # 421 clean references, one of them twice, and 4 with their prefix; (94, 806) and (AK, 79P) cannot be read.
    assert sum(len(p.references) for p in permits.values()) == 424
    assert sorted(p.number for p in permits.values() if p.unreadable_references) == ["03155517A0001", "03155520M0005"]
    assert sum(not p.references and not p.unreadable_references for p in permits.values()) == 19
    # Read off the file by hand.
    first = permits["03155505M0018"]
    assert (first.etat_dau, first.date_reelle_autorisation, first.superficie_terrain) == (
        "autorisé",
        "2013-02-13",
        "1319",
    )
    assert first.references == (ParcelReference("31555", None, "AM", "0493"),)
    second = permits["03155512M0004"]
    assert (second.etat_dau, second.date_reelle_doc, second.date_reelle_daact) == (
        "terminé",
        "2013-06-27",
        "2013-06-30",
    )
    assert [r.number for r in second.references] == ["0191", "0200", "0202"]
    prefixed = permits["03155514A0007"]
    assert [(r.prefix, r.section, r.number) for r in prefixed.references] == [
        ("846", "AP", "0015"),
        ("846", "AP", "0014"),
        ("846", "AP", "0005"),
    ]


@pytest.mark.samples
def test_demolition_permits_of_toulouse(sample: Callable[[str], Path], report: ReadReport) -> None:
    path = sample("sitadel/Liste-des-permis-de-demolir.2026-01.31555.csv")
    permits = {p.number: p for p in read(RUINS, path, report)}
    assert (len(permits), report.rejected_count, dict(report.unknown_values)) == (1_730, 0, {})
    # 2,142 clean references and 2 with their prefix; 5 bare prefixes; 6 permits have no reference.
    assert sum(len(p.references) for p in permits.values()) == 2_144
    assert sum(p.unreadable_references for p in permits.values()) == 5
    assert sum(not p.references and not p.unreadable_references for p in permits.values()) == 6
    # Read off the file by hand.
    assert permits["03155512A0085"].references == (
        ParcelReference("31555", "842", "BH", "0121"),
        ParcelReference("31555", "842", "BH", "0123"),
    )
    assert permits["03155512A0079"].unreadable_references == 1
    unquoted = permits["03155521D0031"]
    assert (unquoted.superficie_terrain, [r.number for r in unquoted.references]) == ("241", ["0168", "0318", "0319"])


@pytest.mark.samples
@pytest.mark.parametrize(
    ("source", "name", "count"),
    [
        (HOMES, "sitadel-logements-44109-sample.json", 10),
        (HOMES, "sitadel-logements-31555-sample.json", 3),
        (HOMES, "sitadel-logements-75056-sample.json", 4),
        (RUINS, "sitadel-demolir-44109-sample.json", 4),
    ],
)
def test_every_permit_of_the_dido_answers_is_read(
    sample: Callable[[str], Path], report: ReadReport, source: Sitadel, name: str, count: int
) -> None:
    assert len(read(source, sample(f"sitadel/{name}"), report)) == count
    assert (report.rejected_count, dict(report.unknown_values)) == (0, {})


@pytest.mark.samples
def test_known_permits_of_the_dido_answers(sample: Callable[[str], Path], write: Writer, report: ReadReport) -> None:
    # Read off the files by hand.
    paris = {p.number: p for p in read(HOMES, sample("sitadel/sitadel-logements-75056-sample.json"), report)}
    assert paris["07510523V0019"].references == (
        ParcelReference("75105", None, "AD", "0044"),
        ParcelReference("75105", None, "AD", "0045"),
        ParcelReference("75105", None, "AE", "0007"),
    )
    assert paris["07512012V0029"].references == (ParcelReference("75120", None, "DM", "0081"),)
    assert paris["07511611V0039"].superficie_terrain is None
    nantes = {p.number: p for p in read(RUINS, sample("sitadel/sitadel-demolir-44109-sample.json"), report)}
    assert nantes["0441092600086"].references == (ParcelReference("44109", None, "BY", "0488"),)
    assert nantes["04410914A0001"].references == (ParcelReference("44109", None, "0Z", "0602"),)
    assert (nantes["04410921A0030"].etat_dau, nantes["04410921A0030"].superficie_terrain) == ("terminé", None)
    rodez = json.loads(sample("sitadel/sitadel-12202-sample.json").read_text())
    homes = {p.number: p for p in read(HOMES, write("h.json", json.dumps(rodez["logements"])), report)}
    ruins = read(RUINS, write("r.json", json.dumps(rodez["demolir"])), report)
    assert (len(homes), len(ruins)) == (6, 3)
    assert homes["01220223A0021"].nature_projet_declaree == "travaux sur construction existante"
    assert homes["01220224A0014"].etat_dau == "annulé"
    assert len(homes["01220223A0001"].references) == 3
