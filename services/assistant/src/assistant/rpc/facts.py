"""Converts a land unit of the contract to the facts of the checks. What is not covered becomes None."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from assistant.assessment.facts import (
    Buildings,
    Comparable,
    Easement,
    Easements,
    EnergyRatings,
    JointOwnership,
    LandFacts,
    Median,
    Owner,
    Permit,
    PlanFeature,
    Register,
    Sale,
    Sales,
    Terrain,
    Urbanism,
    Zone,
)
from assistant.assessment.risk_facts import Risk, RiskFinding, Risks, RiskStatus
from landpartner.land.v1 import land_pb2

ZONES, PRESCRIPTIONS, INFORMATIONS, SALES = "gpu-zones", "gpu-prescriptions", "gpu-informations", "dvf"
EASEMENTS, OWNERS, JOINT_OWNERSHIPS, RATINGS = "gpu-sup", "personnes-morales", "rnic", "dpe"
TERRAIN, RISKS = "altimetry", "georisques"
PERMITS = ("sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition")
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
    urbanism = _urbanism(unit, coverage, area_m2)
    found = LandFacts(
        parcel_ids=ids,
        cadastral_area_m2=land.cadastral_area_m2 if land.HasField("cadastral_area_m2") else None,
        geometric_area_m2=area_m2,
        frontage_m=land.frontage_m if land.HasField("frontage_m") else None,
        is_contiguous=land.is_contiguous if land.HasField("is_contiguous") else None,
        is_surveyed=land.is_surveyed if land.HasField("is_surveyed") else None,
        urbanism=urbanism,
        buildings=_buildings(unit, coverage),
        sales=_sales(unit, coverage),
        permits=_permits(unit, coverage),
        easements=_easements(unit, coverage),
        risks=_risks(unit.risks) if unit.HasField("risks") else None,
        owners=_owners(unit, coverage),
        joint_ownerships=_joint_ownerships(unit, coverage),
        energy_ratings=_energy_ratings(unit, coverage),
        terrain=_terrain(unit),
    )
    return replace(found, missing_reasons=_missing_reasons(found, coverage))


DATASETS = {
    "urbanism": (ZONES,),
    "prescriptions": (PRESCRIPTIONS,),
    "informations": (INFORMATIONS,),
    "buildings": BUILDINGS,
    "sales": (SALES,),
    "permits": PERMITS,
    "easements": (EASEMENTS,),
    "owners": (OWNERS,),
    "joint_ownerships": (JOINT_OWNERSHIPS,),
    "energy_ratings": (RATINGS,),
    "terrain": (TERRAIN,),
    "risks": (RISKS,),
}
"""Facts by their datasets."""


def _missing_reasons(found: LandFacts, coverage: _Coverage) -> dict[str, str]:
    missing = {
        name: datasets
        for name, datasets in DATASETS.items()
        if getattr(found.urbanism if name in ("prescriptions", "informations") else found, name, None) is None
    }
    return {name: reason for name, datasets in missing.items() if (reason := _reason(datasets, coverage))}


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
        comparables=tuple(
            Comparable(
                item.price_eur_per_m2,
                item.kind,
                item.date_mutation,
                item.distance_m if item.HasField("distance_m") else None,
            )
            for item in block.comparables
            if item.HasField("price_eur_per_m2")
        ),
        period_from=block.period_from if block.HasField("period_from") else None,
        period_to=block.period_to if block.HasField("period_to") else None,
        is_complete=_is_whole(SALES, coverage),
    )


def _permits(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[Permit] | None:
    """A permit on several parcels counts once."""
    if not any(_has(name, coverage) for name in PERMITS):
        return None
    newest: dict[str, Permit] = {}
    for item in sorted(unit.urban_authorizations, key=lambda each: each.date_reelle_autorisation, reverse=True):
        permit = Permit(
            item.type_dau if item.HasField("type_dau") else None,
            item.etat_dau if item.HasField("etat_dau") else None,
            item.date_reelle_autorisation if item.HasField("date_reelle_autorisation") else None,
        )
        newest.setdefault(item.num_dau or f"unnumbered {len(newest)}", permit)
    return Register(tuple(newest.values()), all(_is_whole(name, coverage) for name in PERMITS))


def _median(block: land_pb2.RealEstateBlock) -> Median | None:
    if not block.HasField("median_price_eur_per_m2"):
        return None
    return Median(
        block.median_price_eur_per_m2,
        block.kind if block.HasField("kind") else None,
        block.sale_count or None,
        block.radius_m if block.HasField("radius_m") else None,
    )


def _easements(unit: land_pb2.LandUnit, coverage: _Coverage) -> Easements | None:
    if not unit.HasField("urbanism") or not _has(EASEMENTS, coverage):
        return None
    return Easements(
        tuple(
            Easement(
                item.category,
                item.name,
                item.type if item.HasField("type") else None,
                item.overlap_ratio if item.HasField("overlap_ratio") else None,
            )
            for item in unit.urbanism.easements
        ),
        frozenset(unit.urbanism.published_easement_categories),
    )


def _risks(block: land_pb2.RisksBlock) -> Risks:
    return Risks(
        items={item.subject: _risk(item) for item in block.items},
        recorded_in_commune=tuple(block.commune.recorded_risks),
        natural_disaster_count=(
            block.commune.natural_disaster_count if block.commune.HasField("natural_disaster_count") else None
        ),
    )


def _risk(item: land_pb2.Risk) -> Risk:
    return Risk(
        subject=item.subject,
        status=cast(RiskStatus, item.status),
        level=item.level if item.HasField("level") else None,
        grain=item.grain,
        findings=tuple(_risk_finding(each) for each in item.findings),
        reason=item.reason if item.HasField("reason") else None,
    )


def _risk_finding(item: land_pb2.RiskFinding) -> RiskFinding:
    return RiskFinding(
        name=item.name,
        type=item.type if item.HasField("type") else None,
        status=item.status if item.HasField("status") else None,
        distance_m=item.distance_m if item.HasField("distance_m") else None,
        date=item.date if item.HasField("date") else None,
        zones=tuple(item.zones),
        zone_labels=tuple(item.zone_labels),
    )


def _owners(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[Owner] | None:
    if not _has(OWNERS, coverage):
        return None
    return Register(
        tuple(
            Owner(
                item.name,
                item.right_code if item.HasField("right_code") else None,
                item.group_code if item.HasField("group_code") else None,
                item.is_public,
                item.siren if item.HasField("siren") else None,
                tuple(item.parcel_ids),
            )
            for item in unit.land.owners
        ),
        is_complete=_is_whole(OWNERS, coverage),
    )


def _joint_ownerships(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[JointOwnership] | None:
    if not _has(JOINT_OWNERSHIPS, coverage):
        return None
    return Register(
        tuple(
            JointOwnership(item.id, item.lot_count if item.HasField("lot_count") else None, tuple(item.parcel_ids))
            for item in unit.buildings.joint_ownerships
        ),
        is_complete=_is_whole(JOINT_OWNERSHIPS, coverage),
    )


def _energy_ratings(unit: land_pb2.LandUnit, coverage: _Coverage) -> EnergyRatings | None:
    if not _has(RATINGS, coverage):
        return None
    block = unit.buildings.energy_ratings
    return EnergyRatings(
        block.count,
        {item.letter: item.count for item in block.energy},
        {item.letter: item.count for item in block.greenhouse_gas},
        block.oldest_on or None,
        block.newest_on or None,
    )


def _terrain(unit: land_pb2.LandUnit) -> Terrain | None:
    if not unit.land.HasField("terrain"):
        return None
    block = unit.land.terrain
    return Terrain(
        block.mean_altitude_m,
        block.mean_slope_percent if block.HasField("mean_slope_percent") else None,
        block.max_slope_percent if block.HasField("max_slope_percent") else None,
        block.aspect if block.HasField("aspect") else None,
    )
