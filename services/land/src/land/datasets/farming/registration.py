"""Farmed parcels that were declared for aid."""

from land.datasets.dataset import Dataset, Licence
from land.datasets.farming.queries import replace_fields
from land.datasets.farming.reader import Rpg
from land.datasets.planning.registration import GPU

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
    write=replace_fields,
    hosts=(GPU[1],),
    needs_plan=True,
)
DATASETS = (RPG,)
