"""The sources of buildings."""

from functools import partial

from land.datasets.buildings.bdtopo import BdTopo
from land.datasets.buildings.cadastre import CadastreBuildings
from land.datasets.buildings.queries import replace_buildings
from land.datasets.buildings.rnb import Rnb
from land.datasets.dataset import Dataset, Licence
from land.datasets.parcels.registration import CADASTRE, cadastre_licence

CADASTRE_BUILDINGS = Dataset(
    id="cadastre-buildings",
    order=60,
    licence=cadastre_licence("bâtiments"),
    kind="commune",
    make_reader=CadastreBuildings,
    write=partial(replace_buildings, source=0),
    hosts=(CADASTRE,),
    is_streamed=True,
)
BDTOPO = Dataset(
    id="bdtopo",
    order=80,
    licence=Licence(
        publisher="IGN",
        dataset="BD TOPO, bâtiments",
        attribution="IGN, BD TOPO",
        url="https://geoservices.ign.fr/bdtopo",
    ),
    kind="department",
    make_reader=BdTopo,
    write=partial(replace_buildings, source=1),
    is_streamed=True,
)
RNB = Dataset(
    id="rnb",
    order=90,
    licence=Licence(
        publisher="Référentiel national des bâtiments",
        dataset="Référentiel national des bâtiments",
        attribution="Référentiel national des bâtiments",
        url="https://www.data.gouv.fr/datasets/referentiel-national-des-batiments/",
    ),
    kind="department",
    make_reader=Rnb,
    write=partial(replace_buildings, source=2),
    is_streamed=True,
)
BUILDINGS = tuple(dataset.id for dataset in (CADASTRE_BUILDINGS, BDTOPO, RNB))
"""The sources of buildings in order of precedence of outlines: the plan's own first, on which the parcels are drawn."""
