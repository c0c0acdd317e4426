"""What resolving an address asks and gives."""

from dataclasses import dataclass
from typing import Literal

from land.messages import AnswerWarning
from land.provenance import Source

AddressType = Literal["housenumber", "street", "locality", "municipality"]
MatchKind = Literal["declared", "containing", "nearest"]


@dataclass(frozen=True)
class AddressQuery:
    """Free text, separate fields, or any mixture; an empty string is absent."""

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
    """How far a part of the answer agrees with the same part of the query, 0 to 1; None where the query gave none."""

    number: float | None = None
    street: float | None = None
    city: float | None = None
    postcode: float | None = None


@dataclass(frozen=True)
class Address:
    id: str
    label: str
    number: str | None
    """Number and suffix as read aloud, such as "12 bis"."""
    street: str | None
    postcode: str | None
    city: str | None
    city_code: str | None
    latitude: float | None
    longitude: float | None
    type: AddressType
    score: float
    """0 to 1."""
    matched: Agreement = Agreement()


@dataclass(frozen=True)
class ParcelMatch:
    parcel_id: str
    kind: MatchKind
    distance_m: float | None
    """From the address point, 0 inside the parcel; None where the address has no point."""


@dataclass(frozen=True)
class Resolution:
    address: Address
    parcels: tuple[ParcelMatch, ...]
    alternatives: tuple[Address, ...]
    sources: tuple[Source, ...]
    warnings: tuple[AnswerWarning, ...]
