"""The files of Sitadel, one for each family of authorizations."""

from land.datasets.communes.queries import population
from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.parcels.registration import PARCELS
from land.datasets.permits import codes as sitadel_codes
from land.datasets.permits.queries import facts, place_again, replace_permits
from land.datasets.permits.reader import Sitadel, permit_rows

_DIDO = Host("sitadel", "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1")


def _sitadel(family: sitadel_codes.Family) -> Dataset:
    return Dataset(
        id=family.id,
        order=240,
        licence=Licence(
            publisher="SDES",
            dataset=f"Sitadel, {family.dataset}",
            attribution="SDES, Sitadel",
            url="https://www.statistiques.developpement-durable.gouv.fr/"
            "liste-des-permis-de-construire-et-autres-autorisations-durbanisme",
        ),
        kind="filing_commune",
        make_reader=lambda base: Sitadel(base, family),
        write=replace_permits,
        rows=permit_rows,
        facts=facts,
        consequences={PARCELS.id: place_again},
        hosts=(_DIDO,),
        least_rows=lambda connection, partition: population(connection, partition.code) // family.inhabitants,
        is_believed_twice=True,
        late_after_days=80,  # every month, two months later
    )


DATASETS = tuple(_sitadel(family) for family in sitadel_codes.FAMILIES)
PERMITS = tuple(dataset.id for dataset in DATASETS)
