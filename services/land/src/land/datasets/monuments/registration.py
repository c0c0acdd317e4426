"""Protected historic monuments."""

from land.datasets.dataset import Dataset, Licence
from land.datasets.grouping import unique
from land.datasets.joint_ownerships.registration import RNIC
from land.datasets.monuments.queries import MONUMENTS
from land.datasets.monuments.reader import Merimee
from land.store.repository import replace_all

MERIMEE = Dataset(
    id="merimee",
    order=240,
    licence=Licence(
        publisher="Ministère de la Culture",
        dataset="Immeubles protégés au titre des monuments historiques",
        attribution="Ministère de la Culture, base Mérimée",
        url="https://www.data.gouv.fr/datasets/immeubles-proteges-au-titre-des-monuments-historiques-2",
    ),
    kind="department",
    is_never_empty=True,
    make_reader=Merimee,
    write=replace_all(MONUMENTS),
    rows=unique("reference"),
    hosts=RNIC.hosts,
    is_awaited=False,
)
