"""Sales as rows of geo-dvf, by column: one per case in the old quarter, and ordinary ones in the generated town."""

from collections.abc import Iterator, Mapping
from random import Random

from demoland import quarter as q
from demoland.model import Address, Commune, Parcel, upper_ascii

Sale = Mapping[str, object]

SALE_SHARE = 0.12
"""Share of the parcels that were sold in `YEARS`."""
YEARS = (2021, 2022, 2023, 2024, 2025)
"""DVF publishes the last five years."""
_HOUSE = {"code_type_local": "1", "type_local": "Maison"}
_FLAT = {"code_type_local": "2", "type_local": "Appartement"}
_DEPENDENCY = {"code_type_local": "3", "type_local": "Dépendance"}
_BUILT_GROUND = {"code_nature_culture": "S", "nature_culture": "sols"}
_SHARED = {"numero_disposition": "000001", "nature_mutation": "Vente", "nombre_lots": 0}


_STREET = {"adresse_nom_voie": "RUE DU 8 MAI 1945"}


def quarter_sales() -> Iterator[Sale]:
    parcels = {parcel.parcel_id: parcel for parcel in q.PARCELS if parcel.polygons}
    for sale in q.RECORDS["sales"]:
        for columns in sale.get("rows", [{}]):
            row = {**_SHARED, **_STREET, **sale, **columns}
            row.pop("rows", None)
            parcel = parcels.get(row["id_parcelle"])
            yield {**row, **_position(q.COMMUNE, parcel)} if parcel else row


def town_sales(commune: Commune, parcel: Parcel, address: Address | None, order: int, random: Random) -> Iterator[Sale]:
    """None for most parcels, else the rows of one sale: a house or a flat, often with a dependency.

    `order` is the parcel's order in the demo. It makes the sale's id.
    """
    if random.random() >= SALE_SHARE:
        return
    year = random.choice(YEARS)
    shared: dict[str, object] = {
        **_SHARED,
        "id_mutation": f"{year}-{commune.code}{1000 + order}",
        "date_mutation": f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "id_parcelle": parcel.parcel_id,
        **_position(commune, parcel),
    }
    if address:
        shared |= {
            "adresse_numero": address.number,
            "adresse_suffixe": address.suffix[:1].upper(),
            "adresse_nom_voie": upper_ascii(address.street.name),
        }
    if random.random() < 0.7:  # noqa: PLR2004 - share of houses
        built_m2 = random.randint(45, 190)
        price_eur = built_m2 * random.randrange(1400, 3200, 50)
        shared |= {"valeur_fonciere": price_eur, "surface_terrain": parcel.contenance_m2, **_BUILT_GROUND}
        rooms = max(1, built_m2 // 24)
        yield {**shared, **_HOUSE, "surface_reelle_bati": built_m2, "nombre_pieces_principales": rooms}
        if random.random() < 0.4:  # noqa: PLR2004 - share of houses with a garage
            yield {**shared, **_DEPENDENCY, "surface_reelle_bati": 0}
    else:
        built_m2, lot = random.randint(18, 95), random.randint(1, 60)
        price_eur = built_m2 * random.randrange(1800, 4200, 50)
        shared |= {"valeur_fonciere": price_eur, "nombre_lots": 1, "surface_reelle_bati": built_m2, "lot1_numero": lot}
        yield {**shared, **_FLAT, "nombre_pieces_principales": max(1, built_m2 // 22)}
        yield {**shared, **_DEPENDENCY, "surface_reelle_bati": 0, "lot1_numero": 100 + lot}


def _position(commune: Commune, parcel: Parcel) -> dict[str, str]:
    outline = parcel.polygons[0][0]
    x, y = (sum(values) / len(outline) for values in zip(*outline, strict=True))
    lon, lat = commune.to_degrees((x, y))
    return {"longitude": f"{lon:.6f}", "latitude": f"{lat:.6f}"}
