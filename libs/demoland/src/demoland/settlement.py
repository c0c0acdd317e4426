"""A commune put together: the old quarter in the first one, then as much generated town as its addresses need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from random import Random

from demoland import quarter
from demoland.names import street_names, varied_names
from demoland.plan import Commune, Door, Ground, Plot, Point, Street, area_m2, parcel_id, rectangle
from demoland.town import BLOCK_HEIGHT_M, BLOCK_WIDTH_M, JITTER_M, Lot, StreetKey, rows_of_lots
from demoland.vocabularies import Vocabulary

DOORS_PER_LOT = (0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3)
DOORS_PER_BLOCK = 18.5
"""On the average."""
LOTS_PER_BLOCK = 12
SECTIONS = 600
MIN_LOTS_PER_SECTION = 60
RETIRED_NUMBER = 9999
"""No section has so many parcels."""
INSIDE_M, OUTSIDE_M = 3.0, 2.5
"""How far behind the front a door's point lies, or before it, on the street."""
FIELD_SIZE_M = (200.0, 210.0)
FIELD_SECTION = "ZB"
BLOCKS_PER_STREET = 3
"""A street changes its name after so many blocks."""
SHORT_STREETS = (1, 1, 2)
"""The same in the small communes of a country, whose streets have twelve addresses on the average."""
OWN_NAMES = 6
MARGIN_M = 800.0
"""Around a commune: its fields, and the old quarter of the first."""


@dataclass
class _Numbers:
    """The streets of a commune and the next house number on each of their sides."""

    random: Random
    names: Iterator[str]
    streets: dict[StreetKey, Street] = field(default_factory=dict)
    last: dict[tuple[StreetKey, bool], int] = field(default_factory=dict)

    def street(self, key: StreetKey) -> Street:
        if key not in self.streets:
            code = f"{quarter.LAST_STREET_CODE + 1 + len(self.streets):04}"
            self.streets[key] = Street(code, next(self.names))
        return self.streets[key]

    def next(self, key: StreetKey, is_even: bool) -> int:
        number = self.last.get((key, is_even), 0 if is_even else -1) + self.random.choice((2, 2, 2, 2, 4))
        self.last[key, is_even] = number
        return number


def columns_for(addresses: int) -> int:
    blocks = max(1.0, addresses / DOORS_PER_BLOCK)
    return max(1, round(sqrt(blocks * BLOCK_HEIGHT_M / BLOCK_WIDTH_M)))


def size_m(addresses: int) -> tuple[float, float]:
    """Room that a commune of so many addresses takes, east and north, with its surroundings."""
    columns = columns_for(addresses)
    rows = ceil(addresses / DOORS_PER_BLOCK / columns * 1.3) + 2
    return columns * BLOCK_WIDTH_M + 2 * MARGIN_M, rows * BLOCK_HEIGHT_M + 2 * MARGIN_M


def grounds(
    commune: Commune, addresses: int, vocabulary: Vocabulary, random: Random, *, is_varied: bool
) -> Iterator[Ground]:
    """The commune's plots with the doors on them, a row of blocks at a time: as many doors as `addresses` in all.

    The first commune has its old quarter even where that is more. Names are as frequent as real ones are where
    `is_varied`.
    """
    left = addresses
    if is_varied:
        names = varied_names(vocabulary, random)
    else:
        own = random.sample(vocabulary.own, OWN_NAMES)
        names = street_names(vocabulary, random, vocabulary.own if commune.code == quarter.COMMUNE_CODE else own)
    blocks_per_street = BLOCKS_PER_STREET if commune.code.isdigit() else random.choice(SHORT_STREETS)
    if commune.code == quarter.COMMUNE_CODE:
        drawn = quarter.draw()
        left -= len(drawn.doors)
        yield drawn
    numbers = _Numbers(random, names)
    columns = columns_for(left)
    lots_per_section = max(MIN_LOTS_PER_SECTION, ceil(left / DOORS_PER_BLOCK * LOTS_PER_BLOCK / SECTIONS * 1.5))
    lots = rows = 0
    for row in rows_of_lots(columns, blocks_per_street, random):
        if left <= 0:
            break
        ground = Ground()
        for lot in row:
            section, number = divmod(lots, lots_per_section)
            plot = _plot(parcel_id(commune.code, _section(section), number + 1), lot, random)
            ground.plots.append(plot)
            doors = _doors(lot, [one.parcel_id for one in ground.plots[-2:]], numbers, random)[: max(0, left)]
            ground.doors += doors
            left -= len(doors)
            lots += 1
        yield ground
        rows += 1
    yield Ground(_fields(commune, columns, rows))


def _section(order: int) -> str:
    """AB, AC … YZ: AA is the old quarter's, those in Z are fields."""
    first, second = divmod(order + 1, 26)
    return chr(ord("A") + first) + chr(ord("A") + second)


def _plot(key: str, lot: Lot, random: Random) -> Plot:
    # What deeds declare is not quite what is drawn.
    declared = round(area_m2(lot.ring) * random.uniform(0.985, 1.015))
    created = f"{random.randint(1998, 2020)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    return Plot(key, ((lot.ring,),), declared, random.random() < 0.2, created, "2021-04-06")  # noqa: PLR2004 - surveyed


def _doors(lot: Lot, keys: Sequence[str], numbers: _Numbers, random: Random) -> list[Door]:
    """The doors of a lot; `keys` end with its parcel's id, after that of the lot before it where there is one."""
    count = random.choice(DOORS_PER_LOT)
    street = numbers.street(lot.street)
    doors: list[Door] = []
    number = 0
    for place in range(count):
        suffix = ("", "bis", "ter")[place] if random.random() < 0.5 or not place else ""  # noqa: PLR2004 - one in two
        if suffix and not doors[-1].suffix and place > 1:
            suffix = "bis"
        if not suffix:
            number = numbers.next(lot.street, lot.is_even)
        is_on_street = random.random() < 0.04  # noqa: PLR2004 - of points are on the street
        declared = () if is_on_street else _declared(keys, random)
        point = _beside(lot.front, (place + 1) / (count + 1), -OUTSIDE_M if is_on_street else INSIDE_M)
        position = "segment" if is_on_street else "entrée"
        doors.append(Door(street, number, point, suffix, declared, position))
    return doors


def _declared(keys: Sequence[str], random: Random) -> tuple[str, ...]:
    """What the address file says of a door's parcels: the truth, or nothing, or now and then something stale."""
    chance = random.random()
    if chance < 0.4:  # noqa: PLR2004 - of addresses name no parcel
        return ()
    if chance < 0.41:  # noqa: PLR2004 - one in a hundred names a parcel that is no more
        return (f"{keys[-1][:10]}{RETIRED_NUMBER}",)
    if chance < 0.42:  # noqa: PLR2004 - one in a hundred names the one beside it too
        return tuple(reversed(keys))
    return (keys[-1],)


def _beside(front: tuple[Point, Point], share: float, inwards_m: float) -> Point:
    (x1, y1), (x2, y2) = front
    length = sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)
    return (
        x1 + (x2 - x1) * share + (y1 - y2) / length * inwards_m,
        y1 + (y2 - y1) * share + (x2 - x1) / length * inwards_m,
    )


def _fields(commune: Commune, columns: int, rows: int) -> list[Plot]:
    """Large plots in a row north of town, behind a lane."""
    width, height = FIELD_SIZE_M
    south = rows * BLOCK_HEIGHT_M + 2 * JITTER_M + 10.0
    count = max(2, round(columns * BLOCK_WIDTH_M / width))
    return [
        Plot(
            parcel_id(commune.code, FIELD_SECTION, place + 1),
            ((rectangle(place * width, south, (place + 1) * width, south + height),),),
            round(width * height),
        )
        for place in range(count)
    ]
