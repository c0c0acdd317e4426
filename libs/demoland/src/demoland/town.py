"""The generated part of a commune: its parcels, the addresses on them, and the fields to the north.

`names.toml` has the words of the names of streets.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import count, product
from math import ceil, sqrt
from random import Random

from demoland import quarter
from demoland.geometry import area_m2, behind_front, rectangle
from demoland.lots import BLOCK_HEIGHT_M, BLOCK_WIDTH_M, JITTER_M, Lot, StreetKey, rows_of_lots
from demoland.model import Address, Commune, Parcel, Street, parcel_id

WORDS: Mapping[str, Sequence[str]] = {
    name: text.replace(",\n", ", ").split(", ")
    for name, text in tomllib.loads(files("demoland").joinpath("names.toml").read_text(encoding="utf-8")).items()
}
"""Kinds of streets, first names and family names of people, things with their article, and whole names."""
ADDRESSES_PER_LOT = (0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3)
ADDRESSES_PER_BLOCK = 18.5
"""Average."""
LOTS_PER_BLOCK = 12
MAX_SECTIONS = 600
MIN_LOTS_PER_SECTION = 60
RETIRED_NUMBER = 9999
"""No section has so many parcels."""
INSIDE_M, OUTSIDE_M = 3.0, -2.5
"""Distance of an address behind the front of its lot. A negative distance is on the street."""
FIELD_SIZE_M = (200.0, 210.0)
FIELD_SECTION = "ZB"


def column_count(address_count: int) -> int:
    """The number of blocks from west to east."""
    blocks = max(1.0, address_count / ADDRESSES_PER_BLOCK)
    return max(1, round(sqrt(blocks * BLOCK_HEIGHT_M / BLOCK_WIDTH_M)))


@dataclass(frozen=True)
class Row:
    """A row of blocks."""

    parcels: list[Parcel]
    addresses: list[Address]


class Town:
    """Generates parcels and addresses. Only one row of blocks is in memory."""

    def __init__(
        self, commune: Commune, address_count: int, names: Iterator[str], blocks_per_street: int, random: Random
    ) -> None:
        """`names` are street names. A street gets another name after `blocks_per_street` blocks."""
        self._commune = commune
        self._address_count = address_count
        self._columns = column_count(address_count)
        self._row_count = 0
        self._names = names
        self._blocks_per_street = blocks_per_street
        self._random = random
        self._streets: dict[StreetKey, Street] = {}
        self._last_numbers: dict[tuple[StreetKey, bool], int] = {}

    def rows(self) -> Iterator[Row]:
        """Rows of blocks, south to north, until they have all addresses."""
        remaining = self._address_count
        expected_lots = remaining / ADDRESSES_PER_BLOCK * LOTS_PER_BLOCK
        lots_per_section = max(MIN_LOTS_PER_SECTION, ceil(expected_lots / MAX_SECTIONS * 1.5))
        lot_count = 0
        for lots in rows_of_lots(self._columns, self._blocks_per_street, self._random):
            if remaining <= 0:
                return
            row = Row([], [])
            for lot in lots:
                section, number = divmod(lot_count, lots_per_section)
                row.parcels.append(self._parcel(_section(section), number + 1, lot))
                addresses = self._addresses(lot, [parcel.parcel_id for parcel in row.parcels[-2:]])[:remaining]
                row.addresses.extend(addresses)
                remaining -= len(addresses)
                lot_count += 1
            self._row_count += 1
            yield row

    def fields(self) -> list[Parcel]:
        """Large parcels in a row north of the rows generated so far, behind a lane."""
        width, height = FIELD_SIZE_M
        south = self._row_count * BLOCK_HEIGHT_M + 2 * JITTER_M + 10.0
        return [
            Parcel(
                parcel_id(self._commune.code, FIELD_SECTION, order + 1),
                ((rectangle(order * width, south, (order + 1) * width, south + height),),),
                round(width * height),
            )
            for order in range(max(2, round(self._columns * BLOCK_WIDTH_M / width)))
        ]

    def _parcel(self, section: str, number: int, lot: Lot) -> Parcel:
        random = self._random
        # The declared area differs a little from the drawn one, as in the cadastre.
        contenance_m2 = round(area_m2(lot.ring) * random.uniform(0.985, 1.015))
        created_on = f"{random.randint(1998, 2020)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        is_surveyed = random.random() < 0.2  # noqa: PLR2004 - share of parcels
        key = parcel_id(self._commune.code, section, number)
        return Parcel(key, ((lot.ring,),), contenance_m2, is_surveyed, created_on, "2021-04-06")

    def _addresses(self, lot: Lot, keys: Sequence[str]) -> list[Address]:
        """The addresses of a lot. `keys` are the parcel ids of the lot before it, if any, and of this lot."""
        random = self._random
        count = random.choice(ADDRESSES_PER_LOT)
        street = self._street(lot.street)
        addresses: list[Address] = []
        number = 0
        for order in range(count):
            suffix = ("", "bis", "ter")[order] if random.random() < 0.5 or not order else ""  # noqa: PLR2004 - one in two
            if suffix == "ter" and not addresses[-1].suffix:
                suffix = "bis"
            if not suffix:
                number = self._next_number(lot.street, lot.is_even)
            is_on_street = random.random() < 0.04  # noqa: PLR2004 - share of addresses
            declared = () if is_on_street else _declared(keys, random)
            point = behind_front(lot.front, (order + 1) / (count + 1), OUTSIDE_M if is_on_street else INSIDE_M)
            position = "segment" if is_on_street else "entrée"
            addresses.append(Address(street, number, point, suffix, declared, position))
        return addresses

    def _street(self, key: StreetKey) -> Street:
        if key not in self._streets:
            code = f"{quarter.LAST_STREET_CODE + 1 + len(self._streets):04}"
            self._streets[key] = Street(code, next(self._names))
        return self._streets[key]

    def _next_number(self, street: StreetKey, is_even: bool) -> int:
        last = self._last_numbers.get((street, is_even), 0 if is_even else -1)
        self._last_numbers[street, is_even] = number = last + self._random.choice((2, 2, 2, 2, 4))
        return number


def _section(order: int) -> str:
    """AB, AC … YZ: AA is the old quarter, and Z begins the sections of fields."""
    first, second = divmod(order + 1, 26)
    return chr(ord("A") + first) + chr(ord("A") + second)


def _declared(keys: Sequence[str], random: Random) -> tuple[str, ...]:
    """The parcels that the address file declares: usually the right one or none, sometimes a wrong one."""
    chance = random.random()
    if chance < 0.4:  # noqa: PLR2004 - 40 % of addresses declare no parcel
        return ()
    if chance < 0.41:  # noqa: PLR2004 - 1 % declare a parcel that no longer exists
        return (f"{keys[-1][:10]}{RETIRED_NUMBER}",)
    if chance < 0.42:  # noqa: PLR2004 - 1 % also declare the neighbour
        return tuple(reversed(keys))
    return (keys[-1],)


def street_names() -> Iterator[str]:
    """Different names without end: the whole ones, then each kind with each thing and person, then these with the
    numbers 2, 3 …
    """
    yield from WORDS["regional"]
    people = map(" ".join, product(WORDS["first_names"], WORDS["family"]))
    subjects = [*WORDS["things"], *people]
    for turn in count(1):
        for kind, subject in product(WORDS["kinds"], subjects):
            yield f"{kind} {subject}" if turn == 1 else f"{kind} {subject} {turn}"
