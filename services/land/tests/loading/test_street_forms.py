"""The stored form of a commune's streets follows its loads. Requests never read a form of another version."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from land_builders import COMMUNE, address, load, resolution_of
from sqlalchemy import Engine, select, update

from land import registry
from land.addresses.model import AddressQuery
from land.addresses.stored_streets import FORM_VERSION, encode
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.records import LocalityRecord
from land.datasets.addresses.registration import BAN
from land.datasets.addresses.street_queries import commune_streets
from land.datasets.partitions import Partition
from land.pipeline import Pipeline
from servicekit.database import for_writing

OTHER = "18998"
STREETS = [address(7, "Rue des Lilas", (0, 0)), address(1, "Place Neuve", (5, 5), street_id=f"{COMMUNE}_0002")]
PLACES = [
    LocalityRecord(
        commune_code=COMMUNE,
        id=f"{COMMUNE}_b012",
        name="Le Moulin",
        postcode="18900",
        commune_name="Trifouillis",
        old_commune_name="",
        lon=2.0,
        lat=47.0,
    )
]
QUERIES = [AddressQuery(label=f"{text} 18900") for text in ("7 rue des lilas", "7 rue des lials", "le moulin")]


def versions(store: Engine) -> dict[str, int]:
    with store.connect() as connection:
        columns = commune_streets.c.commune_code, commune_streets.c.form_version
        return {row.commune_code: row.form_version for row in connection.execute(select(*columns))}


def is_current(store: Engine, commune: str = COMMUNE) -> bool:
    """Whether the form is the one of the commune's rows."""
    with store.connect() as connection:
        form = streets.forms(connection, [commune], FORM_VERSION).get(commune)
        named_streets = streets.streets(connection, commune)
    return form == (encode(named_streets) if named_streets else None)


def answers(store: Engine) -> list[Any]:
    return [resolution_of(Pipeline(store), query) for query in QUERIES]


def load_all(store: Engine) -> None:
    load(store, "ban", COMMUNE, STREETS)
    load(store, "ban-localities", COMMUNE, PLACES)


def change_forms(store: Engine, **values: object) -> None:
    with for_writing(store).begin() as connection:
        connection.execute(update(commune_streets).values(**values))


@pytest.mark.parametrize("order", [("ban", "ban-localities"), ("ban-localities", "ban")])
def test_each_load_and_each_eviction_renews_the_form(store: Engine, order: Sequence[str]) -> None:
    records: dict[str, list[Any]] = {"ban": STREETS, "ban-localities": PLACES}
    for dataset in order:
        load(store, dataset, COMMUNE, records[dataset])
        assert is_current(store)
    load(store, "ban", COMMUNE, STREETS[:1], edition="e2")
    assert is_current(store)
    for dataset in order:
        with for_writing(store).begin() as connection:
            registry.replace_rows(connection, dataset, Partition(COMMUNE), [])
        assert is_current(store)
    assert versions(store) == {}


def test_streets_and_places_that_are_loaded_at_the_same_time_are_both_in_the_form(store: Engine) -> None:
    with for_writing(store).begin() as connection:
        registry.replace_rows(connection, BAN.id, Partition(COMMUNE), STREETS)
        loading = threading.Thread(target=load, args=(store, "ban-localities", COMMUNE, PLACES))
        loading.start()
        loading.join(timeout=0.3)
        assert loading.is_alive()
    loading.join(timeout=60)
    assert is_current(store)
    with store.connect() as connection:
        names = {street.street.name for street in streets.streets(connection, COMMUNE)}
    assert names == {"Rue des Lilas", "Place Neuve", "Le Moulin"}


@pytest.mark.parametrize("version", [FORM_VERSION - 1, FORM_VERSION + 1])
def test_a_form_of_another_version_is_not_read(store: Engine, version: int) -> None:
    load_all(store)
    expected = answers(store)
    change_forms(store, form_version=version, form=b"of another version")
    assert answers(store) == expected


def test_a_missing_form_changes_no_answer(store: Engine) -> None:
    load_all(store)
    expected = answers(store)
    with for_writing(store).begin() as connection:
        connection.execute(commune_streets.delete())
    assert answers(store) == expected
