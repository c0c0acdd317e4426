"""Sentences that describe proposals and assumptions."""

from typing import Literal, NamedTuple

from assistant.division.proposal import Division, Lot, Proposal
from assistant.text import area, join, metres, say
from servicekit.languages import Text

_METHODS = {
    "perpendicular_cut": Text(
        "Limites perpendiculaires à la voie : {lots} lots côte à côte.",
        "Boundaries at right angles to the way: {lots} lots side by side.",
    ),
    "parallel_cut": Text(
        "Limites parallèles à la voie : {lots} lots l'un derrière l'autre.",
        "Boundaries parallel to the way: {lots} lots one behind the other.",
    ),
    "parallel_cut_between_ways": Text(
        "Limites parallèles à la voie : {lots} lots, chacun en façade.",
        "Boundaries parallel to the way: {lots} lots, each with frontage.",
    ),
    "envelope_cut": Text(
        "Limites en travers de la plus grande longueur du terrain : {lots} lots.",
        "Boundaries across the longest extent of the land: {lots} lots.",
    ),
}
_ACCESS = {
    "frontage": Text("{front} de façade sur la voie", "{front} of frontage on the way"),
    "strip": Text("bande d'accès de {strip}", "access strip of {strip}"),
    "landlocked": Text("sans accès à la voie", "without access to the way"),
    "unknown": Text("accès à vérifier", "access to be checked"),
}
_VIOLATIONS = {  # the text of the access already states "landlocked"
    "small_lot": Text("petite superficie", "small area"),
    "narrow_frontage": Text("façade étroite", "narrow frontage"),
    "building_setback": Text("limite proche du bâtiment existant", "boundary close to the existing building"),
    "nothing_buildable": Text("trop peu de place hors reculs", "too little room clear of setbacks"),
}


def proposal_summary(proposal: Proposal) -> Text:
    """One sentence about the layout, then one per lot."""
    return join([layout_summary(proposal), *(lot_summary(lot) for lot in proposal.lots)])


def layout_summary(proposal: Proposal) -> Text:
    name: str = proposal.method
    if name == "parallel_cut" and all(lot.access == "frontage" for lot in proposal.lots):
        name = "parallel_cut_between_ways"  # every lot is on a way
    method = _METHODS[name]
    return say(method.fr, method.en, lots=len(proposal.lots))


def lot_summary(lot: Lot) -> Text:
    """Area, access, buildable area, existing building and violations of a lot."""
    parts = [
        _ACCESS[lot.access],
        Text("{buildable} hors reculs", "{buildable} clear of setbacks"),
    ]
    if lot.has_existing_building:
        parts.append(Text("bâtiment existant conservé", "existing building kept"))
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
    )


AssumptionName = Literal["lot_count", "access_strip_m", "setback_m", "minimum_width_m", "usual_lot_m2", "drawn_area_m2"]


class Assumption(NamedTuple):
    name: AssumptionName
    value: float
    unit: str
    detail: Text


def assumptions_of(division: Division, limitation: Text | None = None) -> tuple[Assumption, ...]:
    """The assumed figures, each with a sentence. `limitation` says why the lot count is not the requested one."""
    figures = division.assumptions
    assumptions = [
        Assumption(
            "lot_count",
            float(division.lot_count),
            "lots",
            limitation
            or say(
                "La division est étudiée en {n} lots.", "The division is studied in {n} lots.", n=division.lot_count
            ),
        ),
        Assumption(
            "access_strip_m",
            figures.access_strip_m,
            "m",
            say(
                "Un lot en retrait de la voie reçoit une bande d'accès de {v}.",
                "A lot away from the way gets an access strip of {v}.",
                v=metres(figures.access_strip_m),
            ),
        ),
        Assumption(
            "setback_m",
            figures.setback_m,
            "m",
            say(
                "Les constructions restent à {v} au moins des limites de lot.",
                "Buildings stay at least {v} away from lot boundaries.",
                v=metres(figures.setback_m),
            ),
        ),
        Assumption(
            "minimum_width_m",
            figures.minimum_width_m,
            "m",
            say(
                "Aucun lot ne fait moins de {v} de large, bande d'accès exclue.",
                "No lot is less than {v} wide, access strip excluded.",
                v=metres(figures.minimum_width_m),
            ),
        ),
        Assumption(
            "usual_lot_m2",
            figures.usual_lot_m2,
            "m²",
            say(
                "Un lot de moins de {v} est signalé comme petit.",
                "A lot of less than {v} is said to be small.",
                v=area(figures.usual_lot_m2),
            ),
        ),
    ]
    if division.proposals:
        drawn = sum(lot.area_m2 for lot in division.proposals[0].lots)
        detail = say(
            "Les lots sont mesurés sur le plan cadastral, soit {v} dessinés en tout.",
            "The lots are measured on the cadastral plan, {v} drawn in all.",
            v=area(drawn),
        )
        assumptions.append(Assumption("drawn_area_m2", round(drawn, 1), "m²", detail))
    return tuple(assumptions)
