"""Energy ratings (DPE): those of the old quarter, each for a way to join them, and of some generated addresses."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from demoland import quarter as q
from demoland.model import DEPARTMENT, Address, Commune

RATED_SHARE = 0.4
"""Share of the generated addresses."""
_LETTERS, _WEIGHTS = "ABCDEFG", (1, 4, 22, 34, 22, 10, 7)
_FOUND, _NOT_FOUND = (
    "adresse géocodée ban à l'adresse",
    "adresse non géocodée ban car aucune correspondance trouvée",
)
_FLATS_RNB_ID = "D3M100000002"


@dataclass(frozen=True)
class Rating:
    address: Address
    energy: str
    greenhouse_gas: str
    established_on: str
    rnb_id: str = ""
    is_found: bool = True
    has_number: bool = True
    """Whether its address is a house number of the address file."""
    replaces: int | None = None
    """The place of the rating that it replaces, among those of its commune."""


def _of(parcel_id: str) -> Address:
    return next(address for address in q.ADDRESSES if parcel_id in address.parcel_ids)


QUARTER_RATINGS = (
    # A house that was tested again after works.
    Rating(_of(q.SINGLE_HOUSE), "F", "C", "2022-02-10"),
    Rating(_of(q.SINGLE_HOUSE), "C", "A", "2025-06-18", replaces=0),
    # Flats of one building, by its id in the register.
    *(
        Rating(_of(q.FLATS), energy, greenhouse_gas, f"202{year}-09-0{year}", _FLATS_RNB_ID)
        for energy, greenhouse_gas, year in (
            ("D", "D", 1), ("D", "D", 2), ("E", "D", 3), ("E", "E", 3), ("F", "E", 4), ("D", "C", 5), ("G", "F", 5),
        )
    ),
    # Without a house number: its point decides.
    Rating(_of(q.MIXED_USE), "E", "D", "2023-11-20", has_number=False),
    # An address that was not found joins nothing.
    Rating(_of(q.CORNER), "B", "A", "2024-01-15", is_found=False),
)  # fmt: skip


def town_ratings(addresses: Iterable[Address], random: Random) -> Iterator[Rating]:
    for address in addresses:
        if random.random() < RATED_SHARE:
            energy, greenhouse_gas = random.choices(_LETTERS, _WEIGHTS, k=2)
            day = f"{random.randint(2022, 2025)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
            yield Rating(address, energy, greenhouse_gas, day)


def rows(commune: Commune, ratings: Iterable[Rating], first: int) -> Iterator[tuple[object, ...]]:
    """`first` is the number of the first rating."""
    for number, rating in enumerate(ratings, start=first):
        address, (longitude, latitude) = rating.address, commune.to_degrees(rating.address.point)
        street_id = f"{commune.code}_{address.street.code}"
        house = f"{street_id}_{address.number:05}" + (f"_{address.suffix}" if address.suffix else "")
        replaced = "" if rating.replaces is None else _number(first + rating.replaces)
        yield (
            _number(number), replaced, rating.established_on, rating.established_on, rating.energy,
            rating.greenhouse_gas, house if rating.has_number else street_id, commune.code, rating.rnb_id,
            0.97 if rating.is_found else 0.41, _FOUND if rating.is_found else _NOT_FOUND, f"{latitude},{longitude}",
        )  # fmt: skip


def _number(place: int) -> str:
    return f"24{DEPARTMENT}E{place:07}A"
