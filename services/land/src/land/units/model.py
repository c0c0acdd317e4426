"""A land unit as an answer states it. Metric units are in the names; None is an unknown fact."""

from collections.abc import Sequence
from dataclasses import dataclass

from land.addresses.model import Address, ParcelMatch
from land.answers.provenance import Stated
from land.datasets.parcels.records import ParcelRecord
from land.units.buildings import BuildingsBlock
from land.units.commune_rules import CommuneRules
from land.units.energy_ratings import EnergyRatings
from land.units.farmed_land import FarmedLand
from land.units.history import History
from land.units.joint_ownerships import JointOwnership
from land.units.land import LandBlock
from land.units.nearby_monuments import NearbyMonument
from land.units.nearby_permits import NearbyPermits
from land.units.real_estate import RealEstateBlock
from land.units.regulation import RegulationBlock
from land.units.risk_zones import RiskZone
from land.units.risks import RisksBlock
from land.units.urbanism import UrbanismBlock

Block = str
"""A name of the enum Block in JSON, and of the recipe that computes it."""


_NO_HISTORY = History((), ())


@dataclass(frozen=True)
class LandUnit(Stated):
    """A land unit, or a part of one: the other members then have their defaults."""

    geometry: bytes = b""
    """GeoJSON; empty if no parcel has an outline."""
    bbox: Sequence[float] = ()
    """West, south, east, north; empty if no parcel has an outline."""
    parcels: Sequence[ParcelRecord] = ()
    matches: Sequence[ParcelMatch] = ()
    """How the address led to each parcel. Empty if parcel ids selected."""
    address: Address | None = None
    history: History = _NO_HISTORY
    land: LandBlock | None = None
    """None unless requested."""
    nearby_permits: NearbyPermits | None = None
    """A part of the block of land. None unless that is requested, or if no permits are loaded."""
    commune_rules: Sequence[CommuneRules] = ()
    """A part of the block of land, empty without it."""
    farmed_land: Sequence[FarmedLand] = ()
    """A part of the block of land, empty without it."""
    buildings: BuildingsBlock | None = None
    """None unless requested, or if it is unknown what is built."""
    joint_ownerships: Sequence[JointOwnership] = ()
    """A part of the block of buildings, empty without it."""
    energy_ratings: EnergyRatings | None = None
    """A part of the block of buildings. None unless that is requested, or if none is joined."""
    real_estate: RealEstateBlock | None = None
    """None unless requested, or if no sales nearby are known."""
    urbanism: UrbanismBlock | None = None
    """None unless requested, or if no planning document is known."""
    nearby_monuments: Sequence[NearbyMonument] = ()
    """A part of the block of urbanism, empty without it."""
    regulation: RegulationBlock | None = None
    """A part of the block of urbanism. None without it, or without a zone or national rules."""
    risks: RisksBlock | None = None
    """None unless requested, or if nothing is known."""
    risk_zones: Sequence[RiskZone] = ()
    """A part of the block of risks, empty without it."""
    failed: Sequence[str] = ()
    """The recipes that failed by a defect, whose facts are left out."""
