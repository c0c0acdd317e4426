"""Public easements of the old quarter: surroundings of a monument, a risk prevention plan and a power line.

The suburb and the town bear none.
"""

from dataclasses import dataclass
from math import cos, pi, sin

from demoland.geometry import Point, rectangle
from demoland.model import DEPARTMENT

MANAGER = "000000000"
_CHAPEL = (-185.0, 165.0)
_REACH_M = 60.0
_CORNERS = 32


@dataclass(frozen=True)
class Easement:
    """One easement with its cause and its act."""

    category: str
    name: str
    type: str
    points: tuple[Point, ...]
    """The corners of a surface, or of a line."""
    cause: str
    cause_type: str
    cause_at: Point
    act_type: str
    decided_on: str
    is_line: bool = False

    @property
    def document(self) -> str:
        return f"{MANAGER}_SUP_{DEPARTMENT}_{self.category}"

    @property
    def id(self) -> str:
        return f"{self.category}-{MANAGER}-1"

    @property
    def act_file(self) -> str:
        return f"{self.category}_{self.decided_on}_act.pdf"


_AROUND_CHAPEL = tuple(
    (round(_CHAPEL[0] + _REACH_M * cos(turn), 1), round(_CHAPEL[1] + _REACH_M * sin(turn), 1))
    for turn in (2 * pi * corner / _CORNERS for corner in range(_CORNERS))
)
QUARTER_EASEMENTS = (
    Easement(
        "AC1", "Chapelle de l'Ancien Couvent", "Périmètre des abords", _AROUND_CHAPEL, "Chapelle de l'Ancien Couvent",
        "Monument", _CHAPEL, "Arrêté ministériel", "19260504",
    ),
    Easement(
        "PM1", "Plan de prévention du risque d'inondation du ruisseau", "Enveloppe des zonages réglementaires",
        tuple(rectangle(-490, 150, -270, 215)), "Périmètre du plan", "Périmètre réglementé du PPR", (-380, 180),
        "Arrêté préfectoral", "20110317",
    ),
    Easement(
        "I4", "Ligne électrique à 63 kV des Prés-Fleuris", "Zone de protection", ((-490, 30), (-100, 40)),
        "Ligne des Prés-Fleuris", "Ligne aérienne", (-300, 35), "Arrêté préfectoral", "19870622", is_line=True,
    ),
    *(
        Easement(
            category, f"Servitude {category} d'un autre lieu", "Zone de protection",
            tuple(rectangle(20_000 + 200 * at, 20_000, 20_100 + 200 * at, 20_100)), "Autre lieu", "Lieu",
            (20_050 + 200 * at, 20_050), "Arrêté préfectoral", "19990101",
        )
        for at, category in enumerate(("A4", "A5", "AC2", "AC4", "AS1", "EL3", "EL7", "I1", "I3", "PM2", "PM3", "T1"))
    ),
)  # fmt: skip
"""The last ones lie far from the demo. Their categories are published, so land without one of them has none."""
