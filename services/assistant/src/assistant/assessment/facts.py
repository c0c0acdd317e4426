"""The facts of one land unit: the answer of land, in which a block that no dataset covers is None."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from operator import attrgetter
from typing import Any

from assistant.project import Project
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

DATASETS = {
    "urbanism": ("gpu-zones",),
    "prescriptions": ("gpu-prescriptions",),
    "informations": ("gpu-informations",),
    "buildings": ("cadastre-buildings", "bdtopo", "rnb"),
    "sales": ("dvf",),
    "permits": ("sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition"),
    "easements": ("gpu-sup",),
    "owners": ("personnes-morales",),
    "joint_ownerships": ("rnic",),
    "energy_ratings": ("dpe",),
    "terrain": ("altimetry",),
    "bounds": ("bdtopo-ways",),
    "risks": ("georisques",),
    "risk_zones": ("pprn-zones", "pprt-zones"),
}
"""The datasets of each fact. The facts have the names of `LandFacts`, the datasets their ids in land's coverage. A
dataset that an answer does not list is not covered.
"""
CLOSED_RATIO = 0.9
"""Land that forbids building fails its check if it covers this share of the unit."""
OPEN_BOUNDS = ("path", "open_ground")
"""What may give access, though it is no road: whether it is public is not known."""
_COVERED, _PARTIAL = land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_PARTIAL


def _of_land(name: str) -> Any:
    """A field of the land block; None if it is not known."""
    return property(lambda facts: getattr(facts.unit.land, name) if facts.unit.land.HasField(name) else None)


def _covered(fact: str, block: str, name: str) -> Any:
    """What the unit has in this block; None if no dataset of the fact is covered."""
    read = attrgetter(f"{block}.{name}")
    return property(lambda facts: read(facts.unit) if facts._is_covered(fact) else None)


class LandFacts:
    """Answers what is known of a land unit (unité foncière). Areas are in m², lengths in metres.

    None means that a fact is not known; it never means "there is none". A list without items shows that there is
    nothing only if `is_complete` holds for it.
    """

    cadastral_area_m2: float | None = _of_land("cadastral_area_m2")
    """The area that the cadastre declares (contenance)."""
    geometric_area_m2: float | None = _of_land("geometric_area_m2")
    frontage_m: float | None = _of_land("frontage_m")
    """The estimated length of the boundary on a public way."""
    is_contiguous: bool | None = _of_land("is_contiguous")
    is_surveyed: bool | None = _of_land("is_surveyed")
    """Whether the cadastre states that the parcels were measured on the ground (arpentée)."""
    terrain: land_pb2.Terrain | None = _of_land("terrain")
    bounds: Sequence[land_pb2.Bound] | None = _covered("bounds", "land", "bounds")
    """What the boundary faces where no other parcel touches it."""
    owners: Sequence[land_pb2.Owner] | None = _covered("owners", "land", "owners")
    """The legal persons with a right on the unit. Natural persons are never known."""
    joint_ownerships: Sequence[land_pb2.JointOwnership] | None = _covered(
        "joint_ownerships", "buildings", "joint_ownerships"
    )
    """The joint ownerships (copropriétés) of the national register."""
    energy_ratings: land_pb2.EnergyRatings | None = _covered("energy_ratings", "buildings", "energy_ratings")
    """The energy ratings (DPE) of dwellings on the unit. A dwelling may have several."""
    risk_zones: Sequence[land_pb2.RiskZone] | None = _covered("risk_zones", "risks", "zones")
    """The regulated zones of prevention plans whose outlines are known."""

    def __init__(self, unit: land_pb2.LandUnit) -> None:
        self.unit = unit
        self._coverage = {item.dataset: item for item in unit.coverage}

    def _coverages(self, fact: str) -> Iterator[land_pb2.DatasetCoverage]:
        """The coverage of each dataset of the fact. It is empty, so not covered, if the answer does not list it."""
        return (self._coverage.get(dataset, land_pb2.DatasetCoverage()) for dataset in DATASETS[fact])

    def _is_covered(self, fact: str) -> bool:
        """Whether a dataset of the fact is covered, at least in part."""
        return any(coverage.status in (_COVERED, _PARTIAL) for coverage in self._coverages(fact))

    def is_complete(self, fact: str) -> bool:
        """Whether the fact is known and its datasets cover the whole unit."""
        return getattr(self, fact) is not None and all(
            coverage.status == _COVERED for coverage in self._coverages(fact)
        )

    def why_missing(self, fact: str) -> Text:
        """The reason in parentheses, for a sentence about the missing fact; empty if it is known or has no reason."""
        if getattr(self, fact) is not None:
            return Text("", "")
        reasons = (coverage.reason for coverage in self._coverages(fact) if coverage.HasField("reason"))
        return _MISSING_REASONS.get(next(reasons, ""), Text("", ""))

    @property
    def parcel_ids(self) -> Sequence[str]:
        return self.unit.parcel_ids or [parcel.parcel_id for parcel in self.unit.parcels]

    @property
    def area_m2(self) -> float | None:
        """The declared area. If it is missing or 0, as in Alsace-Moselle, the area of the geometry."""
        return self.cadastral_area_m2 or self.geometric_area_m2

    @cached_property
    def urbanism(self) -> land_pb2.UrbanismBlock | None:
        block = self.unit.urbanism
        is_known = self.unit.HasField("urbanism") and self._is_covered("urbanism") and (block.zones or block.is_rnu)
        return block if is_known else None

    @property
    def plans_under_way(self) -> list[str] | None:
        """The plans that are being drawn up or revised in the communes; None if that is not known of one."""
        rules = self.unit.land.commune_rules
        if not rules or not all(rule.HasField("plan_in_force") or rule.HasField("plan_under_way") for rule in rules):
            return None
        return list(dict.fromkeys(rule.plan_under_way for rule in rules if rule.HasField("plan_under_way")))

    @property
    def document_types(self) -> set[str]:
        """PLU, PLUi, POS, CC or PSMV."""
        documents = self.urbanism.documents if self.urbanism else ()
        return {document.document_type for document in documents if document.HasField("document_type")}

    @property
    def is_carte_communale(self) -> bool:
        """A carte communale has sectors but no regulation, so the national rules apply in its sectors."""
        return self.document_types == {"CC"}

    @property
    def has_national_rules(self) -> bool | None:
        """Whether the national rules on access and siting apply: under the RNU or a carte communale."""
        return None if self.urbanism is None else self.urbanism.is_rnu or self.is_carte_communale

    @property
    def prescriptions(self) -> Sequence[land_pb2.PlanningPrescription] | None:
        return self.urbanism.prescriptions if self.urbanism and self._is_covered("prescriptions") else None

    @cached_property
    def informations(self) -> Sequence[land_pb2.PlanningInformation] | None:
        return self.urbanism.informations if self.urbanism and self._is_covered("informations") else None

    def has_information(self, type_code: str) -> bool | None:
        """Whether an information of this type is on the unit; None if that is not known."""
        if any(item.type_code == type_code for item in self.informations or ()):
            return True
        return False if self.is_complete("informations") else None

    @cached_property
    def easements(self) -> Sequence[land_pb2.Easement] | None:
        """The public easements (servitudes d'utilité publique)."""
        is_known = self.unit.HasField("urbanism") and self._is_covered("easements")
        return self.unit.urbanism.easements if is_known else None

    def has_easement(self, *categories: str) -> bool | None:
        """Whether an easement of one of these categories is on the unit; None if that is not known.

        Only if all categories are published for the département does no easement mean that there is none.
        """
        if self.easements is None:
            return None
        if any(item.category in categories for item in self.easements):
            return True
        return False if set(self.unit.urbanism.published_easement_categories).issuperset(categories) else None

    def has_zone(self, *types: str) -> bool:
        """Whether a part of the unit is known to be in a zone of these types."""
        return self.urbanism is not None and any(zone.zone_type in types for zone in self.urbanism.zones)

    @property
    def buildings(self) -> land_pb2.BuildingsBlock | None:
        """None unless land knows the buildings of every parcel."""
        is_known = self.unit.buildings.HasField("count") and self._is_covered("buildings")
        return self.unit.buildings if is_known else None

    @cached_property
    def sales(self) -> Sequence[land_pb2.DvfSale] | None:
        """The sales on the unit, newest first. A sale of several parcels counts once."""
        return _newest_first(self.unit.dvf_sales) if self._is_covered("sales") else None

    @cached_property
    def former_sales(self) -> Sequence[land_pb2.DvfSale]:
        """The sales on parcels that those of the unit come from, newest first."""
        return _newest_first([sale for parcel in self.unit.former_parcels for sale in parcel.dvf_sales])

    @property
    def comparables(self) -> Sequence[land_pb2.ComparableSale]:
        """The sales with a price behind the median that are nearest in place and time, at most 10."""
        return [item for item in self.unit.real_estate.comparables if item.HasField("price_eur_per_m2")]

    @property
    def permits(self) -> Sequence[land_pb2.UrbanAuthorization] | None:
        """The permits and declarations since 2013, newest first. A permit on several parcels counts once."""
        if not self._is_covered("permits"):
            return None
        newest: dict[str, land_pb2.UrbanAuthorization] = {}
        authorizations = self.unit.urban_authorizations
        for permit in sorted(authorizations, key=lambda permit: permit.date_reelle_autorisation, reverse=True):
            newest.setdefault(permit.num_dau or f"unnumbered {len(newest)}", permit)
        return [*newest.values()]

    @property
    def risks(self) -> land_pb2.RisksBlock | None:
        return self.unit.risks if self.unit.HasField("risks") else None

    def risk(self, subject: str) -> land_pb2.Risk:
        """The risk of this subject; not covered if the answer does not have it."""
        risks = (risk for risk in self.unit.risks.items if risk.subject == subject)
        return next(risks, land_pb2.Risk(subject=subject, status="not_covered"))


def _newest_first(sales: Iterable[land_pb2.DvfSale]) -> list[land_pb2.DvfSale]:
    """Each sale once."""
    newest: dict[str, land_pb2.DvfSale] = {}
    for sale in sorted(sales, key=lambda sale: sale.date_mutation, reverse=True):
        newest.setdefault(sale.id_mutation, sale)
    return [*newest.values()]


_MISSING_REASONS = {
    "not_loaded": Text(" (données de la commune non chargées)", " (the commune's data is not loaded)"),
    "not_published": Text(" (données non publiées ici)", " (the data is not published here)"),
    "loading": Text(" (données en cours de chargement)", " (the data is being loaded)"),
    "not_drawn": Text(" (terrain sans contour au plan cadastral)", " (the cadastral plan has no outline of it)"),
    "too_many": Text(" (trop d’objets pour être lus)", " (too many objects to be read)"),
    "not_covered": Text(" (territoire non couvert)", " (the territory is not covered)"),
    "no_data": Text(" (aucune valeur à cet endroit)", " (no value at this place)"),
    "busy": Text(" (trop de demandes en cours)", " (too many requests under way)"),
    "token_refused": Text(" (jeton refusé par l’éditeur)", " (the publisher refused the token)"),
    "too_many_parcels": Text(" (trop de parcelles)", " (too many parcels)"),
    "part_failed": Text(" (défaut du service)", " (a defect of the service)"),
    "source_unavailable": Text(" (l’éditeur n’a pas répondu)", " (the publisher did not answer)"),
}
"""The key is the reason that land gives with the coverage of a dataset."""


def is_within(risk: land_pb2.Risk, distance_m: float) -> bool:
    """Whether a site of the risk is at most so far from the unit, or its place is not given."""
    return risk.status == "present" and (
        not risk.findings
        or any(not finding.HasField("distance_m") or finding.distance_m <= distance_m for finding in risk.findings)
    )


def zones_of(risk: land_pb2.Risk) -> dict[str, str]:
    """The labels of the regulated zones of all plans, by code; "" without a label."""
    return {
        zone: label
        for finding in risk.findings
        for zone, label in zip_longest(finding.zones, finding.zone_labels[: len(finding.zones)], fillvalue="")
    }


def is_red(zone: land_pb2.RiskZone) -> bool:
    """Whether nothing new is built in a regulated zone."""
    return zone.regulation in ("forbidden", "acquisition")


ROOM_M2 = 200.0
"""Room for a plot of its own beside a house. Our assumption."""
LEAST_HOUSE_M = 6.0
"""A house of these sides is a small one. Land without room for it is no building plot. Our assumption."""


@dataclass(frozen=True)
class Layout:
    """The result of drawing the division, for the checks."""

    lot_count: int
    """Number of lots that the question requests, or the default."""
    is_drawn: bool | None
    """None if the unit has no geometry."""
    reason: str | None = None
    """Code of the reason why nothing was drawn, such as `too_small`."""
    built_lot_count: int | None = None
    """Lots of the first proposal with an existing building that is larger than a shed."""
    gap_m: float | None = None
    """From an existing building to a boundary of the first proposal that breaks the setback; None if none does."""
    widest_m: float = 0.0
    """Diameter of the largest circle on the land if nothing is drawn, or no lot has room for the house."""
    setback_m: float = 0.0
    """The setback of the lots."""
    is_setback_assumed: bool = True
    """Neither the plan nor the question states the setback."""
    closed_lot_count: int = 0
    """Lots of the first proposal where zones, prescriptions, easements or risks leave no room for a house."""
    lot_without_house_count: int = 0
    """Lots of the first proposal for building without room for a house."""
    house_m: tuple[float, float] = (0.0, 0.0)
    """The sides of the house that a lot for building has room for."""
    largest_house_m: tuple[float, float] = (0.0, 0.0)
    """Those of the largest house on a lot of the first proposal without room for it."""
    small_house_count: int = 0
    """Lots of the first proposal that have room for a smaller house only, of LEAST_HOUSE_M at least."""
    limitations: tuple[Text, ...] = ()
    """Why the first proposal is not what the project asks for."""
    faults: tuple[Text, ...] = ()
    """The violations of the assumptions in the first proposal, besides the limitations, room for a house and access."""
    count_range: tuple[int, int] | None = None
    """The least and the largest number of lots of a told range, of which one is studied."""
    is_count_told: bool = True
    """False if the question tells a project and not surely its number of lots."""
    drops_areas: bool = False
    """No lot of the first proposal has an area that the project asks for."""
    room_m2: float = 0.0
    """The most buildable area of a lot of the first proposal that keeps a house."""
    rights_of_way_m: Mapping[str, float] = field(default_factory=dict)
    """Widths of the rights of way by the lots of the first proposal that need one for a house, old or new."""
    far_lots: tuple[str, ...] = ()
    """Building plots of the first proposal that do not touch the way."""
    access_m: float | None = None
    """Width of the narrowest access of a lot of the first proposal with a house, old or new; None if not known."""
    protected_lots: tuple[str, ...] = ()
    """Lots of the first proposal that protected surroundings touch."""
    protected_ratio: float | None = None
    """Share of the ground of its building plots in protected surroundings; None if these have no outlines."""
    is_bare: bool = True
    """No existing building was known on the unit when it was drawn."""
    violation_count: int = 0
    """Number of violations of the assumptions in the first proposal."""
    has_shared_way: bool = False
    """The project has a way that serves several lots: the question tells it, or the first proposal draws one."""
    project: Project = field(default_factory=Project)
    """What the question tells."""

    @property
    def is_outside_protection(self) -> bool:
        """Whether the building plots of the first proposal lie outside of the protected surroundings."""
        return self.protected_ratio is not None and round(self.protected_ratio, 3) == 0

    @property
    def has_told_house(self) -> bool:
        """Whether the project tells the house, and each new lot for building has room for it."""
        is_drawn_for = bool(self.is_drawn and self.building_plot_count and self.project.footprint_m2)
        return is_drawn_for and not self.lot_without_house_count

    @property
    def has_no_house(self) -> bool:
        """Whether no lot for building has room for the house."""
        return self.lot_without_house_count >= max(1, self.building_plot_count)

    @property
    def has_smaller_house(self) -> bool:
        """Whether nobody tells the house, and a lot for building has room for a smaller one than the assumed one."""
        return self.has_no_house and not self.project.footprint_m2 and min(self.largest_house_m) >= LEAST_HOUSE_M

    @property
    def has_only_closed_lots(self) -> bool:
        """Whether nothing may be built on any new lot, and the plot of a house has no room for another one."""
        return self.closed_lot_count > 0 and not self.building_plot_count and self.room_m2 < ROOM_M2

    @property
    def building_plot_count(self) -> int:
        """The lots to build on, as far as they are drawn."""
        kept = (self.built_lot_count or 0) + self.closed_lot_count
        return 0 if self.project.is_for_neighbour else self.lot_count - kept
