"""Checks on the land unit: area, access, slope, existing buildings and the drawn lots."""

from collections.abc import Iterator
from functools import partial

from assistant.assessment.facts import LEAST_HOUSE_M, OPEN_BOUNDS, LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule
from assistant.assessment.sentences import tell
from assistant.assessment.written_rules import access_width_m
from assistant.text import area, capitalized, metres, percent
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

USUAL_LOT_M2 = 200.0
"""A smaller lot seldom has room for a house, its garden and parking. A usual figure, not a rule."""
MINIMAL_LOT_M2 = 60.0
"""On a smaller lot no building plot can be laid out. Our assumption."""
ACCESS_WIDTH_M = 4.0
"""Width for a car and the usual networks where no certain rule of the regulation states one. Our assumption."""
DENSE_COVERAGE_RATIO = 0.5
"""The unit is hard to divide from this share of the ground under buildings. Our assumption."""
FULL_COVERAGE_RATIO = 0.85
"""No land is left to detach from this share of the ground under buildings. Our assumption."""
STEEP_PERCENT, VERY_STEEP_PERCENT = 15.0, 30.0
"""Earthworks and access cost more from the first slope, and are hard from the second. Our assumptions."""


@rule
def unit_area(facts: LandFacts, layout: Layout) -> Finding:
    """Is the unit large enough for the lots? No law sets a minimum; the thresholds are usual figures."""
    lots, measured = layout.lot_count, facts.area_m2
    threshold = lots * USUAL_LOT_M2
    if measured is None:
        return found(Status.UNKNOWN, "unit_area.unknown", threshold=threshold, unit="m²")
    if layout.project.is_for_neighbour:
        status, verdict = Status.PASS, "unit_area.no_building_plot"
    elif measured / lots >= USUAL_LOT_M2:
        status, verdict = Status.PASS, "unit_area.enough"
    elif measured / lots >= MINIMAL_LOT_M2:
        status, verdict = Status.WARN, "unit_area.little"
    else:
        status, verdict = Status.FAIL, "unit_area.too_little"
    return found(
        status,
        "unit_area.declared" if facts.cadastral_area_m2 else "unit_area.drawn",
        verdict,
        value=round(measured, 1),
        threshold=threshold,
        unit="m²",
        measured=area(measured),
        each=area(measured / lots),
        lots=lots,
        usual=area(USUAL_LOT_M2),
    )


@rule
def access(facts: LandFacts, layout: Layout) -> Finding:
    """Is the frontage on a public way wide enough? R111-5 applies under the national rules, else the plan's article."""
    articles = ("rnu_access",) if facts.has_national_rules else ()
    width_m = access_width_m(facts) or ACCESS_WIDTH_M
    if facts.frontage_m is None:
        return found(Status.UNKNOWN, "access.unknown", threshold=width_m, unit="m", articles=articles)
    frontage, is_wide = round(facts.frontage_m, 1), facts.frontage_m >= width_m
    open_m = sum(bound.length_m for bound in facts.bounds or () if bound.kind in OPEN_BOUNDS)
    if frontage <= 0 and open_m >= width_m:
        status, width = Status.WARN, "access.no_road"
    elif frontage <= 0:
        status, width = Status.FAIL, "access.landlocked"
    else:
        status, width = (Status.PASS, "access.wide") if is_wide else (Status.WARN, "access.narrow")
    return found(
        status,
        *((width,) if status is Status.FAIL else (width, _REGULATIONS[facts.has_national_rules])),
        value=frontage,
        threshold=width_m,
        unit="m",
        articles=articles if is_wide else (*articles, "right_of_way"),
        frontage=metres(frontage),
        width=metres(width_m),
        open=metres(round(open_m, 1)),
    )


_REGULATIONS = {True: "access.national_rules", False: "access.local_rules", None: "access.unknown_rules"}
"""The sentence about the rules on access, by whether the national ones apply."""


@rule
def existing_buildings(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the ground do the existing buildings cover?"""
    buildings, coverage = facts.buildings, partial(found, threshold=DENSE_COVERAGE_RATIO, unit="ratio")
    if buildings is None:
        return coverage(Status.UNKNOWN, "existing_buildings.missing", why=facts.why_missing("buildings"))
    if buildings.count == 0:
        return coverage(Status.PASS, "existing_buildings.none", value=0.0)
    is_one, count, ratio = buildings.count == 1, buildings.count, buildings.ground_coverage_ratio
    if not buildings.HasField("ground_coverage_ratio"):
        key = "existing_buildings.one_without_footprint" if is_one else "existing_buildings.several_without_footprint"
        return coverage(Status.UNKNOWN, key, count=count)
    if ratio >= FULL_COVERAGE_RATIO:
        status, remark = Status.FAIL, "existing_buildings.full"
    elif ratio >= DENSE_COVERAGE_RATIO:
        status, remark = Status.WARN, "existing_buildings.dense"
    else:
        status, remark = Status.PASS, "existing_buildings.kept_whole"
    key = "existing_buildings.one" if is_one else "existing_buildings.several"
    return coverage(status, key, remark, value=round(ratio, 3), count=count, share=percent(ratio))


@rule
def slope(facts: LandFacts, layout: Layout) -> Finding:
    """How steep is the land? No law sets a limit; the thresholds are assumptions."""
    terrain = facts.terrain
    if terrain is None or not terrain.HasField("mean_slope_percent"):
        why = facts.why_missing("terrain")
        return found(Status.UNKNOWN, "slope.missing", threshold=STEEP_PERCENT, unit="%", why=why)
    mean, greatest = terrain.mean_slope_percent, terrain.max_slope_percent
    keys = ["slope.steep_in_places"] if greatest >= VERY_STEEP_PERCENT else []
    if mean >= STEEP_PERCENT:
        keys.append("slope.very_steep" if mean >= VERY_STEEP_PERCENT else "slope.steep")
    return found(
        Status.WARN if keys else Status.PASS,
        "slope.mean",
        *(keys or ["slope.gentle"]),
        value=round(mean, 1),
        threshold=STEEP_PERCENT,
        unit="%",
        settled_by=("document.site_survey",) if keys else (),
        mean=percent(mean / 100),
        greatest=percent(greatest / 100),
    )


REASONS = (
    "failed", "no_geometry", "several_pieces", "too_small", "too_narrow", "landlocked", "built_over", "no_valid_cut",
)  # fmt: skip
"""Codes of the reasons why no lots were drawn, each with its sentence."""


@rule
def division_layout(facts: LandFacts, layout: Layout) -> Finding:
    """Could lots be drawn within the stated assumptions?"""
    if not layout.is_drawn:
        status = Status.UNKNOWN if layout.is_drawn is None else Status.FAIL
        reason = layout.reason or ("no_geometry" if layout.is_drawn is None else "no_valid_cut")
        return _undrawn(status, reason, facts, layout)
    count = float(layout.violation_count)
    if layout.has_only_closed_lots:
        return found(Status.FAIL, "division_layout.closed", value=count, threshold=0)
    if layout.has_smaller_house:
        room = capitalized(smaller_house(layout))
        return found(Status.WARN, "division_layout.smaller_house", value=count, threshold=0, room=room)
    if layout.has_no_house:
        is_told, largest = bool(layout.project.footprint_m2), size_of(layout.largest_house_m)
        house = house_of(layout) if is_told else tell("summary.house", house=size_of((LEAST_HOUSE_M, LEAST_HOUSE_M)))
        is_narrow = min(layout.largest_house_m) < LEAST_HOUSE_M / 2
        key = "division_layout.houseless" if is_narrow else "division_layout.houseless_largest"
        room_m = layout.widest_m - 2 * layout.setback_m
        narrow = ["division_layout.narrow"] if layout.widest_m > 0 and room_m < LEAST_HOUSE_M else []
        return found(
            Status.FAIL,
            key,
            *narrow,
            value=count,
            threshold=0,
            house=house,
            largest=largest,
            widest=metres(round(layout.widest_m, 1)),
            room=metres(round(max(0.0, room_m), 1)),
            setback=metres(layout.setback_m),
        )
    keys = [*_departures(facts.buildings, layout)]
    return found(
        Status.WARN if keys else Status.PASS,
        *(keys or ["division_layout.drawn"]),
        value=count,
        threshold=0,
        lots=layout.lot_count,
        closed=layout.closed_lot_count,
        count=layout.violation_count,
        room=area(layout.room_m2),
        houseless=layout.lot_without_house_count,
    )


def _undrawn(status: Status, reason: str, facts: LandFacts, layout: Layout) -> Finding:
    """Why nothing is drawn, with the measures that prove it."""
    keys, needed_m = [f"division_layout.{reason}"], min(layout.house_m) + 2 * layout.setback_m
    if reason == "too_narrow" and layout.widest_m >= needed_m:
        keys = ["division_layout.too_narrow_for_lots"]
    if reason == "landlocked" and facts.frontage_m:
        keys.append("division_layout.landlocked_by_division")
    return found(
        status,
        *keys,
        value=reason,
        threshold={"too_small": MINIMAL_LOT_M2, "too_narrow": needed_m}.get(reason),
        unit={"too_small": "m²", "too_narrow": "m"}.get(reason),
        each=area((facts.area_m2 or 0.0) / layout.lot_count),
        least=area(MINIMAL_LOT_M2),
        widest=metres(round(layout.widest_m, 1)),
        room=metres(round(max(0.0, layout.widest_m - 2 * layout.setback_m), 1)),
        needed=metres(round(needed_m, 1)),
        house=metres(round(min(layout.house_m), 1)),
        setback=metres(layout.setback_m),
    )


def house_of(layout: Layout) -> Text:
    """The house that a lot for building has to have room for."""
    footprint_m2 = layout.project.footprint_m2
    key = "summary.told_house" if footprint_m2 else "summary.house"
    return tell(key, house=size_of(layout.house_m), footprint=area(footprint_m2 or 0.0))


def smaller_house(layout: Layout) -> Text:
    """The largest house on a lot for building, and the setback that limits it."""
    key = "summary.smaller_house_assumed" if layout.is_setback_assumed else "summary.smaller_house"
    plots, fitting = layout.building_plot_count, layout.small_house_count
    where = tell(
        "summary.fits_there" if fitting >= plots else "summary.fits_on", fitting=fitting, s="s" * (fitting > 1)
    )
    return tell(key, house=size_of(layout.largest_house_m), setback=metres(layout.setback_m), where=where)


def size_of(sides_m: tuple[float, float]) -> Text:
    width, depth = (metres(round(side_m, 1)) for side_m in sides_m)
    return tell("summary.size", width=width, depth=depth)


def _departures(buildings: land_pb2.BuildingsBlock | None, layout: Layout) -> Iterator[str]:
    """The sentences about how the drawing departs from the assumptions."""
    if layout.violation_count:
        yield "division_layout.departs"
    if layout.project.demolishes_house:
        yield "division_layout.demolished"
    elif layout.is_bare and (buildings is None or buildings.count):
        yield "division_layout.drawn_as_bare"
    elif buildings and buildings.count and not buildings.HasField("footprint_area_m2"):
        yield "division_layout.footprint_missing"
    if layout.closed_lot_count:
        yield "division_layout.closed_in_part"
    if layout.closed_lot_count and not layout.building_plot_count:
        yield "division_layout.open_elsewhere"
    if layout.lot_without_house_count:
        yield "division_layout.without_house"
