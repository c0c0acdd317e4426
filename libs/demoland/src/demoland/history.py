"""Ordinary sales and permits for the plots of a generated town."""

from collections.abc import Iterator, Mapping
from random import Random

from demoland.plan import Commune
from demoland.quarter_history import DEPENDENCY, FLAT, GROUND, HOUSE, YEARS

SALE_SHARE = 0.12
"""Of plots that were sold in the years that DVF keeps."""
PERMIT_SHARE = 0.06
_KINDS = ("sitadel-housing",) * 6 + ("sitadel-premises", "sitadel-development", "sitadel-demolition")
_STATES = (2, 2, 4, 5, 6, 6)


def sale_rows(
    commune: Commune, parcel_id: str, area_m2: int, address: Mapping[str, str], order: int, random: Random
) -> Iterator[Mapping[str, object]]:
    """One sale of a house with its ground, or of a flat with its cellar. `order` makes its id."""
    year = random.choice(YEARS)
    shared = {
        "id_mutation": f"{year}-{commune.code}{order}",
        "date_mutation": f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "numero_disposition": "000001",
        "nature_mutation": "Vente",
        "nombre_lots": 0,
        "id_parcelle": parcel_id,
        **address,
    }
    if random.random() < 0.7:  # noqa: PLR2004 - of sales are houses
        built = random.randint(45, 190)
        shared |= {"valeur_fonciere": built * random.randrange(1400, 3200, 50), "surface_terrain": area_m2, **GROUND}
        yield {**shared, **HOUSE, "surface_reelle_bati": built, "nombre_pieces_principales": max(1, built // 24)}
        if random.random() < 0.4:  # noqa: PLR2004 - of houses have a garage
            yield {**shared, **DEPENDENCY, "surface_reelle_bati": 0}
    else:
        built, lot = random.randint(18, 95), random.randint(1, 60)
        shared |= {"valeur_fonciere": built * random.randrange(1800, 4200, 50), "nombre_lots": 1}
        rooms = max(1, built // 22)
        yield {**shared, **FLAT, "surface_reelle_bati": built, "nombre_pieces_principales": rooms, "lot1_numero": lot}
        yield {**shared, **DEPENDENCY, "surface_reelle_bati": 0, "lot1_numero": 100 + lot}


def permit(
    commune: Commune, section: str, number: int, area_m2: int, order: int, random: Random
) -> tuple[str, Mapping[str, object]]:
    """The file that it goes to and one permit on one plot. `order` makes its number."""
    dataset = random.choice(_KINDS)
    year, state = random.randint(2015, 2025), random.choice(_STATES)
    permit_number = f"0{commune.code}{year % 100:02}{_order(order)}"
    started, finished = 5, 6
    return dataset, {
        "COMM": commune.code,
        "TYPE_DAU": "DP" if random.random() < 0.3 else "PC",  # noqa: PLR2004 - of permits are declarations
        "NUM_DAU": permit_number,
        "NUM_PA": permit_number,
        "NUM_PD": permit_number,
        "ETAT_DAU": state,
        "ETAT_PA": state,
        "ETAT_PD": state,
        "DATE_REELLE_AUTORISATION": f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "DATE_REELLE_DOC": f"{year + 1}-{random.randint(1, 12):02}-15" if state >= started else None,
        "DATE_REELLE_DAACT": f"{year + 2}-{random.randint(1, 12):02}-20" if state == finished else None,
        "AN_DEPOT": year,
        "SEC_CADASTRE1": section,
        "NUM_CADASTRE1": number,
        "SUPERFICIE_TERRAIN": area_m2,
        "ZONE_OP": 4,
        "ADR_CODPOST_TER": commune.postcode,
        "NATURE_PROJET_DECLAREE": random.randint(1, 2),
        "NATURE_PROJET_COMPLETEE": random.randint(1, 6),
        "DESTINATION_PRINCIPALE": random.randint(1, 2),
    }


def _order(order: int) -> str:
    """Five characters that begin with a letter from E on: permits of the old quarter have numbers of another form."""
    text = ""
    for _ in range(4):
        order, digit = divmod(order, 36)
        text = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + text
    return f"{chr(ord('E') + order)}{text}"
