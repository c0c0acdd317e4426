"""Applies every rule to a land unit and derives the verdict."""

from assistant.assessment import land_unit, legal, planning, transaction
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.prescriptions import prescriptions
from assistant.assessment.result import Assessment, Check, Procedure, Rule, Status, Verdict
from assistant.text import say
from servicekit.languages import Text

RULES_VERSION = "1.3.0"

DISCLAIMER = Text(
    "Analyse automatique à partir de données ouvertes : elle ne vaut ni conseil juridique, ni certificat d'urbanisme, "
    "ni avis de géomètre-expert.",
    "An automatic study of open data: it is no legal advice, no planning certificate and no surveyor's opinion.",
)

RULES: tuple[Rule, ...] = (
    Rule(
        "unit_area",
        land_unit.unit_area,
        Text(
            "L'unité foncière offre assez de terrain pour les lots demandés.",
            "The land unit holds enough ground for the lots asked for.",
        ),
        (),
        weight=3,
        is_decisive=True,
    ),
    Rule(
        "contiguity",
        land_unit.contiguity,
        Text(
            "L'unité foncière est un îlot d'un seul tenant appartenant à un même propriétaire ou à une même "
            "indivision.",
            "A land unit is one block of land of one owner, or of one undivided ownership.",
        ),
        (legal.UNIT_DEFINITION, legal.MULTI_SITE, legal.JOINT_OWNERSHIP),
        weight=2,
        is_decisive=True,
    ),
    Rule(
        "zone_type",
        planning.zone_type,
        Text(
            "Un lot à bâtir se détache en zone ouverte à la construction.",
            "A building plot is detached in a zone that is open to building.",
        ),
        (
            legal.ZONE_U,
            legal.ZONE_AU,
            legal.ZONE_A,
            legal.ZONE_N,
            legal.CARTE_COMMUNALE,
            legal.SECTOR_OF_ACTIVITIES,
            legal.RNU_BUILT_UP,
        ),
        weight=4,
        is_decisive=True,
    ),
    Rule(
        "prescriptions",
        prescriptions,
        Text(
            "Aucune prescription du document d'urbanisme n'interdit de bâtir sur le terrain.",
            "No prescription of the planning document forbids building on the land.",
        ),
        (legal.WOODLAND, legal.RESERVED_SITES, legal.HERITAGE_ELEMENTS, legal.ECOLOGICAL_ELEMENTS),
        weight=2,
        is_decisive=True,
    ),
    Rule(
        "access",
        land_unit.access,
        Text(
            "Le terrain est desservi par une voie publique ou privée, ou par un passage qui y mène.",
            "The land is served by a public or private way, or by a passage that leads to one.",
        ),
        (legal.RNU_ACCESS, legal.RIGHT_OF_WAY),
        weight=3,
        is_decisive=True,
    ),
    Rule(
        "existing_buildings",
        land_unit.existing_buildings,
        Text(
            "Les bâtiments existants laissent du terrain libre à détacher.",
            "The existing buildings leave free ground to detach.",
        ),
        (),
        weight=2,
        is_decisive=True,
    ),
    Rule(
        "division_layout",
        land_unit.division_layout,
        Text(
            "Les lots demandés se dessinent sur le terrain dans les hypothèses énoncées.",
            "The lots asked for can be drawn on the land within the stated assumptions.",
        ),
        (),
        weight=3,
        is_decisive=True,
    ),
    Rule(
        "lotissement_definition",
        planning.lotissement_definition,
        Text(
            "Diviser une unité foncière, ou plusieurs contiguës, pour créer un ou plusieurs lots à bâtir est un "
            "lotissement.",
            "Dividing a land unit, or several that adjoin, to create one or more building plots is a lotissement.",
        ),
        (legal.LOTISSEMENT, legal.EXEMPTIONS),
        weight=1,
    ),
    Rule(
        "lotissement_procedure",
        planning.lotissement_procedure,
        Text(
            "Un lotissement demande une déclaration préalable, ou un permis d'aménager s'il crée ou aménage des "
            "ouvrages communs à plusieurs lots à bâtir ou se trouve en site protégé.",
            "A lotissement takes a prior declaration, or a planning permit where it creates or fits out works common "
            "to several building plots or lies in a protected site.",
        ),
        (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER, legal.EXEMPTIONS, legal.DECLARED_DIVISIONS),
        weight=2,
    ),
    Rule(
        "minimum_lot_size",
        planning.minimum_lot_size,
        Text(
            "Un plan local d'urbanisme n'impose plus de superficie minimale de terrain depuis la loi ALUR.",
            "A local plan has set no minimum plot area since the ALUR law.",
        ),
        (legal.ALUR,),
        weight=1,
    ),
    Rule(
        "project_reading",
        planning.project_reading,
        Text(
            "Les règles du plan s'apprécient sur l'ensemble du projet, sauf disposition contraire.",
            "The plan's rules are read on the project as a whole, unless it provides otherwise.",
        ),
        (legal.PROJECT_READING,),
        weight=1,
    ),
    Rule(
        "stay_of_decision",
        planning.stay_of_decision,
        Text(
            "L'autorité peut surseoir à statuer lorsqu'un plan local est en cours d'élaboration ou de révision, une "
            "fois ses orientations débattues.",
            "The authority may put off its decision while a local plan is being drawn up or revised, once its "
            "guidelines have been debated.",
        ),
        (legal.STAY_OF_DECISION, legal.PLAN_UNDER_WAY),
        weight=1,
    ),
    Rule(
        "networks",
        planning.networks,
        Text(
            "Le terrain est desservi par les réseaux, ou le sera dans un délai connu.",
            "The land is served by the networks, or will be by a known date.",
        ),
        (legal.NETWORKS,),
        weight=1,
    ),
    Rule(
        "boundary_survey",
        transaction.boundary_survey,
        Text(
            "La vente d'un lot à bâtir repose sur un bornage.",
            "The sale of a building plot rests on a boundary survey.",
        ),
        (legal.BORNAGE, legal.SURVEYORS),
        weight=1,
    ),
    Rule(
        "recent_sales",
        transaction.recent_sales,
        Text(
            "Les ventes relevées situent la valeur du terrain.",
            "The sales on record place the value of the land.",
        ),
        (legal.SALES_REGISTER,),
        weight=1,
    ),
)

_REQUIRED = ("unit_area", "contiguity", "zone_type")
"""If one of these checks is unknown, there is no verdict."""

PROCEDURES = {
    "permis_amenager": Text("Permis d'aménager", "Planning permit (permis d'aménager)"),
    "declaration_prealable": Text(
        "Déclaration préalable, sauf ouvrages communs à plusieurs lots à bâtir ou site protégé",
        "Prior declaration (déclaration préalable), barring works common to several building plots or a protected site",
    ),
    "exempt": Text("Aucune formalité de lotissement", "No lotissement formality"),
    "undetermined": Text("Procédure non déterminée", "Procedure not determined"),
}


def assess(facts: LandFacts, layout: Layout) -> Assessment:
    """Assesses the division of the unit into the lots of `layout`. Deterministic."""
    checks = tuple(_apply(rule, facts, layout) for rule in RULES)
    by_code = {check.code: check for check in checks}
    verdict = _verdict(by_code)
    known = sum(rule.weight for rule in RULES if by_code[rule.code].status is not Status.UNKNOWN)
    return Assessment(
        verdict=verdict,
        confidence=round(known / sum(rule.weight for rule in RULES), 2),
        procedure=_procedure(by_code["lotissement_procedure"]),
        summary=_summary(verdict, layout),
        checks=checks,
        disclaimer=DISCLAIMER,
        rules_version=RULES_VERSION,
    )


def _apply(rule: Rule, facts: LandFacts, layout: Layout) -> Check:
    found = rule.test(facts, layout)
    refs = rule.legal_refs if found.legal_refs is None else found.legal_refs
    return Check(rule.code, found.status, found.detail, found.value, found.threshold, found.unit, refs)


def _verdict(checks: dict[str, Check]) -> Verdict:
    decisive = [checks[rule.code].status for rule in RULES if rule.is_decisive]
    if Status.FAIL in decisive:
        return Verdict.UNFAVOURABLE
    if any(checks[code].status is Status.UNKNOWN for code in _REQUIRED):
        return Verdict.UNDETERMINED
    if set(decisive) == {Status.PASS}:
        return Verdict.FAVOURABLE
    return Verdict.CONDITIONAL


def _procedure(check: Check) -> Procedure:
    code = check.value if isinstance(check.value, str) else "undetermined"
    return Procedure(code, PROCEDURES[code], check.legal_refs)


_SUMMARIES = {
    Verdict.FAVOURABLE: Text(
        "La division en {lots} lots paraît possible au vu des données disponibles.",
        "Dividing into {lots} lots looks possible on the data available.",
    ),
    Verdict.CONDITIONAL: Text(
        "La division en {lots} lots paraît possible, sous réserve des points à régler ou à vérifier.",
        "Dividing into {lots} lots looks possible, subject to the points to be settled or checked.",
    ),
    Verdict.UNFAVOURABLE: Text(
        "La division en {lots} lots se heurte à au moins un obstacle.",
        "Dividing into {lots} lots meets at least one obstacle.",
    ),
    Verdict.UNDETERMINED: Text(
        "Les données disponibles ne permettent pas de conclure sur la division en {lots} lots.",
        "The data available does not allow a conclusion on dividing into {lots} lots.",
    ),
}


def _summary(verdict: Verdict, layout: Layout) -> Text:
    template = _SUMMARIES[verdict]
    return say(template.fr, template.en, lots=layout.lot_count)
