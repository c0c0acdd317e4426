"""Answers about the ground and what may be done on it: building, lots, slope and buildings."""

import re
from collections.abc import Iterator

from assistant.assessment.written_rules import certain_figures, figures_of
from assistant.division.proposal import Proposal
from assistant.division.wording import gaps, layout_summary, lot_summaries, lots_listed
from assistant.project import Project
from assistant.questions.replies import Found, Statement, Subject, statement, tell
from assistant.questions.words import HOW_MANY_LOTS, plain_text
from assistant.text import area, listed, lots_named, metres, percent, say
from landpartner.land.v1.land_pb2 import EnergyRatings
from servicekit.languages import Text


def building(subject: Subject) -> Found:
    if not subject.quote("zone_type"):
        return subject.check("zone_type").detail
    statements = subject.quote(
        "zone_type", "risks", "prescriptions", "easements", "protected_surroundings", "plan_informations"
    )
    urbanism = subject.facts.urbanism
    if subject.facts.has_national_rules or (urbanism is not None and urbanism.regulation.state == "read"):
        return (*statements, *subject.quote("project_reading"))
    return (*statements, statement("plan_regulation.building"))


_LINE = re.compile(r"\b(?:ou|where)\b.{0,20}\b(?:limites?|line|boundary)\b")
"""An ask where the new boundary would run."""
_SHARES = re.compile(r"\b(\d\d) ?[/-] ?(\d\d)\b(?![/-])")
"""A division of a hundred, such as 60/40."""
_ROAD = r"(?:facade|frontage|road|street|voie|rue|route)"
_LEAST = r"(?:at least|au moins|minimum)(?: de| of)? (\d+(?:[.,]\d+)?) ?m(?:et(?:re|er)s?)?\b(?! carre)"
_LEAST_FRONT = re.compile(rf"{_LEAST}.{{0,25}}?\b{_ROAD}\b|\b{_ROAD}\b.{{0,20}}?{_LEAST}")
"""The least frontage that each lot is to have, in lower case without accents."""


def access_width(subject: Subject) -> tuple[Statement, ...]:
    """The width of an access that the regulation asks, and that of the access strips that are drawn."""
    strip = tell("proposals.strip", width=metres(subject.division.assumptions.access_strip_m))
    texts = [*(rule.text for rule in written_rules(subject, "access_width")), strip]
    return tuple(Statement("law", text) for text in texts)  # it stands before the card


def written_rules(subject: Subject, *about: str) -> tuple[Statement, ...]:
    """The certain figures of the plan's regulation on these subjects, by default on all."""
    certain = certain_figures(subject.facts, subject.division.project.height_m)
    figures = [figure for name, figure in certain.items() if not about or name in about]
    return (Statement("plan_regulation", figures_of(subject.facts, figures)),) if figures else ()


def layout(subject: Subject) -> Found:
    """How many lots can be drawn, if the text asks that; their areas, the layout, and the lots of the best proposal."""
    checks = subject.quote("division_layout")
    if not checks:
        return subject.check("division_layout").detail
    said: list[Text] = []
    division = subject.division
    if HOW_MANY_LOTS.search(plain_text(subject.question)):
        is_drawn_well = any(not proposal.lot_without_house_count for proposal in division.proposals[:1])
        said = [tell("proposals.most" if is_drawn_well else "proposals.none", count=division.lot_count)]
    counted = (Statement("division_layout", text) for text in (*said, *_drawn(subject)))
    lots = [
        Statement("proposals", text)
        for best in subject.division.proposals[:1]
        for text in (layout_summary(best), *gaps(best), *lot_summaries(best))
    ]
    return (*counted, *checks, *lots)


def _drawn(subject: Subject) -> Iterator[Text]:
    """The lots that have room for the house told, and the areas that the drawing gives, or equal shares of the land."""
    division, land_m2 = subject.division, subject.facts.cadastral_area_m2
    for best in division.proposals[:1]:
        if fitting := [lot.id for lot in best.lots if lot.told_house_m]:
            yield tell("proposals.fits", lots=lots_named(fitting))
        yield from _conditions(best, division.project, plain_text(subject.question))
        sold_m2 = sum(lot.area_m2 for lot in best.lots if lot.role == "neighbour_plot")
        kept_m2 = sum(lot.area_m2 for lot in best.lots) - sold_m2
        key = "proposals.sold" if sold_m2 else "proposals.drawn"
        yield tell(key, lots=lots_listed(best), sold=area(sold_m2), kept=area(kept_m2))
    if not division.proposals and land_m2:
        yield tell("proposals.undrawn", share=area(land_m2 / division.lot_count))


def _conditions(best: Proposal, project: Project, asked: str) -> Iterator[Text]:
    """Where the line runs, if the text asks that, what shares would be that are not drawn, and whether each lot has the
    frontage that the text asks for.
    """
    if _LINE.search(asked):
        yield layout_summary(best)
    is_sized = any(lot.is_sized and not lot.is_rest for lot in project.lots)
    if not is_sized and (shares := _SHARES.search(asked)) and int(shares[1]) + int(shares[2]) == 100:  # noqa: PLR2004
        land_m2 = sum(lot.area_m2 for lot in best.lots)
        larger, smaller = (area(land_m2 * int(share) / 100) for share in shares.groups())
        yield tell("proposals.shares", told=shares[0], larger=larger, smaller=smaller)
    if (told := _LEAST_FRONT.search(asked)) and all(lot.frontage_m is not None for lot in best.lots):
        least_m, total_m = (
            float((told[1] or told[2]).replace(",", ".")),
            sum(lot.frontage_m or 0.0 for lot in best.lots),
        )
        short = [lot.id for lot in best.lots if (lot.frontage_m or 0.0) < least_m]
        yield tell(
            "proposals.front_short" if short else "proposals.front_met",
            least=metres(least_m),
            lots=lots_named(short),
            total=metres(round(total_m, 1)),
            each=metres(round(total_m / len(best.lots), 1)),
        )


_ASPECTS = {
    "n": Text("le nord", "the north"),
    "ne": Text("le nord-est", "the north-east"),
    "e": Text("l’est", "the east"),
    "se": Text("le sud-est", "the south-east"),
    "s": Text("le sud", "the south"),
    "sw": Text("le sud-ouest", "the south-west"),
    "w": Text("l’ouest", "the west"),
    "nw": Text("le nord-ouest", "the north-west"),
}


def slope(subject: Subject) -> Found:
    terrain = subject.facts.terrain
    if terrain is None:
        return subject.check("slope").detail
    altitude = statement("terrain.altitude", altitude=metres(round(terrain.mean_altitude_m)))
    statements = [altitude, *subject.quote("slope")]
    if terrain.aspect in _ASPECTS:
        statements.append(statement("terrain.aspect", aspect=_ASPECTS[terrain.aspect]))
    if terrain.HasField("max_slope_percent"):
        statements.append(statement("terrain.steepest", most=percent(terrain.max_slope_percent / 100)))
    return (*statements, statement("terrain.limits"))


def buildings(subject: Subject) -> Found:
    ratings = subject.facts.energy_ratings
    if ratings is None:
        extra = statement("energy_ratings.missing", why=subject.facts.why_missing("energy_ratings"))
    else:
        extra = _ratings(ratings) if ratings.count else statement("energy_ratings.none")
    found = subject.quote("existing_buildings")
    block = subject.facts.buildings
    if found and block and block.count and block.HasField("footprint_area_m2"):
        count = (
            say("un bâtiment", "one building")
            if block.count == 1
            else say("{n} bâtiments", "{n} buildings", n=block.count)
        )
        found += (statement("existing_buildings.footprint", area=area(block.footprint_area_m2), count=count),)
    return (*found, extra) if found or ratings else subject.check("existing_buildings").detail


def _ratings(ratings: EnergyRatings) -> Statement:
    letters = [
        say("{count} en {letter}", "{count} in {letter}", count=rating.count, letter=rating.letter)
        for rating in sorted(ratings.energy, key=lambda rating: rating.letter)
    ]
    key = "energy_ratings.letters" if letters else "energy_ratings.count"
    return statement(key, count=ratings.count, letters=listed(letters))
