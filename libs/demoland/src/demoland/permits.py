"""Permits as rows of Sitadel, by column: one per case in the old quarter, and ordinary ones in the generated town."""

import string
from collections.abc import Iterator, Mapping
from random import Random

from demoland import quarter as q
from demoland.model import Commune, Parcel

Permit = Mapping[str, object]

PERMIT_SHARE = 0.06
"""Share of the parcels."""
GRANTED, CANCELLED, STARTED, FINISHED = 2, 4, 5, 6
"""Values of ETAT_DAU, ETAT_PA and ETAT_PD."""
_DATASETS = ("sitadel-housing",) * 6 + ("sitadel-premises", "sitadel-development", "sitadel-demolition")
_BASE_36 = string.digits + string.ascii_uppercase


def _permit(
    number: str,
    state: int,
    granted_on: str,
    *references: tuple[str, str],
    commune: Commune = q.COMMUNE,
    **columns: object,
) -> Permit:
    """A row for any of the four files: each takes its own columns. A reference is a section and a number."""
    cadastre = {
        f"{part}_CADASTRE{order}": text
        for order, reference in enumerate(references, start=1)
        for part, text in zip(("SEC", "NUM"), reference, strict=True)
    }
    return {
        "COMM": commune.code,
        "ADR_CODPOST_TER": commune.postcode,
        **dict.fromkeys(("NUM_DAU", "NUM_PA", "NUM_PD"), number),
        **dict.fromkeys(("ETAT_DAU", "ETAT_PA", "ETAT_PD"), state),
        "DATE_REELLE_AUTORISATION": granted_on,
        "AN_DEPOT": 2000 + int(number[6:8]),
        "SUPERFICIE_TERRAIN": 0,
        **cadastre,
        **columns,
    }


_MIXED_NUMBER = "00000123A0007"
QUARTER_PERMITS: Mapping[str, tuple[Permit, ...]] = {
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
        _permit(_MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=1, SUPERFICIE_TERRAIN=800),
        _permit("00000124A0008", GRANTED, "2024-08-12", ("AK", "79P"), TYPE_DAU="PC", NATURE_PROJET_DECLAREE=1),
    ),
    "sitadel-premises": (
        _permit(_MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=4, SUPERFICIE_TERRAIN=800),
        _permit(_MIXED_NUMBER, STARTED, "2023-10-10", ("AA", "16"), TYPE_DAU="PC", DATE_REELLE_DOC="2024-01-08",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=3, SUPERFICIE_TERRAIN=800),
        _permit("00000122A0009", FINISHED, "2022-07-19", ("ZA", "1"), TYPE_DAU="PC", DATE_REELLE_DAACT="2023-09-30",
                NATURE_PROJET_DECLAREE=1, NATURE_PROJET_COMPLETEE=1, DESTINATION_PRINCIPALE=7),
    ),
    "sitadel-development": (
        _permit("00000123A0001", GRANTED, "2023-11-21", ("AA", "25"), SUPERFICIE_TERRAIN=3000, ZONE_OP=1),
        # The prefix in the section distinguishes the two parcels AA 24.
        _permit("00000124A0003", STARTED, "2024-03-04", ("042", "AA24"), DATE_REELLE_DOC="2024-05-05", ZONE_OP=4),
        _permit("00000124A0004", GRANTED, "2024-09-09", ("042", ""), ZONE_OP=4),
    ),
    "sitadel-demolition": (
        # A building permit for another parcel has the same number: each file has its own series.
        _permit("00000121A0001", GRANTED, "2021-03-15", ("AA", "22"), SUPERFICIE_TERRAIN=1000),
        _permit("00000125D0002", FINISHED, "2025-01-13", ("A", "2"), ADR_LIBVOIE_TER="DE LA GRANDE MARE"),
    ),
}  # fmt: skip


def town_permits(commune: Commune, parcel: Parcel, order: int, random: Random) -> Iterator[tuple[str, Permit]]:
    """None for most parcels, else one permit with the dataset that it goes to.

    `order` is the parcel's order in the demo. It makes the permit's number.
    """
    if random.random() >= PERMIT_SHARE:
        return
    dataset = random.choice(_DATASETS)
    year, state = random.randint(2015, 2025), random.choice((GRANTED, GRANTED, CANCELLED, STARTED, FINISHED, FINISHED))
    permit_type = "DP" if random.random() < 0.3 else "PC"  # noqa: PLR2004 - share of declarations
    yield (
        dataset,
        _permit(
            f"0{commune.code}{year % 100:02}{_serial(order)}",
            state,
            f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
            (parcel.section, parcel.number),
            commune=commune,
            TYPE_DAU=permit_type,
            DATE_REELLE_DOC=f"{year + 1}-{random.randint(1, 12):02}-15" if state >= STARTED else None,
            DATE_REELLE_DAACT=f"{year + 2}-{random.randint(1, 12):02}-20" if state == FINISHED else None,
            SUPERFICIE_TERRAIN=parcel.contenance_m2,
            ZONE_OP=4,
            NATURE_PROJET_DECLAREE=random.randint(1, 2),
            NATURE_PROJET_COMPLETEE=random.randint(1, 6),
            DESTINATION_PRINCIPALE=random.randint(1, 2),
        ),
    )


def _serial(order: int) -> str:
    """Five characters. The first is a letter from E on, which permits of the old quarter do not have."""
    return chr(ord("E") + order // 36**4) + "".join(_BASE_36[order // 36**power % 36] for power in (3, 2, 1, 0))
