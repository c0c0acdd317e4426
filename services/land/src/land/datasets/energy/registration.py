"""Energy diagnoses of dwellings."""

from land.datasets.dataset import Dataset, Host, Licence, one_table
from land.datasets.energy.queries import RATINGS
from land.datasets.energy.reader import Dpe, rating_counts
from land.store.repository import replace_all

DPE = Dataset(
    id="dpe",
    order=120,
    licence=Licence(
        publisher="ADEME",
        dataset="Diagnostics de performance énergétique des logements depuis juillet 2021",
        attribution="ADEME, diagnostics de performance énergétique",
        url="https://data.ademe.fr/datasets/dpe03existant",
    ),
    kind="commune",
    make_reader=Dpe,
    write=replace_all(RATINGS),
    rows=one_table(rating_counts),
    hosts=(Host("dpe", "https://data.ademe.fr/data-fair/api/v1/datasets"),),
    is_streamed=True,
    is_awaited=False,
)
