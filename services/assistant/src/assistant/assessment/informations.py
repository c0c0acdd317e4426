"""Checks on the informations annexed to the plan (standard CNIG PLU, TYPEINF)."""

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status
from assistant.text import join, listed, say
from servicekit.languages import Text

_NAMES = {
    "02": Text("zone d’aménagement concerté (ZAC)", "concerted development zone (ZAC)"),
    "08": Text("périmètre forestier", "forestry area"),
    "09": Text("concession minière", "mining concession"),
    "10": Text("zone de carrières", "quarry area"),
    "13": Text("programme d’aménagement d’ensemble", "overall development programme (PAE)"),
    "14": Text("bruit des transports terrestres", "noise of roads and railways"),
    "16": Text("site archéologique", "archaeological site"),
    "17": Text("risque d’exposition au plomb", "risk of exposure to lead"),
    "20": Text("règlement de publicité", "advertising rules"),
    "22": Text("rives d’un plan d’eau de montagne", "shores of a mountain lake"),
    "25": Text("espaces agricoles et naturels périurbains", "farm and natural land around towns"),
    "27": Text("plan d’exposition au bruit d’un aérodrome", "airport noise plan"),
    "30": Text("projet urbain partenarial", "urban project partnership (PUP)"),
    "31": Text("exclusion de matériaux", "exclusion of materials"),
    "32": Text("secteur de taxe d’aménagement", "sector of development tax"),
    "34": Text("opération d’intérêt national", "development of national interest"),
    "35": Text("seuil minimal de densité", "minimum density"),
    "37": Text("régime forestier", "forest regime"),
    "39": Text("association foncière urbaine", "urban land association (AFU)"),
    "40": Text("patrimoine mondial", "world heritage"),
    "98": Text("annulation partielle du plan", "partial annulment of the plan"),
}
"""Short names of the official types. Types of other checks are left out, and types without meaning for a division."""
_REMARKS = {
    "02": Text(
        "Dans la ZAC, le constructeur d’un terrain qui ne vient pas de l’aménageur signe une convention de "
        "participation, pièce obligatoire de la demande.",
        "In the ZAC, who builds on land that does not come from the developer signs an agreement on its share of the "
        "costs, which the application must contain.",
    ),
    "13": Text(
        "Le programme d’aménagement d’ensemble met une participation à la charge des constructeurs.",
        "The overall development programme puts a share of its costs on builders.",
    ),
    "14": Text(
        "Les bâtiments y ont un isolement acoustique renforcé.",
        "Buildings there have a stronger acoustic insulation.",
    ),
    "27": Text(
        "Les zones A et B du plan d’exposition au bruit interdisent les logements ordinaires ; la zone C n’admet que "
        "des maisons isolées en secteur urbanisé. La zone du terrain est à lire sur ce plan.",
        "Zones A and B of the airport noise plan forbid ordinary dwellings; zone C admits single houses only, in "
        "urban sectors. The zone of the land is to be read on that plan.",
    ),
    "30": Text(
        "Une convention y met des équipements publics à la charge des constructeurs.",
        "An agreement puts public facilities there at the charge of builders.",
    ),
    "98": Text(
        "Le plan y est annulé en partie : les règles en vigueur se demandent en mairie.",
        "The plan is annulled in part there: the rules in force are to be asked for at the town hall.",
    ),
}
"""What changes a project."""
_REFS = {
    "02": legal.ZAC,
    "13": legal.PAE,
    "14": legal.TRANSPORT_NOISE,
    "27": legal.AIRPORT_NOISE,
}


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
        refs = tuple(_REFS[code] for code in remarks if code in _REFS)
        settled = (documents.NOISE_PLAN,) if "27" in remarks else (documents.CERTIFICATE,)
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
