"""Repeated loads of a commune while requests run: every answer comes from a single edition."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from land_builders import COMMUNE, address, load, lon_lat, parcel, resolution_of, square
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery, Resolution
from land.addresses.resolver import AddressIndex
from land.datasets.addresses import queries as addresses
from land.datasets.addresses.queries import commune_names
from land.datasets.addresses.records import AddressRecord
from land.pipeline import Pipeline
from land.store.snapshot import snapshot

EDITIONS = 40
ASKING = 4
QUERIES = (
    AddressQuery(street="rue des lilas", number="7", city_code=COMMUNE),
    AddressQuery(street="rue des lialas", number="7", city_code=COMMUNE),
)


def edition_of(number: int) -> list[AddressRecord]:
    """One address with the number of its edition in each part."""
    return [
        address(
            7, "Rue des Lilas", (number, 0.0), street_id=f"{COMMUNE}_{number:04}", postcode=f"18{number:03}",
            city=f"Trifouillis d'après {number}",
        )
    ]  # fmt: skip


def load_edition(store: Engine, number: int) -> None:
    assert load(store, "ban", COMMUNE, edition_of(number), edition=f"e{number}")


def editions_in(answer: Resolution) -> set[int]:
    """The editions of the parts of an answer."""
    address = answer.address
    assert address.longitude is not None
    assert address.postcode is not None
    assert address.city is not None
    [source] = answer.sources
    metres = (address.longitude - lon_lat(0, 0)[0]) / (lon_lat(1, 0)[0] - lon_lat(0, 0)[0])
    return {
        int(address.id.split("_")[1]),
        int(address.postcode[2:]),
        int(address.city.split()[-1]),
        int(source.edition[1:]),
        round(metres),
    }


def lilas_in(index: AddressIndex) -> list[str]:
    [streets] = index.streets([COMMUNE])
    return [street.id for street in streets.find_exact("rue des lilas")]


def test_each_answer_comes_from_one_edition_while_others_load(store: Engine) -> None:
    load_edition(store, 1)
    land = Pipeline(store)
    is_over = threading.Event()

    def ask(query: AddressQuery) -> list[set[int]]:
        editions = []
        while not is_over.is_set():
            editions.append(editions_in(resolution_of(land, query)))
        return editions

    with ThreadPoolExecutor(ASKING) as pool:
        asking = [pool.submit(ask, QUERIES[turn % len(QUERIES)]) for turn in range(ASKING)]
        try:
            for number in range(2, EDITIONS + 1):
                load_edition(store, number)
        finally:
            is_over.set()
        answers = [editions for future in asking for editions in future.result()]
    assert {len(editions) for editions in answers} == {1}
    assert len(set.union(*answers)) > 1, "nothing was loaded between two answers"
    assert editions_in(resolution_of(land, QUERIES[0])) == {EDITIONS}


@pytest.mark.parametrize("query", QUERIES)
def test_a_snapshot_from_before_a_load_has_no_street_of_the_load(store: Engine, query: AddressQuery) -> None:
    load_edition(store, 1)
    cache = AddressCache(CommuneLookup(store))
    with snapshot(store) as before:
        old = cache.at(before).index("all")
        load_edition(store, 2)
        with snapshot(store) as after:
            new = cache.at(after).index("all")
            assert lilas_in(new) == [f"{COMMUNE}_0002"]
        assert lilas_in(old) == [f"{COMMUNE}_0001"]
        assert old.gazetteer.by_code[COMMUNE].name == "Trifouillis d'après 1"


def test_a_snapshot_older_than_the_cache_is_restarted(store: Engine) -> None:
    load_edition(store, 1)
    cache = AddressCache(CommuneLookup(store))
    with snapshot(store) as early:
        assert commune_names(early, [COMMUNE])
        load_edition(store, 2)
        with snapshot(store) as late:
            cache.at(late)
        index = cache.at(early).index("all")
        assert lilas_in(index) == [f"{COMMUNE}_0002"]


def test_a_load_of_parcels_keeps_the_cached_addresses(store: Engine) -> None:
    load_edition(store, 1)
    cache = AddressCache(CommuneLookup(store))
    with snapshot(store) as before:
        old = cache.at(before)
        load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
        with snapshot(store) as after:
            new = cache.at(after)
            assert new.index("all").gazetteer is old.index("all").gazetteer


def test_more_changed_communes_than_a_statement_may_have_are_read(
    store: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "MAX_CODES", 3)
    codes = [f"{number}100" for number in range(10, 18)]
    for code in codes:
        load(store, "ban", code, [address(1, "Rue Neuve", None, commune=code, city=f"Commune {code}")])
    land = Pipeline(store)
    for code in codes:
        answer = resolution_of(land, AddressQuery(label=f"1 rue neuve commune {code}"))
        assert answer.address.city_code == code
