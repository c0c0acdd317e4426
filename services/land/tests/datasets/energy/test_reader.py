"""Energy ratings: answers of the publisher's API, and CSV exports."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from published_files import COMMUNE, OTHER, rating
from written_files import partition_request

from land.datasets.energy.reader import Dpe, rating_counts
from land.datasets.energy.records import RatingRecord
from land.datasets.partitions import Partition
from land.errors import UnreadableFile, WrongHeader
from land.sources.base import CommuneFilter, ReadReport

BASE = "https://example.invalid/datasets"
READER = Dpe(BASE)
EXISTING, NEW = READER.urls(partition_request(COMMUNE))


def written(tmp_path: Path, content: object, name: str = "lines") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def read(path: Path, report: ReadReport, commune: str | None = None) -> list[tuple[Partition, RatingRecord]]:
    return list(READER.read(path, report, CommuneFilter(commune=commune)))


def records(tmp_path: Path, *items: dict[str, Any]) -> Iterator[RatingRecord]:
    return (record for _, record in read(written(tmp_path, {"results": items}), ReadReport("lines")))


def test_the_addresses_ask_for_one_commune(tmp_path: Path) -> None:
    parameters = {name: value for name, [value] in parse_qs(urlsplit(EXISTING).query).items()}
    assert parameters["qs"] == f'code_insee_ban:"{COMMUNE}"'
    assert not {"adresse_ban", "complement_adresse_logement", "numero_etage_appartement"} & set(
        parameters["select"].split(",")
    )
    assert READER.asked_partition(EXISTING, COMMUNE) == Partition(COMMUNE, "existing")
    assert READER.asked_partition(NEW, COMMUNE) == Partition(COMMUNE, "new")
    assert READER.asked_partition(EXISTING, OTHER) is None


def test_the_next_page_is_at_the_same_host() -> None:
    report = ReadReport("lines", next_page="https://elsewhere.example/lines?select=adresse_ban&after=1%2C2")
    assert READER.page_url(EXISTING, report) == f"{EXISTING}&after=1%2C2"
    report.next_page = f"https://elsewhere.example/lines?after={'9' * 300}"
    assert READER.page_url(EXISTING, report) is None
    assert READER.page_url("lines.json", ReadReport("lines")) is None


@pytest.mark.parametrize(
    ("name", "total", "record_count"),
    [
        ("dpe03existant-lines-13201-rnb.json", 2379, 6),
        ("dpe03existant-lines-75113.json", 2805, 6),
        ("dpe03existant-lines-75011-roquette.json", 2159, 0),  # it has neither the commune nor a place
    ],
)
def test_published_answers_are_read(samples: Path, name: str, total: int, record_count: int) -> None:
    report = ReadReport("lines")
    ratings = read(samples / "dpe" / name, report)
    assert (report.expected_count, len(ratings)) == (total, record_count)
    assert report.row_count == record_count + report.rejected_count
    assert {partition.code for partition, _ in ratings} <= {"13201", "75113"}
    for _, record in ratings:
        assert record.rating.energy in "ABCDEFG"
        assert record.rating.street_id in ("13201_8457", "75113_1990")
        assert 43 < record.rating.lat < 49
        assert not record.rating.is_placed  # the answer does not say how the place was found


def test_published_answers_join_by_their_ids(samples: Path) -> None:
    ratings = [record for _, record in read(samples / "dpe/dpe03existant-lines-13201-rnb.json", ReadReport("lines"))]
    assert [record.rating.rnb_id for record in ratings] == ["83SJ572HH22P"] * 4 + ["", "G3N4PZG2PWMZ"]
    assert [record.rating.house_number for record in ratings] == [5, 5, 5, 5, 5, 6]
    counted = rating_counts(ratings)
    assert sum(row.rating_count for row in counted) == 6
    assert {row.energy for row in counted} == {"C", "D", "F"}


def test_diagnoses_that_others_replace_do_not_count(tmp_path: Path) -> None:
    ratings = records(
        tmp_path,
        rating(1),
        rating(1, numero_dpe="2418E0000009B", numero_dpe_remplace="2418E0000001A", etiquette_dpe="B"),
        rating(1, numero_dpe="2418E0000010C", date_etablissement_dpe="2022-01-05", etiquette_dpe="B"),
        rating(1, numero_dpe="2418E0000010C", date_etablissement_dpe="2022-01-05", etiquette_dpe="B"),
    )
    [row] = rating_counts(ratings)
    assert (row.energy, row.rating_count, row.oldest_on, row.newest_on) == ("B", 2, "2022-01-05", "2024-03-04")


@pytest.mark.parametrize(
    ("changes", "street_id", "is_placed"),
    [
        ({}, f"{COMMUNE}_0001", True),
        ({"statut_geocodage": "adresse geocodee ban a l’adresse"}, f"{COMMUNE}_0001", True),
        ({"statut_geocodage": "adresse non géocodée ban car aucune correspondance trouvée"}, "", False),
        ({"statut_geocodage": None}, f"{COMMUNE}_0001", False),
        ({"score_ban": 0.6}, f"{COMMUNE}_0001", False),
        ({"identifiant_ban": f"{COMMUNE}_0001"}, "", True),  # a street
    ],
)
def test_an_uncertain_address_joins_nothing(
    tmp_path: Path, changes: dict[str, Any], street_id: str, is_placed: bool
) -> None:
    [record] = records(tmp_path, rating(1, **changes))
    assert (record.rating.street_id, record.rating.is_placed) == (street_id, is_placed)


@pytest.mark.parametrize(
    "changes",
    [
        {"numero_dpe": "1"},
        {"date_etablissement_dpe": "2019-05-06"},
        {"date_etablissement_dpe": None},
        {"etiquette_dpe": None, "etiquette_ges": None},
        {"_geopoint": None},
        {"_geopoint": "95,200"},
        {"code_insee_ban": "Bourges"},
    ],
)
def test_other_rows_are_rejected(tmp_path: Path, changes: dict[str, Any]) -> None:
    report = ReadReport("lines")
    path = written(tmp_path, {"results": [rating(1, **changes), rating(2)]})
    assert [record.rating.house_number for _, record in read(path, report)] == [2]
    assert report.rejected_count == 1


def test_unknown_letters_are_counted(tmp_path: Path) -> None:
    report = ReadReport("lines")
    [(_, record)] = read(written(tmp_path, {"results": [rating(1, etiquette_dpe="N")]}), report)
    assert (record.rating.energy, record.rating.greenhouse_gas) == ("", "B")
    assert report.unknown_values == {"etiquette_dpe": 1}


def test_an_export_has_communes_and_both_sets(tmp_path: Path) -> None:
    items = [rating(1), rating(2, OTHER, numero_dpe="2418N0000002A")]
    path = tmp_path / "dpe-2026-10-02.csv"
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, ["adresse_ban", *items[0], "numero_dpe_remplace", "id_rnb"])
        writer.writeheader()
        writer.writerows(items)
    report = ReadReport(path.name)
    assert [partition for partition, _ in read(path, report)] == [
        Partition(COMMUNE, "existing"),
        Partition(OTHER, "new"),
    ]
    assert read(path, ReadReport(path.name), OTHER)[0][1].rating.house_number == 2
    assert READER.edition(path, path.name) == "2026-10-02"
    assert READER.edition(written(tmp_path, {"results": [rating(1)]}), "lines") == "2024-03-09"
    assert READER.edition(written(tmp_path, {"total": 0, "results": []}), "lines") is None


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="without results"):
        read(written(tmp_path, {"error": "unknown column"}), ReadReport("lines"))
    with pytest.raises(WrongHeader, match="etiquette_dpe"):
        read(written(tmp_path, "numero_dpe,code_insee_ban\n"), ReadReport("dpe.csv"))
