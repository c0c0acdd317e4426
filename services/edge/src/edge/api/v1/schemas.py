"""The schemas of the answers, for the API description only.

The answers themselves are made from the services' messages (`clients/*_json`). A test compares them with the schemas.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_EDITION = "As the publisher states it, such as 2026-06-01 or 2026-01; unknown where no edition is stated."
_RETRIEVED_AT = "When the service downloaded the file, or when it was imported."


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Violation(_Answer):
    pointer: str = Field(description="JSON pointer (RFC 6901) into the request.")
    code: str
    detail: str


class Problem(BaseModel):
    """An error, as RFC 9457 has it."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str = Field(description="Stable, for programs.")
    request_id: str
    errors: list[Violation] | None = Field(default=None, description="With status 400: each fault.")
    successors: list[str] | None = Field(default=None, description="With parcel_retired: the parcels that followed.")


class AddressAgreement(_Answer):
    number: float | None
    street: float | None
    city: float | None
    postcode: float | None


class Address(_Answer):
    id: str | None = Field(description="BAN interoperability key.")
    label: str | None
    number: str | None
    street: str | None
    postcode: str | None
    city: str | None
    city_code: str | None = Field(description="INSEE code of the commune.")
    latitude: float | None
    longitude: float | None
    type: Literal["housenumber", "street", "locality", "municipality"] | None
    score: float | None = Field(description="The probability that this address was meant, 0 to 1.")
    matched: AddressAgreement | None = Field(
        description="How far each part agrees with the same part of the query, 0 to 1; null where the query gave none."
    )


class ParcelMatch(_Answer):
    parcel_id: str
    match: Literal["declared", "containing", "nearest"] | None = Field(
        description="declared by the address file, containing the address point, or nearest to it within 30 m."
    )
    distance_m: float | None


class Source(_Answer):
    """Where facts of the answer come from. About the fictional demo commune, the publisher is the demo."""

    id: str
    publisher: str
    dataset: str
    edition: str = Field(description=_EDITION)
    retrieved_at: str = Field(description=_RETRIEVED_AT)
    licence: str
    attribution: str
    url: str


class Notice(_Answer):
    model_config = ConfigDict(extra="forbid", title="Warning")

    code: str
    detail: str
    block: str | None = None


class ResolveResponse(_Answer):
    """A normalized address with its parcels. Itself a valid body for the other two endpoints."""

    address: Address
    parcel_ids: list[str]
    parcels: list[ParcelMatch]
    alternatives: list[Address] = Field(max_length=4)
    sources: list[Source]
    warnings: list[Notice]


class Geometry(BaseModel):
    """A GeoJSON geometry (RFC 7946): longitude, latitude, at most 7 decimals."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]
    coordinates: list[Any]


class UrbanAuthorization(_Answer):
    """One permit on one parcel (Sitadel); codes are given as their official French labels."""

    parcelle_id: str | None
    type_dau: str | None
    num_dau: str | None
    etat_dau: str | None
    date_reelle_autorisation: str | None = Field(description="YYYY-MM-DD")
    date_reelle_doc: str | None
    date_reelle_daact: str | None
    nature_projet_declaree: str | None
    nature_projet_completee: str | None
    destination_principale: str | None
    superficie_terrain: str | None


class DvfSale(_Answer):
    """One sale on one parcel (DVF)."""

    id_mutation: str
    id_parcelle: str
    date_mutation: str | None = Field(description="YYYY-MM-DD")
    nature_mutation: str | None
    type_local: str | None
    has_dependance: bool
    lot_count: int
    surface_reelle_bati: float | None
    surface_terrain: float | None
    nombre_pieces_principales: int | None
    valeur_fonciere: float | None
    adresse_numero: str | None
    adresse_suffixe: str | None
    adresse_nom_voie: str | None
    code_postal: str | None
    code_commune: str | None
    nom_commune: str | None


class History(_Answer):
    urban_authorizations: list[UrbanAuthorization]
    dvf_sales: list[DvfSale]


class Parcel(_Answer):
    parcel_id: str
    commune_code: str
    prefix: str
    section: str
    number: str
    cadastral_area_m2: float | None = Field(description="Contenance: the area that the cadastre declares.")
    geometric_area_m2: float | None
    is_surveyed: bool | None
    created_on: str | None
    updated_on: str | None
    match: Literal["declared", "containing", "nearest"] | None
    distance_m: float | None


class Commune(_Answer):
    code: str
    name: str | None


class LandBlock(_Answer):
    commune: Commune | None
    department: str | None
    section: str | None = Field(description="Of a single parcel; see sections for several.")
    number: str | None
    prefix: str | None
    sections: list[str]
    numbers: list[str]
    prefixes: list[str]
    cadastral_area_m2: float | None
    geometric_area_m2: float | None
    perimeter_m: float | None
    centroid: list[float] | None = Field(description="Longitude, latitude.")
    is_surveyed: bool | None
    frontage_m: float | None = Field(description="An estimate: the boundary that no other parcel touches.")
    frontage: Geometry | None
    addresses: list[Address]
    is_contiguous: bool | None


class PlanningDocument(_Answer):
    id: str
    document_type: str | None
    approved_on: str | None
    url: str | None


class PlanningZone(_Answer):
    label: str
    long_label: str | None
    zone_type: str | None
    sector_type: str | None
    overlap_area_m2: float
    overlap_ratio: float
    regulation_url: str | None
    document_id: str | None


class PlanningPrescription(_Answer):
    label: str
    type_code: str | None
    subtype_code: str | None
    type_label: str | None
    geometry_kind: str
    overlap_area_m2: float | None
    overlap_length_m: float | None
    regulation_url: str | None
    document_id: str | None


class UrbanismBlock(_Answer):
    documents: list[PlanningDocument]
    zones: list[PlanningZone]
    prescriptions: list[PlanningPrescription]
    is_rnu: bool | None = Field(description="The commune has no plan of its own: the national rules apply.")


class Building(_Answer):
    """A building, as far as it stands on the land."""

    id: str = Field(description="Its id in the national register (RNB) where it has one, else its source's.")
    rnb_ids: list[str]
    footprint_m2: float | None = Field(description="Of the part on the land.")
    cover_ratio: float | None = Field(description="That part as a share of the building, 0 to 1.")
    height_m: float | None
    storeys: int | None = Field(description="The ground floor included.")
    usage: str | None = Field(description="In BD TOPO's words.")
    dwelling_count: int | None = Field(description="Of the whole building.")
    construction_year: int | None
    is_light: bool | None = Field(description="Construction légère, such as a veranda or a shed.")
    outline_source: str = Field(description="The id, in sources, of what drew the outline.")
    facts_source: str | None = Field(description="The id of what knows height, storeys, usage, dwellings and year.")
    geometry: Geometry | None = Field(description="The part on the land.")


class BuildingsBlock(_Answer):
    """What stands on the land; null as a whole where that is not known."""

    count: int
    footprint_area_m2: float | None = Field(description="Ground under buildings, each spot once.")
    ground_coverage_ratio: float | None
    items: list[Building] = Field(description="Largest first, at most 500.")


class Period(_Answer):
    from_: str | None = Field(alias="from", description="The first day of the oldest year that is loaded.")
    to: str | None = Field(description="The newest sale of the commune.")


class SalesSummary(_Answer):
    """Of all comparable sales within the radius."""

    sale_count: int
    last_sale_on: str | None
    median_price_eur_per_m2: float | None = Field(
        description="Of what is built, or of the ground where kind is bare land; null of fewer than 5 sales."
    )


class ComparableSale(_Answer):
    """A sale nearby of one property of the same kind, its parcels and dispositions together."""

    id_mutation: str
    date_mutation: str
    type_local: str | None
    valeur_fonciere: float | None
    surface_reelle_bati: float | None
    surface_terrain: float | None
    price_eur_per_m2: float | None = Field(description="Of what is built; of bare land, of the ground.")
    distance_m: float | None = Field(description="From the land to the point that DVF gives.")
    parcel_ids: list[str]
    kind: str = Field(description="house, flat, commercial, building_land or land.")


class RealEstateBlock(_Answer):
    """Sales nearby that compare with the land; its own are in history. Null as a whole where DVF has none to show."""

    period: Period
    kind: str | None = Field(description="What was compared; null where no sale is near.")
    kind_basis: str | None = Field(
        description="What told the kind: own_sale, nothing_built, buildings (by BD TOPO) or nearby_sales (most sold)."
    )
    radius_m: float | None = Field(description="The smallest of five circles, up to 10 km, that has 20 sales.")
    summary: SalesSummary
    comparables: list[ComparableSale] = Field(description="At most 10, by distance and age.")
    comparables_method: str | None = Field(description="How they were chosen, in words.")


CoverageStatus = Literal["covered", "partial", "loading", "not_published", "not_loaded", "not_covered"]


class LandUnitProperties(_Answer):
    parcel_ids: list[str]
    address: Address | None
    parcels: list[Parcel]
    history: History
    land: LandBlock | None = None
    urbanism: UrbanismBlock | None = None
    buildings: BuildingsBlock | None = None
    real_estate: RealEstateBlock | None = None
    coverage: dict[str, CoverageStatus] = Field(
        description=(
            "By dataset. Only `covered` makes an empty list mean none. `partial`: some of it is missing. `loading`: "
            "ask again soon. `not_published`: the publisher has none of it. `not_loaded`: it is not loaded here. "
            "`not_covered`: it cannot be read for this land."
        )
    )
    sources: list[Source]
    warnings: list[Notice]


class LandUnitFeature(_Answer):
    type: Literal["Feature"]
    geometry: Geometry | None = Field(description="Union of the parcels.")
    bbox: list[float] | None = None
    properties: LandUnitProperties


class FeatureCollection(_Answer):
    """One Feature: the union of the selected parcels. Blocks that were not asked for are not there."""

    type: Literal["FeatureCollection"]
    bbox: list[float] | None = None
    features: list[LandUnitFeature]


class TokenUsage(_Answer):
    input_tokens: int
    output_tokens: int


class PromptPolicy(_Answer):
    mode: Literal["disabled", "rules", "model"]
    token_limit: int | None


class Prompt(_Answer):
    id: str
    version: str
    question: str
    language: str
    provider: str
    model: str | None
    generated_at: str
    policy: PromptPolicy
    usage: TokenUsage
    warnings: list[Notice]


class Procedure(_Answer):
    code: str
    label: str
    legal_refs: list[str]


class Check(_Answer):
    code: str
    status: Literal["pass", "warn", "fail", "unknown"]
    detail: str
    value: float | bool | str | None
    threshold: float | None
    unit: str | None
    legal_refs: list[str]


class LotProperties(_Answer):
    area_m2: float
    frontage_m: float
    access: str
    compactness: float
    buildable_area_m2: float
    has_existing_building: bool
    violations: list[str]


class Lot(_Answer):
    type: Literal["Feature"]
    id: str
    geometry: Geometry | None
    properties: LotProperties


class Lots(_Answer):
    type: Literal["FeatureCollection"]
    features: list[Lot]


class ProposalMetrics(_Answer):
    score: float
    smallest_lot_m2: float
    largest_lot_m2: float
    area_ratio: float
    access_strip_m2: float
    violation_count: int


class Proposal(_Answer):
    rank: int
    method: str
    summary: str
    metrics: ProposalMetrics
    lots: Lots


class Assumption(_Answer):
    value: float
    unit: str
    detail: str


class QuickAssessment(_Answer):
    verdict: Literal["favourable", "conditional", "unfavourable", "undetermined"]
    confidence: float
    procedure: Procedure | None
    summary: str
    checks: list[Check]
    proposals: list[Proposal]
    assumptions: dict[str, Assumption]
    disclaimer: str
    rules_version: str


class Answer(_Answer):
    format: Literal["markdown"]
    text: str
    grounded_on: list[str]


class DivideLandResponse(_Answer):
    """Prompt metadata, a quick assessment, the context that it rests on, and the assistant's answer."""

    prompt: Prompt
    quick_assessment: QuickAssessment
    context: FeatureCollection
    answer: Answer


class Quota(_Answer):
    monthly_units: int | None
    per_minute: int
    burst: int
    hard: bool
    spend_cap: str | None = Field(description="Decimal EUR per month.")


class AssistantPolicy(_Answer):
    mode: Literal["disabled", "rules", "model"]
    monthly_calls: int | None
    monthly_tokens: int | None


class UsageResponse(_Answer):
    month: str = Field(description="YYYY-MM in Europe/Paris.")
    requests: int
    errors: int
    units: int
    reserved_units: int = Field(description="Held for requests under way.")
    quota: Quota
    assistant_policy: AssistantPolicy
    assistant_calls: int
    assistant_tokens: int


class LoadedDataset(_Answer):
    dataset: str
    unit: str = Field(description="A commune's code, or a planning document's id.")
    part: str
    edition: str = Field(description=_EDITION)
    retrieved_at: str = Field(description=_RETRIEVED_AT)
    loaded_at: str
    row_count: int
    rejected_count: int


class CoverageResponse(_Answer):
    datasets: list[LoadedDataset]
    next_cursor: str | None
    sources: list[Source]


class HealthResponse(_Answer):
    status: Literal["ok", "degraded"]
    version: str
    dependencies: dict[str, Literal["ok", "down"]]
