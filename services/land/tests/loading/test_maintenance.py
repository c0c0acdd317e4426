"""Data that was loaded on demand: its use is recorded, it is evicted above the limit and refreshed when outdated."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from land_builders import resolution_of
from land_replica import ADDRESS, Replica
from published_files import COMMUNE, OTHER, ban_file, ban_path, localities_path, parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import AddressNotFound
from land.loading.maintenance import Maintenance
from land.pipeline import Pipeline
from land.store import fetches


def test_the_least_recently_used_commune_is_evicted_and_loaded_again(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    replica.resolve()
    replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"))
    with store.connect() as connection:
        assert fetches.present(connection, [COMMUNE, OTHER]) == {
            ("ban", OTHER), ("ban-localities", OTHER), ("cadastre-parcels", OTHER),
        }  # fmt: skip
    replica.on_demand.end()
    later = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    assert later.resolve() == [parcel_id(12)]
    assert later.land_unit(parcel_id(1)).history.sales != ()
    assert publishers.counts()[ban_path()] == 2


def test_caches_drop_an_evicted_commune(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    replica = Replica(engine, publishers, tmp_path / "land", max_store_bytes=1)
    local = Pipeline(engine)
    replica.resolve()
    assert resolution_of(local, ADDRESS).address.city_code == COMMUNE
    replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"))
    with pytest.raises(AddressNotFound):
        resolution_of(local, ADDRESS)


def test_the_use_of_a_commune_is_recorded(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.resolve()
    with engine.begin() as connection:
        keys = [key.id for key in replica.on_demand.keys(COMMUNE)]
        fetches.use(connection, keys, "2020-01-01T00:00:00Z")
    replica.usage.flush()
    with engine.connect() as connection:
        fetch = fetches.find(connection, "ban", COMMUNE)
    assert fetch is not None
    assert fetch.used_at > "2026"


def test_outdated_data_is_refreshed(replica: Replica, engine: Engine, publishers: Publishers) -> None:
    replica.resolve()
    maintenance = Maintenance(engine, replica.on_demand, replica.usage, replica.communes.warm_up, refresh_days=30)
    maintenance.refresh_outdated()
    assert publishers.counts()[ban_path()] == 1
    with engine.begin() as connection:
        fetches.complete(connection, "ban", COMMUNE, "2026-01-01T00:00:00Z", 1)
    publishers.files[ban_path()] = ban_file([*range(1, 78)])
    maintenance.refresh_outdated()
    assert publishers.counts()[ban_path()] == 2
    assert publishers.counts()[localities_path()] == 1
    assert resolution_of(replica.pipeline, AddressQuery(label="77 rue des lilas 18000")).address.number == "77"
    with engine.connect() as connection:
        fetch = fetches.find(connection, "ban", COMMUNE)
    assert fetch is not None
    assert fetch.fetched_at >= f"{datetime.now(UTC):%Y-%m-%d}"


def test_a_refresh_that_fails_keeps_the_old_edition(replica: Replica, engine: Engine, publishers: Publishers) -> None:
    replica.resolve()
    with engine.begin() as connection:
        fetches.complete(connection, "ban", COMMUNE, "2026-01-01T00:00:00Z", 1)
    publishers.set_mode("/ban", "truncated")
    Maintenance(engine, replica.on_demand, replica.usage, replica.communes.warm_up, refresh_days=30).refresh_outdated()
    assert replica.resolve() == [parcel_id(12)]
