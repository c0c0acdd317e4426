"""A land unit on which every check of the assessment is known, the edits that change one part of it, and a layout."""

from collections.abc import Callable

from assistant.assessment.assess import assess
from assistant.assessment.easements import KEY_CATEGORIES
from assistant.assessment.facts import DATASETS, LandFacts, Layout
from assistant.assessment.result import Check
from landpartner.land.v1.land_pb2 import (
    COVERAGE_STATUS_COVERED,
    COVERAGE_STATUS_NOT_COVERED,
    COVERAGE_STATUS_PARTIAL,
    BuildingsBlock,
    DvfSale,
    Easement,
    LandUnit,
    Owner,
    RealEstateBlock,
    Risk,
    RiskZone,
)

Edit = Callable[[LandUnit], None]
"""Changes one part of a land unit."""
SUBJECTS = (
    "clay", "cavity", "landslide", "polluted_soil", "soil_information_sector", "classified_installation", "radon",
    "seismic", "flood_territory", "brush_clearing", "natural_risk_plan", "technological_risk_plan", "mining_risk_plan",
)  # fmt: skip
PUBLISHED = frozenset({*KEY_CATEGORIES, "AC1", "AC2", "AC4"})


def cover(unit: LandUnit, fact: str, status: int, reason: str | None = None) -> None:
    """Sets the coverage of all datasets of a fact."""
    other_coverages = [item for item in unit.coverage if item.dataset not in DATASETS[fact]]
    del unit.coverage[:]
    unit.coverage.extend(other_coverages)
    for dataset in DATASETS[fact]:
        unit.coverage.add(dataset=dataset, status=status, reason=reason)


def known(unit: LandUnit, fact: str, *, is_complete: bool) -> None:
    cover(unit, fact, COVERAGE_STATUS_COVERED if is_complete else COVERAGE_STATUS_PARTIAL)


def missing(fact: str, reason: str | None = None) -> Edit:
    def edit(unit: LandUnit) -> None:
        cover(unit, fact, COVERAGE_STATUS_NOT_COVERED, reason)
        if fact == "risks":
            unit.ClearField("risks")
        if fact == "terrain":
            unit.land.ClearField("terrain")

    return edit


def land(**fields: float | bool | None) -> Edit:
    """Sets fields of the land block. None means that a field is not known."""

    def edit(unit: LandUnit) -> None:
        for name, value in fields.items():
            if value is None:
                unit.land.ClearField(name)  # type: ignore[arg-type]
            else:
                setattr(unit.land, name, value)

    return edit


def zoned(
    *zones: tuple[str, float], documents: tuple[str, ...] = ("PLU",), is_rnu: bool = False, is_complete: bool = True
) -> Edit:
    """The zones of a plan, each with its type and its share."""
    return _planned([("zone_type", *zone) for zone in zones], documents, is_rnu=is_rnu, is_complete=is_complete)


def sectors(*sectors: tuple[str, float], is_rnu: bool = False, is_complete: bool = True) -> Edit:
    """The sectors of a carte communale, each with its type and its share."""
    return _planned([("sector_type", *sector) for sector in sectors], ("CC",), is_rnu=is_rnu, is_complete=is_complete)


def _planned(
    zones: list[tuple[str, str, float]], documents: tuple[str, ...], *, is_rnu: bool, is_complete: bool
) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "urbanism", is_complete=is_complete)
        unit.urbanism.is_rnu = is_rnu
        del unit.urbanism.zones[:], unit.urbanism.documents[:]
        for index, (field, kind, share) in enumerate(zones):
            zone = unit.urbanism.zones.add(label=f"Z{index}", overlap_ratio=share)
            setattr(zone, field, kind)
        for document_type in documents:
            unit.urbanism.documents.add(document_type=document_type)

    return edit


def prescribed(*features: tuple[str, float, str], is_complete: bool = True) -> Edit:
    """Prescriptions, each with its type, its share and its subtype."""

    def edit(unit: LandUnit) -> None:
        known(unit, "prescriptions", is_complete=is_complete)
        del unit.urbanism.prescriptions[:]
        for type_code, share, subtype_code in features:
            area_m2 = share * unit.land.geometric_area_m2
            unit.urbanism.prescriptions.add(
                type_code=type_code, subtype_code=subtype_code, overlap_area_m2=area_m2 or None
            )

    return edit


def informed(*types: str, is_complete: bool = True) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "informations", is_complete=is_complete)
        del unit.urbanism.informations[:]
        for type_code in types:
            unit.urbanism.informations.add(type_code=type_code)

    return edit


def eased(*easements: Easement, published: frozenset[str] = PUBLISHED) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "easements", is_complete=True)
        del unit.urbanism.easements[:], unit.urbanism.published_easement_categories[:]
        unit.urbanism.easements.extend(easements)
        unit.urbanism.published_easement_categories.extend(published)

    return edit


def risky(*risks: Risk, others: str = "none") -> Edit:
    """Sets these risks, and the status of all others."""

    def edit(unit: LandUnit) -> None:
        known(unit, "risks", is_complete=True)
        unit.ClearField("risks")
        unit.risks.items.extend(risks)
        for subject in set(SUBJECTS) - {risk.subject for risk in risks}:
            unit.risks.items.add(subject=subject, status=others)

    return edit


def outlined(*zones: RiskZone) -> Edit:
    """Adds zones of prevention plans with their outlines."""

    def edit(unit: LandUnit) -> None:
        known(unit, "risk_zones", is_complete=True)
        unit.risks.zones.extend(zones)

    return edit


def present(
    subject: str, level: str | None = None, zone: str = "", label: str = "", distance_m: float | None = None
) -> Risk:
    risk = Risk(subject=subject, status="present", level=level)
    labels = [label] if label else []
    risk.findings.add(name="x", distance_m=distance_m, zones=[zone] if zone else [], zone_labels=labels)
    return risk


def owned(*owners: Owner, is_complete: bool = True) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "owners", is_complete=is_complete)
        del unit.land.owners[:]
        unit.land.owners.extend(owners)

    return edit


def jointly_owned(*ids: str) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "joint_ownerships", is_complete=True)
        for register_id in ids:
            unit.buildings.joint_ownerships.add(id=register_id)

    return edit


def built(count: int, footprint_area_m2: float | None = None, ratio: float | None = None) -> Edit:
    def edit(unit: LandUnit) -> None:
        known(unit, "buildings", is_complete=True)
        block = BuildingsBlock(count=count, footprint_area_m2=footprint_area_m2, ground_coverage_ratio=ratio)
        unit.buildings.CopyFrom(block)

    return edit


def sold(*sales: DvfSale, market: RealEstateBlock | None = None, is_complete: bool = True) -> Edit:
    """Sets the sales on the unit and the market around it. Sales without an id are different sales."""

    def edit(unit: LandUnit) -> None:
        known(unit, "sales", is_complete=is_complete)
        del unit.dvf_sales[:]
        unit.dvf_sales.extend(sales)
        for number, sale in enumerate(unit.dvf_sales):
            sale.id_mutation = sale.id_mutation or str(number)
        unit.real_estate.CopyFrom(market or RealEstateBlock())

    return edit


def sloped(mean_percent: float, max_percent: float | None = None) -> Edit:
    def edit(unit: LandUnit) -> None:
        terrain = unit.land.terrain
        terrain.Clear()
        terrain.mean_altitude_m, terrain.mean_slope_percent = 120.0, mean_percent
        if max_percent is not None:
            terrain.max_slope_percent = max_percent

    return edit


def parcels(*ids: str) -> Edit:
    def edit(unit: LandUnit) -> None:
        unit.parcel_ids[:] = ids

    return edit


def edited(unit: LandUnit, *edits: Edit) -> LandUnit:
    """A copy of the unit with the edits, in their order."""
    copy = LandUnit()
    copy.CopyFrom(unit)
    for edit in edits:
        edit(copy)
    return copy


GOOD = edited(
    LandUnit(parcel_ids=["45234000AB0012"], is_lineage_known=True),
    land(cadastral_area_m2=1200.0, geometric_area_m2=1198.0, frontage_m=24.0, is_contiguous=True, is_surveyed=True),
    zoned(("U", 1.0)),
    prescribed(),
    informed(),
    built(1, 120.0, 0.1),
    sold(
        DvfSale(date_mutation="2021-03-01", valeur_fonciere=250_000.0, parcel_count=1),
        market=RealEstateBlock(median_price_eur_per_m2=2500.0),
    ),
    eased(),
    risky(),
    owned(),
    jointly_owned(),
    sloped(4.0, 9.0),
)
DRAWN = Layout(2, is_drawn=True, built_lot_count=1, is_bare=False)
RNU = zoned(is_rnu=True, documents=())


def facts(*edits: Edit) -> LandFacts:
    return LandFacts(edited(GOOD, *edits))


def check(code: str, *edits: Edit, layout: Layout = DRAWN) -> Check:
    """The check on the good land with these edits."""
    return next(check for check in assess(facts(*edits), layout).checks if check.code == code)
