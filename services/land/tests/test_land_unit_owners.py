"""Legal persons with rights on a land unit."""

from pathlib import Path

import pytest
from land_builders import coverage, import_file, land_unit, load, parcel, square, warning_codes
from sqlalchemy import Engine

from land.datasets.owners.records import OwnerRecord
from land.rpc.messages import land_unit as message_of

ONE, TWO, OTHER = "18999000AB0001", "18999000AB0002", "18998000AB0001"


def right(
    parcel_id: str = ONE,
    code: str = "P",
    holder: str = "211800334",
    name: str | None = "COMMUNE",
    group: str | None = "4",
) -> OwnerRecord:
    siren = holder if holder.isdigit() else None
    return OwnerRecord(
        department="18", commune_code=parcel_id[:5], parcel_id=parcel_id, right_code=code, holder=holder, name=name,
        siren=siren, legal_form_code="7210", legal_form="COM", group_code=group,
    )  # fmt: skip


@pytest.fixture
def land(store: Engine) -> Engine:
    load(store, "cadastre-parcels", "18999", [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    load(store, "cadastre-parcels", "18998", [parcel(1, square(40, 0), commune="18998")])
    return store


def test_rights_are_grouped_by_holder_and_owners_come_first(land: Engine) -> None:
    rights = [
        right(ONE, "S", "380047548", "SYNDIC", "0"),
        right(ONE),
        right(TWO),
        right(TWO, "E", "500889175", "BAILLEUR", "5"),
        right(TWO, "P", "U20253020", None, None),
    ]
    load(land, "personnes-morales", "18", rights)
    unit = land_unit(land, ONE, TWO)
    owners = message_of(unit).land.owners
    assert [(owner.right_code, owner.name, [*owner.parcel_ids]) for owner in owners] == [
        ("P", "", [TWO]),
        ("P", "COMMUNE", [ONE, TWO]),
        ("E", "BAILLEUR", [TWO]),
        ("S", "SYNDIC", [ONE]),
    ]
    assert [owner.is_public for owner in owners] == [False, True, False, False]
    unknown, commune = owners[:2]
    assert (unknown.HasField("siren"), unknown.HasField("group_label")) == (False, False)
    assert (commune.siren, commune.group_label, commune.right_label) == ("211800334", "Commune", "Propriétaire")
    assert coverage(unit)["personnes-morales"] == ("covered", None)
    assert [source.edition for source in unit.sources if source.id == "personnes-morales"] == ["e1"]


def test_a_parcel_of_individuals_has_none_and_the_file_covers_it(land: Engine) -> None:
    load(land, "personnes-morales", "18", [right(TWO)])
    unit = land_unit(land, ONE)
    assert unit.land is not None
    assert unit.land.owners == ()
    assert coverage(unit)["personnes-morales"] == ("covered", None)


def test_a_commune_without_any_row_is_not_covered(land: Engine) -> None:
    """Each commune owns land itself: the loaded file is an extract."""
    load(land, "personnes-morales", "18", [right(ONE)])
    unit = land_unit(land, OTHER)
    assert coverage(unit)["personnes-morales"] == ("not_covered", "not_covered")
    assert "owners_not_covered" in warning_codes(unit, "land")
    assert coverage(land_unit(land, ONE, OTHER))["personnes-morales"] == ("partial", "not_covered")


def test_without_a_file_nothing_is_known(land: Engine) -> None:
    unit = land_unit(land, ONE)
    assert coverage(unit)["personnes-morales"] == ("not_loaded", "not_loaded")
    assert "owners_not_covered" not in warning_codes(unit)


def test_a_new_edition_replaces_the_department(land: Engine) -> None:
    load(land, "personnes-morales", "18", [right(ONE)])
    load(land, "personnes-morales", "18", [right(ONE, holder="500889175", name="SCI")], edition="e2")
    unit = land_unit(land, ONE)
    assert unit.land is not None
    assert [owner.name for owner, *_ in unit.land.owners] == ["SCI"]


def test_many_rights_are_cut_with_a_warning(land: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("land.units.owners.MAX_OWNERS", 1)
    load(land, "personnes-morales", "18", [right(ONE), right(ONE, "E")])
    unit = land_unit(land, ONE)
    assert unit.land is not None
    assert len(unit.land.owners) == 1
    assert "owners_truncated" in warning_codes(unit, "land")


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "commune", "section", "number", "expected"),
    [
        ("640.64547", "64547", "AN", 465, [("P", "6M", "500889175", "SARL"), ("P", "RL IMMO", "513789040", "SARL")]),
        ("750.75118", "75118", "CF", 104, [("P", "ENEDIS", "444608442", "SA"), ("G", "ENEDIS", "444608442", "SA")]),
    ],
)
def test_real_owners(
    store: Engine,
    samples: Path,
    tmp_path: Path,
    name: str,
    commune: str,
    section: str,
    number: int,
    expected: list[tuple[str, str, str, str]],
) -> None:
    """The expected rights were read off the file, which numbers ENEDIS twice."""
    record = parcel(number, square(0, 0), commune=commune, section=section)
    load(store, "cadastre-parcels", commune, [record])
    import_file(store, "personnes-morales", samples / "personnes-morales" / f"PM_25_NB_{name}.csv.gz", tmp_path)
    unit = land_unit(store, record.parcel_id)
    assert unit.land is not None
    owners = [owner for owner, *_ in unit.land.owners]
    assert [(owner.right_code, owner.name, owner.siren, owner.legal_form) for owner in owners] == expected
    assert [source.edition for source in unit.sources if source.id == "personnes-morales"] == ["2025"]
