"""The project of a division: its lots, its way, its house, who builds, and the rules that it states.

These dataclasses are what a request may tell in fields, what the reader of texts finds, and what an answer states as
`assumptions.project`. Drawing, checks, procedure and answer follow them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

MAX_QUESTION_LENGTH = 2000
LEAST_LOT_COUNT = 2
MAX_SIZES = 12
"""So many lots may have a wished area."""
LARGEST: Mapping[str, float] = {"count": 999, "m2": 1e7, "m": 100, "ratio": 1}
"""The largest figure of a member, by the end of its name."""
DENIABLE = ("has_shared_way", "has_one_builder")
"""Members that a text may deny."""
MOST_LISTED, MOST_LETTERS = 50, 200
"""A project has no longer lists and texts."""

NEAR = 0.1
"""A drawn area that misses the wished one by at most this share of it follows it."""
_DESCRIBING = ("count", "use", "position", "holder")
"""What is told of a lot of a group; its area is that of the group."""

Use = Literal["house", "building", "sale", "garden", "farming", "neighbour"]
Position = Literal["front", "back", "north", "east", "south", "west", "left", "right"]


@dataclass(frozen=True)
class WishedLot:
    """One lot or several equal ones. What is not told is None."""

    count: int = 1
    area_m2: float | None = None
    least_m2: float | None = None
    most_m2: float | None = None
    share_ratio: float | None = None
    """Share of the land."""
    is_rest: bool | None = None
    """Has what the other lots leave."""
    use: Use | None = None
    """`house` is the plot of the kept house."""
    position: Position | None = None
    holder: str | None = None
    """Who gets the lot."""

    @property
    def is_sized(self) -> bool:
        """Whether its area, its share or that it is what is left is told."""
        return self.size_m2 is not None or self.share_ratio is not None or bool(self.is_rest)

    @property
    def size_m2(self) -> float | None:
        """The area to draw: the middle of a range, or its only bound."""
        bounds = [value for value in (self.least_m2, self.most_m2) if value is not None]
        return self.area_m2 if self.area_m2 is not None or not bounds else sum(bounds) / len(bounds)

    @property
    def bounds_m2(self) -> tuple[float, float] | None:
        """Between these, any area is as wished; None without a bound."""
        is_bounded = self.least_m2 is not None or self.most_m2 is not None
        return (self.least_m2 or 0.0, self.most_m2 or math.inf) if is_bounded else None

    def admits(self, area_m2: float, near: float = NEAR) -> bool:
        """Whether a drawn area follows the wish. One that misses it by at most this share of it does."""
        size = self.size_m2
        least, most = self.bounds_m2 or ((size or 0.0) * (1 - near), (size or math.inf) * (1 + near))
        return least - 1 <= area_m2 <= most + 1


@dataclass(frozen=True)
class KeepOut:
    """Something that must not be built over."""

    thing: str = ""
    distance_m: float | None = None


@dataclass(frozen=True)
class Owner:
    name: str | None = None
    share_ratio: float | None = None
    """Share of the rights, which is no share of the ground."""
    parcel_ids: tuple[str, ...] = ()


FactKind = Literal[
    "access", "building", "demolished", "distance", "given", "kept", "land", "lease", "note", "ownership", "parcel",
    "parking", "people", "price", "received", "refused", "sold", "wish",
]  # fmt: skip


@dataclass(frozen=True)
class ToldFact:
    """What is told that no other member holds, with its only area, length, share or price."""

    kind: FactKind = "wish"
    words: str | None = None
    """The words of the user, with what they deny."""
    area_m2: float | None = None
    distance_m: float | None = None
    """A length, width or distance."""
    share_ratio: float | None = None
    price_eur: float | None = None
    price_eur_per_m2: float | None = None


@dataclass(frozen=True)
class Project:
    """What is not told is None or empty."""

    lot_count: int | None = None
    """The number of lots, with the plot of a kept house."""
    lots: tuple[WishedLot, ...] = ()
    """What is left over makes the other lots."""
    keeps_house: bool | None = None
    demolishes_house: bool | None = None
    has_even_lots: bool | None = None
    has_shared_way: bool | None = None
    """False if the project excludes a shared way."""
    shared_way_m: float | None = None
    """Width of the shared way."""
    shared_way_with: str | None = None
    is_for_neighbour: bool | None = None
    """A neighbour buys the land to enlarge land of their own: no lot is for building."""
    has_one_builder: bool | None = None
    """Whoever divides also builds on the lots."""
    has_separate_plots: bool | None = None
    """The parcels do not touch."""
    setback_m: float | None = None
    footprint_ratio: float | None = None
    height_m: float | None = None
    footprint_m2: float | None = None
    storey_count: int | None = None
    dwelling_count: int | None = None
    lot_width_m: float | None = None
    """Followed for a strip of land for a neighbour only."""
    keep_outs: tuple[KeepOut, ...] = ()
    owners: tuple[Owner, ...] = ()
    has_lease: bool | None = None
    town_said: str | None = None
    facts: tuple[ToldFact, ...] = ()

    @property
    def tells_lots(self) -> bool:
        """Whether it is a division. Told without a question, it asks for its study: "6 lots et une voie"."""
        return bool(self.lot_count or self.lots or self.is_for_neighbour)

    @property
    def tells_building(self) -> bool:
        """Whether it tells of a lot that is for building."""
        is_of_building = any(lot.use == "building" for lot in self.lots)
        return bool(is_of_building or self.footprint_m2 or self.storey_count or self.dwelling_count)

    @property
    def shares_land(self) -> bool:
        """Whether it gives land to a person, or all of it in shares, and tells of no building."""
        is_shared = any(lot.holder for lot in self.lots) or all(lot.share_ratio for lot in self.lots)
        is_for_building = self.tells_building or any(lot.use == "sale" for lot in self.lots)
        return bool(self.lots) and is_shared and not is_for_building

    @property
    def sizes_m2(self) -> tuple[float, ...]:
        """Areas of the lots to detach."""
        sizes = [lot.size_m2 for lot in self.lots if lot.use != "house" for _ in range(min(lot.count, MAX_SIZES + 1))]
        return tuple(size for size in sizes if size is not None)[:MAX_SIZES]

    @property
    def house_m2(self) -> float | None:
        """Area that the house keeps."""
        if self.demolishes_house:
            return None
        return next((lot.size_m2 for lot in self.lots if lot.use == "house" and lot.size_m2 is not None), None)

    def consistent(self) -> "Project":
        """The project without members that contradict others. A lot without an area that is one of the told number of
        lots takes the area of the group that it belongs to, or its share of what is left.
        """
        lots = [lot for lot in self.lots if lot.use != "house" or not self.demolishes_house]
        excess = sum(lot.count for lot in lots) - (self.lot_count or math.inf)
        for index, plain in enumerate(lots):
            place = next((i for i, lot in enumerate(lots) if lot.count > 1 and lot.is_sized), None)
            if place is not None and plain.count <= excess and not plain.is_sized:
                group, excess = lots[place], excess - plain.count
                lots[index] = replace(group, **{name: getattr(plain, name) for name in _DESCRIBING})
                lots[place] = replace(group, count=group.count - plain.count)
        is_sized = any(lot.is_sized and not lot.is_rest for lot in lots if lot.use != "house")
        is_sale = all(lot.use in ("neighbour", "house") or (lot.is_rest and lot.use != "building") for lot in lots)
        return replace(
            self,
            lots=tuple(lots),
            keeps_house=None if self.demolishes_house else self.keeps_house,
            has_even_lots=None if is_sized else self.has_even_lots,
            shared_way_m=None if self.has_shared_way is False else self.shared_way_m,
            is_for_neighbour=self.is_for_neighbour if is_sale or len(lots) == 1 else None,
        )

    def filling(self, land_m2: float | None) -> "Project":
        """The project with the number of its lots if their areas are all of land of this area. The house has more than
        its least area.
        """
        least = sum(lot.count * (lot.least_m2 or lot.area_m2 or 0.0) for lot in self.lots)
        has_open = any(lot.use == "house" and lot.least_m2 and not lot.most_m2 for lot in self.lots)
        most = sum(lot.count * (lot.most_m2 or lot.size_m2 or 0.0) for lot in self.lots)
        is_all = land_m2 is not None and least <= land_m2 <= (math.inf if has_open else most)
        is_sized = all(lot.size_m2 and not lot.is_rest for lot in self.lots)
        count = sum(lot.count for lot in self.lots)
        return replace(self, lot_count=count) if is_all and is_sized and count > 1 and not self.lot_count else self

    def resized(self, sizes_m2: Sequence[float], house_m2: float | None, lot_count: int | None) -> "Project":
        """The project with these areas instead of those of its lots."""
        house = () if house_m2 is None else (WishedLot(area_m2=house_m2, use="house"),)
        return replace(self, lots=(*(WishedLot(area_m2=size) for size in sizes_m2), *house), lot_count=lot_count)

    def on(self, unit_m2: float) -> "Project":
        """The project on land of this area: shares become areas, and lots without one are counted. One lot leaves a
        rest, which is another.
        """
        count, lots = self.lot_count, self.lots
        if count is None and any(lot.size_m2 is None and lot.share_ratio is None for lot in lots):
            is_apart = self.keeps_house and all(
                lot.use != "house" and not (lot.is_rest and lot.use is None) for lot in lots
            )
            count = sum(lot.count for lot in lots) + bool(is_apart)
        sized = tuple(
            lot if lot.share_ratio is None else replace(lot, area_m2=lot.share_ratio * unit_m2) for lot in lots
        )
        return replace(self, lot_count=count and max(count, LEAST_LOT_COUNT), lots=sized)
