"""Altitudes of the ground."""

from land.datasets.dataset import Dataset, Licence, one_table
from land.datasets.relief.queries import ALTITUDES
from land.datasets.relief.reader import Altimetry
from land.datasets.relief.rows import altitude_rows
from land.store.repository import replace_all

ALTIMETRY = Dataset(
    id="altimetry",
    order=110,
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
