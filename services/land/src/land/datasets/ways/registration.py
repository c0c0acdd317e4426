"""Roads, paths, railways and water of BD TOPO."""

from land.datasets.buildings.registration import BDTOPO
from land.datasets.dataset import Dataset
from land.datasets.planning.registration import GPU
from land.datasets.ways.queries import WAYS
from land.datasets.ways.reader import Ways
from land.store.repository import replace_all

BDTOPO_WAYS = Dataset(
    id="bdtopo-ways",
    order=85,
    licence=BDTOPO.licence._replace(dataset="BD TOPO, routes, voies ferrées et eaux"),
    kind="commune",
    make_reader=Ways,
    write=replace_all(WAYS),
    hosts=(GPU[1],),
    needs_plan=True,
)
