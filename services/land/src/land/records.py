"""What the sources say and what the store gives back, as records: one shape for every reader, store and test.

Field names are English except where a record carries an official field whole. Codes are text. Dates are YYYY-MM-DD
text. Geometry is WKB in WGS84 longitude and latitude. None is a fact that the source does not give.
"""

from typing import NamedTuple


class Unit(NamedTuple):
    """What a dataset is loaded by: the publisher's own unit, and a part of it that is published apart."""

    code: str
    """A commune code: the commune of BAN, cadastre and DVF, the filing commune of Sitadel (75056 for all Paris); FR for
    a national list."""
    part: str = ""
    """The year of a DVF file, or which of a national list's files; empty elsewhere."""


class AddressRecord(NamedTuple):
    """One numbered address of BAN."""

    commune_code: str
    id: str
    """Interoperability key, such as 75118_2921_00033_b."""
    street_id: str
    """Its street part, such as 75118_2921."""
    number: int
    suffix: str
    """As published (`bis`, `b`, `p3`), lower case; empty without one."""
    street_name: str
    street_name_afnor: str
    alias: str
    locality_name: str
    postcode: str
    commune_name: str
    post_office_label: str
    old_commune_code: str
    old_commune_name: str
    lon: float | None
    lat: float | None
    position_type: str
    is_certified: bool
    parcel_ids: str
    """Parcels that BAN declares, joined by `|`; empty without one."""


class LocalityRecord(NamedTuple):
    """One lieu-dit of BAN: a named place without numbers."""

    commune_code: str
    id: str
    """Interoperability key, such as 04001_b012."""
    name: str
    postcode: str
    commune_name: str
    old_commune_code: str
    old_commune_name: str
    lon: float | None
    lat: float | None


class CommuneRecord(NamedTuple):
    """One line of INSEE's list of communes."""

    kind: str
    """COM, ARM (arrondissement), COMD (déléguée) or COMA (associée)."""
    code: str
    name: str
    parent_code: str
    """The commune that it is part of; empty for COM."""


class MovementRecord(NamedTuple):
    """One line of INSEE's list of changes of communes since 1943: what was before and what came after."""

    effective_on: str
    change: str
    """INSEE's MOD, such as 32 for a commune nouvelle."""
    old_kind: str
    old_code: str
    """Empty where a commune was made of nothing that had a code."""
    old_name: str
    new_kind: str
    new_code: str
    """Empty where nothing came after."""
    new_name: str


class PostcodesRecord(NamedTuple):
    """A present commune or arrondissement, with its postcodes."""

    code: str
    name: str
    postcodes: str
    """Joined by `|`; empty without one."""
    lon: float | None
    lat: float | None
    epci: str | None
    """SIREN of the intercommunality with taxing powers (EPCI à fiscalité propre) that it is in."""
    population: int | None = None


class ParcelRecord(NamedTuple):
    """One parcel of the cadastre."""

    commune_code: str
    parcel_id: str
    prefix: str
    section: str
    number: str
    """Padded as in the id: prefix 3, section 2, number 4."""
    cadastral_area_m2: int | None
    """Contenance."""
    is_surveyed: bool | None
    created_on: str | None
    updated_on: str | None
    geometry: bytes | None
    """A valid Polygon or MultiPolygon."""
    is_repaired: bool
    """Its rings were invalid as published, and were repaired."""


class BuildingRecord(NamedTuple):
    """One building as one source has it: an outline of the cadastre, a bâtiment of BD TOPO, a building of the RNB."""

    unit_code: str
    """A commune for the cadastre; the département that its publisher files it under for BD TOPO and the RNB."""
    building_id: str
    """The publisher's; of the cadastre, which has none, one made from the outline."""
    rnb_ids: str
    """Ids of the national register that it is known by, joined by `|`; empty without one."""
    is_light: bool | None
    """Construction légère: no foundations, or open on a side."""
    height_m: float | None
    storeys: int | None
    """The ground floor included."""
    usage: str | None
    """The publisher's words, in French."""
    dwelling_count: int | None
    construction_year: int | None
    plots: str
    """`parcel:ratio` joined by `|`: the share of the building on each parcel, where the source says it."""
    geometry: bytes
    """A valid Polygon or MultiPolygon; a Point where the source has no outline."""
    is_repaired: bool


class TerritoryRecord(NamedTuple):
    """A commune as the plan draws it."""

    commune_code: str
    is_repaired: bool
    geometry: bytes
    """A valid Polygon or MultiPolygon."""


class RetiredRow(NamedTuple):
    """A parcel that a newer edition of the plan no longer has."""

    parcel_id: str
    last_edition: str
    """The last edition that had it."""
    geometry: bytes | None
    """As in that edition."""


class DvfRow(NamedTuple):
    """One row of geo-dvf: a (disposition, parcel, local, nature de culture). `land.units.sales` says what a sale is."""

    commune_code: str
    id_mutation: str
    date_mutation: str
    numero_disposition: str
    nature_mutation: str
    valeur_fonciere: float | None
    adresse_numero: str
    adresse_suffixe: str
    adresse_nom_voie: str
    code_postal: str
    nom_commune: str
    id_parcelle: str
    ancien_id_parcelle: str
    nombre_lots: int
    lots: tuple[str, ...]
    """Numbers of the up to 5 lots that the row names."""
    code_type_local: str
    type_local: str
    surface_reelle_bati: float | None
    nombre_pieces_principales: int | None
    code_nature_culture: str
    code_nature_culture_speciale: str
    surface_terrain: float | None
    lon: float | None
    lat: float | None
    """Of the parcel's centroid, in the plan that the publisher placed it on."""


class SaleRecord(NamedTuple):
    """One mutation on one parcel, as contract §2.3 gives it."""

    commune_code: str
    id_parcelle: str
    id_mutation: str
    ancien_id_parcelle: str
    date_mutation: str | None
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
    nom_commune: str | None
    parcel_count: int
    """Parcels of the same mutation in this file, this one included."""
    unit_count: int | None = None
    """Houses, flats and business premises on the parcel; None in rows of a version that did not count them."""
    unfolded_unit_count: int | None = None
    """This and the following: the figures with each identical row counted; None if they are the same."""
    unfolded_surface_reelle_bati: float | None = None
    unfolded_surface_terrain: float | None = None
    unfolded_nombre_pieces_principales: int | None = None


class MarketSale(NamedTuple):
    """One mutation that can be compared with others of its kind: see `land.units.market_sales`."""

    commune_code: str
    id_mutation: str
    kind: str
    date_mutation: str
    type_local: str | None
    price_eur: float
    area_m2: float
    """What the price is divided by: the built area, of bare land the ground."""
    built_m2: float | None
    land_m2: float | None
    parcel_ids: str
    """Joined by `|`."""
    lon: float
    lat: float
    unfolded_land_m2: float | None = None
    """The ground with each identical row counted; None if it is `land_m2`."""


class ParcelReference(NamedTuple):
    """A parcel as a permit names it, its commune resolved to the arrondissement where there are any."""

    commune_code: str
    prefix: str | None
    """None where the permit does not say: Sitadel has no field for it."""
    section: str
    number: str


class PermitRecord(NamedTuple):
    """One permit of Sitadel. Codes are already their official French labels."""

    filing_commune: str
    series: str
    """dau (logements and locaux), pa or pd: a number is unique within its series only."""
    number: str
    type_dau: str | None
    etat_dau: str | None
    date_reelle_autorisation: str | None
    date_reelle_doc: str | None
    date_reelle_daact: str | None
    nature_projet_declaree: str | None
    nature_projet_completee: str | None
    destination_principale: str | None
    superficie_terrain: str | None
    """Square metres as the contract wants it, a decimal string; None for 0, which means unknown."""
    references: tuple[ParcelReference, ...]
    unreadable_references: int
    """References that were given and could not be read as a section and a number."""


class ZoneRecord(NamedTuple):
    """One zone of a plan, or one sector of a carte communale."""

    partition: str
    """The document's on the Géoportail de l'urbanisme: DU_64547, DU_200011781."""
    document_id: str
    """IDURBA; the partition where none is given."""
    document_type: str | None
    """PLU, PLUi, POS, CC or PSMV."""
    approved_on: str | None
    label: str
    """The plan's own short name."""
    long_label: str | None
    zone_type: str | None
    """U, AUc, AUs, A, N (Ah, Nh, Nd in older documents); None in a carte communale."""
    sector_type: str | None
    """TYPESECT of a carte communale: 01, 02, 03 or 99."""
    regulation_url: str | None
    is_repaired: bool
    geometry: bytes
    """A valid Polygon or MultiPolygon."""


class PrescriptionRecord(NamedTuple):
    """One prescription of a plan."""

    partition: str
    document_id: str
    document_type: str | None
    approved_on: str | None
    label: str
    type_code: str | None
    """TYPEPSC and STYPEPSC of the CNIG standard, two digits each."""
    subtype_code: str | None
    geometry_kind: str
    """surface, line or point."""
    regulation_url: str | None
    is_repaired: bool
    geometry: bytes


class DocumentRecord(NamedTuple):
    """One planning document."""

    partition: str
    document_id: str
    document_type: str | None
    approved_on: str | None
    url: str | None
    """A page about it, or its written rules."""


class PlanningCommuneRecord(NamedTuple):
    commune_code: str
    is_rnu: bool | None
    """The commune has no plan of its own: the national rules (RNU) apply."""


class InForceRecord(NamedTuple):
    """A planning document that is in force in the middle of a commune."""

    commune_code: str
    partition: str


class Box(NamedTuple):
    """A bounding box in degrees."""

    west: float
    south: float
    east: float
    north: float


class SaleRow(NamedTuple):
    """A row of `sale`, as it goes into the history."""

    id_mutation: str
    id_parcelle: str
    date_mutation: str | None
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
    parcel_count: int
    ancien_id_parcelle: str
    unit_count: int | None = None
    unfolded_unit_count: int | None = None
    """This and the following: see SaleRecord."""
    unfolded_surface_reelle_bati: float | None = None
    unfolded_surface_terrain: float | None = None
    unfolded_nombre_pieces_principales: int | None = None


class PermitRow(NamedTuple):
    """A permit on one parcel, from one of the files that hold it."""

    parcel_id: str
    dataset: str
    series: str
    number: str
    type_dau: str | None
    etat_dau: str | None
    date_reelle_autorisation: str | None
    date_reelle_doc: str | None
    date_reelle_daact: str | None
    nature_projet_declaree: str | None
    nature_projet_completee: str | None
    destination_principale: str | None
    superficie_terrain: str | None


class BuildingRow(NamedTuple):
    """A row of `building`."""

    dataset: str
    building_id: str
    rnb_ids: str
    is_light: bool | None
    height_m: float | None
    storeys: int | None
    usage: str | None
    dwelling_count: int | None
    construction_year: int | None
    plots: str
    geometry: bytes
    is_repaired: bool


class NearbyAddress(NamedTuple):
    commune_code: str
    street_id: str
    number: int
    suffix: str
    ban_id: str | None
    postcode: str
    lon: float | None
    lat: float | None
    parcel_ids: str
    street_name: str
    commune_name: str


class Placement(NamedTuple):
    """References of permits to a commune's parcels, by what became of them."""

    commune_code: str
    placed: int
    ambiguous: int
    retired: int
    unchecked: int
    """No cadastre is loaded to look them up in."""
