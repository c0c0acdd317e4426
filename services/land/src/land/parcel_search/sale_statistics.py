"""Prices of the sales of an area, by year and kind. `datasets.sales.market_rows` says which sales count at all.

A sale is one mutation, whatever parcels it has, and counts once. If it has parcels in two communes of the area, it
counts for its building. A sale belongs to the section of its first parcel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land.addresses.model import Scope
from land.answers.provenance import Coverage, Stated, loads_of, sources_of
from land.answers.texts import AnswerWarning, warning
from land.datasets.partitions import DEMO_DEPARTMENT, arrondissements_of
from land.datasets.sales.market_rows import BARE
from land.datasets.sales.queries import market_sales_in
from land.datasets.sales.records import MarketSale
from land.datasets.sales.registration import DVF, SALE_DATASETS
from land.parcel_search.area import Area
from land.store.cached_reads import Reads

LEAST = 5
"""The figures of a group with fewer sales are withheld: they say little, and much about a single sale."""
QUARTILES = (25, 50, 75)


@dataclass(frozen=True)
class SaleQuestion:
    commune_code: str = ""
    section: str = ""
    """The first ten characters of its parcels' ids; empty for the whole commune."""
    shape: BaseGeometry | None = None
    """In degrees; instead of a commune."""
    kind: str = ""
    year: int | None = None


@dataclass(frozen=True)
class SaleGroup:
    year: int
    kind: str
    sale_count: int | None
    """None, as all figures, if it is below LEAST."""
    first_quartile_eur: float | None = None
    median_eur: float | None = None
    third_quartile_eur: float | None = None
    first_quartile_eur_per_m2: float | None = None
    """Per built square metre; of bare land, per square metre of ground."""
    median_eur_per_m2: float | None = None
    third_quartile_eur_per_m2: float | None = None


@dataclass(frozen=True)
class SaleStatistics(Stated):
    commune_codes: Sequence[str]
    period_from: str | None
    """The first day of the oldest year that is loaded."""
    period_to: str | None
    """The day of the newest sale that counts."""
    groups: Sequence[SaleGroup]


def sale_statistics(reads: Reads, question: SaleQuestion, scope: Scope) -> SaleStatistics:
    warnings: list[AnswerWarning] = []
    if question.shape is None:
        communes = tuple(arrondissements_of(question.commune_code)) or (question.commune_code,)
        sales = reads.cached(market_sales_in, communes)
    else:
        area = Area(question.shape)
        communes, are_here = area.communes(reads.snapshot)
        if not communes or not area.is_covered(reads, communes, are_here=are_here):
            warnings.append(warning("area_not_covered"))
        sales = market_sales_in(reads.snapshot, communes, question.shape.bounds)
        sales = [sale for sale in sales if shapely.intersects_xy(question.shape, sale.lon, sale.lat)]
    if scope == "demo":
        communes = tuple(code for code in communes if code.startswith(DEMO_DEPARTMENT))
        sales = [sale for sale in sales if sale.commune_code.startswith(DEMO_DEPARTMENT)]
    loads = reads.cached(loads_of, communes)
    of_dvf = [load for load in loads.all if load.dataset in SALE_DATASETS]
    coverage = loads.coverage(DVF.id) if communes else Coverage(DVF.id, "not_loaded", "not_loaded")
    if coverage.status != "covered":
        warnings.append(warning("dataset_not_covered", dataset=DVF.id))
    counted = [sale for sale in _each_once(sales) if sale.parcel_ids.startswith(question.section)]
    years = [load.partition.part for load in of_dvf if load.partition.part]
    return SaleStatistics(
        commune_codes=communes,
        period_from=f"{min(years)}-01-01" if years else None,
        period_to=max((sale.date_mutation for sale in counted), default=None),
        groups=_groups(counted, question),
        coverage=[coverage],
        sources=sources_of(of_dvf),
        warnings=warnings,
    )


def _each_once(sales: Sequence[MarketSale]) -> Sequence[MarketSale]:
    """One record for each mutation: the built part if the parts are in several communes."""
    by_mutation: dict[tuple[str, str], MarketSale] = {}
    for sale in sorted(sales, key=lambda sale: (sale.kind in BARE, sale.commune_code)):
        by_mutation.setdefault((sale.date_mutation, sale.id_mutation), sale)
    return list(by_mutation.values())


def _groups(sales: Sequence[MarketSale], question: SaleQuestion) -> Sequence[SaleGroup]:
    """The groups with a sale, the newest year first, then by kind."""

    def key(sale: MarketSale) -> tuple[int, str]:
        return -int(sale.date_mutation[:4]), sale.kind

    selected = (
        sale
        for sale in sales
        if question.kind in ("", sale.kind) and question.year in (None, int(sale.date_mutation[:4]))
    )
    return [_group(-year, kind, list(group)) for (year, kind), group in groupby(sorted(selected, key=key), key)]


def _group(year: int, kind: str, sales: Sequence[MarketSale]) -> SaleGroup:
    if len(sales) < LEAST:
        return SaleGroup(year, kind, None)
    prices = np.array([sale.price_eur for sale in sales])
    areas = np.array([sale.area_m2 for sale in sales])
    figures = (*np.percentile(prices, QUARTILES).tolist(), *np.percentile(prices / areas, QUARTILES).tolist())
    return SaleGroup(year, kind, len(sales), *(round(figure, 2) for figure in figures))
