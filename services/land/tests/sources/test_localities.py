from pathlib import Path

import pytest

from land.errors import UnreadableFile, WrongHeader
from land.partitions import Partition
from land.records.addresses import LocalityRecord
from land.sources.base import Account
from land.sources.localities import Localities

from .conftest import Writer

LOCALITIES = Localities("https://mirror.example/")
HEADER = (
    "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;"
    "source_position;source_nom_voie"
)
PLACE = "04001_b012;Les Cléments;04510;04001;Aiglun;04002;Ancienne;950000;6335000;6.13;44.07;commune;commune"
OVERSEAS = "97105_b003;Morne à l'Eau;97100;97105;Basse-Terre;;;;;;;commune;commune"


def read(path: Path, account: Account, **chosen: str) -> list[tuple[Partition, LocalityRecord]]:
    return list(LOCALITIES.read(path, account, **chosen))


def test_a_row_becomes_a_locality(write: Writer, account: Account) -> None:
    assert read(write("l.csv", f"{HEADER}\n{PLACE}\n{OVERSEAS}\n"), account) == [
        (
            Partition("04001"),
            LocalityRecord("04001", "04001_b012", "Les Cléments", "04510", "Aiglun", "04002", "Ancienne", 6.13, 44.07),
        ),
        (
            Partition("97105"),
            LocalityRecord("97105", "97105_b003", "Morne à l'Eau", "97100", "Basse-Terre", "", "", None, None),
        ),
    ]
    assert (account.row_count, account.rejected_count) == (2, 0)


def test_a_commune_or_a_department_can_be_chosen(write: Writer) -> None:
    path = write("l.csv.gz", f"{HEADER}\n{PLACE}\n{OVERSEAS}\n")
    assert [unit.code for unit, _ in read(path, Account("l"), commune="04001")] == ["04001"]
    assert [unit.code for unit, _ in read(path, Account("l"), department="971")] == ["97105"]


def test_rows_that_cannot_be_read_are_rejected_with_their_line(write: Writer, account: Account) -> None:
    rows = [
        PLACE.replace(";04001;", ";4001;"),
        PLACE.replace("04001_b012", ""),
        PLACE.replace("Les Cléments", " "),
        PLACE.replace("6.13", "east"),
        PLACE.replace("44.07", "144.07"),
        PLACE,
    ]
    assert len(read(write("l.csv", "\n".join([HEADER, *rows, ""])), account)) == 1
    assert [line.split(":")[1] for line in account.rejections] == ["2", "3", "4", "5", "6"]


def test_another_file_and_a_cut_one_are_refused(write: Writer, account: Account) -> None:
    with pytest.raises(WrongHeader, match="nom_lieu_dit"):
        read(write("a.csv", f"{HEADER.replace('nom_lieu_dit', 'nom_voie')}\n{PLACE}\n"), account)
    with pytest.raises(UnreadableFile):
        read(write("b.csv", f"{HEADER}\n{PLACE}\n{PLACE[:30]}"), account)


def test_where_it_is_published() -> None:
    assert LOCALITIES.urls("04001") == [
        "https://mirror.example/ban/communes/04001/download/csv-legacy/lieux-dits",
    ]
