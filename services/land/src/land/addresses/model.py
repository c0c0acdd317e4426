"""Queries for addresses, and their results."""

from dataclasses import dataclass
from typing import Literal

from land.answers.provenance import Stated

AddressType = Literal["housenumber", "street", "locality", "municipality", "parcel", "building"]
MatchKind = Literal["declared", "containing", "nearest", "named"]
Scope = Literal["all", "demo"]
"""Which communes a query may find: all, or those of the fictional demo département."""


@dataclass(frozen=True)
class AddressQuery:
    """Free text, separate fields, or both. An empty string is an absent field."""

    label: str = ""
    street: str = ""
    number: str = ""
    postcode: str = ""
    city: str = ""
    city_code: str = ""

    def is_empty(self) -> bool:
        return not any(
            part.strip() for part in (self.label, self.street, self.number, self.postcode, self.city, self.city_code)
        )


@dataclass(frozen=True)
class Agreement:
    """Similarity of the result to each part of the query, 0 to 1; None for a part that the query does not have.

    A part is a given field, else a part of the label.
    """

    number: float | None = None
    street: float | None = None
    city: float | None = None
    postcode: float | None = None
    city_code: float | None = None
    label: float | None = None
    """The least of the parts of the label, also of those for which there is a field."""


@dataclass(frozen=True)
class Address:
    id: str
    label: str
    number: str | None
    """Number and suffix as spoken, such as "12 bis"."""
    street: str | None
    postcode: str | None
    city: str | None
    """The name that mail has: "Paris" also for an arrondissement."""
    district: str | None
    """The arrondissement of Paris, Lyon or Marseille."""
    city_code: str | None
    latitude: float | None
    longitude: float | None
    type: AddressType
    score: float
    """The probability that this is the right address, 0 to 1."""
    matched: Agreement = Agreement()


@dataclass(frozen=True)
class ParcelMatch:
    parcel_id: str
    kind: MatchKind
    distance_m: float | None
    """Metres from the address point, 0 inside the parcel; None if the address has no point."""


@dataclass(frozen=True)
class Resolution(Stated):
    address: Address
    parcels: tuple[ParcelMatch, ...]
    alternatives: tuple[Address, ...]
