"""Sentences that describe proposals and assumptions."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from assistant.division.proposal import Division, Lot, Proposal
from assistant.text import area, join, metres, percent, say
from servicekit.languages import Text

_METHODS = {
    "perpendicular_cut": Text(
        "Limites menées de la voie vers le fond : {lots} lots côte à côte.",
        "Boundaries that run in from the way: {lots} lots side by side.",
    ),
    "parallel_cut": Text(
        "Limites en travers : {lots} lots l’un derrière l’autre.",
        "Boundaries across the land: {lots} lots one behind the other.",
    ),
    "parallel_cut_between_ways": Text(
        "Limites en travers : {lots} lots, chacun en façade.",
        "Boundaries across the land: {lots} lots, each with frontage.",
    ),
    "shared_way": Text(
        "Voie commune de {way} sur {length}, terminée par {turning} : {lots} lots.",
        "A shared way of {way} over {length}, which ends in {turning}: {lots} lots.",
    ),
    "flag_lots": Text(
        "Lots en façade et lots en drapeau derrière, chacun avec sa bande d’accès : {lots} lots.",
        "Lots on the way and flag lots behind, each with its own access strip: {lots} lots.",
    ),
    "corner_cut": Text(
        "Terrain d’angle : {lots} lots répartis sur les deux voies.",
        "A corner of two ways: {lots} lots along both.",
    ),
    "kept_house": Text(
        "La maison garde un terrain de {house} ; le reste forme {others}.",
        "The house keeps a plot of {house}; the rest makes {others}.",
    ),
    "kept_house_on_way": Text(
        "La maison garde un terrain de {house} ; une voie commune de {way} sur {length}, terminée par {turning}, "
        "dessert le reste : {others}.",
        "The house keeps a plot of {house}; a shared way of {way} over {length}, which ends in {turning}, serves the "
        "rest: {others}.",
    ),
    "envelope_cut": Text(
        "Limites en travers de la plus grande longueur du terrain : {lots} lots.",
        "Boundaries across the longest extent of the land: {lots} lots.",
    ),
}
_TURNINGS = {
    "hammerhead": Text("un retournement en T", "a hammerhead"),
    "circle": Text("une raquette de retournement", "a turning circle"),
}
_ACCESS = {
    "frontage": Text("{front} de façade sur la voie", "{front} of frontage on the way"),
    "strip": Text("bande d’accès de {strip}", "access strip of {strip}"),
    "shared_way": Text("desservi par la voie commune", "served by the shared way"),
    "landlocked": Text("sans accès à la voie", "without access to the way"),
    "unknown": Text("accès à vérifier", "access to be checked"),
}
_VIOLATIONS = {  # the text of the access already states "landlocked"
    "small_lot": Text("petite superficie", "small area"),
    "narrow_frontage": Text("façade étroite", "narrow frontage"),
    "building_setback": Text("limite proche du bâtiment existant", "boundary close to the existing building"),
    "narrow_neck": Text("étranglé en son milieu", "a narrow neck"),
    "wished_size": Text("superficie éloignée de celle demandée", "area far from the one asked for"),
    "nothing_buildable": Text("trop peu de place hors reculs", "too little room clear of setbacks"),
}


def proposal_summary(proposal: Proposal) -> Text:
    """One sentence about the layout, then one per lot."""
    return join([layout_summary(proposal), *(lot_summary(lot) for lot in proposal.lots)])


def layout_summary(proposal: Proposal) -> Text:
    name: str = proposal.method
    if name == "parallel_cut" and all(lot.access == "frontage" for lot in proposal.lots):
        name = "parallel_cut_between_ways"  # every lot is on a way
    if name == "kept_house" and proposal.shared_way is not None:
        name = "kept_house_on_way"
    method, way = _METHODS[name], proposal.shared_way
    homes = [lot.area_m2 for lot in proposal.lots if lot.role == "kept_house"]
    other_lots = len(proposal.lots) - len(homes)
    return say(
        method.fr,
        method.en,
        lots=len(proposal.lots),
        house=area(sum(homes)),
        others=say("{n} lots", "{n} lots", n=other_lots) if other_lots > 1 else Text("un lot", "one lot"),
        way=metres(0.0 if way is None else way.width_m),
        length=metres(0.0 if way is None else round(way.length_m)),
        turning=_TURNINGS["hammerhead" if way is None else way.turning],
    )


def lot_summary(lot: Lot) -> Text:
    """Area, access, buildable area, existing building and violations of a lot."""
    parts = [
        _ACCESS[lot.access],
        Text("{buildable} hors reculs", "{buildable} clear of setbacks"),
    ]
    if lot.has_existing_building:
        parts.append(Text("bâtiment existant conservé", "existing building kept"))
    if lot.mean_slope_percent is not None:
        parts.append(Text("pente moyenne de {slope}", "mean slope of {slope}"))
    parts.extend(_VIOLATIONS[code] for code in lot.violations if code in _VIOLATIONS)
    template = join([Text("Lot {id} : {area}", "Lot {id}: {area}"), *parts], ", ")
    return say(
        f"{template.fr}.",
        f"{template.en}.",
        id=lot.id,
        area=area(lot.area_m2),
        front=metres(round(lot.frontage_m or 0.0, 1)),
        strip=area(lot.strip_m2),
        buildable=area(lot.buildable_area_m2),
        slope=percent((lot.mean_slope_percent or 0.0) / 100),
    )


AssumptionName = Literal[
    "lot_count",
    "access_strip_m",
    "setback_m",
    "way_setback_m",
    "footprint_ratio",
    "height_m",
    "minimum_width_m",
    "usual_lot_m2",
    "shared_way_m",
    "turning_arm_m",
    "turning_radius_m",
    "house_plot_m2",
    "drawn_area_m2",
]


class Assumption(NamedTuple):
    name: AssumptionName
    value: float
    unit: str
    detail: Text


_DETAILS: dict[AssumptionName, Text] = {
    "access_strip_m": Text(
        "Un lot en retrait de la voie reçoit une bande d’accès de {v}.",
        "A lot away from the way gets an access strip of {v}.",
    ),
    "setback_m": Text(
        "Les constructions restent à {v} au moins des limites de lot.",
        "Buildings stay at least {v} away from lot boundaries.",
    ),
    "minimum_width_m": Text(
        "Aucun lot ne fait moins de {v} de large, bande d’accès exclue.",
        "No lot is less than {v} wide, access strip excluded.",
    ),
    "usual_lot_m2": Text(
        "Un lot de moins de {v} est signalé comme petit.", "A lot of less than {v} is said to be small."
    ),
    "shared_way_m": Text(
        "Une voie commune a {v} de large : deux voitures s’y croisent, un engin de secours y passe.",
        "A shared way is {v} wide: two cars pass each other, and a fire engine passes.",
    ),
    "turning_arm_m": Text(
        "Les branches d’un retournement en T ont au plus {v} de long.", "The arms of a hammerhead are at most {v} long."
    ),
    "turning_radius_m": Text(
        "Une raquette de retournement a {v} de rayon, celui d’un engin de secours.",
        "A turning circle has a radius of {v}, that of a fire engine.",
    ),
    "house_plot_m2": Text(
        "La maison conservée garde environ {v} si la question n’en dit rien.",
        "The kept house has about {v} if the question does not say.",
    ),
    "drawn_area_m2": Text(
        "Les lots et leur voie sont mesurés sur le plan cadastral, soit {v} dessinés en tout.",
        "The lots and their way are measured on the cadastral plan, {v} drawn in all.",
    ),
}
_STATED: dict[AssumptionName, Text] = {
    "setback_m": Text(
        "Une prescription du plan écarte les constructions de {v} au moins des limites séparatives.",
        "A prescription of the plan keeps buildings at least {v} away from the boundaries.",
    ),
    "way_setback_m": Text(
        "Une prescription du plan écarte les constructions de {v} au moins de la voie.",
        "A prescription of the plan keeps buildings at least {v} away from the way.",
    ),
    "footprint_ratio": Text(
        "Une prescription du plan limite l’emprise au sol à {v} du terrain.",
        "A prescription of the plan limits the footprint to {v} of the plot.",
    ),
    "height_m": Text(
        "Une prescription du plan limite la hauteur à {v} ; elle ne change pas le dessin.",
        "A prescription of the plan limits the height to {v}; it does not change the drawing.",
    ),
}
_STUDIED = Text("La division est étudiée en {n} lots.", "The division is studied in {n} lots.")


def assumptions_of(division: Division) -> tuple[Assumption, ...]:
    """The assumed and stated figures, each with a sentence."""
    figures, rules, proposals = division.assumptions, division.rules, division.proposals
    studied = say(_STUDIED.fr, _STUDIED.en, n=division.lot_count)
    count = join([*division.limitations, studied] if division.limitations else [studied])
    assumptions = [
        Assumption("lot_count", float(division.lot_count), "lots", count),
        _figure("access_strip_m", figures.access_strip_m, metres),
        _figure("setback_m", figures.setback_m, metres, is_stated=rules.setback_m is not None),
    ]
    if rules.way_setback_m is not None:
        assumptions.append(_figure("way_setback_m", rules.way_setback_m, metres, is_stated=True))
    if rules.footprint_ratio is not None:
        assumptions.append(_figure("footprint_ratio", rules.footprint_ratio, percent, "ratio", is_stated=True))
    if rules.height_m is not None:
        assumptions.append(_figure("height_m", rules.height_m, metres, is_stated=True))
    assumptions += [
        _figure("minimum_width_m", figures.minimum_width_m, metres),
        _figure("usual_lot_m2", figures.usual_lot_m2, area, "m²"),
    ]
    ways = [proposal.shared_way for proposal in proposals if proposal.shared_way is not None]
    if ways:
        assumptions.append(_figure("shared_way_m", figures.shared_way_m, metres))
    if any(way.turning == "hammerhead" for way in ways):
        assumptions.append(_figure("turning_arm_m", figures.turning_arm_m, metres))
    if any(way.turning == "circle" for way in ways):
        assumptions.append(_figure("turning_radius_m", figures.turning_radius_m, metres))
    if division.has_assumed_house_plot:
        assumptions.append(_figure("house_plot_m2", figures.house_plot_m2, area, "m²"))
    if proposals:
        drawn_m2 = sum(lot.area_m2 for lot in proposals[0].lots)
        drawn_m2 += 0.0 if proposals[0].shared_way is None else proposals[0].shared_way.shape.area
        assumptions.append(_figure("drawn_area_m2", round(drawn_m2, 1), area, "m²"))
    return tuple(assumptions)


def _figure(
    name: AssumptionName,
    value: float,
    write: Callable[[float], Text],
    unit: str = "m",
    *,
    is_stated: bool = False,
) -> Assumption:
    detail = (_STATED if is_stated else _DETAILS)[name]
    return Assumption(name, value, unit, say(detail.fr, detail.en, v=write(value)))
