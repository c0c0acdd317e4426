"""Limits of on-demand loads: loads of one key do not delay another key, and a vague query loads few communes."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from land_replica import LIMITS, Replica
from published_files import OTHER, ban_file, ban_path, cog_file, parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import AddressNotFound, CommuneLoading
from land.loading.on_demand import LoadLimits
from land.loading.prefetch import MAX_ADDRESS_LOADS
from servicekit.context import requester

ARRONDISSEMENTS = {f"751{number:02}": number * 10 if number != 20 else 5 for number in range(1, 21)}
"""Inhabitants by arrondissement of Paris: the 19th has the most, and few enough for the addresses that are served."""


@contextmanager
def as_requester(key_id: str) -> Iterator[None]:
    token = requester.set(key_id)
    try:
        yield
    finally:
        requester.reset(token)


def hang(publishers: Publishers, commune: str) -> None:
    """Makes requests for files of the commune hang."""
    for path in [*publishers.files, *publishers.redirects]:
        if commune in path:
            publishers.set_mode(path, "hanging")


def replica_with_lists(
    engine: Engine, publishers: Publishers, folder: Path, limits: LoadLimits, max_waiting: int = 8
) -> Replica:
    """A replica that has loaded the lists of communes."""
    replica = Replica(engine, publishers, folder, limits=limits, max_waiting=max_waiting)
    replica.on_demand.load(replica.on_demand.national_keys(), 30.0)
    return replica


def test_hanging_loads_of_one_key_do_not_block_another_key(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = replica_with_lists(engine, publishers, tmp_path / "land", LoadLimits(download=LIMITS))
    hang(publishers, OTHER)
    with as_requester("many"), pytest.raises(CommuneLoading):
        replica.land_unit(parcel_id(1, OTHER), deadline_s=2.0)
    with as_requester("one"):
        assert replica.resolve() == [parcel_id(12)]


def test_a_key_with_too_many_loads_is_refused_and_others_are_served(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = replica_with_lists(
        engine, publishers, tmp_path / "land", LoadLimits(max_per_requester=5, download=LIMITS)
    )
    hang(publishers, OTHER)
    with as_requester("many"), pytest.raises(CommuneLoading) as caught:
        replica.land_unit(parcel_id(1, OTHER), deadline_s=60.0)
    assert str(caught.value.detail).startswith("Too many loads")
    assert caught.value.retry_after_s == 10
    with as_requester("one"):
        assert replica.resolve() == [parcel_id(12)]


def test_one_key_cannot_take_every_waiting_slot(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    replica = replica_with_lists(engine, publishers, tmp_path / "land", LoadLimits(download=LIMITS), max_waiting=2)
    hang(publishers, OTHER)

    def request() -> None:
        with as_requester("many"):
            replica.land_unit(parcel_id(1, OTHER), deadline_s=60.0)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(request)
        while not any(OTHER in path for path in publishers.requests):
            time.sleep(0.01)
        with pytest.raises(CommuneLoading):
            request()
        assert not first.done(), "the second call waited for as long as the first"
        with as_requester("one"):
            assert replica.resolve() == [parcel_id(12)]
        publishers.released.set()
        first.exception()


def serve_paris(publishers: Publishers) -> None:
    cog = cog_file({"75056": "Paris"}).decode()
    rows = [f"ARM,{code},Paris {code[3:]}e Arrondissement,75056" for code in ARRONDISSEMENTS]
    publishers.files["/cog/v_commune_2026.csv"] = "\n".join([cog.strip(), *rows, ""]).encode()
    listed = ", ".join(
        f'{{"code": "{code}", "nom": "Paris {code[3:]}e", "codesPostaux": ["75000"], "population": {population}}}'
        for code, population in ARRONDISSEMENTS.items()
    )
    publishers.files["/postcodes/communes"] = f"[{listed}]".encode()
    for code in ARRONDISSEMENTS:
        publishers.files[ban_path(code)] = ban_file(range(1, 9), code, "Paris", "75000")


def test_a_vague_query_loads_the_likeliest_communes_and_names_the_others(
    replica: Replica, publishers: Publishers
) -> None:
    serve_paris(publishers)
    vague = AddressQuery(label="Tour Eiffel Paris")
    for _ in range(2):  # the same query loads nothing more
        with pytest.raises(AddressNotFound) as caught:
            replica.resolve(vague)
        requests = [path for path in publishers.requests if not path.startswith(("/cog", "/postcodes"))]
        assert sorted(requests) == [ban_path(code) for code in ("75116", "75117", "75118", "75119")]
        assert len(requests) == MAX_ADDRESS_LOADS
    assert "75101" in str(caught.value.detail)
    assert "75119" not in str(caught.value.detail)


def test_only_the_commune_of_the_address_loads_its_parcels(replica: Replica, publishers: Publishers) -> None:
    serve_paris(publishers)
    replica.resolve(AddressQuery(label="3 rue des lilas Paris"))
    requests = [path for path in publishers.requests if not path.startswith(("/cog", "/postcodes"))]
    assert len([path for path in requests if path.startswith("/ban")]) == MAX_ADDRESS_LOADS
    assert len(requests) == MAX_ADDRESS_LOADS + 1
