"""Converts a land unit of the contract to the facts of the checks. What is not covered becomes None."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

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
from assistant.assessment.risk_facts import Risk, RiskFinding, Risks
from assistant.rpc.records import Reader
from landpartner.land.v1 import land_pb2

ZONES, PRESCRIPTIONS, INFORMATIONS, SALES = "gpu-zones", "gpu-prescriptions", "gpu-informations", "dvf"
EASEMENTS, OWNERS, JOINT_OWNERSHIPS, RATINGS = "gpu-sup", "personnes-morales", "rnic", "dpe"
TERRAIN, RISKS = "altimetry", "georisques"
PERMITS = ("sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition")
BUILDINGS = ("cadastre-buildings", "bdtopo", "rnb")
"""Ids of the datasets in land's coverage. A dataset that an answer does not list is not covered."""

_COVERED, _PARTIAL = land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_PARTIAL
_Coverage = Mapping[str, land_pb2.DatasetCoverage]

_BLOCKS = (
    "parcel_ids", "urbanism", "buildings", "sales", "permits", "easements", "risks", "owners", "joint_ownerships",
    "energy_ratings", "terrain", "missing_reasons",
)  # fmt: skip
_read_land = Reader(LandFacts, land_pb2.LandBlock, _BLOCKS)
_read_terrain = Reader(Terrain, land_pb2.Terrain)
_read_zone = Reader(Zone, land_pb2.PlanningZone)
_read_prescription = Reader(PlanFeature, land_pb2.PlanningPrescription, ["overlap_ratio"])
_read_information = Reader(PlanFeature, land_pb2.PlanningInformation, ["overlap_ratio"])
_read_easement = Reader(Easement, land_pb2.Easement)
_read_buildings = Reader(Buildings, land_pb2.BuildingsBlock)
_read_sale = Reader(Sale, land_pb2.DvfSale, ["is_of_lots"], sold_on="date_mutation", price_eur="valeur_fonciere")
_read_median = Reader(Median, land_pb2.RealEstateBlock, ["sale_count"], price_eur_per_m2="median_price_eur_per_m2")
_read_comparable = Reader(Comparable, land_pb2.ComparableSale, sold_on="date_mutation")
_read_sales = Reader(Sales, land_pb2.RealEstateBlock, ["items", "median", "comparables", "is_complete"])
_read_permit = Reader(
    Permit,
    land_pb2.UrbanAuthorization,
    type_code="type_dau",
    state="etat_dau",
    authorized_on="date_reelle_autorisation",
)
_read_risk = Reader(Risk, land_pb2.Risk, ["findings"])
_read_finding = Reader(RiskFinding, land_pb2.RiskFinding)
_read_owner = Reader(Owner, land_pb2.Owner)
_read_joint_ownership = Reader(JointOwnership, land_pb2.JointOwnership)


def facts_of(unit: land_pb2.LandUnit) -> LandFacts:
    """The facts of a land unit. All blocks are optional."""
    coverage = {item.dataset: item for item in unit.coverage}
    facts = _read_land(
        unit.land,
        parcel_ids=tuple(unit.parcel_ids) or tuple(parcel.parcel_id for parcel in unit.parcels),
        urbanism=_urbanism(unit, coverage),
        buildings=_buildings(unit, coverage),
        sales=_sales(unit, coverage),
        permits=_permits(unit, coverage),
        easements=_easements(unit, coverage),
        risks=_risks(unit.risks) if unit.HasField("risks") else None,
        owners=_owners(unit, coverage),
        joint_ownerships=_joint_ownerships(unit, coverage),
        energy_ratings=_energy_ratings(unit, coverage),
        terrain=_read_terrain(unit.land.terrain) if unit.land.HasField("terrain") else None,
        missing_reasons={},
    )
    return replace(facts, missing_reasons=_missing_reasons(facts, coverage))


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


def _missing_reasons(facts: LandFacts, coverage: _Coverage) -> dict[str, str]:
    missing = {
        name: datasets
        for name, datasets in DATASETS.items()
        if getattr(facts.urbanism if name in ("prescriptions", "informations") else facts, name, None) is None
    }
    return {name: reason for name, datasets in missing.items() if (reason := _reason(datasets, coverage))}


def _has(dataset: str, coverage: _Coverage) -> bool:
    """Whether the dataset is covered, at least in part."""
    return dataset in coverage and coverage[dataset].status in (_COVERED, _PARTIAL)


def _is_whole(dataset: str, coverage: _Coverage) -> bool:
    return dataset in coverage and coverage[dataset].status == _COVERED


def _reason(datasets: Sequence[str], coverage: _Coverage) -> str | None:
    """The first reason that these datasets give; None if none gives a reason."""
    reasons = (coverage[name].reason for name in datasets if name in coverage and coverage[name].HasField("reason"))
    return next(reasons, None)


def _urbanism(unit: land_pb2.LandUnit, coverage: _Coverage) -> Urbanism | None:
    block = unit.urbanism
    if not unit.HasField("urbanism") or not _has(ZONES, coverage) or not (block.zones or block.is_rnu):
        return None
    area_m2 = unit.land.geometric_area_m2
    prescriptions = tuple(_read_prescription(item, overlap_ratio=_share(item, area_m2)) for item in block.prescriptions)
    informations = tuple(_read_information(item, overlap_ratio=_share(item, area_m2)) for item in block.informations)
    return Urbanism(
        zones=tuple(map(_read_zone, block.zones)),
        prescriptions=prescriptions if _has(PRESCRIPTIONS, coverage) else None,
        is_rnu=block.is_rnu,
        document_types=tuple(d.document_type for d in block.documents if d.HasField("document_type")),
        is_zoned_whole=_is_whole(ZONES, coverage),
        has_all_prescriptions=_is_whole(PRESCRIPTIONS, coverage),
        informations=informations if _has(INFORMATIONS, coverage) else None,
        has_all_informations=_is_whole(INFORMATIONS, coverage),
    )


def _share(item: land_pb2.PlanningPrescription | land_pb2.PlanningInformation, area_m2: float) -> float | None:
    return item.overlap_area_m2 / area_m2 if area_m2 and item.HasField("overlap_area_m2") else None


def _buildings(unit: land_pb2.LandUnit, coverage: _Coverage) -> Buildings | None:
    """None if the block is missing. Land omits it unless it knows the buildings of every parcel."""
    is_known = unit.HasField("buildings") and any(_has(name, coverage) for name in BUILDINGS)
    return _read_buildings(unit.buildings) if is_known else None


def _sales(unit: land_pb2.LandUnit, coverage: _Coverage) -> Sales | None:
    if not _has(SALES, coverage):
        return None
    newest: dict[str, Sale] = {}
    for sale in sorted(unit.dvf_sales, key=lambda item: item.date_mutation, reverse=True):
        newest.setdefault(sale.id_mutation, _read_sale(sale, is_of_lots=sale.lot_count > 0))
    block = unit.real_estate
    has_median = block.HasField("median_price_eur_per_m2")
    priced = [item for item in block.comparables if item.HasField("price_eur_per_m2")]
    return _read_sales(
        block,
        items=tuple(newest.values()),
        median=_read_median(block, sale_count=block.sale_count or None) if has_median else None,
        comparables=tuple(map(_read_comparable, priced)),
        is_complete=_is_whole(SALES, coverage),
    )


def _permits(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[Permit] | None:
    """A permit on several parcels counts once."""
    if not any(_has(name, coverage) for name in PERMITS):
        return None
    newest: dict[str, Permit] = {}
    for item in sorted(unit.urban_authorizations, key=lambda item: item.date_reelle_autorisation, reverse=True):
        newest.setdefault(item.num_dau or f"unnumbered {len(newest)}", _read_permit(item))
    return Register(tuple(newest.values()), all(_is_whole(name, coverage) for name in PERMITS))


def _easements(unit: land_pb2.LandUnit, coverage: _Coverage) -> Easements | None:
    if not unit.HasField("urbanism") or not _has(EASEMENTS, coverage):
        return None
    block = unit.urbanism
    return Easements(tuple(map(_read_easement, block.easements)), frozenset(block.published_easement_categories))


def _risks(block: land_pb2.RisksBlock) -> Risks:
    commune = block.commune
    return Risks(
        {item.subject: _read_risk(item, findings=tuple(map(_read_finding, item.findings))) for item in block.items},
        tuple(commune.recorded_risks),
        commune.natural_disaster_count if commune.HasField("natural_disaster_count") else None,
    )


def _owners(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[Owner] | None:
    if not _has(OWNERS, coverage):
        return None
    return Register(tuple(map(_read_owner, unit.land.owners)), _is_whole(OWNERS, coverage))


def _joint_ownerships(unit: land_pb2.LandUnit, coverage: _Coverage) -> Register[JointOwnership] | None:
    if not _has(JOINT_OWNERSHIPS, coverage):
        return None
    ownerships = tuple(map(_read_joint_ownership, unit.buildings.joint_ownerships))
    return Register(ownerships, _is_whole(JOINT_OWNERSHIPS, coverage))


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
