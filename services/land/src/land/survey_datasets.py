"""The datasets of surveys: altitudes of the ground, and diagnoses of dwellings."""

from land.dataset import Dataset, Host, Licence, one_table
from land.rows.altitudes import altitude_rows
from land.rows.energy_ratings import rating_counts
from land.sources.altimetry import Altimetry
from land.sources.dpe import Dpe
from land.store.altitudes import ALTITUDES
from land.store.energy_ratings import RATINGS
from land.store.repository import replace_all

ALTIMETRY = Dataset(
    id="altimetry",
    licence=Licence(
        publisher="IGN",
        dataset="RGE ALTI, service altimétrique",
        attribution="IGN, RGE ALTI",
        url="https://geoservices.ign.fr/documentation/services/services-deprecies/calcul-altimetrique-rest",
    ),
    kind="commune",
    make_reader=Altimetry,
    write=replace_all(ALTITUDES),
    rows=one_table(altitude_rows),
    is_asked=True,
)
DPE = Dataset(
    id="dpe",
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
