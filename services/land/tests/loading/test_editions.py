"""A commune is loaded again and again while requests run: each answer is wholly of one edition."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from land_builders import COMMUNE, address, load, parcel, place, service, square
from sqlalchemy import Engine

from land.addresses.model import AddressQuery, Resolution
from land.loading.address_books import AddressBooks
from land.loading.known_communes import KnownCommunes
from land.records.addresses import AddressRecord
from land.store import addresses, reading
from land.store.snapshot import snapshot

EDITIONS = 40
ASKING = 4
QUERIES = (
    AddressQuery(street="rue des lilas", number="7", city_code=COMMUNE),
    AddressQuery(street="rue des lialas", number="7", city_code=COMMUNE),
)


def edition_of(number: int) -> list[AddressRecord]:
    """One address that tells in each of its parts which edition it is of."""
    return [
        address(
            7, "Rue des Lilas", (number, 0.0), street_id=f"{COMMUNE}_{number:04}", postcode=f"18{number:03}",
            city=f"Trifouillis d'après {number}",
        )
    ]  # fmt: skip


def load_edition(store: Engine, number: int) -> None:
    assert load(store, "ban", COMMUNE, edition_of(number), edition=f"e{number}")


def told_by(answer: Resolution) -> set[int]:
    """The editions that the parts of an answer are of."""
    found = answer.address
    assert found.longitude is not None
    assert found.postcode is not None
    assert found.city is not None
    [source] = answer.sources
    metres = (found.longitude - place(0, 0)[0]) / (place(1, 0)[0] - place(0, 0)[0])
    return {
        int(found.id.split("_")[1]),
        int(found.postcode[2:]),
        int(found.city.split()[-1]),
        int(source.edition[1:]),
        round(metres),
    }


def test_each_answer_is_wholly_of_one_edition_whatever_loads_meanwhile(store: Engine) -> None:
    load_edition(store, 1)
    land = service(store)
    is_over = threading.Event()

    def ask(query: AddressQuery) -> list[set[int]]:
        told = []
        while not is_over.is_set():
            told.append(told_by(land.resolve_address(query, "all", "en")))
        return told

    with ThreadPoolExecutor(ASKING) as pool:
        asking = [pool.submit(ask, QUERIES[turn % len(QUERIES)]) for turn in range(ASKING)]
        try:
            for number in range(2, EDITIONS + 1):
                load_edition(store, number)
        finally:
            is_over.set()
        answers = [told for future in asking for told in future.result()]
    assert {len(told) for told in answers} == {1}
    assert len(set.union(*answers)) > 1, "nothing was loaded between two answers"
    assert told_by(land.resolve_address(QUERIES[0], "all", "en")) == {EDITIONS}


@pytest.mark.parametrize("query", QUERIES)
def test_a_transaction_begun_before_a_load_sees_no_street_of_after(store: Engine, query: AddressQuery) -> None:
    load_edition(store, 1)
    books = AddressBooks(KnownCommunes(store))
    with snapshot(store) as before:
        old = books.seen_by(before).book("all")
        load_edition(store, 2)
        with snapshot(store) as after:
            new = books.seen_by(after).book("all")
            assert [street.id for street in new.streets(COMMUNE).named("rue des lilas")] == [f"{COMMUNE}_0002"]
        assert [street.id for street in old.streets(COMMUNE).named("rue des lilas")] == [f"{COMMUNE}_0001"]
        assert old.gazetteer.by_code[COMMUNE].name == "Trifouillis d'après 1"


def test_a_transaction_older_than_what_the_caches_know_begins_anew(store: Engine) -> None:
    load_edition(store, 1)
    books = AddressBooks(KnownCommunes(store))
    with snapshot(store) as early:
        assert reading.commune_names(early, [COMMUNE])
        load_edition(store, 2)
        with snapshot(store) as late:
            books.seen_by(late)
        book = books.seen_by(early).book("all")
        assert [street.id for street in book.streets(COMMUNE).named("rue des lilas")] == [f"{COMMUNE}_0002"]


def test_a_load_of_parcels_is_seen_and_leaves_what_is_known_of_addresses(store: Engine) -> None:
    load_edition(store, 1)
    books = AddressBooks(KnownCommunes(store))
    with snapshot(store) as before:
        old = books.seen_by(before)
        assert [each.dataset for each in old.loads_of(COMMUNE)] == ["ban"]
        load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
        with snapshot(store) as after:
            new = books.seen_by(after)
            assert [each.dataset for each in new.loads_of(COMMUNE)] == ["ban", "cadastre-parcels"]
            assert new.book("all").gazetteer is old.book("all").gazetteer
        assert [each.dataset for each in books.seen_by(before).loads_of(COMMUNE)] == ["ban"]


def test_more_communes_than_a_statement_may_name_are_followed(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "MAX_NAMED", 3)
    codes = [f"{number}100" for number in range(10, 18)]
    for code in codes:
        load(store, "ban", code, [address(1, "Rue Neuve", None, commune=code, city=f"Commune {code}")])
    land = service(store)
    for code in codes:
        answer = land.resolve_address(AddressQuery(label=f"1 rue neuve commune {code}"), "all", "en")
        assert answer.address.city_code == code
