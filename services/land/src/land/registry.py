"""Every dataset of land, by id. Commands, loading, coverage and settings follow from it.

Each folder of `datasets` has a `registration`, whose constants are its datasets or tuples of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from land import datasets
from land.datasets.dataset import Dataset, Host
from land.datasets.partitions import Partition
from land.store.repository import Transaction


def _registered() -> Iterator[Dataset]:
    for registration in sorted(Path(datasets.__file__).parent.glob("*/registration.py")):
        for value in vars(import_module(f"{datasets.__name__}.{registration.parent.name}.registration")).values():
            yield from (one for one in (value if isinstance(value, tuple) else [value]) if isinstance(one, Dataset))


DATASETS: Mapping[str, Dataset] = {
    dataset.id: dataset for dataset in sorted(_registered(), key=lambda dataset: dataset.order)
}
"""All of them by id, in the order in which commands list them."""
HOSTS: Mapping[str, Host] = {host.name: host for dataset in DATASETS.values() for host in dataset.hosts}


def replace_rows(connection: Transaction, dataset_id: str, partition: Partition, records: Iterable[Any]) -> None:
    """Replaces all rows of a partition by those that follow from its records, and what other datasets take from them,
    in the caller's transaction.
    """
    dataset = DATASETS[dataset_id]
    dataset.write(connection, dataset_id, partition, *dataset.rows(records))
    for follow in {other.consequences[dataset_id] for other in DATASETS.values() if dataset_id in other.consequences}:
        follow(connection, partition.code)


def at(bases: Mapping[str, str]) -> dict[str, Dataset]:
    """The datasets, published at these base addresses, by host name; the others at their own."""
    return {
        key: replace(dataset, bases=tuple(bases.get(host.name, host.base) for host in dataset.hosts))
        for key, dataset in DATASETS.items()
    }
