"""Identical rows of DVF: whether they are one unit or several is open, and the answer warns of it."""

from collections.abc import Iterable
from pathlib import Path

from dvf_rows import GARAGE, GARDEN, HOUSE, Row, ambiguity_warnings, import_rows, row
from land_builders import land_unit, load, parcel, square
from sqlalchemy import Engine


def readings(store: Engine, rows: Iterable[Row], folder: Path) -> list[str]:
    """The two readings in each warning on parcel AB 1."""
    load(store, "cadastre-parcels", "18999", [parcel(1, square(0, 0))])
    import_rows(store, rows, folder)
    return [
        str(warning.detail).rpartition(": ")[2] for warning in ambiguity_warnings(land_unit(store, "18999000AB0001"))
    ]


def test_units_repeated_for_each_land_use_are_not_ambiguous(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), unit, ground) for unit in (HOUSE, GARAGE) for ground in ({}, GARDEN)]
    assert readings(store, rows, tmp_path) == []


def test_units_repeated_twice_for_each_land_use_are_ambiguous(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE, ground) for ground in ({}, GARDEN, {}, GARDEN)]
    assert readings(store, rows, tmp_path) == ["1 or 2 units, 90 or 180 m² built, 4 or 8 main rooms."]


def test_land_repeated_for_a_unit_with_another_land_use_is_ambiguous(store: Engine, tmp_path: Path) -> None:
    """If two houses were equal, the garden row would be repeated too."""
    rows = [row(1, (0, 0), HOUSE, ground) for ground in ({}, GARDEN, {})]
    assert readings(store, rows, tmp_path) == ["700 or 1,100 m² of land."]


def test_dispositions_of_one_unit_are_not_ambiguous(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE), row(1, (0, 0), HOUSE, numero_disposition="000002")]
    assert readings(store, rows, tmp_path) == []


def test_identical_rows_of_bare_land_are_ambiguous_and_no_comparable(store: Engine, tmp_path: Path) -> None:
    field = row(1, (10, 10), GARDEN, surface_terrain="300.5")
    assert readings(store, [field, field], tmp_path) == ["300.5 or 601 m² of land."]
    load(store, "cadastre-parcels", "18999", [parcel(2, square(50, 0))], edition="e2")
    block = land_unit(store, "18999000AB0002", blocks=["real_estate"]).real_estate
    assert block is not None
    assert block.sale_count == 0
    import_rows(store, [field], tmp_path, "full-2026-corrected.csv")
    block = land_unit(store, "18999000AB0002", blocks=["real_estate"]).real_estate
    assert block is not None
    assert block.sale_count == 1


def test_a_comparable_with_identical_land_rows_has_a_warning(store: Engine, tmp_path: Path) -> None:
    load(store, "cadastre-parcels", "18999", [parcel(9, square(100, 0))])
    garden = row(2, (30, 0), GARDEN)
    import_rows(store, [row(1, (10, 10), HOUSE), garden, garden], tmp_path)
    unit = land_unit(store, "18999000AB0009", blocks=["real_estate"])
    assert unit.real_estate is not None
    [comparable] = unit.real_estate.comparables
    assert (comparable.sale.land_m2, comparable.price_eur_per_m2) == (700, 150_000 / 90)
    [warning] = ambiguity_warnings(unit)
    assert warning.block == "real_estate"
    assert "2026-417 (18999000AB0001, 18999000AB0002)" in str(warning.detail)
    assert str(warning.detail).endswith("700 or 1,000 m² of land.")
