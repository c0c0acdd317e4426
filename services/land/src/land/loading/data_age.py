"""Metrics of the age of the loaded data. An import is a separate process, so that only the store knows what it did."""

from datetime import datetime

from prometheus_client import Gauge

from land.registry import DATASETS
from land.store import loads
from land.store.snapshot import Store, snapshot

_partitions = Gauge("land_data_partitions", "Loaded partitions.", ["dataset"])
_oldest = Gauge("land_data_oldest_timestamp_seconds", "Retrieval of the oldest partition.", ["dataset"])
_newest = Gauge("land_data_newest_timestamp_seconds", "Retrieval of the newest partition.", ["dataset"])
_late = Gauge(
    "land_data_edition_late_days", "Days for which a newer edition has been due, 0 or less before.", ["dataset"]
)


def sample_ages(store: Store) -> None:
    """Sets the metrics. Raises StoreUnavailable."""
    with snapshot(store) as connection:
        loaded = loads.by_dataset(connection)
    for of_dataset in loaded.values():
        _partitions.labels(of_dataset.dataset).set(of_dataset.partition_count)
        _oldest.labels(of_dataset.dataset).set(datetime.fromisoformat(of_dataset.oldest_retrieved_at).timestamp())
        _newest.labels(of_dataset.dataset).set(datetime.fromisoformat(of_dataset.newest_retrieved_at).timestamp())
        dataset = DATASETS.get(of_dataset.dataset)  # an older program may have loaded others
        if dataset and (days := dataset.days_late(of_dataset.newest_edition)) is not None:
            _late.labels(dataset.id).set(days)
