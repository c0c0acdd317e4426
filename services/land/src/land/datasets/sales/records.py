"""Sales of DVF."""

from typing import NamedTuple


class DvfRow(NamedTuple):
    """One row of geo-dvf: a (disposition, parcel, local, nature de culture). See `land.datasets.sales.rows`."""

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
    """The parcel's centroid, in the plan that the publisher used."""


class Sale(NamedTuple):
    """One mutation on one parcel, as partners see it."""

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
    """Parcels of the same mutation in all loaded communes of the département, this one included."""
    unit_count: int | None = None
    """Houses, flats and business premises on the parcel. None in rows that an earlier version loaded."""
    unfolded_unit_count: int | None = None
    """This and the following: the figures with each identical row counted; None if they are the same."""
    unfolded_surface_reelle_bati: float | None = None
    unfolded_surface_terrain: float | None = None
    unfolded_nombre_pieces_principales: int | None = None


class MarketSale(NamedTuple):
    """One mutation that can be compared with others of the same kind: see `land.datasets.sales.market_rows`."""

    commune_code: str
    id_mutation: str
    kind: str
    date_mutation: str
    type_local: str | None
    price_eur: float
    area_m2: float
    """The divisor of the price: the built area, or the ground for bare land."""
    built_m2: float | None
    land_m2: float | None
    parcel_ids: str
    """Joined by `|`."""
    lon: float
    lat: float
    unfolded_land_m2: float | None = None
    """The ground with each identical row counted; None if it is `land_m2`."""
