"""Applies every rule to a land unit and derives the verdict."""

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Assessment, Check, Procedure, Rule, Status, Verdict
from assistant.assessment.rules import RULES
from assistant.text import say
from servicekit.languages import Text

RULES_VERSION = "2.0.0"

DISCLAIMER = Text(
    "Analyse automatique à partir de données ouvertes : elle ne vaut ni conseil juridique, ni certificat d’urbanisme, "
    "ni avis de géomètre-expert.",
    "An automatic study of open data: it is no legal advice, no planning certificate and no surveyor's opinion.",
)

_REQUIRED = ("unit_area", "contiguity", "zone_type")
"""If one of these checks is unknown, there is no verdict."""

PROCEDURES = {
    "permis_amenager": Text("Permis d’aménager", "Planning permit (permis d’aménager)"),
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
    known_weight = sum(rule.weight for rule in RULES if by_code[rule.code].status is not Status.UNKNOWN)
    return Assessment(
        verdict=verdict,
        confidence=round(known_weight / sum(rule.weight for rule in RULES), 2),
        procedure=_procedure(by_code["lotissement_procedure"]),
        summary=_summary(verdict, layout),
        checks=checks,
        disclaimer=DISCLAIMER,
        rules_version=RULES_VERSION,
    )


def _apply(rule: Rule, facts: LandFacts, layout: Layout) -> Check:
    finding = rule.test(facts, layout)
    refs = rule.legal_refs if finding.legal_refs is None else finding.legal_refs
    by_default = rule.settled_by if finding.status is Status.UNKNOWN else ()
    settled_by = by_default if finding.settled_by is None else finding.settled_by
    return Check(
        rule.code, finding.status, finding.detail, finding.value, finding.threshold, finding.unit, refs, settled_by
    )


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
