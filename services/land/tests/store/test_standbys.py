"""Reads from a standby: a copy of the store's file that stays as it is until a test replaces it."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from land_builders import COMMUNE, address, load, resolution_of
from land_replica import ADDRESS, POOL_SIZE, Replica
from published_files import parcel_id
from publishers import Publishers
from pydantic import SecretStr
from sqlalchemy import Engine, text

from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery
from land.errors import StoreUnavailable
from land.pipeline import Pipeline
from land.store import loads, open_standbys
from land.store.snapshot import check_readable, snapshot
from land.store.standbys import Servers, Standby
from servicekit.database import open_engine

MAX_LAG_S = 5.0
LILAS = AddressQuery(street="rue des lilas", number="7", city_code=COMMUNE)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Lagging:
    """A primary and one standby."""

    def __init__(self, primary: Engine, folder: Path) -> None:
        self.primary = primary
        self.clock = Clock()
        self._file = folder / "standby.sqlite"
        self.catch_up()
        self.engine = open_engine(f"sqlite:///{self._file}", pool_size=POOL_SIZE)
        self.servers = Servers(primary, [self.engine], MAX_LAG_S, self.clock)
        self.poll()

    @property
    def standby(self) -> Standby:
        return self.servers.standbys[0]

    def poll(self) -> None:
        self.servers.poll_primary()
        self.standby.poll()

    def catch_up(self) -> None:
        """Copies the primary."""
        with self.primary.connect() as connection:
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            connection.rollback()
            shutil.copy(str(self.primary.url.database), self._file)

    def break_down(self) -> None:
        """Lets every query of the standby fail."""
        with self.engine.begin() as connection:
            connection.execute(text("ALTER TABLE revision RENAME TO lost"))

    def server(self) -> str:
        return self.servers.read(lambda engine: "primary" if engine is self.primary else "standby")


@pytest.fixture
def lagging(engine: Engine, tmp_path: Path) -> Iterator[Lagging]:
    load_edition(engine, 1)
    standby = Lagging(engine, tmp_path)
    yield standby
    standby.engine.dispose()


def load_edition(store: Engine, number: int) -> None:
    records = [address(7, "Rue des Lilas", (number, 0.0), street_id=f"{COMMUNE}_{number:04}")]
    assert load(store, "ban", COMMUNE, records, edition=f"e{number}")


def edition(land: Pipeline) -> tuple[str, str]:
    """The edition of an answer: of its address, and of its source."""
    answer = resolution_of(land, LILAS)
    return answer.address.id.split("_")[1].lstrip("0"), answer.sources[0].edition[1:]


def test_a_standby_answers_for_as_long_as_its_lag_is_bounded(lagging: Lagging) -> None:
    land = Pipeline(lagging.primary, servers=lagging.servers)
    assert lagging.server() == "standby"
    load_edition(lagging.primary, 2)
    lagging.poll()
    lagging.clock.now += MAX_LAG_S - 1
    lagging.poll()
    assert edition(land) == ("1", "1")
    lagging.clock.now += 2
    lagging.poll()
    assert edition(land) == ("2", "2")
    assert lagging.server() == "primary"
    lagging.catch_up()
    lagging.poll()
    assert lagging.server() == "standby"
    assert edition(land) == ("2", "2")


def test_the_bound_holds_while_the_primary_does_not_answer(lagging: Lagging) -> None:
    load_edition(lagging.primary, 2)
    lagging.poll()
    lagging.primary.dispose()
    Path(str(lagging.primary.url.database)).unlink()
    lagging.clock.now += MAX_LAG_S + 1
    lagging.poll()
    assert lagging.server() == "standby"  # nobody has read from it since
    with suppress(StoreUnavailable):
        edition(Pipeline(lagging.primary, servers=lagging.servers))
    assert not lagging.standby.is_usable


def test_an_answer_never_mixes_the_editions_of_a_standby_and_of_the_caches(lagging: Lagging) -> None:
    land = Pipeline(lagging.primary, servers=lagging.servers)
    load_edition(lagging.primary, 2)
    lagging.standby.is_usable = False
    assert edition(land) == ("2", "2")  # fills the caches
    lagging.standby.is_usable = True
    assert edition(land) == ("2", "2")


def test_a_request_sees_the_load_that_it_waited_for(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    lagging = Lagging(engine, tmp_path)
    assert lagging.server() == "standby"
    replica = Replica(engine, publishers, tmp_path / "land", servers=lagging.servers)
    assert replica.resolve() == [parcel_id(12)]
    assert replica.land_unit(address=ADDRESS).parcels[0].parcel_id == parcel_id(12)
    assert not lagging.standby.is_usable
    lagging.engine.dispose()


def test_a_standby_that_fails_during_a_request_is_replaced_by_the_primary(lagging: Lagging) -> None:
    land = Pipeline(lagging.primary, servers=lagging.servers)
    lagging.break_down()
    assert edition(land) == ("1", "1")
    assert not lagging.standby.is_usable
    lagging.poll()
    assert lagging.server() == "primary"


def test_without_the_primary_a_standby_answers_what_is_loaded(
    lagging: Lagging,
) -> None:
    lagging.primary.dispose()
    Path(str(lagging.primary.url.database)).unlink()
    land = Pipeline(lagging.primary, servers=lagging.servers)
    assert edition(land) == ("1", "1")
    lagging.servers.read(check_readable)
    assert CommuneLookup(lagging.primary, lagging.servers).register().is_empty


def test_a_standby_is_not_used_before_the_primary_was_read(engine: Engine, tmp_path: Path) -> None:
    lagging = Lagging(engine, tmp_path)
    fresh = Servers(engine, [lagging.engine], MAX_LAG_S)
    fresh.standbys[0].poll()
    assert not fresh.standbys[0].is_usable
    with snapshot(engine) as connection:
        assert loads.revisions(connection) == {}
    fresh.poll_primary()
    fresh.standbys[0].poll()
    assert fresh.standbys[0].is_usable
    lagging.engine.dispose()


@pytest.mark.parametrize(
    ("url", "user", "password"),
    [
        ("postgresql:///land?host=a&host=b:5433", "land", "p@ss"),
        ("postgresql://reader@/land?host=a&host=b:5433", "reader", None),
        ("postgresql://reader:other@/land?host=a&host=b:5433", "reader", "other"),
    ],
)
def test_standbys_without_a_user_take_that_of_the_primary(url: str, user: str, password: str | None) -> None:
    engines = open_standbys(SecretStr(url), SecretStr("postgresql://land:p%40ss@primary/land"), max_connections=1)
    assert [(standby_engine.url.host, standby_engine.url.port) for standby_engine in engines] == [
        ("a", None),
        ("b", 5433),
    ]
    assert {
        (standby_engine.url.username, standby_engine.url.password, standby_engine.url.database)
        for standby_engine in engines
    } == {(user, password, "land")}
