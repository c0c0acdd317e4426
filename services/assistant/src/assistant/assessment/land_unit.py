"""Checks on the land unit: area, access, slope, existing buildings and the drawn lots."""

from assistant.assessment import documents, legal
from assistant.assessment.facts import OPEN_BOUNDS, LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.assessment.sentences import tell
from assistant.text import area, metres, percent

USUAL_LOT_M2 = 200.0
"""A smaller lot seldom has room for a house, its garden and parking. A usual figure, not a rule."""
MINIMAL_LOT_M2 = 60.0
"""On a smaller lot no building plot can be laid out. Our assumption."""
ACCESS_WIDTH_M = 4.0
"""Width for a car and the usual networks. Our assumption: plans and fire services may require more."""
DENSE_COVERAGE_RATIO = 0.5
"""The unit is hard to divide from this share of the ground under buildings. Our assumption."""
FULL_COVERAGE_RATIO = 0.85
"""No land is left to detach from this share of the ground under buildings. Our assumption."""
STEEP_PERCENT, VERY_STEEP_PERCENT = 15.0, 30.0
"""Earthworks and access cost more from the first slope, and are hard from the second. Our assumptions."""


@rule(weight=3, settled_by=("cadastre-parcels",), is_decisive=True)
def unit_area(facts: LandFacts, layout: Layout) -> Finding:
    """Is the unit large enough for the lots? No law sets a minimum; the thresholds are usual figures."""
    lots, measured = layout.lot_count, facts.area_m2
    threshold = lots * USUAL_LOT_M2
    if measured is None:
        return Finding(Status.UNKNOWN, tell("unit_area.unknown"), None, threshold, "m²")
    if layout.project.is_for_neighbour:
        status, verdict = Status.PASS, "unit_area.no_building_plot"
    elif measured / lots >= USUAL_LOT_M2:
        status, verdict = Status.PASS, "unit_area.enough"
    elif measured / lots >= MINIMAL_LOT_M2:
        status, verdict = Status.WARN, "unit_area.little"
    else:
        status, verdict = Status.FAIL, "unit_area.too_little"
    detail = tell(
        "unit_area.declared" if facts.cadastral_area_m2 else "unit_area.drawn",
        verdict,
        measured=area(measured),
        each=area(measured / lots),
        lots=lots,
        usual=area(USUAL_LOT_M2),
    )
    return Finding(status, detail, round(measured, 1), threshold, "m²")


@rule(
    legal_refs=(legal.RNU_ACCESS, legal.RIGHT_OF_WAY),
    weight=3,
    settled_by=("cadastre-parcels", "bdtopo-ways", documents.SITE_SURVEY),
    is_decisive=True,
)
def access(facts: LandFacts, layout: Layout) -> Finding:
    """Is the frontage on a public way wide enough? R111-5 applies under the national rules, else the plan's article."""
    refs = (legal.RNU_ACCESS,) if facts.has_national_rules else ()
    if facts.frontage_m is None:
        return Finding(Status.UNKNOWN, tell("access.unknown"), None, ACCESS_WIDTH_M, "m", refs)
    frontage = round(facts.frontage_m, 1)
    if facts.frontage_m < ACCESS_WIDTH_M:
        refs = (*refs, legal.RIGHT_OF_WAY)
    open_m = sum(bound.length_m for bound in facts.bounds or () if bound.kind in OPEN_BOUNDS)
    if frontage <= 0 and open_m >= ACCESS_WIDTH_M:
        status, width = Status.WARN, "access.no_road"
    elif frontage <= 0:
        status, width = Status.FAIL, "access.landlocked"
    elif facts.frontage_m < ACCESS_WIDTH_M:
        status, width = Status.WARN, "access.narrow"
    else:
        status, width = Status.PASS, "access.wide"
    if facts.has_national_rules is None:
        regulation = "access.unknown_rules"
    else:
        regulation = "access.national_rules" if facts.has_national_rules else "access.local_rules"
    keys = (width,) if status is Status.FAIL else (width, regulation)
    lengths = {"frontage": metres(frontage), "width": metres(ACCESS_WIDTH_M), "open": metres(round(open_m, 1))}
    detail = tell(*keys, **lengths)
    return Finding(status, detail, frontage, ACCESS_WIDTH_M, "m", refs)


@rule(weight=2, settled_by=("cadastre-buildings", "bdtopo", "rnb"), is_decisive=True)
def existing_buildings(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the ground do the existing buildings cover?"""
    buildings = facts.buildings
    if buildings is None:
        detail = tell("existing_buildings.missing", why=facts.why_missing("buildings"))
        return Finding(Status.UNKNOWN, detail, None, DENSE_COVERAGE_RATIO, "ratio")
    if buildings.count == 0:
        return Finding(Status.PASS, tell("existing_buildings.none"), 0.0, DENSE_COVERAGE_RATIO, "ratio")
    is_one, count, ratio = buildings.count == 1, buildings.count, buildings.ground_coverage_ratio
    if not buildings.HasField("ground_coverage_ratio"):
        key = "existing_buildings.one_without_footprint" if is_one else "existing_buildings.several_without_footprint"
        return Finding(Status.UNKNOWN, tell(key, count=count), None, DENSE_COVERAGE_RATIO, "ratio")
    if ratio >= FULL_COVERAGE_RATIO:
        status, remark = Status.FAIL, "existing_buildings.full"
    elif ratio >= DENSE_COVERAGE_RATIO:
        status, remark = Status.WARN, "existing_buildings.dense"
    else:
        status, remark = Status.PASS, "existing_buildings.kept_whole"
    key = "existing_buildings.one" if is_one else "existing_buildings.several"
    detail = tell(key, remark, count=count, share=percent(ratio))
    return Finding(status, detail, round(ratio, 3), DENSE_COVERAGE_RATIO, "ratio")


@rule(weight=1, settled_by=("altimetry", documents.SITE_SURVEY))
def slope(facts: LandFacts, layout: Layout) -> Finding:
    """How steep is the land? No law sets a limit; the thresholds are assumptions."""
    terrain = facts.terrain
    if terrain is None or not terrain.HasField("mean_slope_percent"):
        detail = tell("slope.missing", why=facts.why_missing("terrain"))
        return Finding(Status.UNKNOWN, detail, None, STEEP_PERCENT, "%")
    mean, greatest = terrain.mean_slope_percent, terrain.max_slope_percent
    keys = []
    if greatest >= VERY_STEEP_PERCENT:
        keys.append("slope.steep_in_places")
    if mean >= STEEP_PERCENT:
        keys.append("slope.very_steep" if mean >= VERY_STEEP_PERCENT else "slope.steep")
    detail = tell("slope.mean", *(keys or ["slope.gentle"]), mean=percent(mean / 100), greatest=percent(greatest / 100))
    status, settled_by = (Status.WARN, (documents.SITE_SURVEY,)) if keys else (Status.PASS, ())
    return Finding(status, detail, round(mean, 1), STEEP_PERCENT, "%", settled_by=settled_by)


REASONS = ("failed", "no_geometry", "several_pieces", "too_small", "too_narrow", "built_over", "no_valid_cut")
"""Codes of the reasons why no lots were drawn, each with its sentence."""


@rule(
    legal_refs=(legal.RIGHT_OF_WAY_OF_DIVISION,),
    weight=3,
    settled_by=("cadastre-parcels", documents.SITE_SURVEY),
    is_decisive=True,
)
def division_layout(facts: LandFacts, layout: Layout) -> Finding:
    """Could lots be drawn within the stated assumptions?"""
    if not layout.is_drawn:
        status = Status.UNKNOWN if layout.is_drawn is None else Status.FAIL
        reason = layout.reason or ("no_geometry" if layout.is_drawn is None else "no_valid_cut")
        return Finding(status, tell(f"division_layout.{reason}"), reason, legal_refs=())
    buildings = facts.buildings
    if layout.has_only_closed_lots:
        return Finding(Status.FAIL, tell("division_layout.closed"), float(layout.violation_count), 0, legal_refs=())
    if layout.landlocked_lot_count and not layout.project.is_for_neighbour:
        by_division = ("division_layout.landlocked_by_division",) if facts.frontage_m else ()
        detail = tell("division_layout.landlocked", *by_division, count=layout.landlocked_lot_count)
        refs = (legal.RIGHT_OF_WAY_OF_DIVISION,) if by_division else ()
        return Finding(Status.FAIL, detail, float(layout.violation_count), 0, legal_refs=refs)
    keys = ["division_layout.departs"] if layout.violation_count else []
    if layout.project.demolishes_house:
        keys.append("division_layout.demolished")
    elif layout.is_bare and (buildings is None or buildings.count):
        keys.append("division_layout.drawn_as_bare")
    elif buildings and buildings.count and not buildings.HasField("footprint_area_m2"):
        keys.append("division_layout.footprint_missing")
    if layout.closed_lot_count:
        keys.append("division_layout.closed_in_part")
        keys += [] if layout.building_plot_count else ["division_layout.open_elsewhere"]
    if layout.lot_without_house_count:
        keys.append("division_layout.without_house")
    status = Status.WARN if keys else Status.PASS
    keys += [] if layout.violation_count else ["division_layout.drawn"]  # what warns is said first
    detail = tell(
        *keys,
        lots=layout.lot_count,
        closed=layout.closed_lot_count,
        count=layout.violation_count,
        room=area(layout.room_m2),
        houseless=layout.lot_without_house_count,
    )
    return Finding(status, detail, float(layout.violation_count), 0, legal_refs=())
