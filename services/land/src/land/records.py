"""What the sources say and what the store gives back, as records: one shape for every reader, store and test.

Field names are English except where a record carries an official field whole. Codes are text. Dates are YYYY-MM-DD
text. Geometry is WKB in WGS84 longitude and latitude. None is a fact that the source does not give.
"""

from typing import NamedTuple


class Unit(NamedTuple):
    """What a dataset is loaded by: the publisher's own unit, and a part of it that is published apart."""

    code: str
    """A commune code: the commune of BAN, cadastre and DVF, the filing commune of Sitadel (75056 for all Paris)."""
    part: str = ""
    """The year of a DVF file; empty elsewhere."""


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
