"""Farmed parcels that were declared for aid."""

from land.datasets.dataset import Dataset, Licence
from land.datasets.farming.queries import FIELDS
from land.datasets.farming.reader import Rpg
from land.datasets.planning.registration import GPU
from land.store.repository import replace_all

RPG = Dataset(
    id="rpg",
    order=87,
    licence=Licence(
        publisher="IGN, Agence de services et de paiement",
        dataset="Registre parcellaire graphique",
        attribution="IGN, Agence de services et de paiement (RPG)",
        url="https://geoservices.ign.fr/rpg",
    ),
    kind="commune",
    make_reader=Rpg,
    write=replace_all(FIELDS),
    hosts=(GPU[1],),
    needs_plan=True,
)
