"""Scores a layout from 0 to 1, by terms that a reader can check."""

from assistant.division.proposal import Lot, ScoreTerm, SharedWay, Term
from assistant.division.wording import tell
from assistant.text import area, percent

_MUCH_ACCESS_LAND = 0.3
"""The share of the land in ways and strips from which on the term is 0."""
_WEIGHTS: dict[Term, float] = {"compactness": 0.25, "buildable": 0.25, "access_land": 0.1, "rules": 0.1}
_SIZE_WEIGHT = 0.3


def score_terms(lots: tuple[Lot, ...], way: SharedWay | None, has_house_plot: bool) -> tuple[ScoreTerm, ...]:
    """The terms. Their weights add up to 1. If the house has a plot of its own, only the other lots should be even."""
    whole = sum(lot.area_m2 for lot in lots) + (0.0 if way is None else way.shape.area)
    quotients = [lot.compactness for lot in lots]
    compactness = (sum(quotients) / len(lots) + min(quotients)) / 2
    open_share = min(lot.buildable_area_m2 / lot.area_m2 for lot in lots)
    access_share = (
        sum(lot.strip_m2 + (lot.right_of_way.area if lot.right_of_way else 0.0) for lot in lots)
        + (0.0 if way is None else way.shape.area)
    ) / whole
    violations = sum(len(lot.violations) for lot in lots)
    values: dict[Term, tuple[float, object]] = {
        "compactness": (compactness, None),
        "buildable": (open_share, percent(open_share)),
        "access_land": (max(0.0, 1 - access_share / _MUCH_ACCESS_LAND), percent(access_share)),
        "rules": (1 / (1 + violations), violations),
    }
    terms = [
        ScoreTerm(name, value, _WEIGHTS[name], tell(f"score.{name}", v=stated))
        for name, (value, stated) in values.items()
    ]
    even = [lot for lot in lots if not (has_house_plot and lot.role == "kept_house")]
    return (_size_term(lots, even or list(lots)), *terms)


def _size_term(lots: tuple[Lot, ...], even: list[Lot]) -> ScoreTerm:
    """How near the areas are to those wished for, or to each other; then also how even the ground to build on is."""
    wishes = [(lot.area_m2, lot.wished_m2) for lot in lots if lot.wished_m2 is not None]
    if wishes:
        value = sum(max(0.0, 1 - abs(area_m2 - wish) / wish) for area_m2, wish in wishes) / len(wishes)
        return ScoreTerm("wishes", value, _SIZE_WEIGHT, tell("score.wishes"))
    areas = [lot.area_m2 for lot in even]
    rooms = [lot.buildable_area_m2 for lot in even if not lot.is_built] or [1.0]
    detail = tell("score.evenness", a=area(min(areas)), b=area(max(areas)))
    value = (min(areas) / max(areas) + min(rooms) / max(*rooms, 1.0)) / 2
    return ScoreTerm("evenness", value, _SIZE_WEIGHT, detail)
