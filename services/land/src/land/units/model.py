"""What a land unit is, as the domain hands it over. Units are in the names; None is a fact that is not known."""

from dataclasses import dataclass
from typing import Literal

from land.addresses.model import Address, ParcelMatch
from land.messages import AnswerWarning
from land.provenance import Coverage, Source
from land.records.sales import Sale
from land.units.buildings import BuildingsBlock
from land.units.history import UrbanAuthorization
from land.units.real_estate import RealEstateBlock
from land.units.urbanism import UrbanismBlock

Block = Literal["land", "urbanism", "buildings", "real_estate"]


@dataclass(frozen=True)
class Parcel:
    parcel_id: str
    commune_code: str
    prefix: str
    section: str
    number: str
    cadastral_area_m2: int | None
    geometric_area_m2: float | None
    is_surveyed: bool | None
    created_on: str | None
    updated_on: str | None
    match: ParcelMatch | None
    """How the address led to it, where an address selected."""
    geometry: bytes
    """GeoJSON; empty where the plan draws none."""


@dataclass(frozen=True)
class LandBlock:
    commune_code: str | None
    """None where the unit lies in several communes."""
    commune_name: str | None
    department_code: str | None
    sections: tuple[str, ...]
    numbers: tuple[str, ...]
    prefixes: tuple[str, ...]
    cadastral_area_m2: int | None
    """None where a parcel has none: a sum that leaves one out would be wrong."""
    geometric_area_m2: float | None
    perimeter_m: float | None
    centroid: tuple[float, float] | None
    """longitude, latitude"""
    is_surveyed: bool | None
    frontage_m: float | None
    frontage: bytes
    addresses: tuple[Address, ...]
    is_contiguous: bool | None


@dataclass(frozen=True)
class LandUnit:
    geometry: bytes
    """GeoJSON; empty where no parcel has an outline."""
    bbox: tuple[float, ...]
    parcels: tuple[Parcel, ...]
    address: Address | None
    urban_authorizations: tuple[UrbanAuthorization, ...]
    dvf_sales: tuple[Sale, ...]
    land: LandBlock | None
    """None where it was not asked for."""
    buildings: BuildingsBlock | None
    """None where it was not asked for, or what stands there is not known."""
    real_estate: RealEstateBlock | None
    """None where it was not asked for, or no sales nearby are known."""
    urbanism: UrbanismBlock | None
    """None where it was not asked for, or where no planning document is known."""
    coverage: tuple[Coverage, ...]
    sources: tuple[Source, ...]
    warnings: tuple[AnswerWarning, ...]
