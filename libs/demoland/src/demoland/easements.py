"""Public easements. Those of the old quarter are in its data file. The suburb and the town bear none."""

from collections.abc import Mapping
from typing import Any

from demoland.geometry import rectangle
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
