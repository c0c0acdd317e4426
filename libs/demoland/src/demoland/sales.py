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
WITHDRAWN_YEAR = 2016
_HOUSE = {"code_type_local": "1", "type_local": "Maison"}
_FLAT = {"code_type_local": "2", "type_local": "Appartement"}
_DEPENDENCY = {"code_type_local": "3", "type_local": "Dépendance"}
_SHOP = {"code_type_local": "4", "type_local": "Local industriel. commercial ou assimilé"}
_BUILT_GROUND = {"code_nature_culture": "S", "nature_culture": "sols"}
_GARDEN = {"code_nature_culture": "J", "nature_culture": "jardins"}
_BUILDING_LAND = {"code_nature_culture": "AB", "nature_culture": "terrains a bâtir"}
_OFF_PLAN = "Vente en l'état futur d'achèvement"
_SHARED = {"numero_disposition": "000001", "nature_mutation": "Vente", "nombre_lots": 0}


def _rows(mutation: str, sold_on: str, price_eur: float | None, *rows: Sale, **shared: object) -> list[Sale]:
    key = {"id_mutation": mutation, "date_mutation": sold_on, "valeur_fonciere": price_eur}
    return [{**_SHARED, **key, "adresse_nom_voie": "RUE DU 8 MAI 1945", **shared, **row} for row in rows]


_QUARTER_SALES: tuple[Sale, ...] = (
    *_rows(
        "2016-1", "2016-06-14", 171_000,
        {**_HOUSE, **_BUILT_GROUND, "surface_reelle_bati": 96, "nombre_pieces_principales": 4, "surface_terrain": 900},
        id_parcelle=q.SINGLE_HOUSE, adresse_numero="1",
    ),
    *_rows(
        "2021-1", "2021-02-03", 212_500,
        {**_HOUSE, **_BUILT_GROUND, "surface_reelle_bati": 96, "nombre_pieces_principales": 4, "surface_terrain": 900},
        id_parcelle=q.SINGLE_HOUSE, adresse_numero="1",
    ),
    *_rows(
        "2021-2", "2021-05-17", 148_000,
        {**_FLAT, "surface_reelle_bati": 51, "nombre_pieces_principales": 2, "lot1_numero": "12", "nombre_lots": 1},
        {**_DEPENDENCY, "surface_reelle_bati": 0, "lot1_numero": "45", "nombre_lots": 1},
        id_parcelle=q.FLATS, adresse_numero="3",
    ),
    # A parcel that no longer exists.
    *_rows("2021-3", "2021-07-09", 15_000, {**_GARDEN, "surface_terrain": 410}, id_parcelle=q.RETIRED),
    *_rows(
        "2022-1", "2022-03-08", 61_000,
        {**_BUILDING_LAND, "surface_terrain": 800},
        id_parcelle=q.BARE_LAND, nature_mutation="Vente terrain à bâtir",
    ),
    *_rows(
        "2022-2", "2022-09-22", 330_000,
        {"id_parcelle": q.SOLD_TOGETHER[0], **_HOUSE, **_BUILT_GROUND, "surface_reelle_bati": 130,
         "nombre_pieces_principales": 6, "surface_terrain": 800, "adresse_numero": "8"},
        {"id_parcelle": q.SOLD_TOGETHER[1], **_GARDEN, "surface_terrain": 800},
        {"id_parcelle": q.SOLD_TOGETHER[2], **_GARDEN, "surface_terrain": 800},
    ),
    # Two dispositions of one parcel, for 90,000 and 30,000 €.
    *_rows(
        "2023-1", "2023-01-19", None,
        {"valeur_fonciere": 90_000, "surface_terrain": 1000},
        {"valeur_fonciere": 30_000, "surface_terrain": 1000, "numero_disposition": "000002"},
        id_parcelle=q.TWO_DISPOSITIONS, adresse_numero="14", surface_reelle_bati=70, nombre_pieces_principales=3,
        **_HOUSE, **_BUILT_GROUND,
    ),
    # A shop and a flat on built ground and a garden: DVF has a row for each premises on each ground, four in all.
    *_rows(
        "2023-2", "2023-06-30", 275_000,
        *(
            {**premises, **ground}
            for premises in (
                {**_SHOP, "surface_reelle_bati": 110, "nombre_pieces_principales": 0},
                {**_FLAT, "surface_reelle_bati": 64, "nombre_pieces_principales": 3},
            )
            for ground in ({**_BUILT_GROUND, "surface_terrain": 500}, {**_GARDEN, "surface_terrain": 300})
        ),
        id_parcelle=q.MIXED_USE, adresse_numero="6",
    ),
    *_rows(
        "2024-1", "2024-04-02", 1,
        {**_HOUSE, **_BUILT_GROUND, "surface_reelle_bati": 45, "nombre_pieces_principales": 2, "surface_terrain": 1000},
        id_parcelle=q.SYMBOLIC_PRICE, adresse_numero="16",
    ),
    *_rows(
        "2024-2", "2024-11-14", 236_400,
        {**_FLAT, "lot1_numero": "3", "lot2_numero": "103", "nombre_lots": 2},
        id_parcelle=q.NEW_FLATS, adresse_numero="4", nature_mutation=_OFF_PLAN,
    ),
    # Sold under the id from before the commune was absorbed.
    *_rows(
        "2025-1", "2025-02-27", 99_000,
        {**_HOUSE, **_BUILT_GROUND, "surface_reelle_bati": 82, "nombre_pieces_principales": 4, "surface_terrain": 1760},
        id_parcelle=q.HAMLET_HOUSE, ancien_id_parcelle=q.FORMER_HAMLET_HOUSE, ancien_code_commune=q.ABSORBED[0],
        ancien_nom_commune=q.ABSORBED[1], adresse_numero="2", adresse_nom_voie="CHE DE LA GRANDE MARE",
    ),
)  # fmt: skip


def quarter_sales() -> Iterator[Sale]:
    parcels = {parcel.parcel_id: parcel for parcel in q.PARCELS if parcel.polygons}
    for row in _QUARTER_SALES:
        parcel = parcels.get(str(row["id_parcelle"]))
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
