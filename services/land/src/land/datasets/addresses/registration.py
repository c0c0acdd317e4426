"""The datasets of BAN, and the form of a commune's streets that each load of them writes."""

from collections.abc import Callable, Iterable
from typing import Any

from land.addresses.stored_streets import FORM_VERSION, encode
from land.addresses.street_starts import street_starts
from land.datasets.addresses import queries as addresses
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.reader import BanAddresses, BanLocalities
from land.datasets.addresses.rows import address_rows, locality_rows
from land.datasets.addresses.street_queries import FORMS, STREET_STARTS, StreetForm
from land.datasets.communes.queries import population
from land.datasets.dataset import Dataset, Host, Licence, one_table
from land.datasets.partitions import Partition
from land.store import loads
from land.store.repository import Transaction, replace_all


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


MOST_INHABITANTS = 100
"""Inhabitants of one address, far more than in any commune: the 18th arrondissement of Paris has 24."""
_BAN = Host("ban", "https://plateforme.adresse.data.gouv.fr")
_BAN_LICENCE = Licence(
    publisher="Base Adresse Nationale (DINUM, IGN)",
    dataset="Base Adresse Nationale",
    attribution="Base Adresse Nationale",
    url="https://adresse.data.gouv.fr/donnees-nationales",
)
BAN = Dataset(
    id="ban",
    order=30,
    licence=_BAN_LICENCE,
    kind="commune",
    is_never_empty=True,
    make_reader=BanAddresses,
    write=with_form(replace_all(addresses.ADDRESS_COMMUNES, streets.STREETS, addresses.ADDRESSES)),
    rows=address_rows,
    hosts=(_BAN,),
    least_rows=lambda connection, partition: population(connection, partition.code) // MOST_INHABITANTS,
)
LOCALITIES = Dataset(
    id="ban-localities",
    order=40,
    licence=_BAN_LICENCE,
    kind="commune",
    make_reader=BanLocalities,
    write=with_form(replace_all(streets.LOCALITIES)),
    rows=one_table(locality_rows),
    hosts=(_BAN,),
    least_rows=lambda connection, partition: 1,
    is_believed_twice=True,
)
ADDRESSES = tuple(dataset.id for dataset in (BAN, LOCALITIES))
