"""The objects of the demo. Their points are metres east and north of their commune's origin."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from demoland.geometry import Point, Polygon, Ring

DEPARTMENT = "00"
"""No French department has this code."""
_ORIGIN = (2.0, 47.0)
"""Longitude and latitude of the first commune's origin: the middle of France, where Lambert-93 is valid."""
_METRES_PER_DEGREE = (76_056.0, 111_171.0)
"""Metres in a degree of longitude and of latitude, at 47° north on the ellipsoid GRS80."""
_DECIMALS = 7


@dataclass(frozen=True)
class Commune:
    code: str
    name: str
    postcode: str
    origin: Point = (0.0, 0.0)
    """Metres east and north of the first commune's origin."""

    def to_degrees(self, point: Point) -> list[float]:
        """Longitude and latitude."""
        return [
            round(_ORIGIN[axis] + (self.origin[axis] + point[axis]) / _METRES_PER_DEGREE[axis], _DECIMALS)
            for axis in (0, 1)
        ]

    def closed_ring(self, ring: Ring) -> list[list[float]]:
        """The ring in degrees, its first point repeated at the end."""
        return [self.to_degrees(point) for point in (*ring, ring[0])]


@dataclass(frozen=True)
class Parcel:
    parcel_id: str
    polygons: tuple[Polygon, ...]
    """Empty for a parcel that is published without geometry."""
    contenance_m2: int | None
    """The area that deeds declare."""
    is_surveyed: bool = False
    created_on: str = "2009-03-12"
    updated_on: str = "2019-07-02"

    @property
    def section(self) -> str:
        return self.parcel_id[8:10].lstrip("0")

    @property
    def number(self) -> str:
        return self.parcel_id[10:].lstrip("0")


@dataclass(frozen=True)
class Street:
    code: str
    """The second part of the street's id."""
    name: str
    locality: str = ""


@dataclass(frozen=True)
class Address:
    street: Street
    number: int
    point: Point
    suffix: str = ""
    parcel_ids: tuple[str, ...] = ()
    """The parcels that the address file declares."""
    position: str = "entrée"
    is_certified: bool = True
    former_commune: tuple[str, str] = ("", "")
    """Code and name."""


def parcel_id(commune_code: str, section: str, number: int, prefix: str = "000") -> str:
    return f"{commune_code}{prefix}{section:0>2}{number:04}"


@lru_cache(maxsize=8192)
def upper_ascii(text: str) -> str:
    """Capitals without accents or punctuation, as in BAN's nom_afnor."""
    decomposed = unicodedata.normalize("NFKD", text.replace("Œ", "OE").replace("œ", "oe"))
    plain = "".join(
        sign if sign.isalnum() and sign.isascii() else " " for sign in decomposed if not unicodedata.combining(sign)
    )
    return " ".join(plain.upper().split())
