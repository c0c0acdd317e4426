"""A land unit as an answer states it. Metric units are in the names; None is an unknown fact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from land.addresses.model import Address, ParcelMatch
from land.answers.provenance import Coverage, Source
from land.answers.warnings import AnswerWarning
from land.datasets.parcels.records import ParcelRecord
from land.units.buildings import BuildingsBlock
from land.units.energy_ratings import EnergyRatings
from land.units.history import History
from land.units.joint_ownerships import JointOwnership
from land.units.land import LandBlock
from land.units.real_estate import RealEstateBlock
from land.units.risks import RisksBlock
from land.units.urbanism import UrbanismBlock

Block = str
"""A name of the enum Block in JSON, and of the recipe that computes it."""


@dataclass(frozen=True)
class LandUnit:
    geometry: bytes
    """GeoJSON; empty if no parcel has an outline."""
    bbox: Sequence[float]
    """West, south, east, north; empty if no parcel has an outline."""
    parcels: Sequence[ParcelRecord]
    matches: Mapping[str, ParcelMatch]
    """How the address led to each parcel, by parcel id. Empty if parcel ids selected."""
    address: Address | None
    history: History
    land: LandBlock | None
    """None unless requested."""
    buildings: BuildingsBlock | None
    """None unless requested, or if it is unknown what is built."""
    joint_ownerships: Sequence[JointOwnership]
    """A part of the block of buildings, empty without it."""
    energy_ratings: EnergyRatings | None
    """A part of the block of buildings. None unless that is requested, or if none is joined."""
    real_estate: RealEstateBlock | None
    """None unless requested, or if no sales nearby are known."""
    urbanism: UrbanismBlock | None
    """None unless requested, or if no planning document is known."""
    risks: RisksBlock | None
    """None unless requested, or if nothing is known."""
    coverage: Sequence[Coverage]
    sources: Sequence[Source]
    warnings: Sequence[AnswerWarning]
