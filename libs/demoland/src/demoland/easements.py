"""Public easements. Those of the old quarter are in its data file. The suburb and the town bear none.

Historic monuments: a dovecote 80 m north of the fields of each commune, and a chapel in the old quarter.
Surroundings are published for the chapel only.
"""

from collections.abc import Mapping
from typing import Any

from demoland import quarter
from demoland.geometry import Point, rectangle
from demoland.model import DEPARTMENT, Commune, Parcel
from demoland.quarter import RECORDS

MANAGER = "000000000"
_ELSEWHERE = ("A4", "A5", "AC2", "AC4", "AS1", "EL3", "EL7", "I1", "I3", "PM2", "PM3", "T1")
"""Categories that are published far from the demo, so that its land has none of them."""
EASEMENTS: tuple[Mapping[str, Any], ...] = (
    *RECORDS["easements"],
    *(
        {
            "category": category,
            "name": f"Servitude {category} d'un autre lieu",
            "type": "Zone de protection",
            "points": rectangle(20_000 + 200 * at, 20_000, 20_100 + 200 * at, 20_100),
            "cause": "Autre lieu",
            "cause_type": "Lieu",
            "cause_at": (20_050 + 200 * at, 20_050),
            "act_type": "Arrêté préfectoral",
            "decided_on": "19990101",
        }
        for at, category in enumerate(_ELSEWHERE)
    ),
)


_NORTH_M = 80.0


def dovecote(commune: Commune, field: Parcel) -> tuple[str, ...]:
    east, north = max(field.polygons[0][0])
    place = east, north + _NORTH_M
    return _row(commune, f"PA{commune.code:0>8}", "Pigeonnier des Champs", "1987/12/21 : inscrit MH", place)


def _row(commune: Commune, reference: str, name: str, protection: str, place: Point) -> tuple[str, ...]:
    lon, lat = commune.to_degrees(place)
    return reference, name, protection, DEPARTMENT, f"{lat},{lon}"


CHAPEL = _row(quarter.COMMUNE, "PA00001000", "Chapelle de l'Ancien Couvent", "1926/05/04 : classé MH", (-185.0, 165.0))
