"""Checks on the lotissement and the procedure that it needs."""

from assistant.assessment import documents, legal
from assistant.assessment.easements import is_classified, is_free_of_protection, protections
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import join, percent, say
from servicekit.languages import Text

WHOLE_RATIO = 0.99
"""Surroundings with this share count as covering the unit."""
DECLARED_DIVISIONS = "11"
"""Type of information (TYPEINF): an area where the commune subjects divisions to a prior declaration."""


@rule(
    "Diviser une unité foncière, ou plusieurs contiguës, pour créer un ou plusieurs lots à bâtir est un lotissement.",
    "Dividing a land unit, or several that adjoin, to create one or more building plots is a lotissement.",
    legal_refs=(legal.LOTISSEMENT, legal.EXEMPTIONS),
    weight=1,
    settled_by=("cadastre-parcels",),
)
def lotissement_definition(facts: LandFacts, layout: Layout) -> Finding:
    """Is the division a lotissement? One lot for building is enough."""
    if facts.is_contiguous is None:
        detail = Text(
            "Le contour du terrain manque pour dire si la division forme un lotissement.",
            "The outline of the land is missing to tell whether the division is a lotissement.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=(legal.LOTISSEMENT,))
    if _keeps_only_built_lots(layout):
        detail = Text(
            "Chaque lot dessiné garde un bâtiment existant : détacher un terrain bâti dont le bâtiment n’est pas "
            "destiné à être démoli n’est pas un lotissement.",
            "Each lot drawn keeps an existing building: detaching built land whose building is not to be demolished is "
            "not a lotissement.",
        )
        return Finding(Status.PASS, detail, value=False, legal_refs=(legal.LOTISSEMENT, legal.EXEMPTIONS))
    detail = Text(
        "Diviser une unité foncière, ou plusieurs qui se touchent, pour créer au moins un lot à bâtir est un "
        "lotissement, dès le premier lot détaché.",
        "Dividing a land unit, or several that adjoin, to create at least one building plot is a lotissement, from the "
        "first plot detached.",
    )
    return Finding(Status.PASS, detail, value=True, legal_refs=(legal.LOTISSEMENT,))


@rule(
    "Un lotissement demande une déclaration préalable, ou un permis d’aménager s’il crée ou aménage des "
    "ouvrages communs à plusieurs lots à bâtir ou se trouve en site protégé.",
    "A lotissement takes a prior declaration, or a planning permit where it creates or fits out works common "
    "to several building plots or lies in a protected site.",
    legal_refs=(legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER, legal.EXEMPTIONS, legal.DECLARED_DIVISIONS),
    weight=2,
    settled_by=("cadastre-parcels", "gpu-sup", "gpu-informations", documents.CERTIFICATE),
)
def lotissement_procedure(facts: LandFacts, layout: Layout) -> Finding:
    """Which procedure does the division need: permis d'aménager, déclaration préalable or none?"""
    if facts.is_contiguous is None:
        detail = Text(
            "La procédure ne peut pas être déterminée sans le contour du terrain.",
            "The procedure cannot be determined without the outline of the land.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=())
    is_declared = facts.has_information(DECLARED_DIVISIONS)
    if _keeps_only_built_lots(layout):
        return _without_building_plot(is_declared=is_declared)
    reasons = _permit_reasons(facts, layout)
    if reasons:
        lead = Text(
            "Le lotissement demande un permis d’aménager.",
            "The lotissement takes a planning permit (permis d’aménager).",
        )
        return Finding(Status.WARN, join([lead, *reasons]), "permis_amenager", legal_refs=(legal.PERMIS_AMENAGER,))
    refs: tuple[str, ...] = (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER)
    if is_declared:
        refs = (*refs, legal.DECLARED_DIVISIONS)
    detail = _DECLARED_FREE if is_free_of_protection(facts) else _DECLARED
    if "AC2" in protections(facts) and is_classified(protections(facts)["AC2"]) is None:
        detail = join([detail, _UNKNOWN_SITE])
    return Finding(Status.WARN, detail, "declaration_prealable", legal_refs=refs)


def _without_building_plot(*, is_declared: bool | None) -> Finding:
    if is_declared:
        detail = Text(
            "Le terrain est dans une zone que la commune a délimitée : toute division y est soumise à déclaration "
            "préalable, même celle d’un terrain bâti dont le bâtiment est conservé.",
            "The land lies in an area that the commune has delimited: every division there takes a prior declaration "
            "(déclaration préalable), even that of built land whose building is kept.",
        )
        return Finding(Status.WARN, detail, "declaration_prealable", legal_refs=(legal.DECLARED_DIVISIONS,))
    if is_declared is False:
        detail = Text(
            "Détacher un terrain bâti dont le bâtiment est conservé ne demande aucune formalité de lotissement. Le "
            "terrain n’est pas dans une zone où la commune soumet les divisions à déclaration préalable.",
            "Detaching built land whose building is kept takes no lotissement formality. The land is in no area where "
            "the commune subjects divisions to a prior declaration.",
        )
    else:
        detail = Text(
            "Détacher un terrain bâti dont le bâtiment est conservé ne demande aucune formalité de lotissement, sauf "
            "dans les zones où la commune soumet les divisions à déclaration préalable.",
            "Detaching built land whose building is kept takes no lotissement formality, except in the areas where the "
            "commune subjects divisions to a prior declaration.",
        )
    return Finding(Status.PASS, detail, "exempt", legal_refs=(legal.EXEMPTIONS, legal.DECLARED_DIVISIONS))


def _permit_reasons(facts: LandFacts, layout: Layout) -> list[Text]:
    protection_texts = protections(facts)
    reasons = []
    if layout.has_shared_way:
        reasons.append(
            Text(
                "Le découpage proposé crée une voie commune à plusieurs lots à bâtir.",
                "The division proposed creates a way common to several building plots.",
            )
        )
    if "AC4" in protection_texts or "AC4bis" in protection_texts:
        reasons.append(
            Text("Le terrain est dans un site patrimonial remarquable.", "The land lies in a remarkable heritage site.")
        )
    if "AC1" in protection_texts:
        reasons.append(
            Text(
                "Le terrain est aux abords d’un monument historique, sauf si l’architecte des Bâtiments de France "
                "constate que rien n’y est visible avec lui.",
                "The land lies in the surroundings of a listed monument, unless the State's heritage architect finds "
                "that nothing on it is visible together with the monument.",
            )
        )
        surroundings = protection_texts["AC1"]
        if surroundings.HasField("overlap_ratio") and surroundings.overlap_ratio < WHOLE_RATIO:
            reasons.append(
                say(
                    "Ces abords couvrent {share} du terrain : si les lots les évitent, la mairie dira si une "
                    "déclaration suffit.",
                    "These surroundings cover {share} of the land: where the lots keep off them, the town hall tells "
                    "whether a declaration suffices.",
                    share=percent(surroundings.overlap_ratio),
                )
            )
    if "AC2" in protection_texts and is_classified(protection_texts["AC2"]):
        reasons.append(Text("Le terrain est dans un site classé.", "The land lies in a classified site."))
    return reasons


_UNKNOWN_SITE = Text(
    "Le terrain est dans un site protégé, dont les données ne disent pas s’il est classé ou inscrit.",
    "The land lies in a protected site, and the data does not tell whether it is classified or registered.",
)
_DECLARED_FREE = Text(
    "Si le lotisseur ne crée ni n’aménage de voie, d’espace ou d’équipement commun à plusieurs lots à bâtir, la "
    "division relève d’une déclaration préalable. Elle demande un permis d’aménager dans le cas contraire. Le terrain "
    "n’est dans aucun site protégé qui l’imposerait.",
    "Where no road, space or equipment common to several building plots is created or fitted out by who divides, "
    "the division takes a prior declaration (déclaration préalable). It takes a planning permit (permis d’aménager) "
    "otherwise. The land lies in no protected site that would require one.",
)
_DECLARED = Text(
    "Si le lotisseur ne crée ni n’aménage de voie, d’espace ou d’équipement commun à plusieurs lots à bâtir, la "
    "division relève d’une déclaration préalable. Elle demande un permis d’aménager dans le cas contraire, ou si "
    "le terrain est dans un site classé ou en instance de classement, un site patrimonial remarquable ou les "
    "abords d’un monument historique.",
    "Where no road, space or equipment common to several building plots is created or fitted out by who divides, "
    "the division takes a prior declaration (déclaration préalable). It takes a planning permit (permis "
    "d’aménager) otherwise, or where the land lies in a site that is classified or about to be, a remarkable "
    "heritage site or the surroundings of a listed monument.",
)


def _keeps_only_built_lots(layout: Layout) -> bool:
    return bool(layout.is_drawn) and layout.built_lot_count == layout.lot_count
