"""Permits as rows of Sitadel, by column: one per case in the old quarter, and ordinary ones in the generated town."""

import string
from collections.abc import Iterator, Mapping, Sequence
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
    *references: Sequence[str],
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


def quarter_permits() -> Iterator[tuple[str, Permit]]:
    """The permits of the old quarter, each with its dataset."""
    for dataset, permits in q.RECORDS["permits"].items():
        for item in permits:
            columns, references = item.get("columns", {}), item["references"]
            yield dataset, _permit(item["number"], item["state"], item["granted_on"], *references, **columns)


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
