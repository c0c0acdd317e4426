"""The facts that the checks reason on. None is a fact that is not known: not covered, not given, never "none"."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Zone:
    """One planning zone on the unit, with the share of the unit's area that it covers."""

    label: str
    zone_type: str | None
    """U, AUc, AUs, A, N; Ah, Nh, Nd in older documents."""
    overlap_ratio: float
    sector_type: str | None = None
    """Of a carte communale (TYPESECT, standard CNIG CC): 01, 02, 03 or 99."""

    @property
    def kind(self) -> str | None:
        """The type of the zone, or of the sector: what decides whether it may be built on."""
        return self.zone_type or self.sector_type


@dataclass(frozen=True)
class Prescription:
    """One planning prescription on the unit, by its official type (standard CNIG PLU); its free label is not used."""

    type_code: str | None
    overlap_ratio: float | None
    """Share of the unit that it covers, for a surface."""
    subtype_code: str | None = None


@dataclass(frozen=True)
class Urbanism:
    """What the planning documents say, where they are covered."""

    zones: tuple[Zone, ...]
    prescriptions: tuple[Prescription, ...] | None
    """None where they are not covered."""
    is_rnu: bool
    """The commune has no plan of its own: the national rules apply."""
    document_types: tuple[str, ...]
    """PLU, PLUi, POS, CC or PSMV."""
    is_zoned_whole: bool = True
    """Zones are known over the whole unit."""
    has_all_prescriptions: bool = True
    """Surfaces, lines and points of every document, not some of them."""

    @property
    def is_carte_communale(self) -> bool:
        """Sectors, without a regulation of its own: the national rules apply within them."""
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
    """Parcels that the same sale covered; its price is theirs together."""
    is_of_lots: bool = False
    """What was sold are lots of a joint ownership (copropriété), not the land."""


@dataclass(frozen=True)
class Median:
    """The median price of comparable sales nearby."""

    price_eur_per_m2: float
    kind: str | None = None
    """Of what: house, flat or commercial (by built m²), building_land or land (by m² of ground)."""
    sale_count: int | None = None
    radius_m: float | None = None


@dataclass(frozen=True)
class Sales:
    """Recorded sales on the unit, newest first, where the register is covered, and the prices around it."""

    items: tuple[Sale, ...]
    median: Median | None = None
    period_from: str | None = None
    period_to: str | None = None
    is_complete: bool = True
    """The register is covered for the whole unit."""


@dataclass(frozen=True)
class LandFacts:
    """One land unit (unité foncière), as far as it is known. Areas in m², lengths in metres."""

    parcel_ids: tuple[str, ...]
    cadastral_area_m2: float | None = None
    """Contenance: the area that the cadastre declares."""
    geometric_area_m2: float | None = None
    """The area of the drawn geometry."""
    frontage_m: float | None = None
    """Estimated length of the boundary on a public way."""
    is_contiguous: bool | None = None
    is_surveyed: bool | None = None
    """Arpentée: the cadastre's limits were surveyed."""
    urbanism: Urbanism | None = None
    buildings: Buildings | None = None
    sales: Sales | None = None
    gaps: Mapping[str, str] = field(default_factory=dict)
    """Why `urbanism`, its `prescriptions`, `buildings` or `sales` is None, by that name: a reason of the coverage
    (not_loaded, not_published, loading, not_drawn, too_many, source_unavailable).
    """

    @property
    def area_m2(self) -> float | None:
        """The declared area, or the drawn one where none (or 0, as in Alsace-Moselle) is declared."""
        return self.cadastral_area_m2 or self.geometric_area_m2

    @property
    def is_rnu(self) -> bool | None:
        return None if self.urbanism is None else self.urbanism.is_rnu

    @property
    def has_national_rules(self) -> bool | None:
        """Whether the national rules on access and siting apply: under the RNU, and under a carte communale."""
        return None if self.urbanism is None else self.urbanism.is_rnu or self.urbanism.is_carte_communale


@dataclass(frozen=True)
class Layout:
    """What drawing the division gave, as far as the checks need it."""

    lot_count: int
    """How many lots were asked for, or taken by default."""
    is_drawn: bool | None
    """None where the unit has no geometry to draw on."""
    reason: str | None = None
    """Why nothing could be drawn: a code of `division.reasons`."""
    built_lot_count: int | None = None
    """Lots of the first proposal on which an existing building stands that is more than a shed."""
    is_bare: bool = True
    """No existing building was on the ground that was drawn on."""
    violation_count: int = 0
    """Departures of the first proposal from the stated assumptions."""
