"""Checks on planning law: zone, lotissement and its procedure, lot sizes, stay of decision, networks."""

from assistant.assessment import legal
from assistant.assessment.facts import LandFacts, Layout, Urbanism, Zone
from assistant.assessment.result import Finding, Status
from assistant.text import area, join, listed, percent, say
from servicekit.languages import Text

OPEN_RATIO = 0.99
"""A zone with this share counts as covering the unit, since outlines of parcels and zones differ by centimetres."""
SMALL_LOT_M2 = 300.0
"""Below this average, rules on footprint, setback and planting limit a lot more than its area. A usual figure."""

DECLARED_DIVISIONS, STAY_OF_DECISION = "11", "12"
"""Types of informations (TYPEINF): areas where divisions are declared, and where decisions may be put off."""


def zone_type(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the unit is in zones open to building (U, AUc; sector 01 of a carte communale)?"""
    urbanism = facts.urbanism
    if urbanism is None:
        detail = say(
            "Le zonage du document d'urbanisme n'est pas disponible pour ce terrain{why} ; sa constructibilité reste à "
            "vérifier en mairie.",
            "The zoning is not available for this land{why}; whether it may be built on is to be checked at the town "
            "hall.",
            why=facts.why_missing("urbanism"),
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    if urbanism.is_rnu and urbanism.zones:
        detail = Text(
            "Les sources se contredisent : des zones couvrent le terrain, et la commune est dite sans document "
            "d'urbanisme. Le document en vigueur est à demander en mairie.",
            "The sources contradict each other: zones cover the land, and the commune is said to have no plan of its "
            "own. The plan in force is to be asked for at the town hall.",
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
    if urbanism.is_carte_communale and all(zone.kind in _UNTOLD for zone in urbanism.zones):
        detail = say(
            "La commune a une carte communale ; le terrain y est en secteur {names}, et l'on ne sait pas si les "
            "constructions y sont admises.",
            "The commune has a carte communale; the land lies in its sector {names}, and whether building is allowed "
            "there is not known.",
            names=listed([Text(_plain(zone.label), _plain(zone.label)) for zone in urbanism.zones]),
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", (legal.CARTE_COMMUNALE,))
    if all(zone.kind in _UNTOLD for zone in urbanism.zones):
        detail = Text(
            "Le type de zone n'est pas renseigné pour ce terrain.", "The type of zone is not given for this land."
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    return _zoned(urbanism)


def _zoned(urbanism: Urbanism) -> Finding:
    zones = urbanism.zones
    ranked = sorted(zones, key=lambda zone: (-zone.overlap_ratio, zone.label))
    open_share = min(1.0, sum(zone.overlap_ratio for zone in zones if zone.kind in _OPEN))
    refs = tuple(dict.fromkeys(_ZONE_REFS[zone.kind] for zone in ranked if zone.kind in _ZONE_REFS))
    names = listed([_named(zone) for zone in ranked])
    opening = say("Le terrain est en {names}.", "The land lies in {names}.", names=names)
    is_known_whole = urbanism.is_zoned_whole and all(zone.kind not in _UNTOLD for zone in zones)
    if open_share < OPEN_RATIO and not is_known_whole:
        status = Status.UNKNOWN
        remark = Text(
            "Le zonage du reste du terrain n'est pas connu ; sa constructibilité est à vérifier en mairie.",
            "The zoning of the rest of the land is not known; whether it may be built on is to be checked at the town "
            "hall.",
        )
    elif open_share < 1 - OPEN_RATIO:
        closed = {zone.kind for zone in zones}
        if closed & {"Ah", "Nh"}:
            status = Status.WARN
            remark = Text(
                "Ce secteur n'admet que des constructions limitées, que son règlement énumère.",
                "This sector allows limited building only, which its regulation lists.",
            )
        elif "02" in closed:
            status = Status.WARN
            remark = Text(
                "Le secteur réservé aux activités n'admet qu'elles : on n'y détache pas de terrain pour des logements.",
                "The sector reserved for activities admits nothing else: no plot for dwellings is detached there.",
            )
        elif closed <= {"03"}:
            status = Status.FAIL
            remark = Text(
                "Les constructions n'y sont pas admises, sauf exceptions prévues par la loi ; on n'y détache pas de "
                "terrain à bâtir.",
                "Building is not admitted there, but for the exceptions that the law provides; no building plot is "
                "detached there.",
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
                "Sauf exception prévue par le règlement, on n'y détache pas de terrain à bâtir.",
                "Unless the regulation provides an exception, no building plot is detached there.",
            )
    elif open_share < OPEN_RATIO:
        status = Status.WARN
        remark = say(
            "Seuls {share} du terrain sont en zone ouverte à la construction ; les lots à bâtir doivent s'y tenir.",
            "Only {share} of the land is in a zone open to building; the building plots must keep to it.",
            share=percent(open_share),
        )
    elif any(zone.kind == "AUc" for zone in zones):
        status = Status.WARN
        remark = Text(
            "Cette zone à urbaniser est ouverte, aux conditions de son règlement et des orientations d'aménagement.",
            "This zone is open to development, on the terms of its regulation and of the development guidelines.",
        )
    else:
        status = Status.PASS
        remark = Text("La zone est ouverte à la construction.", "The zone is open to building.")
    return Finding(status, join([opening, remark]), round(open_share, 3), OPEN_RATIO, "ratio", refs)


_OPEN = ("U", "AUc", "01")
_UNTOLD = (None, "99")
"""Kinds that do not say whether building is allowed: an unknown type, or outside the carte communale."""
_ZONE_REFS = {
    "01": legal.CARTE_COMMUNALE,
    "02": legal.SECTOR_OF_ACTIVITIES,
    "03": legal.CARTE_COMMUNALE,
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
    "01": Text("secteur ouvert à la construction", "sector open to building"),
    "02": Text("secteur réservé aux activités", "sector reserved for activities"),
    "03": Text("secteur non ouvert à la construction", "sector not open to building"),
    "99": Text("secteur que la carte communale ne couvre pas", "sector that the carte communale does not cover"),
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
    name = _ZONE_NAMES.get(zone.kind or "", Text("zone de type inconnu", "zone of unknown type"))
    return say(
        "{name} {label} ({share})", "{name} {label} ({share})",
        name=name, label=_plain(zone.label), share=percent(zone.overlap_ratio),
    )  # fmt: skip


def _plain(label: str) -> str:
    """A zone's local name, made safe for a sentence. The field is free text; the standard allows 12 characters."""
    return "".join(c for c in label if c.isalnum() or c in "-/'").strip()[:12]


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
            "Chaque lot dessiné garde un bâtiment existant : détacher un terrain bâti dont le bâtiment n'est pas "
            "destiné à être démoli n'est pas un lotissement.",
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


def lotissement_procedure(facts: LandFacts, layout: Layout) -> Finding:
    """Which procedure does the division need: permis d'aménager, déclaration préalable or none?"""
    if facts.is_contiguous is None:
        detail = Text(
            "La procédure ne peut pas être déterminée sans le contour du terrain.",
            "The procedure cannot be determined without the outline of the land.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=())
    is_declared = facts.urbanism.has_information(DECLARED_DIVISIONS) if facts.urbanism else None
    if _keeps_only_built_lots(layout) and is_declared:
        detail = Text(
            "Le terrain est dans une zone que la commune a délimitée : toute division y est soumise à déclaration "
            "préalable, même celle d'un terrain bâti dont le bâtiment est conservé.",
            "The land lies in an area that the commune has delimited: every division there takes a prior declaration "
            "(déclaration préalable), even that of built land whose building is kept.",
        )
        return Finding(Status.WARN, detail, "declaration_prealable", legal_refs=(legal.DECLARED_DIVISIONS,))
    if _keeps_only_built_lots(layout) and is_declared is False:
        detail = Text(
            "Détacher un terrain bâti dont le bâtiment est conservé ne demande aucune formalité de lotissement. Le "
            "terrain n'est pas dans une zone où la commune soumet les divisions à déclaration préalable.",
            "Detaching built land whose building is kept takes no lotissement formality. The land is in no area where "
            "the commune subjects divisions to a prior declaration.",
        )
        return Finding(Status.PASS, detail, "exempt", legal_refs=(legal.EXEMPTIONS, legal.DECLARED_DIVISIONS))
    if _keeps_only_built_lots(layout):
        detail = Text(
            "Détacher un terrain bâti dont le bâtiment est conservé ne demande aucune formalité de lotissement, sauf "
            "dans les zones où la commune soumet les divisions à déclaration préalable.",
            "Detaching built land whose building is kept takes no lotissement formality, except in the areas where the "
            "commune subjects divisions to a prior declaration.",
        )
        return Finding(Status.PASS, detail, "exempt", legal_refs=(legal.EXEMPTIONS, legal.DECLARED_DIVISIONS))
    if facts.urbanism is not None and "PSMV" in facts.urbanism.document_types:
        detail = Text(
            "Le terrain est dans un site patrimonial remarquable : le lotissement demande un permis d'aménager.",
            "The land lies in a remarkable heritage site: the lotissement takes a planning permit (permis d'aménager).",
        )
        return Finding(Status.WARN, detail, "permis_amenager", legal_refs=(legal.PERMIS_AMENAGER,))
    detail = Text(
        "Si le lotisseur ne crée ni n'aménage de voie, d'espace ou d'équipement commun à plusieurs lots à bâtir, la "
        "division relève d'une déclaration préalable. Elle demande un permis d'aménager dans le cas contraire, ou si "
        "le terrain est dans un site classé ou en instance de classement, un site patrimonial remarquable ou les "
        "abords d'un monument historique, ce que les données ne montrent pas.",
        "Where no road, space or equipment common to several building plots is created or fitted out by who divides, "
        "the division takes a prior declaration (déclaration préalable). It takes a planning permit (permis "
        "d'aménager) otherwise, or where the land lies in a site that is classified or about to be, a remarkable "
        "heritage site or the surroundings of a listed monument, which the data does not show.",
    )
    refs: tuple[str, ...] = (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER)
    if is_declared:
        refs = (*refs, legal.DECLARED_DIVISIONS)
    return Finding(Status.WARN, detail, "declaration_prealable", legal_refs=refs)


def _keeps_only_built_lots(layout: Layout) -> bool:
    return bool(layout.is_drawn) and layout.built_lot_count == layout.lot_count


def minimum_lot_size(facts: LandFacts, layout: Layout) -> Finding:
    """How large is the average lot? Never fails: the ALUR law ended minimum lot sizes in local plans."""
    opening = Text(
        "Depuis la loi ALUR, un plan local d'urbanisme ne peut plus imposer de superficie minimale aux terrains.",
        "Since the ALUR law a local plan can no longer set a minimum area for plots.",
    )
    if facts.area_m2 is None:
        remark = Text("La superficie des lots n'est pas connue.", "The area of the lots is not known.")
        return Finding(Status.UNKNOWN, join([opening, remark]), None, SMALL_LOT_M2, "m²")
    average = facts.area_m2 / layout.lot_count
    values = {"average": area(average)}
    if average >= SMALL_LOT_M2:
        remark = say(
            "La moyenne de {average} par lot ne pose donc pas de question de superficie.",
            "The average of {average} a lot therefore raises no question of area.",
            **values,
        )
        return Finding(Status.PASS, join([opening, remark]), round(average, 1), SMALL_LOT_M2, "m²")
    remark = say(
        "À {average} par lot en moyenne, ce sont l'emprise au sol, les reculs, la pleine terre et le stationnement qui "
        "limiteront ce qui peut y être bâti.",
        "At {average} a lot on average, footprint, setbacks, planted ground and parking are what will limit what can "
        "be built there.",
        **values,
    )
    return Finding(Status.WARN, join([opening, remark]), round(average, 1), SMALL_LOT_M2, "m²")


def project_reading(facts: LandFacts, layout: Layout) -> Finding:
    """Do the plan's rules apply to the whole lotissement or to each lot? Only the plan's regulation states it."""
    if facts.has_national_rules:
        detail = Text(
            "Sans plan local d'urbanisme, la question d'une lecture des règles à l'échelle du projet ou de chaque lot "
            "ne se pose pas.",
            "Without a local plan, whether rules are read on the whole project or on each lot is not a question.",
        )
        return Finding(Status.PASS, detail, legal_refs=())
    detail = Text(
        "Les règles d'un plan local d'urbanisme s'apprécient sur l'ensemble du lotissement, sauf si le règlement "
        "impose de les respecter lot par lot ; ce règlement n'a pas été lu ici.",
        "The rules of a local plan are read on the lotissement as a whole, unless the regulation requires each lot to "
        "meet them; that regulation was not read here.",
    )
    return Finding(Status.UNKNOWN, detail)


def stay_of_decision(facts: LandFacts, layout: Layout) -> Finding:
    """Can the authority postpone its decision? The data tells areas of stay, not which plans are being drawn up."""
    if facts.urbanism and facts.urbanism.has_information(STAY_OF_DECISION):
        detail = Text(
            "Le terrain est dans un périmètre où l'autorité peut surseoir à statuer : sa décision peut être différée "
            "de deux ans au plus.",
            "The land lies in an area where the authority may put off its decision, for at most two years.",
        )
        return Finding(Status.WARN, detail, legal_refs=(legal.STAY_OF_DECISION,))
    detail = Text(
        "Si un plan local est en cours d'élaboration ou de révision et que ses orientations (PADD) ont été débattues, "
        "l'autorité peut surseoir à statuer sur un projet qui en compromettrait l'exécution ou la rendrait plus "
        "onéreuse ; l'état de ces procédures n'est pas dans les données.",
        "Where a local plan is being drawn up or revised and its guidelines (PADD) have been debated, the authority "
        "may put off its decision on a project that would endanger carrying the plan out or make it costlier; the "
        "state of such procedures is not in the data.",
    )
    return Finding(Status.UNKNOWN, detail)


def networks(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land connected to water, drainage and power? The data does not say."""
    detail = Text(
        "La desserte par l'eau, l'assainissement et l'électricité n'est pas dans les données ; si elle demande des "
        "travaux sur les réseaux publics dont le délai et l'exécutant ne sont pas connus, le projet ne peut pas être "
        "autorisé.",
        "Whether water, drainage and power serve the land is not in the data; where that takes works on the public "
        "networks and it is not known when and by whom they are done, the project cannot be allowed.",
    )
    return Finding(Status.UNKNOWN, detail)
