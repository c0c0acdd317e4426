"""Checks on the land unit: area, access, slope, existing buildings and the drawn lots."""

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import area, join, metres, percent, say
from servicekit.languages import Text

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


@rule(
    "L’unité foncière offre assez de terrain pour les lots demandés.",
    "The land unit holds enough ground for the lots asked for.",
    weight=3,
    settled_by=("cadastre-parcels",),
    is_decisive=True,
)
def unit_area(facts: LandFacts, layout: Layout) -> Finding:
    """Is the unit large enough for the lots? No law sets a minimum; the thresholds are usual figures."""
    lots = layout.lot_count
    threshold = lots * USUAL_LOT_M2
    measured = facts.area_m2
    if measured is None:
        detail = Text("La superficie de l’unité foncière n’est pas connue.", "The area of the land unit is not known.")
        return Finding(Status.UNKNOWN, detail, None, threshold, "m²")
    values: dict[str, object] = {
        "measured": area(measured),
        "each": area(measured / lots),
        "lots": lots,
        "usual": area(USUAL_LOT_M2),
    }
    if facts.cadastral_area_m2:
        opening = say(
            "La contenance cadastrale est de {measured}, soit {each} par lot en moyenne pour {lots} lots.",
            "The declared cadastral area is {measured}, that is {each} a lot on average for {lots} lots.",
            **values,
        )
    else:
        opening = say(
            "Le cadastre ne déclare pas de contenance ; la surface dessinée est de {measured}, soit {each} par lot en "
            "moyenne pour {lots} lots.",
            "The cadastre declares no area; the drawn area is {measured}, that is {each} a lot on average for {lots} "
            "lots.",
            **values,
        )
    if measured / lots >= USUAL_LOT_M2:
        status, verdict = Status.PASS, Text("Cette superficie est suffisante.", "That area is enough.")
    elif measured / lots >= MINIMAL_LOT_M2:
        status = Status.WARN
        verdict = say(
            "C’est peu : en dessous de {usual} par lot, une maison avec jardin et stationnement trouve rarement place.",
            "That is little: below {usual} a lot, a house with its garden and parking seldom fits.",
            **values,
        )
    else:
        status = Status.FAIL
        verdict = Text("C’est trop peu pour former des lots à bâtir.", "That is too little to form building plots.")
    return Finding(status, join([opening, verdict]), round(measured, 1), threshold, "m²")


@rule(
    "Le terrain est desservi par une voie publique ou privée, ou par un passage qui y mène.",
    "The land is served by a public or private way, or by a passage that leads to one.",
    legal_refs=(legal.RNU_ACCESS, legal.RIGHT_OF_WAY),
    weight=3,
    settled_by=("cadastre-parcels", documents.SITE_SURVEY),
    is_decisive=True,
)
def access(facts: LandFacts, layout: Layout) -> Finding:
    """Is the frontage on a public way wide enough? R111-5 applies under the national rules, else the plan's article."""
    refs = (legal.RNU_ACCESS,) if facts.has_national_rules else ()
    frontage = facts.frontage_m
    if frontage is None:
        detail = Text(
            "La longueur de façade sur la voie publique n’a pas pu être estimée ; l’accès est à vérifier sur place.",
            "The length of frontage on the public way could not be estimated; the access is to be checked on site.",
        )
        return Finding(Status.UNKNOWN, detail, None, ACCESS_WIDTH_M, "m", refs)
    if frontage < ACCESS_WIDTH_M:
        refs = (*refs, legal.RIGHT_OF_WAY)
    values = {"frontage": metres(round(frontage, 1)), "width": metres(ACCESS_WIDTH_M)}
    if round(frontage, 1) <= 0:
        status = Status.FAIL
        detail = Text(
            "Aucune façade sur la voie publique n’apparaît au plan cadastral : le terrain paraît enclavé, sauf chemin "
            "privé ou servitude de passage que le plan ne montre pas.",
            "No frontage on the public way shows on the cadastral plan: the land seems landlocked, unless a private "
            "road or a right of way that the plan does not show serves it.",
        )
    elif frontage < ACCESS_WIDTH_M:
        status = Status.WARN
        detail = say(
            "La façade sur la voie publique est estimée à {frontage}, moins que les {width} qu’il faut pour un accès "
            "commode en voiture et pour les réseaux.",
            "The frontage on the public way is estimated at {frontage}, less than the {width} that a convenient way in "
            "for a car and the networks takes.",
            **values,
        )
    else:
        status = Status.PASS
        detail = say(
            "La façade sur la voie publique est estimée à {frontage} d’après le plan cadastral, de quoi ouvrir un "
            "accès de {width}.",
            "The frontage on the public way is estimated at {frontage} from the cadastral plan, enough to open a way "
            "in of {width}.",
            **values,
        )
    detail = join([detail, _access_rule(facts.has_national_rules)])
    return Finding(status, detail, round(frontage, 1), ACCESS_WIDTH_M, "m", refs)


def _access_rule(has_national_rules: bool | None) -> Text:
    if has_national_rules:
        return Text(
            "Sous le règlement national d’urbanisme, le projet peut être refusé si la desserte est insuffisante ou "
            "l’accès dangereux.",
            "Under the national planning rules the project may be refused where the way is insufficient or the access "
            "dangerous.",
        )
    if has_national_rules is None:
        return Text(
            "Les conditions d’accès dépendent des règles d’urbanisme applicables, qui restent à vérifier.",
            "The conditions of access depend on the planning rules in force, which remain to be checked.",
        )
    return Text(
        "La largeur exigée est celle de l’article du règlement local sur les accès et la voirie.",
        "The width required is that of the local regulation's article on access and roads.",
    )


@rule(
    "Les bâtiments existants laissent du terrain libre à détacher.",
    "The existing buildings leave free ground to detach.",
    weight=2,
    settled_by=("cadastre-buildings", "bdtopo", "rnb"),
    is_decisive=True,
)
def existing_buildings(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the ground do the existing buildings cover?"""
    buildings = facts.buildings
    if buildings is None:
        detail = say(
            "Les bâtiments existants ne sont pas connus pour ce terrain{why}.",
            "The existing buildings are not known for this land{why}.",
            why=facts.why_missing("buildings"),
        )
        return Finding(Status.UNKNOWN, detail, None, DENSE_COVERAGE_RATIO, "ratio")
    if buildings.count == 0:
        detail = Text("Aucun bâtiment n’est recensé sur le terrain.", "No building is recorded on the land.")
        return Finding(Status.PASS, detail, 0.0, DENSE_COVERAGE_RATIO, "ratio")
    counted = _counted(buildings.count)
    if not buildings.HasField("ground_coverage_ratio"):
        detail = say(
            "{counted} ; leur emprise au sol n’est pas connue.",
            "{counted}; the ground they cover is not known.",
            counted=counted,
        )
        return Finding(Status.UNKNOWN, detail, None, DENSE_COVERAGE_RATIO, "ratio")
    ratio = buildings.ground_coverage_ratio
    detail = say(
        "{counted} ; il couvre {share} du sol." if buildings.count == 1 else "{counted} ; ils couvrent {share} du sol.",
        "{counted}, covering {share} of the ground.",
        counted=counted,
        share=percent(ratio),
    )
    if ratio >= FULL_COVERAGE_RATIO:
        status = Status.FAIL
        remark = Text(
            "Il ne reste pas de terrain libre à détacher sans démolir.",
            "No free ground is left to detach without demolition.",
        )
    elif ratio >= DENSE_COVERAGE_RATIO:
        status = Status.WARN
        remark = Text(
            "Le terrain libre est réduit, et chaque bâtiment est à garder entier dans un lot.",
            "Little free ground is left, and each building is to be kept whole within a lot.",
        )
    else:
        status = Status.PASS
        remark = Text(
            "Chaque bâtiment est à garder entier dans un lot.", "Each building is to be kept whole within a lot."
        )
    return Finding(status, join([detail, remark]), round(ratio, 3), DENSE_COVERAGE_RATIO, "ratio")


def _counted(count: int) -> Text:
    if count == 1:
        return Text("Un bâtiment est recensé sur le terrain", "One building is recorded on the land")
    return say(
        "{count} bâtiments sont recensés sur le terrain", "{count} buildings are recorded on the land", count=count
    )


@rule(
    "La pente du terrain permet l’accès et les terrassements ordinaires.",
    "The slope of the land allows ordinary access and earthworks.",
    weight=1,
    settled_by=("altimetry", documents.SITE_SURVEY),
)
def slope(facts: LandFacts, layout: Layout) -> Finding:
    """How steep is the land? No law sets a limit; the thresholds are assumptions."""
    terrain = facts.terrain
    if terrain is None or not terrain.HasField("mean_slope_percent"):
        detail = say(
            "La pente du terrain n’est pas connue{why}.",
            "The slope of the land is not known{why}.",
            why=facts.why_missing("terrain"),
        )
        return Finding(Status.UNKNOWN, detail, None, STEEP_PERCENT, "%")
    mean, greatest = terrain.mean_slope_percent, terrain.max_slope_percent
    parts = [
        say(
            "La pente moyenne du terrain est de {mean}.",
            "The mean slope of the land is {mean}.",
            mean=percent(mean / 100),
        )
    ]
    if greatest >= VERY_STEEP_PERCENT:
        parts.append(
            say(
                "Elle atteint {greatest} par endroits : un talus ou un mur est à relever sur place.",
                "It reaches {greatest} in places: a bank or a wall is to be surveyed on site.",
                greatest=percent(greatest / 100),
            )
        )
    if mean >= VERY_STEEP_PERCENT:
        parts.append(
            Text(
                "L’accès en voiture, les terrassements et les réseaux y sont difficiles.",
                "Access by car, earthworks and networks are hard there.",
            )
        )
    elif mean >= STEEP_PERCENT:
        parts.append(
            Text(
                "Les terrassements, les soutènements et les accès y coûtent plus cher.",
                "Earthworks, retaining walls and access cost more there.",
            )
        )
    is_steep = len(parts) > 1
    if not is_steep:
        parts.append(Text("Elle ne gêne pas une division ordinaire.", "It does not hinder an ordinary division."))
    return Finding(
        Status.WARN if is_steep else Status.PASS,
        join(parts),
        round(mean, 1),
        STEEP_PERCENT,
        "%",
        settled_by=(documents.SITE_SURVEY,) if is_steep else (),
    )


REASONS = {
    "no_geometry": Text(
        "Aucun découpage n’a été dessiné : le contour du terrain n’est pas disponible.",
        "No division was drawn: the outline of the land is not available.",
    ),
    "several_pieces": Text(
        "Aucun découpage n’a été dessiné : le terrain n’est pas d’un seul tenant.",
        "No division was drawn: the land is not in one piece.",
    ),
    "too_small": Text(
        "Aucun découpage n’a été dessiné : les lots seraient trop petits.",
        "No division was drawn: the lots would be too small.",
    ),
    "too_narrow": Text(
        "Aucun découpage n’a été dessiné : les lots seraient trop étroits.",
        "No division was drawn: the lots would be too narrow.",
    ),
    "built_over": Text(
        "Aucun découpage n’a été dessiné : aucune limite ne passe sans couper un bâtiment existant.",
        "No division was drawn: no boundary passes without cutting an existing building.",
    ),
    "no_valid_cut": Text(
        "Aucun découpage n’a été dessiné : la forme du terrain ne permet pas de lots d’un seul tenant.",
        "No division was drawn: the shape of the land does not allow lots in one piece.",
    ),
}
"""Why no lots were drawn, by code."""


@rule(
    "Les lots demandés se dessinent sur le terrain dans les hypothèses énoncées.",
    "The lots asked for can be drawn on the land within the stated assumptions.",
    weight=3,
    settled_by=("cadastre-parcels", documents.SITE_SURVEY),
    is_decisive=True,
)
def division_layout(facts: LandFacts, layout: Layout) -> Finding:
    """Could lots be drawn within the stated assumptions?"""
    if layout.is_drawn is None:
        return Finding(Status.UNKNOWN, REASONS["no_geometry"], "no_geometry")
    if not layout.is_drawn:
        reason = layout.reason or "no_valid_cut"
        return Finding(Status.FAIL, REASONS[reason], reason)
    values: dict[str, object] = {"lots": layout.lot_count, "count": layout.violation_count}
    if layout.violation_count:
        detail = say(
            "Un découpage en {lots} lots se dessine, mais il s’écarte des hypothèses retenues (écarts relevés : "
            "{count}).",
            "A division into {lots} lots can be drawn, but it departs from the assumptions made (departures noted: "
            "{count}).",
            **values,
        )
    else:
        detail = say(
            "Un découpage en {lots} lots se dessine dans les hypothèses retenues.",
            "A division into {lots} lots can be drawn within the assumptions made.",
            **values,
        )
    is_blind = layout.is_bare and (facts.buildings is None or facts.buildings.count > 0)
    if is_blind:
        detail = join(
            [
                detail,
                Text(
                    "Faute de connaître l’emprise des bâtiments, il est dessiné comme si le terrain était nu.",
                    "As the footprint of buildings is not known, it is drawn as if the land were bare.",
                ),
            ],
        )
    elif facts.buildings and facts.buildings.count and not facts.buildings.HasField("footprint_area_m2"):
        is_blind = True
        detail = join(
            [
                detail,
                Text(
                    "L’emprise d’un bâtiment au moins n’est pas connue : le découpage n’en tient pas compte.",
                    "The footprint of at least one building is not known: the division does not take it into account.",
                ),
            ],
        )
    status = Status.WARN if layout.violation_count or is_blind else Status.PASS
    return Finding(status, detail, float(layout.violation_count), 0)
