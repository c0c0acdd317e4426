"""What happened in the old quarter: a sale or a permit for each thing that readers of DVF and Sitadel get wrong."""

from collections.abc import Mapping

from demoland import quarter as q

Sale = Mapping[str, object]
"""One row of geo-dvf, by column."""
Permit = Mapping[str, object]
"""One row of Sitadel, by column."""

YEARS = (2021, 2022, 2023, 2024, 2025)
HOUSE = {"code_type_local": "1", "type_local": "Maison"}
FLAT = {"code_type_local": "2", "type_local": "Appartement"}
DEPENDENCY = {"code_type_local": "3", "type_local": "Dépendance"}
SHOP = {"code_type_local": "4", "type_local": "Local industriel. commercial ou assimilé"}
GROUND = {"code_nature_culture": "S", "nature_culture": "sols"}
GARDEN = {"code_nature_culture": "J", "nature_culture": "jardins"}
BUILDING_LAND = {"code_nature_culture": "AB", "nature_culture": "terrains a bâtir"}
OFF_PLAN = "Vente en l'état futur d'achèvement"


def _rows(mutation: str, sold_on: str, price: float | None, *rows: Mapping[str, object], **facts: object) -> list[Sale]:
    shared = {
        "id_mutation": mutation,
        "date_mutation": sold_on,
        "numero_disposition": "000001",
        "nature_mutation": "Vente",
        "valeur_fonciere": price,
        "adresse_nom_voie": "RUE DU 8 MAI 1945",
        "nombre_lots": 0,
    }
    return [{**shared, **facts, **row} for row in rows]


SALES: tuple[Sale, ...] = (
    *_rows(
        "2021-1", "2021-02-03", 212_500,
        {**HOUSE, **GROUND, "surface_reelle_bati": 96, "nombre_pieces_principales": 4, "surface_terrain": 900},
        id_parcelle=q.SINGLE_HOUSE, adresse_numero="1",
    ),
    *_rows(
        "2021-2", "2021-05-17", 148_000,
        {**FLAT, "surface_reelle_bati": 51, "nombre_pieces_principales": 2, "lot1_numero": "12", "nombre_lots": 1},
        {**DEPENDENCY, "surface_reelle_bati": 0, "lot1_numero": "45", "nombre_lots": 1},
        id_parcelle=q.FLATS, adresse_numero="3",
    ),
    # Of a parcel that is no more.
    *_rows("2021-3", "2021-07-09", 15_000, {**GARDEN, "surface_terrain": 410}, id_parcelle=q.RETIRED),
    *_rows(
        "2022-1", "2022-03-08", 61_000,
        {**BUILDING_LAND, "surface_terrain": 800},
        id_parcelle=q.BARE_LAND, nature_mutation="Vente terrain à bâtir",
    ),
    *_rows(
        "2022-2", "2022-09-22", 330_000,
        {"id_parcelle": q.SOLD_TOGETHER[0], **HOUSE, **GROUND, "surface_reelle_bati": 130,
         "nombre_pieces_principales": 6, "surface_terrain": 800, "adresse_numero": "8"},
        {"id_parcelle": q.SOLD_TOGETHER[1], **GARDEN, "surface_terrain": 800},
        {"id_parcelle": q.SOLD_TOGETHER[2], **GARDEN, "surface_terrain": 800},
    ),
    # Two dispositions touch the same parcel: 90,000 and 30,000 make 120,000.
    *_rows(
        "2023-1", "2023-01-19", None,
        {"valeur_fonciere": 90_000, "surface_terrain": 1000},
        {"valeur_fonciere": 30_000, "surface_terrain": 1000, "numero_disposition": "000002"},
        id_parcelle=q.TWO_DISPOSITIONS, adresse_numero="14", surface_reelle_bati=70, nombre_pieces_principales=3,
        **HOUSE, **GROUND,
    ),
    # A shop and a flat on two natures of ground: four rows for two units and two cultures.
    *_rows(
        "2023-2", "2023-06-30", 275_000,
        *(
            {**unit, **culture}
            for unit in (
                {**SHOP, "surface_reelle_bati": 110, "nombre_pieces_principales": 0},
                {**FLAT, "surface_reelle_bati": 64, "nombre_pieces_principales": 3},
            )
            for culture in ({**GROUND, "surface_terrain": 500}, {**GARDEN, "surface_terrain": 300})
        ),
        id_parcelle=q.MIXED_USE, adresse_numero="6",
    ),
    *_rows(
        "2024-1", "2024-04-02", 1,
        {**HOUSE, **GROUND, "surface_reelle_bati": 45, "nombre_pieces_principales": 2, "surface_terrain": 1000},
        id_parcelle=q.SYMBOLIC, adresse_numero="16",
    ),
    *_rows(
        "2024-2", "2024-11-14", 236_400,
        {**FLAT, "lot1_numero": "3", "lot2_numero": "103", "nombre_lots": 2},
        id_parcelle=q.NEW_FLATS, adresse_numero="4", nature_mutation=OFF_PLAN,
    ),
    # Sold under the id that the parcel had before its commune was absorbed.
    *_rows(
        "2025-1", "2025-02-27", 99_000,
        {**HOUSE, **GROUND, "surface_reelle_bati": 82, "nombre_pieces_principales": 4, "surface_terrain": 1760},
        id_parcelle=q.HAMLET_HOUSE, ancien_id_parcelle=q.FORMER_HAMLET_HOUSE, ancien_code_commune=q.ABSORBED[0],
        ancien_nom_commune=q.ABSORBED[1], adresse_numero="2", adresse_nom_voie="CHE DE LA GRANDE MARE",
    ),
)  # fmt: skip

GRANTED, CANCELLED, STARTED, FINISHED = 2, 4, 5, 6


def _permit(number: str, state: int, granted_on: str, *references: tuple[str, str], **facts: object) -> Permit:
    named = {
        f"{part}_CADASTRE{place}": text
        for place, reference in enumerate(references, start=1)
        for part, text in zip(("SEC", "NUM"), reference, strict=True)
    }
    return {
        "COMM": q.COMMUNE_CODE,
        "NUM_DAU": number,
        "NUM_PA": number,
        "NUM_PD": number,
        "ETAT_DAU": state,
        "ETAT_PA": state,
        "ETAT_PD": state,
        "DATE_REELLE_AUTORISATION": granted_on,
        "AN_DEPOT": 2000 + int(number[6:8]),
        "SUPERFICIE_TERRAIN": 0,
        "ADR_CODPOST_TER": "00100",
        **named,
        **facts,
    }


MIXED_NUMBER = "00000123A0007"
PERMITS: Mapping[str, tuple[Permit, ...]] = {
    "sitadel-housing": (
        _permit("00000121A0001", FINISHED, "2021-06-11", ("AA", "1"), TYPE_DAU="PC", DATE_REELLE_DOC="2021-09-01",
                DATE_REELLE_DAACT="2022-10-15", NATURE_PROJET_DECLAREE=2, NATURE_PROJET_COMPLETEE=5,
                DESTINATION_PRINCIPALE=1, SUPERFICIE_TERRAIN=900, NB_LGT_TOT_CREES=1),
        _permit("00000124A0002", STARTED, "2024-02-20", ("AA", "15"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-06-03",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=1, SUPERFICIE_TERRAIN=1000,
                NB_LGT_TOT_CREES=14),
        _permit("0000012500003", GRANTED, "2025-05-06", ("AA", "21"), TYPE_DAU="DP", NATURE_PROJET_DECLAREE=2,
                SUPERFICIE_TERRAIN=1000),
        _permit("00000122A0004", CANCELLED, "2022-04-28", ("AA", "17"), ("AA", "18"), ("AA", "19"), TYPE_DAU="PC",
                NATURE_PROJET_DECLAREE=1, SUPERFICIE_TERRAIN=2400),
        _permit("00000123A0005", GRANTED, "2023-03-30", ("AA", "24"), TYPE_DAU="PC", NATURE_PROJET_DECLAREE=1),
        _permit("00000120A0006", FINISHED, "2020-12-06", ("AA", str(q.RETIRED_NUMBER)), TYPE_DAU="PC",
                DATE_REELLE_DAACT="2022-02-02", NATURE_PROJET_DECLAREE=1),
        _permit(MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=1, SUPERFICIE_TERRAIN=800),
        _permit("00000124A0008", GRANTED, "2024-08-12", ("AK", "79P"), TYPE_DAU="PC", NATURE_PROJET_DECLAREE=1),
    ),
    "sitadel-premises": (
        _permit(MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=4, SUPERFICIE_TERRAIN=800),
        _permit(MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=3, SUPERFICIE_TERRAIN=800),
        _permit("00000122A0009", FINISHED, "2022-07-19", ("ZA", "1"), TYPE_DAU="PC", DATE_REELLE_DAACT="2023-09-30",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=7),
    ),
    "sitadel-development": (
        _permit("00000123A0001", GRANTED, "2023-11-21", ("AA", "25"), SUPERFICIE_TERRAIN=3000, ZONE_OP=1),
        # The prefix in the section tells the two parcels AA 24 apart.
        _permit("00000124A0003", STARTED, "2024-03-04", ("042", "AA24"), DATE_REELLE_DOC="2024-05-05", ZONE_OP=4),
        _permit("00000124A0004", GRANTED, "2024-09-09", ("042", ""), ZONE_OP=4),
    ),
    "sitadel-demolition": (
        # The same number as a building permit on another parcel: series are apart.
        _permit("00000121A0001", GRANTED, "2021-03-15", ("AA", "22"), SUPERFICIE_TERRAIN=1000),
        _permit("00000125D0002", FINISHED, "2025-01-13", ("A", "2"), ADR_LIBVOIE_TER="DE LA GRANDE MARE"),
    ),
}  # fmt: skip
