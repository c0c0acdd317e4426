"""Answers about the ground and what may be done on it: building, access, lots, slope, networks, buildings, limits."""

from assistant.division.wording import layout_summary, lot_summary
from assistant.questions.replies import Found, Gap, Statement, Subject
from assistant.text import listed, metres, percent, say
from landpartner.land.v1.land_pb2 import EnergyRatings
from servicekit.languages import Text

_TOWN_HALL = Text(
    "La mairie renseigne, par un certificat d’urbanisme.",
    "The town hall tells, by a planning certificate (certificat d’urbanisme).",
)
_SURVEYOR = Text("Un géomètre-expert relève le terrain.", "A licensed surveyor (géomètre-expert) surveys the land.")


def procedure(subject: Subject) -> Found:
    statements = subject.quote_or(_TOWN_HALL, "lotissement_procedure")
    return statements if isinstance(statements, Gap) else (*statements, *subject.quote("lotissement_definition"))


def minimum_size(subject: Subject) -> Found:
    return subject.quote_or(_TOWN_HALL, "minimum_lot_size")


def access(subject: Subject) -> Found:
    ask = Text(
        "Un géomètre-expert relève l’accès sur place ; le gestionnaire de la voie dit s’il l’autorise.",
        "A licensed surveyor surveys the access on site; the manager of the way tells whether it is allowed.",
    )
    return subject.quote_or(ask, "access")


def building(subject: Subject) -> Found:
    if not subject.quote("zone_type"):
        return Gap(subject.check("zone_type").detail, _TOWN_HALL)
    statements = subject.quote("zone_type", "prescriptions", "plan_informations")
    if subject.facts.has_national_rules:
        return (*statements, *subject.quote("project_reading"))
    regulation = Statement(
        "plan_regulation",
        Text(
            "Le règlement écrit de la zone fixe les destinations, la hauteur, l’emprise au sol et les reculs ; il "
            "n’est pas dans les données et se lit en mairie ou sur le Géoportail de l’urbanisme.",
            "The written regulation of the zone sets uses, height, footprint and setbacks; it is not in the data and "
            "is read at the town hall or on the Géoportail de l’urbanisme.",
        ),
    )
    return (*statements, regulation)


def layout(subject: Subject) -> Found:
    statements = subject.quote_or(_SURVEYOR, "division_layout")
    if isinstance(statements, Gap) or not subject.division.proposals:
        return statements
    best = subject.division.proposals[0]
    lots = [Statement("proposals", lot_summary(lot)) for lot in best.lots]
    return (*statements, Statement("proposals", layout_summary(best)), *lots)


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
        return Gap(subject.check("slope").detail, _SURVEYOR)
    altitude = say(
        "L’altitude moyenne du terrain est de {altitude}.",
        "The mean altitude of the land is {altitude}.",
        altitude=metres(round(terrain.mean_altitude_m)),
    )
    statements = [Statement("terrain", altitude), *subject.quote("slope")]
    if terrain.aspect in _ASPECTS:
        text = say(
            "Le terrain descend vers {aspect}.", "The land descends to {aspect}.", aspect=_ASPECTS[terrain.aspect]
        )
        statements.append(Statement("terrain", text))
    if terrain.HasField("max_slope_percent"):
        text = say(
            "La plus forte pente relevée est de {most}.",
            "The steepest slope found is {most}.",
            most=percent(terrain.max_slope_percent / 100),
        )
        statements.append(Statement("terrain", text))
    limit = Text(
        "Ces chiffres viennent d’un modèle de terrain ; un géomètre-expert relève le terrain pour un projet.",
        "These figures come from a terrain model; a licensed surveyor surveys the land for a project.",
    )
    return (*statements, Statement("terrain", limit))


def networks(subject: Subject) -> Found:
    ask = Text(
        "Les gestionnaires des réseaux d’eau, d’assainissement et d’électricité répondent, comme la mairie par un "
        "certificat d’urbanisme opérationnel.",
        "The operators of the water, drainage and power networks answer, as does the town hall by an operational "
        "planning certificate.",
    )
    return subject.quote_or(ask, "networks")


def buildings(subject: Subject) -> Found:
    ask = Text(
        "La mairie et le service des impôts fonciers connaissent les constructions déclarées.",
        "The town hall and the property tax office know the buildings that were declared.",
    )
    ratings = subject.facts.energy_ratings
    extra = (_ratings(ratings),) if ratings and ratings.count else ()
    statements = subject.quote_or(ask, "existing_buildings")
    return extra or statements if isinstance(statements, Gap) else (*statements, *extra)


def _ratings(ratings: EnergyRatings) -> Statement:
    letters = [
        say("{count} en {letter}", "{count} in {letter}", count=rating.count, letter=rating.letter)
        for rating in sorted(ratings.energy, key=lambda rating: rating.letter)
    ]
    if not letters:
        text = say(
            "Diagnostics de performance énergétique relevés : {count}.",
            "Energy ratings (DPE) found: {count}.",
            count=ratings.count,
        )
    else:
        text = say(
            "Diagnostics de performance énergétique relevés : {count}, dont {letters}.",
            "Energy ratings (DPE) found: {count}, of which {letters}.",
            count=ratings.count,
            letters=listed(letters),
        )
    return Statement("energy_ratings", text)


def boundaries(subject: Subject) -> Found:
    ask = Text(
        "Un géomètre-expert dit si les limites sont bornées (Géofoncier).",
        "A licensed surveyor tells whether the limits are marked (Géofoncier).",
    )
    return subject.quote_or(ask, "boundary_survey")


def stay(subject: Subject) -> Found:
    ask = Text(
        "La mairie dit si un plan est en cours de révision et si un sursis est à craindre.",
        "The town hall tells whether a plan is being revised and whether a stay is to be feared.",
    )
    return subject.quote_or(ask, "stay_of_decision")


def soil(subject: Subject) -> Found:
    ask = Text(
        "Un bureau d’études géotechniques fait une étude de sol ; Géorisques donne l’exposition aux argiles.",
        "A geotechnical office makes a soil study; Géorisques gives the exposure to clay.",
    )
    statements = subject.quote_or(ask, "soil_studies")
    if isinstance(statements, Gap):
        return statements
    limit = Text(
        "La nature et la portance du sol ne sont pas dans les données : un bureau d’études géotechniques les mesure.",
        "The nature and the bearing capacity of the soil are not in the data: a geotechnical office measures them.",
    )
    return (*statements, Statement("soil_data", limit))
