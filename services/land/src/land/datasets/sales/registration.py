"""The sales of DVF: the years that are published, and withdrawn ones, which are imported and stay."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from land.datasets.dataset import LICENCE_OUVERTE, Dataset, Host, Licence
from land.datasets.partitions import Partition
from land.datasets.sales.deed_queries import write_sales
from land.datasets.sales.market_rows import sale_rows
from land.datasets.sales.queries import facts
from land.datasets.sales.reader import Dvf, DvfArchive
from land.store import loads
from land.store.repository import Transaction

_LIVRE_FONCIER = ("57", "67", "68", "976")
"""DVF does not cover Alsace-Moselle and Mayotte, which keep a Livre foncier."""
LEAST_SHARE = 0.25
MIN_COMPARED = 40
"""The rows of a year, as a share of the median of the commune's other years; fewer rows than these vary too much."""


def _least_of_year(connection: Transaction, partition: Partition) -> int:
    this_year = str(datetime.now(UTC).year)  # half a year at most
    of_commune = loads.of_partitions(connection, [partition.code])
    counts = [load.row_count for load in of_commune if load.dataset == DVF.id and load.partition.part < this_year]
    usual = median(counts) if len(counts) > 1 and partition.part < this_year else 0
    return int(usual * LEAST_SHARE) if usual >= MIN_COMPARED else 0


DVF = Dataset(
    id="dvf",
    order=100,
    licence=Licence(
        publisher="DGFiP, Etalab",
        dataset="Demandes de valeurs foncières géolocalisées",
        licence=f"{LICENCE_OUVERTE}, sans réidentification des personnes ni indexation par les moteurs de recherche",
        attribution="DGFiP, Demandes de valeurs foncières",
        url="https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres-geolocalisees/",
    ),
    kind="commune",
    make_reader=Dvf,
    write=write_sales,
    rows=sale_rows,
    facts=facts,
    least_rows=_least_of_year,
    hosts=(Host("dvf", "https://files.data.gouv.fr/geo-dvf"),),
    not_published_in=_LIVRE_FONCIER,
    late_after_days=320,  # the first half of a year comes in October
)


def _write_archive(connection: Transaction, dataset: str, partition: Partition, *rows: Iterable[Any]) -> None:
    """A year that was loaded when it was published no longer belongs to `dvf`, so its eviction keeps these rows."""
    DVF.write(connection, dataset, partition, *rows)
    loads.drop_part(connection, DVF.id, partition)


DVF_ARCHIVE = replace(
    DVF,
    id="dvf-archive",
    order=101,
    make_reader=DvfArchive,
    write=_write_archive,
    facts=None,
    hosts=(),
    late_after_days=0,
)
SALE_DATASETS = (DVF.id, DVF_ARCHIVE.id)
