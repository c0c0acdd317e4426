"""The national register of joint ownerships."""

from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.grouping import unique
from land.datasets.joint_ownerships.queries import JOINT_OWNERSHIPS
from land.datasets.joint_ownerships.reader import Rnic
from land.store.repository import replace_all

RNIC = Dataset(
    id="rnic",
    order=230,
    licence=Licence(
        publisher="ANAH",
        dataset="Registre national des copropriétés",
        attribution="ANAH, Registre national d'immatriculation des copropriétés",
        url="https://www.data.gouv.fr/datasets/registre-national-dimmatriculation-des-coproprietes/",
    ),
    kind="department",
    is_never_empty=True,
    make_reader=Rnic,
    write=replace_all(JOINT_OWNERSHIPS),
    rows=unique("parcel_id", "id"),
    hosts=(
        Host("rnic", "https://tabular-api.data.gouv.fr/api", "API of data.gouv.fr, which filters the national file."),
    ),
    is_awaited=False,
)
