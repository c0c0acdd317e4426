"""Present communes and the successors of former codes, with small lists and with INSEE's lists."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from land.datasets.communes import queries as stored
from land.datasets.communes.records import CommuneRecord, MovementRecord, PostcodesRecord
from land.datasets.communes.register import CommuneRegister
from land.datasets.communes.registration import COMMUNE_LISTS
from land.loading.loader import load_file
from land.registry import DATASETS
from land.store import loads


def movement(
    year: int, change: str, old: str, new: str, old_name: str = "Avant", new_kind: str = "COM"
) -> MovementRecord:
    return MovementRecord(
        effective_on=f"{year}-01-01", change=change, old_kind="COM", old_code=old, old_name=old_name,
        new_kind=new_kind, new_code=new, new_name="Après",
    )  # fmt: skip


def register(*movements: MovementRecord) -> CommuneRegister:
    communes = [
        CommuneRecord("COM", "18001", "Achères", ""),
        CommuneRecord("COM", "18002", "Ainay", ""),
        CommuneRecord("COMD", "18002", "Ainay-le-Vieux", "18002"),
        CommuneRecord("COMD", "18003", "Allogny", "18002"),
        CommuneRecord("COM", "75056", "Paris", ""),
        CommuneRecord("ARM", "75118", "Paris 18e Arrondissement", "75056"),
    ]
    return CommuneRegister(
        communes,
        movements,
        [
            PostcodesRecord(
                code="18001",
                name="Achères",
                postcodes="18250|18260",
                lon=2.4,
                lat=47.2,
                epci=None,
            )
        ],
    )


def test_the_current_code_of_a_present_commune_is_its_own() -> None:
    assert register(movement(1990, "10", "18001", "18001")).current_codes("18001") == ("18001",)
    assert register().current_codes("75118") == ("75118",)


def test_a_delegated_commune_is_replaced_by_its_parent() -> None:
    assert register().current_codes("18003") == ("18002",)
    assert "18003" not in register().names


def test_successive_mergers_are_followed_to_the_present_commune() -> None:
    chain = (
        movement(1970, "31", "18090", "18091"),
        movement(2016, "32", "18091", "18092"),
        movement(2019, "32", "18092", "18001"),
    )
    assert register(*chain).current_codes("18090") == ("18001",)


def test_a_restored_code_is_replaced_as_of_its_last_end() -> None:
    restored = (
        movement(1972, "33", "18090", "18001"),
        movement(1984, "21", "18001", "18090"),
        movement(2013, "32", "18090", "18002"),
    )
    assert register(*restored).current_codes("18090") == ("18002",)


def test_a_divided_commune_is_replaced_by_several() -> None:
    divided = (movement(1950, "30", "18090", "18001"), movement(1950, "30", "18090", "18002"))
    assert register(*divided).current_codes("18090") == ("18001", "18002")


def test_unknown_and_withdrawn_codes_have_no_replacement() -> None:
    withdrawn = MovementRecord(
        effective_on="2007-02-23", change="30", old_kind="COM", old_code="97123", old_name="Saint-Barthélemy",
        new_kind="", new_code="", new_name="",
    )  # fmt: skip
    assert register(withdrawn).current_codes("97123") == register().current_codes("99999") == ()


def test_cyclic_movements_have_no_replacement() -> None:
    circle = (movement(1970, "41", "18090", "18091"), movement(1970, "41", "18091", "18090"))
    assert register(*circle).current_codes("18090") == ()


def test_former_names_include_those_of_merged_communes() -> None:
    changes = (
        movement(1998, "10", "18001", "18001", "Achères-le-Sec"),
        movement(2016, "32", "18090", "18002", "Vieux"),
    )
    assert register(*changes).former_names() == {
        "18001": ["Achères-le-Sec"],
        "18002": ["Ainay-le-Vieux", "Allogny", "Vieux"],
    }


def test_postcodes_centre_and_arrondissement_cities() -> None:
    assert register().postcodes("18001") == ("18250", "18260")
    assert register().postcodes("18002") == ()
    assert register().centre("18001") == (2.4, 47.2)
    assert register().arrondissement_cities == {"75056"}


def test_the_revision_increases_with_each_list(store: Engine, tmp_path: Path) -> None:
    with store.connect() as connection:
        assert CommuneRegister(*stored.lists(connection)).is_empty
        before = sum(loads.revisions(connection, COMMUNE_LISTS).values())
    path = tmp_path / "communes-2026.csv"
    path.write_text("TYPECOM,COM,LIBELLE,COMPARENT\nCOM,18001,Achères,\nCOM,18001,Achères,\n", encoding="utf-8")
    load_file(store, DATASETS["cog"], str(path), tmp_path)
    (tmp_path / "c.json").write_text('[{"code": "18001", "nom": "Achères", "codesPostaux": ["18250"]}]', "utf-8")
    load_file(store, DATASETS["postcodes"], str(tmp_path / "c.json"), tmp_path)
    with store.connect() as connection:
        loaded = CommuneRegister(*stored.lists(connection))
        assert sum(loads.revisions(connection, COMMUNE_LISTS).values()) == before + 2
    assert dict(loaded.names) == {"18001": "Achères"}
    assert loaded.postcodes("18001") == ("18250",)


@pytest.mark.samples
def test_the_lists_of_2026_replace_former_codes(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Le Fresne-sur-Loire changed its département in 2015 and merged in 2016. Moronvilliers was divided in 1950. Vire
    and Châlons changed their names. The expected codes were read in INSEE's file.
    """
    for name in ("v_commune_2026.csv.gz", "v_mvt_commune_2026.csv.gz"):
        load_file(store, DATASETS["cog"], str(samples / "cog" / name), tmp_path)
    with store.connect() as connection:
        register = CommuneRegister(*stored.lists(connection))
    assert len(register.names) == 34_875 + 45
    assert register.current_codes("44060") == register.current_codes("49382") == ("49160",)
    assert register.current_codes("51385") == ("51440", "51487", "51503")
    assert register.current_codes("20004") == ("2A004",)
    names = register.former_names()
    assert {"Vire", "Neuville", "Saint-Martin-de-Tallevende"} <= set(names["14762"])
    assert "Châlons-sur-Marne" in names["51108"]
    assert register.arrondissement_cities == {"75056", "69123", "13055"}
