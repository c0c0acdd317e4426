"""Historic monuments: a dovecote 80 m north of the fields of each commune, and a chapel in the old quarter.

Surroundings are published for the chapel only.
"""

from demoland import quarter
from demoland.geometry import Point
from demoland.model import DEPARTMENT, Commune, Parcel

_NORTH_M = 80.0


def dovecote(commune: Commune, field: Parcel) -> tuple[str, ...]:
    east, north = max(field.polygons[0][0])
    place = east, north + _NORTH_M
    return _row(commune, f"PA{commune.code:0>8}", "Pigeonnier des Champs", "1987/12/21 : inscrit MH", place)


def _row(commune: Commune, reference: str, name: str, protection: str, place: Point) -> tuple[str, ...]:
    lon, lat = commune.to_degrees(place)
    return reference, name, protection, DEPARTMENT, f"{lat},{lon}"


CHAPEL = _row(quarter.COMMUNE, "PA00001000", "Chapelle de l'Ancien Couvent", "1926/05/04 : classé MH", (-185.0, 165.0))
