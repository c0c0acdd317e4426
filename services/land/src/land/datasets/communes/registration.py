"""The lists of communes, and of their postcodes."""

from collections.abc import Sequence

from land.datasets.communes import queries as communes
from land.datasets.communes.cog import Cog
from land.datasets.communes.postcodes import Postcodes
from land.datasets.communes.records import CommuneRecord, MovementRecord
from land.datasets.dataset import Dataset, Host, Licence
from land.datasets.grouping import last_of_each, unique
from land.datasets.partitions import Partition
from land.store.repository import Transaction, replace_all


def commune_rows(
    records: Sequence[CommuneRecord | MovementRecord],
) -> tuple[list[CommuneRecord], list[MovementRecord]]:
    """The communes and the movements, each once."""
    communes = [record for record in records if isinstance(record, CommuneRecord)]
    movements = [record for record in records if isinstance(record, MovementRecord)]
    keys = ("old_code", "effective_on", "change", "old_kind", "new_code", "new_kind")
    return last_of_each(communes, "code", "kind"), last_of_each(movements, *keys)


LEAST_ROWS = {"communes": 30_000, "movements": 10_000, "": 30_000}
"""The rows of a whole list by part: France has 34,900 communes, and 13,700 movements since 1943."""


def _least_rows(_: Transaction, partition: Partition) -> int:
    return LEAST_ROWS[partition.part]


COG = Dataset(
    id="cog",
    order=10,
    licence=Licence(
        publisher="INSEE",
        dataset="Code officiel géographique",
        attribution="INSEE, Code officiel géographique",
        url="https://www.insee.fr/fr/information/8740222",
    ),
    kind="country",
    make_reader=Cog,
    write=replace_all(communes.COMMUNES, communes.MOVEMENTS),
    rows=commune_rows,
    least_rows=_least_rows,
    hosts=(
        Host(
            "cog",
            "https://www.insee.fr/fr/statistiques/fichier/8740222",
            "INSEE's list of communes. The number changes with each year's edition.",
        ),
    ),
)
POSTCODES = Dataset(
    id="postcodes",
    order=20,
    licence=Licence(
        publisher="Etalab",
        dataset="API Découpage administratif, communes et codes postaux",
        attribution="Etalab, INSEE, La Poste",
        url="https://geo.api.gouv.fr/decoupage-administratif/communes",
    ),
    kind="country",
    make_reader=Postcodes,
    write=replace_all(communes.POSTCODES),
    rows=unique("code"),
    least_rows=_least_rows,
    hosts=(Host("postcodes", "https://geo.api.gouv.fr"),),
)
COMMUNE_LISTS = tuple(dataset.id for dataset in (COG, POSTCODES))
