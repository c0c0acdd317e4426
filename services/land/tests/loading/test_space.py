"""Disk space that loads require, and the size of the store above which partitions are evicted."""

from dataclasses import replace
from pathlib import Path

import pytest
from land_replica import LIMITS, Replica
from published_files import COMMUNE, OTHER, ban_file, ban_path, cadastre_file, cadastre_path, parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import SourceUnavailable
from land.loading.disk_space import evict
from land.loading.on_demand import LoadLimits
from land.store import fetches, size

ELSEWHERE = AddressQuery(label="12 rue des lilas 18250 La Chapelle")
MORE_THAN_ANY_DISK = 1 << 60


def test_a_load_that_would_leave_too_little_disk_space_is_refused_before_its_download(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    full = Replica(store, publishers, tmp_path / "land", limits=LoadLimits(min_free_bytes=MORE_THAN_ANY_DISK))
    with pytest.raises(SourceUnavailable) as caught:
        full.resolve()
    assert "disk space" in str(caught.value.detail)
    assert caught.value.retry_after_s == 60
    assert publishers.requests == []
    full.on_demand.end()
    roomy = Replica(store, publishers, tmp_path / "land")
    assert roomy.resolve() == [parcel_id(12)]


def test_the_download_of_a_file_too_large_for_the_disk_is_cancelled_at_its_first_bytes(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.set_mode(ban_path(), "huge")
    limits = LoadLimits(download=replace(LIMITS, max_bytes=MORE_THAN_ANY_DISK))
    replica = Replica(engine, publishers, tmp_path / "land", limits=limits)
    with pytest.raises(SourceUnavailable) as caught:
        replica.resolve()
    assert "disk space" in str(caught.value.detail)
    assert publishers.counts()[ban_path()] == 1


def serve_many_addresses(publishers: Publishers) -> None:
    for commune, name, postcode in ((COMMUNE, "Bourges", "18000"), (OTHER, "La Chapelle", "18250")):
        publishers.files[ban_path(commune)] = ban_file(range(1, 4_000), commune, name, postcode)
        publishers.files[cadastre_path(commune, "2026-06-01")] = cadastre_file(range(1, 4_000), commune)


def addresses_kept(store: Engine) -> set[str]:
    """The communes whose addresses are loaded."""
    with store.connect() as connection:
        return {partition for dataset, partition in fetches.present(connection, [COMMUNE, OTHER]) if dataset == "ban"}


def fill(store: Engine, publishers: Publishers, folder: Path, record_share: float) -> Replica:
    """Loads a commune, then another one with a size limit of `record_share` times the first one's records. Returns the
    replica with this limit.
    """
    serve_many_addresses(publishers)
    first = Replica(store, publishers, folder)
    first.resolve()
    first.on_demand.end()
    with store.connect() as connection:
        limit = int(fetches.total_bytes(connection) * record_share)
    second = Replica(store, publishers, folder, max_store_bytes=limit)
    second.resolve(ELSEWHERE)
    return second


def test_the_limit_counts_the_size_of_the_store_and_not_the_records(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """The records of both communes are within the limit; with their indexes they are not."""
    fill(store, publishers, tmp_path / "land", 2.2).on_demand.end()
    assert addresses_kept(store) == {OTHER}


def test_within_the_limit_nothing_is_evicted(store: Engine, publishers: Publishers, tmp_path: Path) -> None:
    fill(store, publishers, tmp_path / "land", 50.0).on_demand.end()
    assert addresses_kept(store) == {COMMUNE, OTHER}


@pytest.mark.parametrize("store", [pytest.param("postgis", marks=pytest.mark.docker)], indirect=True)
def test_free_space_inside_tables_causes_no_further_eviction(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """PostgreSQL's tables do not shrink after an eviction."""
    replica = fill(store, publishers, tmp_path / "land", 3.5)
    sales = replica.on_demand.keys(COMMUNE, ["dvf"])
    assert set(replica.on_demand.load(sales, 30.0).values()) == {"loaded"}
    replica.on_demand.end()
    assert addresses_kept(store) == {OTHER}


def test_the_size_of_the_store_grows_with_loads_and_shrinks_with_evictions(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    def occupied() -> int:
        with engine.connect() as connection:
            return size.occupied_bytes(connection)

    serve_many_addresses(publishers)
    before = occupied()
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.resolve()
    replica.on_demand.end()
    loaded = occupied()
    evict(engine, 1, in_use=())
    assert before <= occupied() < loaded
    with engine.connect() as connection:
        assert size.journal_bytes(connection) > 0
