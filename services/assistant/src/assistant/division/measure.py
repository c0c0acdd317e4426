"""Measures the lots of a layout and lists their violations of the assumptions."""

import math

import shapely
from shapely import MultiLineString, Polygon

from assistant.division.access import MINIMUM_CONTACT_RATIO, NO_FRONTAGE_M, frontages_of
from assistant.division.proposal import Access, Assumptions, Lot, Violation
from assistant.division.shapes import GRID_M, buffer, intersection

_TOLERANCE_M = 0.05
_HOUSE_M2 = 40.0
"""Minimum footprint of a house; smaller buildings are sheds. Our assumption."""


def keeps_buildings_whole(lots: list[Polygon], buildings: list[Polygon]) -> bool:
    """Whether each building is in exactly one lot."""
    return all(sum(_stands_on(building, lot) for lot in lots) == 1 for building in buildings)


def _stands_on(building: Polygon, lot: Polygon) -> bool:
    if not building.intersects(lot):
        return False
    if building.length * GRID_M < building.area / 2 and lot.contains(building):  # several times faster
        return True
    return intersection(lot, building).area > _negligible_m2(building)


def _negligible_m2(building: Polygon) -> float:
    return min(0.05, building.area / 100)


def holds_circle(lot: Polygon, diameter_m: float) -> bool:
    centre = lot.representative_point()
    if centre.distance(lot.boundary) > diameter_m / 2 + _TOLERANCE_M:  # several times faster
        return True
    return not lot.buffer(-diameter_m / 2).is_empty


def measure(
    lots: list[Polygon],
    strips: dict[int, Polygon],
    frontage: MultiLineString | None,
    buildings: list[Polygon],
    assumptions: Assumptions,
) -> tuple[Lot, ...]:
    """The lots with their metrics, named A, B, C… in order. `strips` are the access strips by lot."""
    fronts = [None] * len(lots) if frontage is None else frontages_of(lots, frontage)
    return tuple(_measure_lot(i, lots, strips.get(i), fronts[i], buildings, assumptions) for i in range(len(lots)))


def _measure_lot(
    index: int,
    lots: list[Polygon],
    strip: Polygon | None,
    front: float | None,
    buildings: list[Polygon],
    assumptions: Assumptions,
) -> Lot:
    shape = lots[index]
    own = [building for building in buildings if _stands_on(building, shape)]
    core = shape if strip is None else shape.difference(strip)
    buildable = buffer(core, -assumptions.setback_m)
    if own:
        buildable = buildable.difference(shapely.union_all(own))
    access: Access
    if front is None:
        access = "unknown"
    elif strip is not None:
        access = "strip"
    else:
        access = "frontage" if front >= NO_FRONTAGE_M else "landlocked"
    violations: list[Violation] = []
    if shape.area < assumptions.usual_lot_m2:
        violations.append("small_lot")
    if access == "landlocked":
        violations.append("landlocked")
    width = assumptions.access_strip_m
    minimum = width * MINIMUM_CONTACT_RATIO if access == "strip" else width - _TOLERANCE_M
    if front is not None and access != "landlocked" and front < minimum:
        violations.append("narrow_frontage")
    others = [lot for i, lot in enumerate(lots) if i != index]
    if any(b.distance(lot) < assumptions.setback_m - _TOLERANCE_M for b in own for lot in others):
        violations.append("building_setback")
    is_built = sum(building.area for building in own) >= _HOUSE_M2
    if not is_built and buildable.area < _HOUSE_M2:
        violations.append("nothing_buildable")
    return Lot(
        id="ABCDEF"[index],
        shape=shape,
        area_m2=shape.area,
        frontage_m=front,
        access=access,
        strip_m2=0.0 if strip is None else strip.area,
        compactness=4 * math.pi * shape.area / shape.length**2,
        buildable_area_m2=buildable.area,
        has_existing_building=bool(own),
        is_built=is_built,
        violations=tuple(violations),
    )
