"""What is built in the demo: the old quarter's buildings by hand, each a case, and a house on most generated lots.

Metres, as the plots.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import hypot
from random import Random

from demoland.plan import Plot, Point, Ring, rectangle

BUILT_SHARE = 0.88
"""Of generated lots; the others are bare."""
ANNEXE_SHARE = 0.3
"""Of houses have a light annexe behind."""
DESCRIBED_SHARE = 0.85
"""Of houses have been matched with the tax files, from which BD TOPO has its facts."""
SETBACK_M = 5.0
"""From the street to the house."""
SHIFT_M = 0.4
"""How far BD TOPO's outline lies from the plan's."""


@dataclass(frozen=True)
class Facts:
    """What BD TOPO knows of a building."""

    usage: str = "Résidentiel"
    height_m: float | None = None
    storeys: int | None = None
    dwellings: int | None = None
    year: int | None = None
    rnb_id: str = ""


@dataclass(frozen=True)
class House:
    """A building. Either of the two sources may not have it."""

    ring: Ring
    facts: Facts | None = None
    """None where BD TOPO does not have it."""
    is_light: bool = False
    is_on_plan: bool = True


def _house(
    west: float, south: float, east: float, north: float, facts: Facts | None = None, *, is_light: bool = False
) -> House:
    return House(rectangle(west, south, east, north), facts, is_light)


ASTRIDE = _house(-212, 112, -198, 124, Facts(height_m=5.4, storeys=2, dwellings=1, year=1934, rnb_id="D3M100000003"))
"""Across the limit of two parcels."""
NOT_ON_PLAN = House(
    rectangle(-232, 65, -214, 85), Facts(height_m=12.8, storeys=4, dwellings=14, year=2025), is_on_plan=False
)
"""Too new for the plan."""
CROSSED = House([(-46, 112), (-34, 124), (-34, 112), (-46, 124)], Facts("Indifférencié"))
"""Published with its corners out of order."""

_BY_HAND: tuple[House, ...] = (
    # A house with its veranda.
    _house(-256, 120, -244, 130, Facts(height_m=5.1, storeys=2, dwellings=1, year=1978, rnb_id="D3M100000001")),
    _house(-254, 130, -248, 134, is_light=True),
    # A block of flats with a shop below.
    _house(-238, 110, -224, 128,
           Facts("Résidentiel, Commercial et services", 13.5, 4, 12, 1966, "D3M100000002")),
    ASTRIDE,
    NOT_ON_PLAN,
    CROSSED,
    _house(-182, 109, -170, 119, Facts(height_m=4.9, storeys=1, dwellings=1, year=1955)),
    _house(-182, 132, -170, 142, Facts(height_m=6.0, storeys=2, dwellings=1, year=2004, rnb_id="D3M100000004")),
    _house(-161, 109, -149, 119, Facts(height_m=4.4, storeys=1, dwellings=1, year=1949)),
    _house(-140, 110, -128, 120, Facts(height_m=6.3, storeys=2, dwellings=1, year=1991, rnb_id="D3M100000005")),
    _house(-255, 62, -245, 74, Facts(height_m=4.6, storeys=1, dwellings=1, year=1962)),
    _house(-208, 75, -194, 91, Facts("Commercial et services, Résidentiel", 8.2, 2, 1, 1923)),
    _house(-186, 75, -174, 89, Facts(height_m=7.1, storeys=2, dwellings=1, year=1987)),
    _house(-102, 75, -92, 87, Facts(height_m=4.7, storeys=1, dwellings=1, year=1971)),
    _house(-80, 70, -72, 76, is_light=True),
    _house(-40, 75, -28, 87, Facts(height_m=5.8, storeys=2, dwellings=1, year=1998, rnb_id="D3M100000006")),
    _house(-240, 35, -228, 45, Facts(height_m=5.0, storeys=2, dwellings=1, year=1983)),
    # The hamlet, and a farm.
    _house(-212, -75, -200, -64, Facts(height_m=5.5, storeys=2, dwellings=1, year=1887)),
    _house(-172, -80, -156, -66, Facts("Agricole", 6.9)),
    _house(-240, -76, -230, -66, Facts(height_m=4.3, storeys=1, dwellings=1, year=1902)),
    _house(-330, 20, -290, 45, Facts("Agricole", 8.0)),
)  # fmt: skip


def by_hand() -> Iterator[House]:
    return iter(_BY_HAND)


def on_lots(plots: Iterable[Plot], random: Random) -> Iterator[House]:
    """Houses on generated lots, along the front, which a lot's ring begins with."""
    for plot in plots:
        ring = plot.parts[0][0]
        if random.random() > BUILT_SHARE:
            continue
        house = _behind(ring[0], ring[1], SETBACK_M, random.uniform(7.0, 9.5), random.uniform(0.45, 0.6))
        facts = _facts(random) if random.random() < DESCRIBED_SHARE else Facts("Indifférencié")
        yield House(house, facts)
        if random.random() < ANNEXE_SHARE:
            depth = hypot(house[3][0] - house[0][0], house[3][1] - house[0][1])
            yield House(_behind(ring[0], ring[1], SETBACK_M + depth, 3.0, 0.2), None, is_light=True)


def _facts(random: Random) -> Facts:
    storeys = random.choice((1, 1, 2, 2, 2, 3))
    return Facts(
        height_m=round(2.7 * storeys + random.uniform(0.0, 1.5), 1),
        storeys=storeys,
        dwellings=1 if random.random() < 0.8 else random.randint(2, 6),  # noqa: PLR2004 (of buildings are houses)
        year=random.randint(1900, 2022),
    )


def _behind(start: Point, end: Point, offset: float, depth: float, share: float) -> Ring:
    """A rectangle along the middle `share` of a front, so far behind it; the ground lies to the left of the front."""
    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1)
    along, inwards = ((x2 - x1) / length, (y2 - y1) / length), ((y1 - y2) / length, (x2 - x1) / length)
    low, high = length * (1 - share) / 2, length * (1 + share) / 2
    return [
        (x1 + along[0] * a + inwards[0] * b, y1 + along[1] * a + inwards[1] * b)
        for a, b in ((low, offset), (high, offset), (high, offset + depth), (low, offset + depth))
    ]


def as_bdtopo_draws(house: House) -> House:
    """The same building, its outline a little off."""
    return replace(house, ring=[(x + SHIFT_M, y + SHIFT_M) for x, y in house.ring])
