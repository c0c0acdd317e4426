"""The age of the loaded data, without the demo."""

from datetime import UTC, datetime

from land_builders import COMMUNE, address, load
from prometheus_client import REGISTRY
from sqlalchemy import Engine

from land.datasets.partitions import DEMO_DEPARTMENT
from land.loading.data_age import sample_ages
from land.store import loads


def test_the_oldest_and_the_newest_partition_of_each_dataset_are_measured(store: Engine) -> None:
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (10, 10))])
    load(store, "ban", f"{DEMO_DEPARTMENT}001", [address(1, "Rue des Lilas", (10, 10))])
    with store.connect() as connection:
        (loaded,) = loads.by_dataset(connection).values()
    newest = loaded.newest_retrieved_at
    assert (loaded.dataset, loaded.partition_count, loaded.oldest_retrieved_at) == ("ban", 1, newest)
    sample_ages(store)
    at = REGISTRY.get_sample_value("land_data_newest_timestamp_seconds", {"dataset": "ban"})
    assert at is not None
    assert datetime.fromtimestamp(at, UTC) == datetime.fromisoformat(newest)
