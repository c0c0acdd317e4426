"""A land unit of the contract as the facts that the checks reason on. What is not covered becomes None, not "none"."""

from collections.abc import Sequence

from assistant.assessment.facts import Buildings, LandFacts, Prescription, Sale, Sales, Urbanism, Zone
from landpartner.land.v1 import land_pb2

_ZONING = ("zoning", "zone", "gpu", "urbanism", "prescription", "planning")
_BUILDINGS = ("building", "batiment", "bdtopo", "rnb", "bdnb")
_SALES = ("dvf",)


def facts_of(unit: land_pb2.LandUnit) -> LandFacts:
    """The facts of a land unit, whichever blocks it carries."""
    land = unit.land
    ids = tuple(unit.parcel_ids) or tuple(parcel.parcel_id for parcel in unit.parcels)
    area_m2 = land.geometric_area_m2 if land.HasField("geometric_area_m2") else None
    return LandFacts(
        parcel_ids=ids,
        cadastral_area_m2=land.cadastral_area_m2 if land.HasField("cadastral_area_m2") else None,
        geometric_area_m2=area_m2,
        frontage_m=land.frontage_m if land.HasField("frontage_m") else None,
        is_contiguous=land.is_contiguous if land.HasField("is_contiguous") else None,
        is_surveyed=land.is_surveyed if land.HasField("is_surveyed") else None,
        urbanism=_urbanism(unit, area_m2),
        buildings=_buildings(unit),
        sales=_sales(unit),
    )


def _is_covered(coverage: Sequence[land_pb2.DatasetCoverage], names: tuple[str, ...]) -> bool | None:
    """Whether one dataset of this kind is covered, even in part; None where none is named."""
    statuses = [item.status for item in coverage if any(name in item.dataset for name in names)]
    if not statuses:
        return None
    return any(s in (land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_PARTIAL) for s in statuses)


def _urbanism(unit: land_pb2.LandUnit, area_m2: float | None) -> Urbanism | None:
    block = unit.urbanism
    if not unit.HasField("urbanism") or _is_covered(unit.coverage, _ZONING) is False:
        return None
    if not block.zones and not block.is_rnu:
        return None
    return Urbanism(
        zones=tuple(
            Zone(zone.label, zone.zone_type if zone.HasField("zone_type") else None, zone.overlap_ratio)
            for zone in block.zones
        ),
        prescriptions=tuple(
            Prescription(
                item.type_code if item.HasField("type_code") else None,
                item.overlap_area_m2 / area_m2 if area_m2 and item.HasField("overlap_area_m2") else None,
            )
            for item in block.prescriptions
        ),
        is_rnu=block.is_rnu,
        document_types=tuple(d.document_type for d in block.documents if d.HasField("document_type")),
    )


def _buildings(unit: land_pb2.LandUnit) -> Buildings | None:
    block = unit.buildings
    covered = _is_covered(unit.coverage, _BUILDINGS)
    if not unit.HasField("buildings") or covered is False or (covered is None and block.count == 0):
        return None
    return Buildings(
        block.count,
        block.footprint_area_m2 if block.HasField("footprint_area_m2") else None,
        block.ground_coverage_ratio if block.HasField("ground_coverage_ratio") else None,
    )


def _sales(unit: land_pb2.LandUnit) -> Sales | None:
    covered = _is_covered(unit.coverage, _SALES)
    if covered is False or (covered is None and not unit.dvf_sales):
        return None
    newest: dict[str, Sale] = {}
    for sale in sorted(unit.dvf_sales, key=lambda item: item.date_mutation, reverse=True):
        price = sale.valeur_fonciere if sale.HasField("valeur_fonciere") else None
        sold_on = sale.date_mutation if sale.HasField("date_mutation") else None
        newest.setdefault(sale.id_mutation, Sale(sold_on, price, sale.parcel_count))
    block = unit.real_estate
    median = block.median_price_eur_per_m2 if block.HasField("median_price_eur_per_m2") else None
    return Sales(tuple(newest.values()), median)
