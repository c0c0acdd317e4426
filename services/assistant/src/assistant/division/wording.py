"""Sentences that describe proposals and assumptions, from `sentences.toml`."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, get_args

import shapely
from shapely import Polygon

from assistant.assessment.facts import LEAST_HOUSE_M
from assistant.assessment.land_unit import STEEP_PERCENT
from assistant.division.access import width_of
from assistant.division.proposal import Division, Lot, Proposal
from assistant.project import Project
from assistant.text import Sentences, area, join, listed, metres, percent, span
from servicekit.languages import Text

tell = Sentences("division/sentences.toml")
_FOR_BUILDING = ("building_plot", "kept_house")
_STATED_ELSEWHERE = ("landlocked", "closed_land", "wished_size", "uneven")
"""Violations that other parts of a sentence state, or the limitations."""
_MAX_AREAS = 3
"""The overview lists so many areas; of more lots it gives the range."""
_FIGURES = ("area_m2", "buildable_area_m2", "closed_area_m2")
_DIFFERENCE_M2 = 2.0
"""A smaller difference between the plan and the declared area is one of rounding."""
_FAR = 0.05
"""The plan and the declared area that differ by more than this share call for a remark."""
_EQUAL, _ALIKE = 0.001, 0.25
"""Lots whose figures differ by at most this share of the larger one are equal, or alike."""


def proposal_summary(proposal: Proposal) -> Text:
    """One sentence about the layout and one about what is not known, then one per lot."""
    return join([layout_summary(proposal), *gaps(proposal), *lot_summaries(proposal)])


def gaps(proposal: Proposal) -> list[Text]:
    """What is not known of the ground to build on, in a sentence; empty if nothing is built or all is known."""
    missing = listed([tell(f"missing.{name}") for name in proposal.missing])
    is_built_on = any(lot.role in _FOR_BUILDING for lot in proposal.lots)
    return [tell("layout.missing", missing=missing)] if proposal.missing and is_built_on else []


def layout_summary(proposal: Proposal) -> Text:
    """One sentence about the layout, true of the proposal's own lots."""
    way, accesses = proposal.shared_way, {lot.access for lot in proposal.lots}
    is_unknown = "unknown" in accesses  # then no road is named
    variants = {
        "perpendicular_cut": ("plain_cut", accesses != {"frontage"}),
        "corner_cut": ("plain_cut", accesses != {"frontage"}),
        "parallel_cut": ("parallel_cut_between_ways", accesses == {"frontage"}),
        "kept_house": ("kept_house_on_way", way is not None),
        "flag_lots": ("plain_cut", is_unknown),
        "detached_lots": ("plain_cut" if is_unknown else "detached_lots_behind", accesses != {"frontage"}),
    }
    variant, is_varied = variants.get(proposal.method, ("", False))
    return tell(
        f"method.{variant if is_varied else proposal.method}",
        way=metres(0.0 if way is None else way.width_m),
        length=metres(0.0 if way is None else round(way.length_m)),
        ground=area(0.0 if way is None else way.shape.area),
        turning=tell(f"turning.{'none' if way is None else way.turning}"),
    )


def lot_summaries(proposal: Proposal) -> list[Text]:
    """A sentence for each lot: area, access, buildable area, existing building and violations. Equal lots share one; of
    more than _MAX_AREAS lots, those that are alike.
    """
    groups: list[list[Lot]] = []
    difference = _EQUAL if len(proposal.lots) <= _MAX_AREAS else _ALIKE
    for lot in proposal.lots:
        group = next((lots for lots in groups if _are_alike(lots[0], lot, difference)), None)
        if group is None:
            groups.append([lot])
        else:
            group.append(lot)
    return [*map(_summary_of, groups)]


def _are_alike(one: Lot, other: Lot, difference: float) -> bool:
    """Whether the lots differ in figures only, by at most this share of the larger one."""
    fronts = [
        lot.frontage_m or 0.0 if lot.access == "frontage" and lot.role != "closed_land" else 0.0 for lot in (one, other)
    ]
    figures = [fronts, *((getattr(one, name), getattr(other, name)) for name in _FIGURES)]
    is_near = all(abs(a - b) <= difference * max(a, b) for a, b in figures)
    return is_near and one.purpose == other.purpose and _parts_of(one) == _parts_of(other)


def _parts_of(lot: Lot) -> list[str]:
    """The keys of the parts of the sentence about a lot."""
    is_for_building = lot.role in _FOR_BUILDING
    parts = {
        "lot.closed": is_for_building and 1 <= lot.closed_area_m2 <= lot.area_m2 - 1,
        f"lot.{lot.access}": is_for_building,
        "lot.buildable": is_for_building,
        "lot.told_house": lot.told_house_m is not None,
        f"lot.{lot.role}": not is_for_building,
        "lot.existing_building": lot.has_existing_building,
        "lot.slope": (lot.mean_slope_percent or 0.0) >= STEEP_PERCENT,
    }
    violations = [f"violation.{code}" for code in _stated(lot)]
    return [key for key, is_told in parts.items() if is_told] + violations


def _stated(lot: Lot) -> list[str]:
    """The keys of the violations that the sentence about a lot names."""
    has_room = min(lot.largest_house_m or (0.0,)) >= LEAST_HOUSE_M
    codes = [code for code in lot.violations if code not in _STATED_ELSEWHERE]
    return ["smaller_house" if has_room and code == "no_house_fits" else code for code in codes]


_BRIEF_ACCESS = {"strip": "strip_front", "right_of_way": "passage"}
Detail = Literal["areas", "fronts", "all"]
"""What a list tells of each lot: its area; its access too; and the ground to build on."""


def brief(lot: Lot, proposal: Proposal, detail: Detail) -> Text:
    """The name of a lot, whom it is for and its figures, as a part of a sentence."""
    is_told = lot.role in _FOR_BUILDING and detail != "areas"
    access = f"lot.{_BRIEF_ACCESS.get(lot.access, lot.access)}"
    keys = ["lot.brief", *([access] if is_told and lot.access != "unknown" else [])]
    keys += ["lot.buildable"] if is_told and detail == "all" else []
    return _written([lot], keys, area=_placed_area(lot, proposal))


def _summary_of(lots: list[Lot]) -> Text:
    parts = _written(lots, ["lot.lot" if len(lots) == 1 else "lot.lots", *_parts_of(lots[0])])
    return Text(f"{parts.fr}.", f"{parts.en}.")


def _named(lot: Lot) -> Text:
    return tell("lot.named", id=lot.id, purpose=lot.purpose) if lot.purpose.fr else Text(lot.id, lot.id)


def _written(lots: list[Lot], keys: Sequence[str], **values: Text) -> Text:
    def span_of(write: Callable[[float], Text], values: Iterable[float]) -> Text:
        return span([write(value) for value in sorted(values)])

    rights = [lot.right_of_way for lot in lots if lot.right_of_way is not None] or [Polygon()]
    figures = dict(
        id=listed([*map(_named, lots)]),
        area=span_of(area, (lot.area_m2 for lot in lots)),
        closed=span_of(area, (lot.closed_area_m2 for lot in lots)),
        front=span_of(metres, (round(lot.frontage_m or 0.0, 1) for lot in lots)),
        strip=span_of(area, (lot.strip_m2 for lot in lots)),
        net=span_of(area, (lot.area_m2 - lot.strip_m2 for lot in lots)),
        width=span_of(metres, (round(width_of(right), 1) for right in rights)),
        right=span_of(area, (right.area for right in rights)),
        buildable=span_of(area, (lot.buildable_area_m2 for lot in lots)),
        slope=span_of(percent, ((lot.mean_slope_percent or 0.0) / 100 for lot in lots)),
        house=_house(lots[0].told_house_m or (0.0, 0.0)),
        **_worst(lots),
    )
    return tell.join(", ", keys).format(**{**figures, **values})


def overview(
    proposal: Proposal, detail: Detail = "fronts", *, is_example: bool = False, is_short: bool = False
) -> Text:
    """The lots, and the names of the violations. An example is drawn where no area is told."""
    key = "overview.example" if is_example else "overview.lots"
    named = [] if is_example or is_short else faults(proposal)
    return join([tell(key, areas=lots_listed(proposal, detail)), *named])


def faults(proposal: Proposal) -> list[Text]:
    """The names of the violations in a sentence, if there are any."""
    codes = [code for lot in proposal.lots for code in _stated(lot) if code != "smaller_house"]
    return [tell("overview.faults", names=listed(violation_names(proposal.lots, codes)))] if codes else []


def lots_listed(proposal: Proposal, detail: Detail = "all") -> Text:
    """Each lot with its area and access, as a part of a sentence; of many lots, the range of their areas."""
    least, most = area(proposal.smallest_lot_m2), area(proposal.largest_lot_m2)
    if not lists_each(proposal):
        key = "overview.alike" if least == most else "overview.range"
        return tell(key, count=len(proposal.lots), least=least, most=most)
    texts = [brief(lot, proposal, detail) for lot in proposal.lots]
    return Text("\N{NO-BREAK SPACE}; ".join(text.fr for text in texts), "; ".join(text.en for text in texts))


def lists_each(proposal: Proposal) -> bool:
    """Whether a list names each lot, as these are few."""
    return len(proposal.lots) <= _MAX_AREAS


def other_sides(proposals: Sequence[Proposal]) -> list[Text]:
    """Where the other strips for a neighbour could lie, in a sentence."""
    strips = [(lot, proposal) for proposal in proposals for lot in proposal.lots if lot.role == "neighbour_plot"]
    sides = listed([_placed_area(lot, proposal) for lot, proposal in strips])
    return [tell("overview.other_sides", sides=sides)] if strips else []


def declared(proposal: Proposal, declared_m2: float | None) -> list[Text]:
    """What the plan draws and what the cadastre declares, in a sentence, if these differ."""
    drawn_m2 = _drawn_m2(proposal)
    if declared_m2 is None or abs(drawn_m2 - declared_m2) < _DIFFERENCE_M2:
        return []
    gap_m2 = abs(drawn_m2 - declared_m2)
    key = "overview.far_from_declared" if gap_m2 > _FAR * declared_m2 else "overview.declared"
    return [tell(key, drawn=area(drawn_m2), declared=area(declared_m2), gap=area(gap_m2))]


def _placed_area(lot: Lot, proposal: Proposal) -> Text:
    """The area of a lot; with its side of the land if it is for a neighbour."""
    if lot.role != "neighbour_plot":
        return area(lot.area_m2)
    land = shapely.union_all([other.shape for other in proposal.lots]).centroid
    east_m, north_m = lot.shape.centroid.x - land.x, lot.shape.centroid.y - land.y
    name = ("east" if east_m > 0 else "west") if abs(east_m) > abs(north_m) else "north" if north_m > 0 else "south"
    return tell("overview.at_side", area=area(lot.area_m2), side=tell(f"side.{name}"))


def violation_names(lots: Sequence[Lot], codes: Iterable[str]) -> tuple[Text, ...]:
    """The name of each violation once, with the worst figure among the lots."""
    return tuple(tell(f"violation.{code}", **_worst(lots)) for code in dict.fromkeys(codes))


def _worst(lots: Sequence[Lot]) -> Mapping[str, Text]:
    """The figures of violations: the largest house where the assumed one does not fit, the narrowest access and the
    shortest distance to a building.
    """
    houses_m = [lot.largest_house_m for lot in lots if lot.largest_house_m is not None]
    reaches_m = [lot.reach_m for lot in lots if "narrow_frontage" in lot.violations and lot.reach_m is not None]
    gaps_m = [lot.building_gap_m for lot in lots if "building_setback" in lot.violations]
    reach_m, gap_m = (round(min(lengths_m, default=0.0), 1) for lengths_m in (reaches_m, gaps_m))
    largest = _house(max(houses_m, default=(0.0, 0.0)))
    near = listed([Text(lot.id, lot.id) for lot in lots if "building_setback" in lot.violations])
    return {"largest": largest, "reach": metres(reach_m), "gap": metres(gap_m), "near": near}


def wished_area(lots: Iterable[Lot]) -> Text:
    """The wished areas, from the least to the most that is wished; empty if there are none."""
    bounds_m2 = [lot.bounds_m2 or (lot.wished_m2, lot.wished_m2) for lot in lots if lot.wished_m2 is not None]
    return range_of(bounds_m2) if bounds_m2 else Text("", "")


def range_of(bounds_m2: Sequence[tuple[float, float]]) -> Text:
    """From the least of these areas to the most. 0 and infinity are no bounds."""
    least_m2, most_m2 = min(least for least, _ in bounds_m2), max(most for _, most in bounds_m2)
    key = "at_least" if most_m2 == math.inf else "at_most" if not least_m2 else ""
    return (
        tell(f"wished.{key}", least=area(least_m2), most=area(most_m2))
        if key
        else span([area(least_m2), area(most_m2)])
    )


def _house(sides_m: tuple[float, float]) -> Text:
    width, depth = (metres(round(side_m, 1)) for side_m in sides_m)
    return tell("lot.house", width=width, depth=depth)


_Flag = Literal[
    "keeps_house", "demolishes_house", "has_even_lots", "has_shared_way", "is_for_neighbour", "has_one_builder",
    "has_separate_plots",
]  # fmt: skip
AssumptionName = Literal[
    _Flag, "lot_count", "access_strip_m", "setback_m", "way_setback_m", "footprint_ratio", "height_m",
    "minimum_width_m", "usual_lot_m2", "shared_way_m", "turning_arm_m", "turning_radius_m", "house_plot_m2",
    "house_width_m", "house_depth_m", "drawn_area_m2",
]  # fmt: skip


Source = Literal["assumption", "stated", "told"]
"""Who states a figure: we assume it, a prescription of the plan states it, or the question does."""


class Assumption(NamedTuple):
    name: AssumptionName
    value: float
    unit: str
    detail: Text
    is_printed: bool = False
    """The answer states it: the question or the plan tells it, or the figures of the lots rest on it."""


def assumptions_of(division: Division) -> tuple[Assumption, ...]:
    """The assumed, stated and read figures, each with a sentence."""
    figures, rules, project, best = division.assumptions, division.rules, division.project, division.proposals[:1]
    studied = join([*division.limitations, tell("assumption.lot_count", v=division.lot_count)])
    assumptions = [
        Assumption("lot_count", float(division.lot_count), "lots", studied),
        *_told(project, is_bare=division.is_bare),
    ]
    if project.is_for_neighbour:
        return tuple(assumptions)
    turnings = {proposal.shared_way.turning for proposal in division.proposals if proposal.shared_way is not None}
    drawn_lots = [lot for proposal in best for lot in proposal.lots]
    has_room = any(lot.buildable_area_m2 for lot in drawn_lots)
    has_road = any(lot.access != "unknown" for lot in drawn_lots)
    setback, footprint = rules.setback_m, rules.footprint_ratio
    plots = [lot for p in division.proposals if p.method == "kept_house" for lot in p.lots if lot.role == "kept_house"]
    house_plot_m2 = figures.house_plot_m2 if any(lot.wished_m2 is None for lot in plots) else None
    house: Source = "told" if project.footprint_m2 else "assumption"
    assumptions += [
        *_figure("access_strip_m", figures.access_strip_m),
        *_figure("setback_m", figures.setback_m, source=_source(setback, project.setback_m), is_printed=has_room),
        *(
            _figure("way_setback_m", rules.way_setback_m, source="stated")
            or _figure("way_setback_m", figures.setback_m, is_printed=has_room and has_road)
        ),
        *_figure("footprint_ratio", footprint, percent, "ratio", source=_source(footprint, project.footprint_ratio)),
        *_figure("height_m", rules.height_m, source=_source(rules.height_m, project.height_m)),
        *_figure("minimum_width_m", figures.minimum_width_m),
        *_figure("usual_lot_m2", figures.usual_lot_m2, area, "m²"),
        *_figure("shared_way_m", figures.shared_way_m if turnings else None),
        *_figure("turning_arm_m", figures.turning_arm_m if "hammerhead" in turnings else None),
        *_figure("turning_radius_m", figures.turning_radius_m if "circle" in turnings else None),
        *_figure("house_plot_m2", house_plot_m2, area, "m²"),
        *_figure("house_width_m", round(figures.house_width_m, 1), source=house),
        *_figure("house_depth_m", round(figures.house_depth_m, 1), source=house),
        *(figure for proposal in best for figure in _figure("drawn_area_m2", _drawn_m2(proposal), area, "m²")),
    ]
    return tuple(map(partial(_as_read, rules.read), assumptions))


def _drawn_m2(proposal: Proposal) -> float:
    """The area of the lots and the way, as the answer gives each."""
    parts_m2 = [lot.area_m2 for lot in proposal.lots]
    parts_m2 += [] if proposal.shared_way is None else [proposal.shared_way.shape.area]
    return round(sum(round(part_m2, 1) for part_m2 in parts_m2), 1)


def _as_read(read: Mapping[str, Text], figure: Assumption) -> Assumption:
    """The figure with the sentence of the regulation if that alone states it. One that draws nothing is not printed."""
    is_printed = figure.is_printed and (figure.name != "height_m" or figure.name not in read)
    return figure._replace(detail=read.get(figure.name, figure.detail), is_printed=is_printed)


def _figure(
    name: AssumptionName,
    value: float | None,
    write: Callable[[float], Text] = metres,
    unit: str = "m",
    *,
    source: Source = "assumption",
    is_printed: bool = False,
) -> list[Assumption]:
    """The figure, if there is one. One that is not ours is printed."""
    if value is None:
        return []
    detail = tell(f"{source}.{name}", v=write(value))
    return [Assumption(name, value, unit, detail, is_printed or source != "assumption")]


def _source(used: float | None, told: float | None) -> Source:
    """Who states the figure that is used: nobody, the question, or a prescription of the plan."""
    return "assumption" if used is None else "told" if used == told else "stated"


_FLAGS: tuple[_Flag, ...] = get_args(_Flag)
_ADDING = ("demolishes_house", "is_for_neighbour")
"""What is told of the others stands in what was understood."""


def _told(project: Project, *, is_bare: bool) -> list[Assumption]:
    """What the question tells of the project, besides lots and figures. The value is 1, or 0 if it is excluded."""
    values = {name: getattr(project, name) for name in _FLAGS}
    variants = {
        ("keeps_house", True): "keeps_house_unseen" if is_bare else "keeps_house",
        ("has_shared_way", False): "no_shared_way",
    }
    return [
        Assumption(name, float(value), "", tell(f"project.{variants.get((name, value), name)}"), name in _ADDING)
        for name, value in values.items()
        if value or (name, value) in variants
    ]
