"""Energy ratings (DPE) of dwellings. Nothing of a single dwelling is stored: neither its number, address nor floor."""

from typing import NamedTuple


class RatingCountRecord(NamedTuple):
    """How many diagnoses of one place have the same two letters."""

    lat: float
    lon: float
    place: int
    """Counts up within a partition."""
    rnb_id: str
    """Empty if it is not known."""
    street_id: str
    """The house number in the address file: street, number and suffix. The street is empty if it is not known."""
    house_number: int
    suffix: str
    is_placed: bool
    """Whether the point is surely that of its address."""
    energy: str
    """A to G; empty without a rating."""
    greenhouse_gas: str
    rating_count: int
    oldest_on: str
    newest_on: str


class RatingRecord(NamedTuple):
    """One diagnosis, as it is read. Its numbers serve to leave out those that another one replaces."""

    number: str
    replaced_number: str
    """The diagnosis that it replaces; empty if there is none."""
    rating: RatingCountRecord
    """What is stored of it, as the only one of its place."""


class NearbyRating(NamedTuple):
    """Ratings of one place, with the address that they name, if the address file has it."""

    rating: RatingCountRecord
    address_lon: float | None
    address_lat: float | None
    parcel_ids: str | None
    """Parcels that the address declares, joined by `|`. None if the address file does not have the address."""
