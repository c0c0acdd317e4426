"""The facts that the checks use. None means that a fact is not known; it never means "there is none"."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from servicekit.languages import Text


@dataclass(frozen=True)
class Zone:
    """One planning zone on the unit. `overlap_ratio` is the share of the unit's area that it covers."""

    label: str
    zone_type: str | None
    """U, AUc, AUs, A or N; Ah, Nh or Nd in older documents."""
    overlap_ratio: float
    sector_type: str | None = None
    """Sector of a carte communale (TYPESECT, standard CNIG CC): 01, 02, 03 or 99."""

    @property
    def kind(self) -> str | None:
        """The type of the zone or of the sector. It decides whether building is allowed."""
        return self.zone_type or self.sector_type


@dataclass(frozen=True)
class PlanFeature:
    """One prescription or information of a plan on the unit, by its official type (standard CNIG PLU). Its free label
    is not used.
    """

    type_code: str | None
    overlap_ratio: float | None
    """Share of the unit's area that a surface covers."""
    subtype_code: str | None = None


@dataclass(frozen=True)
class Urbanism:
    """The content of the planning documents."""

    zones: tuple[Zone, ...]
    prescriptions: tuple[PlanFeature, ...] | None
    """None if prescriptions are not covered."""
    is_rnu: bool
    """The commune has no plan, so the national rules (RNU) apply."""
    document_types: tuple[str, ...]
    """PLU, PLUi, POS, CC or PSMV."""
    is_zoned_whole: bool = True
    """Zones are known for the whole unit."""
    has_all_prescriptions: bool = True
    """All surfaces, lines and points of every document are known."""
    informations: tuple[PlanFeature, ...] | None = None
    """None if information layers are not covered."""
    has_all_informations: bool = False

    def has_information(self, type_code: str) -> bool | None:
        """Whether an information of this type is on the unit; None if that is not known."""
        if any(item.type_code == type_code for item in self.informations or ()):
            return True
        return False if self.has_all_informations else None

    @property
    def is_carte_communale(self) -> bool:
        """A carte communale has sectors but no regulation, so the national rules apply in its sectors."""
        return bool(self.document_types) and set(self.document_types) == {"CC"}


@dataclass(frozen=True)
class Buildings:
    count: int
    footprint_area_m2: float | None
    ground_coverage_ratio: float | None


@dataclass(frozen=True)
class Sale:
    """One recorded sale on the unit."""

    sold_on: str | None
    price_eur: float | None
    parcel_count: int
    """Number of parcels in the sale. The price is for all of them."""
    is_of_lots: bool = False
    """Lots of a joint ownership (copropriété) were sold, not the land."""


@dataclass(frozen=True)
class Median:
    """The median price of comparable sales nearby."""

    price_eur_per_m2: float
    kind: str | None = None
    """house, flat or commercial (price per built m²); building_land or land (price per m² of ground)."""
    sale_count: int | None = None
    radius_m: float | None = None


@dataclass(frozen=True)
class Sales:
    """Recorded sales on the unit, newest first, and the median price nearby."""

    items: tuple[Sale, ...]
    median: Median | None = None
    period_from: str | None = None
    period_to: str | None = None
    is_complete: bool = True
    """The register covers the whole unit."""


@dataclass(frozen=True)
class LandFacts:
    """The known facts of one land unit (unité foncière). Areas in m², lengths in metres."""

    parcel_ids: tuple[str, ...]
    cadastral_area_m2: float | None = None
    """Area that the cadastre declares (contenance)."""
    geometric_area_m2: float | None = None
    """Area of the geometry."""
    frontage_m: float | None = None
    """Estimated length of the boundary on a public way."""
    is_contiguous: bool | None = None
    is_surveyed: bool | None = None
    """The cadastre states that the parcels were measured on the ground (arpentée)."""
    urbanism: Urbanism | None = None
    buildings: Buildings | None = None
    sales: Sales | None = None
    missing_reasons: Mapping[str, str] = field(default_factory=dict)
    """Why `urbanism`, its `prescriptions`, `buildings` or `sales` is None, by that name: a reason of the coverage."""

    @property
    def area_m2(self) -> float | None:
        """The declared area. If it is missing or 0, as in Alsace-Moselle, the area of the geometry."""
        return self.cadastral_area_m2 or self.geometric_area_m2

    @property
    def is_rnu(self) -> bool | None:
        return None if self.urbanism is None else self.urbanism.is_rnu

    @property
    def has_national_rules(self) -> bool | None:
        """Whether the national rules on access and siting apply: under the RNU or a carte communale."""
        return None if self.urbanism is None else self.urbanism.is_rnu or self.urbanism.is_carte_communale

    def why_missing(self, name: str) -> Text:
        """The reason in parentheses, for a sentence about the missing facts `name`; empty if no reason is known."""
        return _MISSING_REASONS.get(self.missing_reasons.get(name, ""), Text("", ""))


_MISSING_REASONS = {
    "not_loaded": Text(" (données de la commune non chargées)", " (the commune's data is not loaded)"),
    "not_published": Text(" (données non publiées ici)", " (the data is not published here)"),
    "loading": Text(" (données en cours de chargement)", " (the data is being loaded)"),
    "not_drawn": Text(" (terrain sans contour au plan cadastral)", " (the cadastral plan has no outline of it)"),
    "too_many": Text(" (trop d'objets pour être lus)", " (too many objects to be read)"),
    "source_unavailable": Text(" (l'éditeur n'a pas répondu)", " (the publisher did not answer)"),
}
"""By the reason that land gives with the coverage of a dataset."""


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
    is_bare: bool = True
    """No existing building was known on the unit when it was drawn."""
    violation_count: int = 0
    """Number of violations of the assumptions in the first proposal."""
