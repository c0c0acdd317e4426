"""Checks on planning law: zone, prescriptions, what a lotissement is and which procedure it takes, lot sizes."""

from assistant.assessment import legal
from assistant.assessment.facts import LandFacts, Layout, Prescription, Urbanism, Zone
from assistant.assessment.result import Finding, Status
from assistant.text import Text, area, join, listed, percent, say

OPEN_RATIO = 0.99
"""From this share of the unit on, a zone is taken to cover it: outlines of parcels and zones differ by centimetres."""
SMALL_LOT_M2 = 300.0
"""Below this average, the rules on footprint, setback and planting bind more than any area: a usual figure."""
CLOSED_RATIO = 0.9
"""Share of the unit under a prescription that forbids building, from which it stops the project."""

_FORBIDDING: dict[str | None, str] = {"01": legal.WOODLAND, "05": legal.RESERVED_SITES}
"""Prescription types of the CNIG standard that close the ground they cover: classified woodland, reserved site."""


def zone_type(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the unit lies in zones that are open to building (U, AUc)?"""
    urbanism = facts.urbanism
    if urbanism is None:
        detail = Text(
            "Le zonage du document d'urbanisme n'est pas disponible pour ce terrain ; sa constructibilité reste à "
            "vérifier en mairie.",
            "The zoning is not available for this land; whether it may be built on is to be checked at the town hall.",
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    if urbanism.is_rnu:
        detail = Text(
            "La commune n'a pas de document d'urbanisme : le règlement national s'applique et l'on ne construit, sauf "
            "exceptions, que dans les parties urbanisées de la commune.",
            "The commune has no plan of its own: the national rules apply, and building is, with exceptions, allowed "
            "only in the built-up parts of the commune.",
        )
        return Finding(Status.WARN, detail, "RNU", None, None, (legal.RNU_BUILT_UP,))
    if all(zone.zone_type is None for zone in urbanism.zones):
        detail = Text(
            "Le type de zone n'est pas renseigné pour ce terrain.", "The type of zone is not given for this land."
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    return _zoned(urbanism.zones)


def _zoned(zones: tuple[Zone, ...]) -> Finding:
    ranked = sorted(zones, key=lambda zone: (-zone.overlap_ratio, zone.label))
    open_share = min(1.0, sum(zone.overlap_ratio for zone in zones if zone.zone_type in ("U", "AUc")))
    refs = tuple(dict.fromkeys(_ZONE_REFS[z.zone_type] for z in ranked if z.zone_type in _ZONE_REFS))
    names = listed([_named(zone) for zone in ranked])
    opening = say("Le terrain est en {names}.", "The land lies in {names}.", names=names)
    if open_share < 1 - OPEN_RATIO:
        closed = {zone.zone_type for zone in zones}
        if closed & {"Ah", "Nh"}:
            status = Status.WARN
            remark = Text(
                "Ce secteur n'admet que des constructions limitées, que son règlement énumère.",
                "This sector allows limited building only, which its regulation lists.",
            )
        elif closed <= {"AUs"}:
            status = Status.FAIL
            remark = Text(
                "Cette zone ne s'ouvre à la construction qu'après modification ou révision du plan.",
                "This zone opens to building only after the plan is modified or revised.",
            )
        else:
            status = Status.FAIL
            remark = Text(
                "Y détacher un terrain à bâtir n'est en principe pas possible.",
                "Detaching a building plot there is in principle not possible.",
            )
    elif open_share < OPEN_RATIO:
        status = Status.WARN
        remark = say(
            "Seuls {share} du terrain sont en zone ouverte à la construction ; les lots à bâtir doivent s'y tenir.",
            "Only {share} of the land is in a zone open to building; the building plots must keep to it.",
            share=percent(open_share),
        )
    elif any(zone.zone_type == "AUc" for zone in zones):
        status = Status.WARN
        remark = Text(
            "Cette zone à urbaniser est ouverte, aux conditions de son règlement et des orientations d'aménagement.",
            "This zone is open to development, on the terms of its regulation and of the development guidelines.",
        )
    else:
        status = Status.PASS
        remark = Text("La zone est ouverte à la construction.", "The zone is open to building.")
    return Finding(status, join([opening, remark]), round(open_share, 3), OPEN_RATIO, "ratio", refs or None)


_ZONE_REFS = {
    "U": legal.ZONE_U,
    "AUc": legal.ZONE_AU,
    "AUs": legal.ZONE_AU,
    "A": legal.ZONE_A,
    "Ah": legal.ZONE_A,
    "N": legal.ZONE_N,
    "Nh": legal.ZONE_N,
    "Nd": legal.ZONE_N,
}
_ZONE_NAMES = {
    "U": Text("zone urbaine", "urban zone"),
    "AUc": Text("zone à urbaniser ouverte", "open development zone"),
    "AUs": Text("zone à urbaniser fermée", "closed development zone"),
    "A": Text("zone agricole", "agricultural zone"),
    "Ah": Text("secteur bâti de zone agricole", "built sector of an agricultural zone"),
    "N": Text("zone naturelle", "natural zone"),
    "Nh": Text("secteur bâti de zone naturelle", "built sector of a natural zone"),
    "Nd": Text("secteur de zone naturelle", "sector of a natural zone"),
}


def _named(zone: Zone) -> Text:
    name = _ZONE_NAMES.get(zone.zone_type or "", Text("zone de type inconnu", "zone of unknown type"))
    return say(
        "{name} {label} ({share})", "{name} {label} ({share})",
        name=name, label=_plain(zone.label), share=percent(zone.overlap_ratio),
    )  # fmt: skip


def _plain(label: str) -> str:
    """A zone's local name as it may stand in a sentence: the standard allows 12 characters, free text otherwise."""
    return "".join(c for c in label if c.isalnum() or c in "-/'").strip()[:12]


def prescriptions(facts: LandFacts, layout: Layout) -> Finding:
    """Which prescriptions of the plan (standard CNIG) weigh on the unit?"""
    urbanism = facts.urbanism
    servitudes = Text(
        "Les servitudes d'utilité publique, telles que les abords de monuments historiques et les plans de prévention "
        "des risques, n'y figurent pas et sont à vérifier.",
        "Public easements, such as the surroundings of listed monuments and risk prevention plans, are not part of it "
        "and are to be checked.",
    )
    if urbanism is None:
        detail = Text(
            "Les prescriptions du document d'urbanisme ne sont pas disponibles pour ce terrain.",
            "The prescriptions of the planning document are not available for this land.",
        )
        return Finding(Status.UNKNOWN, join([detail, servitudes]), unit="prescriptions", legal_refs=())
    found = urbanism.prescriptions
    if not found:
        detail = Text(
            "Aucune prescription particulière du document d'urbanisme n'est relevée sur le terrain.",
            "No particular prescription of the planning document is found on the land.",
        )
        return Finding(Status.PASS, join([detail, servitudes]), 0.0, 0, "prescriptions", ())
    names = sorted({_prescription_name(item) for item in found}, key=lambda name: name.fr)
    detail = say(
        "Le document d'urbanisme porte sur ce terrain : {names}.",
        "The planning document lays on this land: {names}.",
        names=listed(names),
    )
    closing = [p for p in found if p.type_code in _FORBIDDING and (p.overlap_ratio or 0) >= CLOSED_RATIO]
    refs = tuple(sorted({_PRESCRIPTION_REFS[p.type_code] for p in found if p.type_code in _PRESCRIPTION_REFS}))
    if closing:
        remark = say(
            "Elle en couvre {share} et y interdit de bâtir.",
            "It covers {share} of it and forbids building there.",
            share=percent(max(p.overlap_ratio or 0 for p in closing)),
        )
        return Finding(Status.FAIL, join([detail, remark, servitudes]), float(len(found)), 0, "prescriptions", refs)
    remark = Text(
        "Leur effet est à lire dans le règlement avant d'arrêter les limites des lots.",
        "Their effect is to be read in the regulation before the boundaries of the lots are settled.",
    )
    return Finding(Status.WARN, join([detail, remark, servitudes]), float(len(found)), 0, "prescriptions", refs)


_PRESCRIPTION_REFS: dict[str | None, str] = {**_FORBIDDING, "07": legal.HERITAGE_ELEMENTS}
_PRESCRIPTION_NAMES = {
    "01": Text("espace boisé classé", "classified woodland"),
    "02": Text("secteur où les constructions sont limitées", "sector where building is limited"),
    "05": Text("emplacement réservé", "reserved site"),
    "07": Text("élément de patrimoine ou de paysage à protéger", "element of heritage or landscape to protect"),
    "15": Text("règles d'implantation des constructions", "rules on where buildings stand"),
    "16": Text("bâtiment pouvant changer de destination", "building that may change its use"),
    "18": Text("orientation d'aménagement et de programmation", "development guidelines"),
    "31": Text("zone humide", "wetland"),
}
_OTHER_PRESCRIPTION = Text("autre prescription", "another prescription")


def _prescription_name(item: Prescription) -> Text:
    return _PRESCRIPTION_NAMES.get(item.type_code or "", _OTHER_PRESCRIPTION)


def lotissement_definition(facts: LandFacts, layout: Layout) -> Finding:
    """Is the division a lotissement? It is as soon as one lot is meant to be built on."""
    if facts.is_contiguous is None:
        detail = Text(
            "Le contour du terrain manque pour dire si la division forme un lotissement.",
            "The outline of the land is missing to tell whether the division is a lotissement.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=(legal.LOTISSEMENT,))
    if _keeps_only_built_lots(layout):
        detail = Text(
            "Chaque lot dessiné garde un bâtiment existant : détacher un terrain bâti dont le bâtiment n'est pas "
            "destiné à être démoli n'est pas un lotissement.",
            "Each lot drawn keeps an existing building: detaching built land whose building is not to be demolished is "
            "not a lotissement.",
        )
        return Finding(Status.PASS, detail, value=False, legal_refs=(legal.LOTISSEMENT, legal.EXEMPTIONS))
    detail = Text(
        "Diviser une unité foncière pour créer au moins un lot à bâtir est un lotissement, dès le premier lot détaché.",
        "Dividing a land unit to create at least one building plot is a lotissement, from the first plot detached.",
    )
    return Finding(Status.PASS, detail, value=True, legal_refs=(legal.LOTISSEMENT,))


def lotissement_procedure(facts: LandFacts, layout: Layout) -> Finding:
    """Which formality does the division take: permis d'aménager, déclaration préalable or none?"""
    if facts.is_contiguous is None:
        detail = Text(
            "La procédure ne peut pas être déterminée sans le contour du terrain.",
            "The procedure cannot be determined without the outline of the land.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=())
    if _keeps_only_built_lots(layout):
        detail = Text(
            "La division de terrains bâtis est dispensée de formalité, sauf décision contraire de la commune.",
            "Dividing built land takes no formality, unless the commune has decided otherwise.",
        )
        return Finding(Status.PASS, detail, "exempt", legal_refs=(legal.EXEMPTIONS,))
    if facts.urbanism is not None and "PSMV" in facts.urbanism.document_types:
        detail = Text(
            "Le terrain est dans un site patrimonial remarquable : le lotissement demande un permis d'aménager.",
            "The land lies in a remarkable heritage site: the lotissement takes a planning permit (permis d'aménager).",
        )
        return Finding(Status.WARN, detail, "permis_amenager", legal_refs=(legal.PERMIS_AMENAGER,))
    detail = Text(
        "Sans voie, espace ni équipement commun à créer, la division relève d'une déclaration préalable. Elle demande "
        "un permis d'aménager si elle en crée, ou si le terrain est dans un site classé, un site patrimonial "
        "remarquable ou les abords d'un monument historique, ce que les données ne montrent pas.",
        "With no road, space or equipment to be created in common, the division takes a prior declaration (déclaration "
        "préalable). It takes a planning permit (permis d'aménager) if it creates any, or if the land lies in a "
        "classified site, a remarkable heritage site or the surroundings of a listed monument, which the data does not "
        "show.",
    )
    refs = (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER)
    return Finding(Status.WARN, detail, "declaration_prealable", legal_refs=refs)


def _keeps_only_built_lots(layout: Layout) -> bool:
    return bool(layout.is_drawn) and layout.built_lot_count == layout.lot_count


def minimum_lot_size(facts: LandFacts, layout: Layout) -> Finding:
    """Lot sizes have had no minimum in local plans since the ALUR law; it never fails."""
    opening = Text(
        "Depuis la loi ALUR, un plan local d'urbanisme ne peut plus imposer de superficie minimale aux terrains.",
        "Since the ALUR law a local plan can no longer set a minimum area for plots.",
    )
    if facts.area_m2 is None:
        remark = Text("La superficie des lots n'est pas connue.", "The area of the lots is not known.")
        return Finding(Status.UNKNOWN, join([opening, remark]), None, SMALL_LOT_M2, "m²")
    average = facts.area_m2 / layout.lot_count
    values = {"average": area(average), "small": area(SMALL_LOT_M2)}
    if average >= SMALL_LOT_M2:
        remark = say(
            "La moyenne de {average} par lot ne pose donc pas de question de superficie.",
            "The average of {average} a lot therefore raises no question of area.",
            **values,
        )
        return Finding(Status.PASS, join([opening, remark]), round(average, 1), SMALL_LOT_M2, "m²")
    remark = say(
        "Ce sont l'emprise au sol, les reculs, la pleine terre et le stationnement qui limiteront des lots de "
        "{average} en moyenne, sous les {small} usuels.",
        "Footprint, setbacks, planted ground and parking are what will limit lots of {average} on average, below the "
        "usual {small}.",
        **values,
    )
    return Finding(Status.WARN, join([opening, remark]), round(average, 1), SMALL_LOT_M2, "m²")


def project_reading(facts: LandFacts, layout: Layout) -> Finding:
    """Are the plan's rules read on the whole lotissement or lot by lot? Only its regulation tells."""
    if facts.is_rnu or _is_carte_communale(facts.urbanism):
        detail = Text(
            "Sans plan local d'urbanisme, la question d'une lecture des règles à l'échelle du projet ou de chaque lot "
            "ne se pose pas.",
            "Without a local plan, whether rules are read on the whole project or on each lot is not a question.",
        )
        return Finding(Status.PASS, detail)
    detail = Text(
        "Les règles du plan s'apprécient sur l'ensemble du lotissement, sauf si le règlement impose de les respecter "
        "lot par lot ; ce règlement n'a pas été lu ici.",
        "The plan's rules are read on the lotissement as a whole, unless the regulation requires each lot to meet "
        "them; that regulation was not read here.",
    )
    return Finding(Status.UNKNOWN, detail)


def _is_carte_communale(urbanism: Urbanism | None) -> bool:
    return urbanism is not None and bool(urbanism.document_types) and set(urbanism.document_types) == {"CC"}


def stay_of_decision(facts: LandFacts, layout: Layout) -> Finding:
    """Could the decision be put off because a plan is being drawn up? The data never tells."""
    detail = Text(
        "Si un plan est en cours d'élaboration ou de révision, la commune peut surseoir à statuer ; l'état de ces "
        "procédures n'est pas dans les données.",
        "Where a plan is being drawn up or revised, the commune may put off its decision; the state of such procedures "
        "is not in the data.",
    )
    return Finding(Status.UNKNOWN, detail)


def networks(facts: LandFacts, layout: Layout) -> Finding:
    """Are water, drainage and power at hand? The data never tells."""
    detail = Text(
        "La desserte par l'eau, l'assainissement et l'électricité n'est pas dans les données ; le permis peut être "
        "refusé si des travaux d'extension sont nécessaires et que leur délai n'est pas connu.",
        "Whether water, drainage and power serve the land is not in the data; a permit may be refused where works are "
        "needed to extend them and their date is not known.",
    )
    return Finding(Status.UNKNOWN, detail)
