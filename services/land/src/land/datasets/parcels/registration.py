"""The cadastral plan: parcels, and the territories of communes."""

from land.datasets.dataset import Dataset, Host, Licence, one_table
from land.datasets.grouping import unique
from land.datasets.parcels.queries import PARCELS as PLAN
from land.datasets.parcels.queries import TERRITORIES, keep_vanished
from land.datasets.parcels.reader import CadastreCommunes, CadastreParcels, parcel_rows
from land.datasets.parcels.succession import facts
from land.store.repository import replace_all

CADASTRE = Host("cadastre", "https://cadastre.data.gouv.fr/data/etalab-cadastre")


def cadastre_licence(layer: str) -> Licence:
    return Licence(
        publisher="DGFiP, Etalab",
        dataset=f"Plan cadastral informatisé, {layer}",
        attribution="DGFiP, cadastre",
        url="https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
    )


PARCELS = Dataset(
    id="cadastre-parcels",
    order=50,
    licence=cadastre_licence("parcelles"),
    kind="commune",
    make_reader=CadastreParcels,
    write=replace_all(PLAN),
    keep=keep_vanished,
    facts=facts,
    is_never_empty=True,
    rows=one_table(parcel_rows),
    hosts=(CADASTRE,),
    late_after_days=130,  # every quarter
)
CADASTRE_COMMUNES = Dataset(
    id="cadastre-communes",
    order=70,
    licence=cadastre_licence("communes"),
    kind="commune",
    make_reader=CadastreCommunes,
    write=replace_all(TERRITORIES),
    rows=unique("commune_code"),
    hosts=(CADASTRE,),
)
