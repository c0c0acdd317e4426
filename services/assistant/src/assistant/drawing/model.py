"""What a plan shows. All shapes are in metres of the legal projection."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from shapely.geometry.base import BaseGeometry

from servicekit.languages import Language

Kind = Literal["prescription", "easement"]


class Side(NamedTuple):
    length_m: float
    line: BaseGeometry


@dataclass(frozen=True)
class DrawnLot:
    id: str
    outline: BaseGeometry
    area_m2: float
    sides: Sequence[Side]
    envelope: BaseGeometry | None
    """The area where a building may stand; None if nothing is left."""
    is_kept_house: bool


class SharedWay(NamedTuple):
    outline: BaseGeometry
    area_m2: float
    width_m: float


class Restriction(NamedTuple):
    """The part of a prescription or an easement on the land."""

    kind: Kind
    code: str
    label: str
    shape: BaseGeometry | None
    """None if the publisher gives no outline."""


class DrawnParcel(NamedTuple):
    id: str
    cadastral_area_m2: float | None
    outline: BaseGeometry | None


@dataclass(frozen=True)
class DrawnProposal:
    rank: int
    summary: str
    lots: Sequence[DrawnLot]
    shared_way: SharedWay | None


@dataclass(frozen=True)
class Drawing:
    projection_name: str
    """Such as "RGF93 v1 / Lambert-93 (EPSG:2154)"."""
    language: Language
    made_at: datetime
    place: str
    """An address or a commune; may be empty."""
    parcels: Sequence[DrawnParcel]
    land: BaseGeometry | None
    """None if the land has no outline. Then nothing is drawn, and the plan has its texts alone."""
    frontage: BaseGeometry | None
    buildings: Sequence[BaseGeometry]
    restrictions: Sequence[Restriction]
    proposal: DrawnProposal | None
    disclaimer: str
    sources: Sequence[str]
    """A line for each: the dataset and its edition."""
