"""The files of lineage."""

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.lineage.queries import LINEAGE, facts
from land.datasets.lineage.reader import LineageDocuments
from land.store.repository import replace_all

DFI = Dataset(
    id="dfi",
    order=235,
    licence=Licence(
        publisher="DGFiP",
        dataset="Documents de filiation informatisés des parcelles",
        attribution="DGFiP, documents de filiation informatisés (DFI)",
        url="https://data.economie.gouv.fr/explore/dataset/documents-de-filiation-informatises-dfi-des-parcelles/",
    ),
    kind="department",
    make_reader=LineageDocuments,
    write=replace_all(LINEAGE),
    facts=facts,
    hosts=(
        Host(
            "lineage",
            "https://data.economie.gouv.fr/api/explore/v2.1/catalog/datasets",
            "Catalogue of the DGFiP's files of lineage.",
        ),
    ),
    is_streamed=True,
    is_awaited=False,
)
