"""The sales of DVF."""

from land.datasets.dataset import LICENCE_OUVERTE, Dataset, Host, Licence
from land.datasets.sales.market_rows import sale_rows
from land.datasets.sales.queries import MARKET_SALES, SALES, facts
from land.datasets.sales.reader import Dvf
from land.store.repository import replace_all

_LIVRE_FONCIER = ("57", "67", "68", "976")
"""DVF does not cover Alsace-Moselle and Mayotte, which keep a Livre foncier."""
DVF = Dataset(
    id="dvf",
    order=100,
    licence=Licence(
        publisher="DGFiP, Etalab",
        dataset="Demandes de valeurs foncières géolocalisées",
        licence=f"{LICENCE_OUVERTE}, sans réidentification des personnes ni indexation par les moteurs de recherche",
        attribution="DGFiP, Demandes de valeurs foncières",
        url="https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres-geolocalisees/",
    ),
    kind="commune",
    make_reader=Dvf,
    write=replace_all(SALES, MARKET_SALES),
    rows=sale_rows,
    facts=facts,
    hosts=(Host("dvf", "https://files.data.gouv.fr/geo-dvf"),),
    not_published_in=_LIVRE_FONCIER,
)
DATASETS = (DVF,)
