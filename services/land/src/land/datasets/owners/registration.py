"""The files of legal persons."""

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.owners.queries import OWNERS as OWNER_ROWS
from land.datasets.owners.reader import LegalPersons
from land.store.repository import replace_all

OWNERS = Dataset(
    id="personnes-morales",
    order=220,
    licence=Licence(
        publisher="DGFiP",
        dataset="Fichiers des parcelles des personnes morales",
        attribution="DGFiP, fichiers des parcelles des personnes morales",
        url="https://data.economie.gouv.fr/explore/dataset/fichiers-des-locaux-et-des-parcelles-des-personnes-morales/",
    ),
    kind="department",
    make_reader=LegalPersons,
    write=replace_all(OWNER_ROWS),
    hosts=(
        Host(
            "legal_persons",
            "https://data.economie.gouv.fr/api/explore/v2.1/catalog/datasets",
            "Catalogue of the DGFiP's files of legal persons.",
        ),
    ),
    is_streamed=True,
    is_awaited=False,
)
