"""Lieux-dits and numbered streets, in the store and in answers."""

from typing import Any

import pytest
from land_builders import COMMUNE, address, load, lon_lat, resolution_of
from sqlalchemy import Engine

from land.addresses.model import AddressQuery, Resolution
from land.datasets.addresses.records import LocalityRecord
from land.errors import AddressNotFound
from land.pipeline import Pipeline

QUERY = AddressQuery(label="Les Grandes Bruyères 18900 Trifouillis-sur-Cher")
PLACE_ID = f"{COMMUNE}_b012"


def lieu_dit(name: str = "Les Grandes Bruyères", place_id: str = PLACE_ID) -> LocalityRecord:
    lon, lat = lon_lat(5, 5)
    return LocalityRecord(
        commune_code=COMMUNE, id=place_id, name=name, postcode="18900", commune_name="Trifouillis-sur-Cher",
        old_commune_name="", lon=lon, lat=lat,
    )  # fmt: skip


def found(land: Pipeline) -> Resolution:
    return resolution_of(land, QUERY)


def test_a_lieu_dit_is_an_address_without_parcels(store: Engine) -> None:
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (0, 0))])
    load(store, "ban-localities", COMMUNE, [lieu_dit()])
    answer = found(Pipeline(store))
    assert (answer.address.type, answer.address.street, answer.address.id) == (
        "locality",
        "Les Grandes Bruyères",
        PLACE_ID,
    )
    assert answer.parcels == ()


def test_a_commune_with_only_lieux_dits_is_found(store: Engine) -> None:
    load(store, "ban-localities", COMMUNE, [lieu_dit()])
    assert found(Pipeline(store)).address.city == "Trifouillis-sur-Cher"


@pytest.mark.parametrize("order", [("ban", "ban-localities"), ("ban-localities", "ban")])
def test_neither_load_deletes_the_rows_of_the_other(store: Engine, order: tuple[str, str]) -> None:
    records: dict[str, list[Any]] = {"ban": [address(1, "Rue des Lilas", (0, 0))], "ban-localities": [lieu_dit()]}
    for edition in ("e1", "e2"):
        for dataset in order:
            load(store, dataset, COMMUNE, records[dataset], edition=edition)
    land = Pipeline(store)
    assert found(land).address.type == "locality"
    assert resolution_of(land, AddressQuery(label="1 rue des lilas 18900")).address.type == "housenumber"


def test_a_lieu_dit_with_numbers_is_a_street(store: Engine) -> None:
    land = Pipeline(store)
    load(store, "ban-localities", COMMUNE, [lieu_dit()])
    load(store, "ban", COMMUNE, [address(3, "Les Grandes Bruyères", (0, 0), street_id=PLACE_ID)])
    assert found(land).address.type == "street"
    assert found(land).alternatives == ()
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (0, 0))], edition="e2")
    assert found(land).address.type == "locality"


def test_answers_follow_a_new_edition(store: Engine) -> None:
    load(store, "ban-localities", COMMUNE, [lieu_dit()])
    land = Pipeline(store)
    assert found(land).address.id == PLACE_ID
    load(store, "ban-localities", COMMUNE, [lieu_dit("Le Moulin")], edition="e2")
    with pytest.raises(AddressNotFound):
        found(land)
