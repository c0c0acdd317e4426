"""The datasets of BAN."""

from land.datasets.addresses import queries as addresses
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.reader import BanAddresses, BanLocalities
from land.datasets.addresses.rows import address_rows, locality_rows
from land.datasets.addresses.street_forms import with_form
from land.datasets.communes.queries import population
from land.datasets.dataset import Dataset, Host, Licence, one_table
from land.store.repository import replace_all

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
