"""Writes the streets of a commune in the form that the search reads, and the starts of their names, with each load of
its addresses.
"""

from collections.abc import Callable, Iterable
from typing import Any

from land.addresses.stored_streets import FORM_VERSION, encode
from land.addresses.street_starts import street_starts
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.street_queries import FORMS, STREET_STARTS, StreetForm
from land.datasets.partitions import Partition
from land.store import loads
from land.store.repository import Transaction


def with_form(write: Callable[..., None]) -> Callable[..., None]:
    """A function that replaces the rows of a commune, then the form of its streets and the starts of their names."""

    def replace(connection: Transaction, dataset: str, partition: Partition, *rows: Iterable[Any]) -> None:
        write(connection, dataset, partition, *rows)
        _renew(connection, partition.code)

    return replace


def _renew(connection: Transaction, commune_code: str) -> None:
    """Writes the form of a commune's streets.

    The lock is for streets and lieux-dits that two transactions load: the later one reads the rows of both.
    """
    loads.lock(connection, f"streets {commune_code}")
    named_streets = streets.streets(connection, commune_code)
    partition = Partition(commune_code)
    forms = [StreetForm(commune_code, FORM_VERSION, encode(named_streets))] if named_streets else []
    FORMS.replace(connection, "", partition, forms)
    size = sum(named.street.address_count for named in named_streets)
    starts = street_starts(named_streets, size)
    STREET_STARTS.replace(connection, "", partition, starts)
