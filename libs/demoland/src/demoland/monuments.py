"""Historic monuments: a dovecote 80 m north of the fields of each commune, and a chapel in the old quarter.

Surroundings are published for the chapel only.
"""

from dataclasses import dataclass

from demoland.geometry import Point
from demoland.model import Commune, Parcel

COLUMNS = (
    "Reference", "Titre_editorial_de_la_notice", "Date_et_typologie_de_la_protection", "Departement_format_numerique",
    "coordonnees_au_format_WGS84",
)  # fmt: skip
_NORTH_M = 80.0


@dataclass(frozen=True)
class Monument:
    reference: str
    name: str
    protection: str
    place: Point


CHAPEL = Monument("PA00001000", "Chapelle de l'Ancien Couvent", "1926/05/04 : classé MH", (-185.0, 165.0))


def dovecote(commune: Commune, field: Parcel) -> Monument:
    east, north = max(field.polygons[0][0])
    return Monument(
        f"PA{commune.code:0>8}", "Pigeonnier des Champs", "1987/12/21 : inscrit MH", (east, north + _NORTH_M)
    )
