"""Converts a land unit of the contract to the facts of the checks. What is not covered becomes None."""

from collections.abc import Mapping, Sequence

from assistant.assessment.facts import (
    Buildings,
    LandFacts,
    Median,
    PlanFeature,
    Sale,
    Sales,
    Urbanism,
    Zone,
)
from landpartner.land.v1 import land_pb2

ZONES, PRESCRIPTIONS, INFORMATIONS, SALES = "gpu-zones", "gpu-prescriptions", "gpu-informations", "dvf"
BUILDINGS = ("cadastre-buildings", "bdtopo", "rnb")
"""Ids of the datasets in land's coverage. A dataset that an answer does not list is not covered."""

_COVERED, _PARTIAL = land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_PARTIAL
_Coverage = Mapping[str, land_pb2.DatasetCoverage]


def facts_of(unit: land_pb2.LandUnit) -> LandFacts:
    """The facts of a land unit. All blocks are optional."""
    land = unit.land
    coverage = {item.dataset: item for item in unit.coverage}
    ids = tuple(unit.parcel_ids) or tuple(parcel.parcel_id for parcel in unit.parcels)
    area_m2 = land.geometric_area_m2 if land.HasField("geometric_area_m2") else None
    urbanism, buildings, sales = _urbanism(unit, coverage, area_m2), _buildings(unit, coverage), _sales(unit, coverage)
    missing = {
        "urbanism": () if urbanism else (ZONES,),
        "prescriptions": () if urbanism and urbanism.prescriptions is not None else (PRESCRIPTIONS,),
        "buildings": () if buildings else BUILDINGS,
        "sales": () if sales else (SALES,),
    }
    return LandFacts(
        parcel_ids=ids,
        cadastral_area_m2=land.cadastral_area_m2 if land.HasField("cadastral_area_m2") else None,
        geometric_area_m2=area_m2,
        frontage_m=land.frontage_m if land.HasField("frontage_m") else None,
        is_contiguous=land.is_contiguous if land.HasField("is_contiguous") else None,
        is_surveyed=land.is_surveyed if land.HasField("is_surveyed") else None,
        urbanism=urbanism,
        buildings=buildings,
        sales=sales,
        missing_reasons={name: reason for name, datasets in missing.items() if (reason := _reason(datasets, coverage))},
    )


def _has(dataset: str, coverage: _Coverage) -> bool:
    """Whether the dataset is covered, at least in part."""
    return dataset in coverage and coverage[dataset].status in (_COVERED, _PARTIAL)


def _is_whole(dataset: str, coverage: _Coverage) -> bool:
    return dataset in coverage and coverage[dataset].status == _COVERED


def _reason(datasets: Sequence[str], coverage: _Coverage) -> str | None:
    """The first reason that these datasets give; None if none gives a reason."""
    given = (coverage[name].reason for name in datasets if name in coverage and coverage[name].HasField("reason"))
    return next(given, None)


def _urbanism(unit: land_pb2.LandUnit, coverage: _Coverage, area_m2: float | None) -> Urbanism | None:
    block = unit.urbanism
    if not unit.HasField("urbanism") or not _has(ZONES, coverage) or not (block.zones or block.is_rnu):
        return None
    prescriptions = tuple(_plan_feature(item, area_m2) for item in block.prescriptions)
    informations = tuple(_plan_feature(item, area_m2) for item in block.informations)
    return Urbanism(
        zones=tuple(
            Zone(
                zone.label,
                zone.zone_type if zone.HasField("zone_type") else None,
                zone.overlap_ratio,
                zone.sector_type if zone.HasField("sector_type") else None,
            )
            for zone in block.zones
        ),
        prescriptions=prescriptions if _has(PRESCRIPTIONS, coverage) else None,
        is_rnu=block.is_rnu,
        document_types=tuple(d.document_type for d in block.documents if d.HasField("document_type")),
        is_zoned_whole=_is_whole(ZONES, coverage),
        has_all_prescriptions=_is_whole(PRESCRIPTIONS, coverage),
        informations=informations if _has(INFORMATIONS, coverage) else None,
        has_all_informations=_is_whole(INFORMATIONS, coverage),
    )


def _plan_feature(
    item: land_pb2.PlanningPrescription | land_pb2.PlanningInformation, area_m2: float | None
) -> PlanFeature:
    return PlanFeature(
        item.type_code if item.HasField("type_code") else None,
        item.overlap_area_m2 / area_m2 if area_m2 and item.HasField("overlap_area_m2") else None,
        item.subtype_code if item.HasField("subtype_code") else None,
    )


def _buildings(unit: land_pb2.LandUnit, coverage: _Coverage) -> Buildings | None:
    """None if the block is missing. Land omits it unless it knows the buildings of every parcel."""
    block = unit.buildings
    if not unit.HasField("buildings") or not any(_has(name, coverage) for name in BUILDINGS):
        return None
    return Buildings(
        block.count,
        block.footprint_area_m2 if block.HasField("footprint_area_m2") else None,
        block.ground_coverage_ratio if block.HasField("ground_coverage_ratio") else None,
    )


def _sales(unit: land_pb2.LandUnit, coverage: _Coverage) -> Sales | None:
    if not _has(SALES, coverage):
        return None
    newest: dict[str, Sale] = {}
    for sale in sorted(unit.dvf_sales, key=lambda item: item.date_mutation, reverse=True):
        price = sale.valeur_fonciere if sale.HasField("valeur_fonciere") else None
        sold_on = sale.date_mutation if sale.HasField("date_mutation") else None
        newest.setdefault(sale.id_mutation, Sale(sold_on, price, sale.parcel_count, sale.lot_count > 0))
    block = unit.real_estate
    return Sales(
        items=tuple(newest.values()),
        median=_median(block),
        period_from=block.period_from if block.HasField("period_from") else None,
        period_to=block.period_to if block.HasField("period_to") else None,
        is_complete=_is_whole(SALES, coverage),
    )


def _median(block: land_pb2.RealEstateBlock) -> Median | None:
    if not block.HasField("median_price_eur_per_m2"):
        return None
    return Median(
        block.median_price_eur_per_m2,
        block.kind if block.HasField("kind") else None,
        block.sale_count or None,
        block.radius_m if block.HasField("radius_m") else None,
    )
