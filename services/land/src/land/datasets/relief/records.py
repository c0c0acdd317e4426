"""Altitudes of the ground."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class AltitudeRecord(NamedTuple):
    """One point of an imported file."""

    parcel_id: str
    longitude: float
    latitude: float
    altitude_m: float | None
    """None if the publisher has no altitude there."""


class ParcelAltitudes(NamedTuple):
    """The altitudes at points in one parcel."""

    commune_code: str
    parcel_id: str
    samples: str
    """Longitude, latitude and altitude in metres of each point, joined by spaces. Empty if the publisher has none."""
    max_slope_percent: float | None
    """The greatest slope between neighbouring points; None if there are none."""
    retrieved_at: str
    """When the altimetry service gave them; empty for imported ones, which never expire."""


@dataclass(frozen=True)
class Altitudes:
    """What the altimetry service answered to a request."""

    rows: Mapping[str, ParcelAltitudes] = field(default_factory=dict)
    """Rows by parcel id. The store may not have them yet."""
    has_failed: bool = False
    """Whether it was needed and gave nothing."""
