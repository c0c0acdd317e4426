"""Turns the lots of a project into areas to draw, and says which cannot be drawn."""

import math
from dataclasses import dataclass, replace

from assistant.division.plan import Targets
from assistant.division.proposal import DEFAULT_LOT_COUNT, MAX_LOT_COUNT, Assumptions
from assistant.division.wording import range_of, tell
from assistant.project import Project
from assistant.text import area
from servicekit.languages import Text

_ABOUT = 0.1
"""Wished areas that miss the area of the land by at most this share of it are scaled to it."""
EXACT = 0.02
"""A lot within this share of its wished area has it."""


@dataclass(frozen=True)
class Resolved:
    """What is drawn. `sizes_m2` and `house_m2` are the wishes that can be met."""

    count: int
    sizes_m2: tuple[float, ...] = ()
    house_m2: float | None = None
    strip_m: float | None = None
    limitations: tuple[Text, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether the project tells an area, or the width of a strip."""
        return bool(self.sizes_m2) or self.house_m2 is not None or self.strip_m is not None

    @property
    def tolerance(self) -> float:
        """The share by which a lot may differ from its wished area. Lots that take the whole land are scaled to it."""
        return EXACT if self.unsized_lots else _ABOUT

    @property
    def unsized_lots(self) -> int:
        return self.count - len(self.sizes_m2) - (self.house_m2 is not None)

    def targets(self, unit_m2: float) -> Targets:
        wished_m2 = sum(self.sizes_m2) + (self.house_m2 or 0.0)
        if not self.unsized_lots:
            scale = unit_m2 / wished_m2
            house = None if self.house_m2 is None else self.house_m2 * scale
            return Targets(tuple(size * scale for size in self.sizes_m2), house)
        left_m2 = (unit_m2 - wished_m2) / self.unsized_lots
        return Targets((*self.sizes_m2, *[left_m2] * self.unsized_lots), self.house_m2)


def _narrowed(project: Project, unit_m2: float) -> Project:
    """The project with ranges of areas met below their middles, as far as land of this area needs it."""
    groups = [(lot, lot.least_m2 or lot.size_m2 or 0.0, lot.size_m2 or 0.0) for lot in project.lots]
    least_m2, wished_m2 = (sum(lot.count * group[i] for lot, *group in groups) for i in (0, 1))
    if not least_m2 <= unit_m2 < wished_m2:
        return project
    share = (unit_m2 - least_m2) / (wished_m2 - least_m2)
    lots = (replace(lot, area_m2=least + share * (size - least) or None) for lot, least, size in groups)
    return replace(project, lots=tuple(lots))


def resolve(project: Project, unit_m2: float, assumptions: Assumptions) -> Resolved:
    """The lots to draw on land of this area."""
    project = _narrowed(project, unit_m2)
    limitations: list[Text] = []
    wished_m2 = sum(project.sizes_m2) + (project.house_m2 or 0.0)
    sized_lots = len(project.sizes_m2) + (project.house_m2 is not None)
    left_m2 = unit_m2 - wished_m2
    count = project.lot_count or DEFAULT_LOT_COUNT
    if sized_lots:
        may_grow = left_m2 > 0 and all(lot.bounds_m2 and lot.bounds_m2[1] == math.inf for lot in project.lots)
        is_whole = abs(left_m2) <= _ABOUT * unit_m2 or (may_grow and project.lot_count is not None)
        if project.lot_count is None or (project.lot_count <= sized_lots and not is_whole):
            count = sized_lots + (sized_lots == 1 or not is_whole)
        count = max(count, sized_lots)
        if project.lot_count is not None and count > max(project.lot_count, sized_lots):
            limitations.append(tell("limitation.one_more", left=area(left_m2)) if left_m2 > 0 else Text("", ""))
    if count > MAX_LOT_COUNT or count < DEFAULT_LOT_COUNT:
        taken = min(max(count, DEFAULT_LOT_COUNT), MAX_LOT_COUNT)
        limitations.append(
            tell("limitation.bounded", asked=count, least=DEFAULT_LOT_COUNT, most=MAX_LOT_COUNT, taken=taken)
        )
        if sized_lots > 1:
            return Resolved(taken, limitations=tuple(limitations))
        count = taken
    if not sized_lots:
        strip_m = project.lot_width_m if project.is_for_neighbour and count == DEFAULT_LOT_COUNT else None
        return Resolved(count, strip_m=strip_m, limitations=tuple(limitations))
    unsized_lots = count - sized_lots
    smallest = min((*project.sizes_m2, *([] if project.house_m2 is None else [project.house_m2])))
    fits = left_m2 / unsized_lots >= assumptions.minimum_lot_m2 if unsized_lots else left_m2 >= -_ABOUT * unit_m2
    is_small = smallest < assumptions.minimum_lot_m2
    may_shrink = not is_small and all(lot.bounds_m2 and not lot.bounds_m2[0] for lot in project.lots)
    if not fits and may_shrink and unit_m2 / count <= smallest:
        return Resolved(count)
    if is_small or not fits:
        count = project.lot_count or count
        key = f"limitation.too_{'small' if is_small else 'large' if left_m2 < 0 else 'little_left'}"
        least = area(assumptions.minimum_lot_m2)
        bounds_m2 = [lot.bounds_m2 or (lot.size_m2 or 0.0,) * 2 for lot in project.lots for _ in range(lot.count)]
        wished = range_of([(sum(low for low, _ in bounds_m2), sum(high for _, high in bounds_m2))])
        limitations = [tell(key, wished=wished, unit=area(unit_m2), least=least)]
        return Resolved(min(max(count, DEFAULT_LOT_COUNT), MAX_LOT_COUNT), limitations=tuple(limitations))
    return Resolved(count, project.sizes_m2, project.house_m2, limitations=tuple(limitations))
