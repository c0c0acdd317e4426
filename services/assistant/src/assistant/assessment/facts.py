"""The facts that the checks use. None means that a fact is not known; it never means "there is none"."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from assistant.assessment.risk_facts import Risks
from servicekit.languages import Text

T = TypeVar("T")


@dataclass(frozen=True)
class Register(Generic[T]):
    """What a register holds on the unit. Without items, it shows that there is nothing only if it is complete."""

    items: tuple[T, ...]
    is_complete: bool = True
    """The register covers the whole unit."""


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
class Easement:
    """One public easement (servitude d'utilité publique) on the unit. Its names are free text of the publisher."""

    category: str
    """Official code, such as AC1 or PM1bis."""
    name: str = ""
    type: str | None = None
    """Official kind of the land that bears it, such as "Périmètre des abords"."""
    overlap_ratio: float | None = None
    """Share of the unit's area that a surface covers."""


@dataclass(frozen=True)
class Easements:
    """The public easements on the unit."""

    items: tuple[Easement, ...]
    published: frozenset[str] = frozenset()
    """Categories that are published for the département: only of these does no easement mean that there is none."""

    def has(self, *categories: str) -> bool | None:
        """Whether an easement of one of these categories is on the unit; None if that is not known."""
        if any(item.category in categories for item in self.items):
            return True
        return False if self.published.issuperset(categories) else None


@dataclass(frozen=True)
class Owner:
    """One right of a legal person on the unit. Natural persons are never known."""

    name: str
    right_code: str | None = None
    """Official code: P owner, U usufruct, N bare ownership, E long lease, S syndic (copropriété)."""
    group_code: str | None = None
    """Official code: 1 State, 2 region, 3 département, 4 commune, 5 social housing, 7 co-owners, 9 public body."""
    is_public: bool = False
    siren: str | None = None
    parcel_ids: tuple[str, ...] = ()
    """The parcels of the unit with this right."""


@dataclass(frozen=True)
class JointOwnership:
    """A joint ownership (copropriété) in the national register."""

    id: str
    lot_count: int | None = None
    parcel_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class EnergyRatings:
    """Number of energy ratings (DPE) of dwellings on the unit, by letter. A dwelling may have several."""

    count: int
    energy: Mapping[str, int] = field(default_factory=dict)
    greenhouse_gas: Mapping[str, int] = field(default_factory=dict)
    oldest_on: str | None = None
    newest_on: str | None = None


@dataclass(frozen=True)
class Terrain:
    """Altitudes in metres and slopes in percent. The mean slope is that of the plane through all samples."""

    mean_altitude_m: float
    mean_slope_percent: float | None = None
    max_slope_percent: float | None = None
    """The greatest slope between neighbouring samples."""
    aspect: str | None = None
    """The direction in which the plane descends: n, ne, e, se, s, sw, w or nw."""


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
class Permit:
    """One permit or declaration on the unit."""

    type_code: str | None
    """PC, DP, PA or PD."""
    state: str | None
    """Official French label: autorisé, annulé, commencé or terminé."""
    authorized_on: str | None = None


@dataclass(frozen=True)
class Median:
    """The median price of comparable sales nearby."""

    price_eur_per_m2: float
    kind: str | None = None
    """house, flat or commercial (price per built m²); building_land or land (price per m² of ground)."""
    sale_count: int | None = None
    radius_m: float | None = None


@dataclass(frozen=True)
class Comparable:
    """One sale near the unit that compares with it."""

    price_eur_per_m2: float
    kind: str
    """As in Median."""
    sold_on: str
    distance_m: float | None = None


@dataclass(frozen=True)
class Sales:
    """Recorded sales on the unit, newest first, and the median price nearby."""

    items: tuple[Sale, ...]
    median: Median | None = None
    period_from: str | None = None
    period_to: str | None = None
    is_complete: bool = True
    """The register covers the whole unit."""
    comparables: tuple[Comparable, ...] = ()
    """The sales behind the median that are nearest in place and time, at most 10."""


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
    permits: Register[Permit] | None = None
    """Newest first. The register has permits since 2013."""
    easements: Easements | None = None
    risks: Risks | None = None
    owners: Register[Owner] | None = None
    """The legal persons. An empty register means that no legal person is known; natural persons may own the unit."""
    joint_ownerships: Register[JointOwnership] | None = None
    energy_ratings: EnergyRatings | None = None
    terrain: Terrain | None = None
    missing_reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a fact is None, by its name here, `prescriptions` or `informations`: a reason of the coverage."""

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
    "too_many": Text(" (trop d’objets pour être lus)", " (too many objects to be read)"),
    "not_covered": Text(" (territoire non couvert)", " (the territory is not covered)"),
    "no_data": Text(" (aucune valeur à cet endroit)", " (no value at this place)"),
    "busy": Text(" (trop de demandes en cours)", " (too many requests under way)"),
    "token_refused": Text(" (jeton refusé par l’éditeur)", " (the publisher refused the token)"),
    "too_many_parcels": Text(" (trop de parcelles)", " (too many parcels)"),
    "source_unavailable": Text(" (l’éditeur n’a pas répondu)", " (the publisher did not answer)"),
}
"""The key is the reason that land gives with the coverage of a dataset."""


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
    has_shared_way: bool = False
    """The first proposal creates a way that serves several lots."""
