"""Checks on the informations annexed to the plan (standard CNIG PLU, TYPEINF)."""

from assistant.assessment import documents, legal, official_codes
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import join, listed, say
from servicekit.languages import Text

_NAMES = official_codes.texts("informations", "names")
_REMARKS = official_codes.texts("informations", "remarks")
_REFS = official_codes.legal_refs("informations")
_NOISE = "27"
"""The noise plan of an airport."""


@rule(
    "Aucune information annexée au plan ne restreint la construction sur le terrain.",
    "No information annexed to the plan restricts building on the land.",
    legal_refs=(legal.ZAC, legal.PAE, legal.TRANSPORT_NOISE, legal.AIRPORT_NOISE),
    weight=2,
    settled_by=("gpu-informations", documents.CERTIFICATE),
    is_decisive=True,
)
def plan_informations(facts: LandFacts, layout: Layout) -> Finding:
    """Which informations of the plan's annexes change a project? Other checks use the other types."""
    if facts.informations is None:
        detail = say(
            "Les informations annexées au plan, comme les ZAC et le bruit, ne sont pas disponibles pour ce "
            "terrain{why}.",
            "The informations annexed to the plan, such as ZACs and noise, are not available for this land{why}.",
            why=facts.why_missing("informations"),
        )
        return Finding(Status.UNKNOWN, detail, unit="informations", legal_refs=())
    codes = sorted({item.type_code for item in facts.informations} & _NAMES.keys())
    parts = []
    if codes:
        parts.append(
            say(
                "Informations annexées au plan et relevées sur le terrain : {names}.",
                "Informations annexed to the plan and found on the land: {names}.",
                names=listed([_NAMES[code] for code in codes]),
            )
        )
    remarks = [code for code in codes if code in _REMARKS]
    if remarks:
        refs = tuple(ref for code in remarks for ref in _REFS.get(code, ()))
        settled = (documents.NOISE_PLAN,) if _NOISE in remarks else (documents.CERTIFICATE,)
        detail = join([*parts, *(_REMARKS[code] for code in remarks)])
        return Finding(Status.WARN, detail, float(len(codes)), 0, "informations", refs, settled)
    if not facts.is_complete("informations"):
        parts.append(
            Text(
                "Seule une partie des informations annexées au plan est disponible.",
                "Only some of the informations annexed to the plan are available.",
            )
        )
        return Finding(Status.UNKNOWN, join(parts), unit="informations", legal_refs=())
    parts.append(
        Text(
            "Aucune information annexée au plan ne restreint la construction sur le terrain.",
            "No information annexed to the plan restricts building on the land.",
        )
    )
    return Finding(Status.PASS, join(parts), float(len(codes)), 0, "informations", ())


@rule(
    "Aucun droit de préemption ne s’applique à la vente.",
    "No right of pre-emption applies to the sale.",
    legal_refs=(legal.PRE_EMPTION, legal.DEFERRED_DEVELOPMENT, legal.SENSITIVE_AREAS, legal.INTENT_TO_SELL),
    weight=1,
    settled_by=("gpu-informations", documents.CERTIFICATE),
)
def pre_emption(facts: LandFacts, layout: Layout) -> Finding:
    """Does a right of pre-emption apply to a sale?"""
    codes = [code for code in _PRE_EMPTIONS if facts.has_information(code)]
    if codes:
        detail = join(
            [
                *(_PRE_EMPTIONS[code][0] for code in codes),
                Text(
                    "Toute vente se déclare d’abord en mairie (déclaration d’intention d’aliéner), et le titulaire a "
                    "deux mois pour répondre.",
                    "Every sale is first declared at the town hall (déclaration d’intention d’aliéner), and the holder "
                    "has two months to answer.",
                ),
            ]
        )
        refs = (*(_PRE_EMPTIONS[code][1] for code in codes), legal.INTENT_TO_SELL)
        return Finding(Status.WARN, detail, value=True, legal_refs=refs, settled_by=(documents.CERTIFICATE,))
    if not facts.is_complete("informations"):
        detail = say(
            "On ne sait pas si un droit de préemption s’applique : les annexes du plan ne sont pas toutes "
            "disponibles{why}.",
            "Whether a right of pre-emption applies is not known: not all annexes of the plan are available{why}.",
            why=facts.why_missing("informations"),
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=())
    detail = Text(
        "Aucun droit de préemption n’est annexé au plan sur ce terrain.",
        "No right of pre-emption is annexed to the plan on this land.",
    )
    return Finding(Status.PASS, detail, value=False, legal_refs=())


_PRE_EMPTIONS = {
    "04": (
        Text(
            "Le terrain est soumis au droit de préemption urbain. La commune peut en exclure les lots d’un lotissement "
            "autorisé.",
            "The urban right of pre-emption applies to the land. The commune may exempt the plots of an authorised "
            "lotissement.",
        ),
        legal.PRE_EMPTION,
    ),
    "05": (
        Text(
            "Le terrain est dans une zone d’aménagement différé, où une collectivité peut préempter.",
            "The land lies in a deferred development zone (ZAD), where a public body may pre-empt.",
        ),
        legal.DEFERRED_DEVELOPMENT,
    ),
    "03": (
        Text(
            "Le terrain est dans une zone de préemption d’espaces naturels sensibles.",
            "The land lies in a pre-emption area for sensitive natural land.",
        ),
        legal.SENSITIVE_AREAS,
    ),
}
