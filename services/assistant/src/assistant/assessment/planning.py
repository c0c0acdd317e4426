"""Checks on the plan: zone, lot sizes, reading of its rules, stay of decision, networks."""

from collections.abc import Sequence

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import area, join, listed, percent, say
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

OPEN_RATIO = 0.99
"""A zone with this share counts as covering the unit, since outlines of parcels and zones differ by centimetres."""
SMALL_LOT_M2 = 300.0
"""Below this average, rules on footprint, setback and planting limit a lot more than its area. A usual figure."""

STAY_OF_DECISION, SANITATION = "12", "19"
"""Types of informations (TYPEINF): areas where decisions may be put off, and sanitation zones."""


@rule(
    "Un lot à bâtir se détache en zone ouverte à la construction.",
    "A building plot is detached in a zone that is open to building.",
    legal_refs=(
        legal.ZONE_U,
        legal.ZONE_AU,
        legal.ZONE_A,
        legal.ZONE_N,
        legal.CARTE_COMMUNALE,
        legal.SECTOR_OF_ACTIVITIES,
        legal.RNU_BUILT_UP,
    ),
    weight=4,
    settled_by=("gpu-zones", documents.CERTIFICATE),
    is_decisive=True,
)
def zone_type(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the unit is in zones open to building (U, AUc; sector 01 of a carte communale)?"""
    urbanism = facts.urbanism
    if urbanism is None:
        detail = say(
            "Le zonage du document d’urbanisme n’est pas disponible pour ce terrain{why} ; sa constructibilité reste à "
            "vérifier en mairie.",
            "The zoning is not available for this land{why}; whether it may be built on is to be checked at the town "
            "hall.",
            why=facts.why_missing("urbanism"),
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    if urbanism.is_rnu and urbanism.zones:
        detail = Text(
            "Les sources se contredisent : des zones couvrent le terrain, et la commune est dite sans document "
            "d’urbanisme. Le document en vigueur est à demander en mairie.",
            "The sources contradict each other: zones cover the land, and the commune is said to have no plan of its "
            "own. The plan in force is to be asked for at the town hall.",
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    if urbanism.is_rnu:
        detail = Text(
            "La commune n’a pas de document d’urbanisme : le règlement national s’applique et l’on ne construit, sauf "
            "exceptions, que dans les parties urbanisées de la commune.",
            "The commune has no plan of its own: the national rules apply, and building is, with exceptions, allowed "
            "only in the built-up parts of the commune.",
        )
        return Finding(Status.WARN, detail, "RNU", None, None, (legal.RNU_BUILT_UP,))
    if facts.is_carte_communale and all(_kind(zone) in _UNTOLD for zone in urbanism.zones):
        detail = say(
            "La commune a une carte communale ; le terrain y est en secteur {names}, et l’on ne sait pas si les "
            "constructions y sont admises.",
            "The commune has a carte communale; the land lies in its sector {names}, and whether building is allowed "
            "there is not known.",
            names=listed([Text(_plain(zone.label), _plain(zone.label)) for zone in urbanism.zones]),
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", (legal.CARTE_COMMUNALE,))
    if all(_kind(zone) in _UNTOLD for zone in urbanism.zones):
        detail = Text(
            "Le type de zone n’est pas renseigné pour ce terrain.", "The type of zone is not given for this land."
        )
        return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", ())
    return _zoned(urbanism.zones, is_complete=facts.is_complete("urbanism"))


def _zoned(zones: Sequence[land_pb2.PlanningZone], *, is_complete: bool) -> Finding:
    kinds = {_kind(zone) for zone in zones}
    ranked = sorted(zones, key=lambda zone: (-zone.overlap_ratio, zone.label))
    open_share = min(1.0, sum(zone.overlap_ratio for zone in zones if _kind(zone) in _OPEN))
    refs = tuple(dict.fromkeys(_ZONE_REFS[_kind(zone)] for zone in ranked if _kind(zone) in _ZONE_REFS))
    names = listed([_named(zone) for zone in ranked])
    opening = say("Le terrain est en {names}.", "The land lies in {names}.", names=names)
    if open_share < OPEN_RATIO and not (is_complete and kinds.isdisjoint(_UNTOLD)):
        status = Status.UNKNOWN
        remark = Text(
            "Le zonage du reste du terrain n’est pas connu ; sa constructibilité est à vérifier en mairie.",
            "The zoning of the rest of the land is not known; whether it may be built on is to be checked at the town "
            "hall.",
        )
    elif open_share < 1 - OPEN_RATIO:
        if kinds & {"Ah", "Nh"}:
            status = Status.WARN
            remark = Text(
                "Ce secteur n’admet que des constructions limitées, que son règlement énumère.",
                "This sector allows limited building only, which its regulation lists.",
            )
        elif "02" in kinds:
            status = Status.WARN
            remark = Text(
                "Le secteur réservé aux activités n’admet qu’elles : on n’y détache pas de terrain pour des logements.",
                "The sector reserved for activities admits nothing else: no plot for dwellings is detached there.",
            )
        elif kinds <= {"03"}:
            status = Status.FAIL
            remark = Text(
                "Les constructions n’y sont pas admises, sauf exceptions prévues par la loi ; on n’y détache pas de "
                "terrain à bâtir.",
                "Building is not admitted there, but for the exceptions that the law provides; no building plot is "
                "detached there.",
            )
        elif kinds <= {"AUs"}:
            status = Status.FAIL
            remark = Text(
                "Cette zone ne s’ouvre à la construction qu’après modification ou révision du plan.",
                "This zone opens to building only after the plan is modified or revised.",
            )
        else:
            status = Status.FAIL
            remark = Text(
                "Sauf exception prévue par le règlement, on n’y détache pas de terrain à bâtir.",
                "Unless the regulation provides an exception, no building plot is detached there.",
            )
    elif open_share < OPEN_RATIO:
        status = Status.WARN
        remark = say(
            "Seuls {share} du terrain sont en zone ouverte à la construction ; les lots à bâtir doivent s’y tenir.",
            "Only {share} of the land is in a zone open to building; the building plots must keep to it.",
            share=percent(open_share),
        )
    elif "AUc" in kinds:
        status = Status.WARN
        remark = Text(
            "Cette zone à urbaniser est ouverte, aux conditions de son règlement et des orientations d’aménagement.",
            "This zone is open to development, on the terms of its regulation and of the development guidelines.",
        )
    else:
        status = Status.PASS
        remark = Text("La zone est ouverte à la construction.", "The zone is open to building.")
    return Finding(status, join([opening, remark]), round(open_share, 3), OPEN_RATIO, "ratio", refs)


_OPEN = ("U", "AUc", "01")
_UNTOLD = ("", "99")
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


def _kind(zone: land_pb2.PlanningZone) -> str:
    """The type of the zone or of the sector of a carte communale. It decides whether building is allowed."""
    return zone.zone_type or zone.sector_type


def _named(zone: land_pb2.PlanningZone) -> Text:
    name = _ZONE_NAMES.get(_kind(zone), Text("zone de type inconnu", "zone of unknown type"))
    return say(
        "{name} {label} ({share})", "{name} {label} ({share})",
        name=name, label=_plain(zone.label), share=percent(zone.overlap_ratio),
    )  # fmt: skip


def _plain(label: str) -> str:
    """A zone's local name, made safe for a sentence. The field is free text; the standard allows 12 characters."""
    return "".join(c for c in label if c.isalnum() or c in "-/'").strip()[:12]


@rule(
    "Un plan local d’urbanisme n’impose plus de superficie minimale de terrain depuis la loi ALUR.",
    "A local plan has set no minimum plot area since the ALUR law.",
    legal_refs=(legal.ALUR,),
    weight=1,
    settled_by=("cadastre-parcels",),
)
def minimum_lot_size(facts: LandFacts, layout: Layout) -> Finding:
    """How large is the average lot? Never fails: the ALUR law ended minimum lot sizes in local plans."""
    opening = Text(
        "Depuis la loi ALUR, un plan local d’urbanisme ne peut plus imposer de superficie minimale aux terrains.",
        "Since the ALUR law a local plan can no longer set a minimum area for plots.",
    )
    if facts.area_m2 is None:
        remark = Text("La superficie des lots n’est pas connue.", "The area of the lots is not known.")
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
        "À {average} par lot en moyenne, ce sont l’emprise au sol, les reculs, la pleine terre et le stationnement qui "
        "limiteront ce qui peut y être bâti.",
        "At {average} a lot on average, footprint, setbacks, planted ground and parking are what will limit what can "
        "be built there.",
        **values,
    )
    return Finding(Status.WARN, join([opening, remark]), round(average, 1), SMALL_LOT_M2, "m²")


@rule(
    "Les règles du plan s’apprécient sur l’ensemble du projet, sauf disposition contraire.",
    "The plan's rules are read on the project as a whole, unless it provides otherwise.",
    legal_refs=(legal.PROJECT_READING,),
    weight=1,
    settled_by=("gpu-zones", documents.REGULATION),
)
def project_reading(facts: LandFacts, layout: Layout) -> Finding:
    """Do the plan's rules apply to the whole lotissement or to each lot? The law decides, unless the plan objects."""
    if facts.has_national_rules:
        detail = Text(
            "Sans plan local d’urbanisme, la question d’une lecture des règles à l’échelle du projet ou de chaque lot "
            "ne se pose pas.",
            "Without a local plan, whether rules are read on the whole project or on each lot is not a question.",
        )
        return Finding(Status.PASS, detail, legal_refs=())
    detail = Text(
        "Les règles d’un plan local d’urbanisme s’apprécient sur l’ensemble du lotissement, sauf si le règlement "
        "impose de les respecter lot par lot ; ce règlement n’a pas été lu ici.",
        "The rules of a local plan are read on the lotissement as a whole, unless the regulation requires each lot to "
        "meet them; that regulation was not read here.",
    )
    if facts.urbanism is None:
        return Finding(Status.UNKNOWN, detail)
    return Finding(Status.WARN, detail, settled_by=(documents.REGULATION,))


@rule(
    "L’autorité peut surseoir à statuer lorsqu’un plan local est en cours d’élaboration ou de révision, une "
    "fois ses orientations débattues.",
    "The authority may put off its decision while a local plan is being drawn up or revised, once its "
    "guidelines have been debated.",
    legal_refs=(legal.STAY_OF_DECISION, legal.PLAN_UNDER_WAY, legal.CERTIFICATE),
    weight=1,
    settled_by=("gpu-informations", documents.CERTIFICATE),
)
def stay_of_decision(facts: LandFacts, layout: Layout) -> Finding:
    """Can the authority postpone its decision? The data has areas of stay, not the plans under way."""
    has_area = facts.has_information(STAY_OF_DECISION)
    if has_area:
        detail = Text(
            "Le terrain est dans un périmètre où l’autorité peut surseoir à statuer : sa décision peut être différée "
            "de deux ans au plus.",
            "The land lies in an area where the authority may put off its decision, for at most two years.",
        )
        return Finding(
            Status.WARN,
            detail,
            legal_refs=(legal.STAY_OF_DECISION, legal.CERTIFICATE),
            settled_by=(documents.CERTIFICATE,),
        )
    pending = Text(
        "Si un plan local est en cours d’élaboration ou de révision et que ses orientations (PADD) ont été débattues, "
        "l’autorité peut surseoir à statuer sur un projet qui en compromettrait l’exécution ou la rendrait plus "
        "onéreuse ; l’état de ces procédures n’est pas dans les données. Le certificat d’urbanisme le dit.",
        "Where a local plan is being drawn up or revised and its guidelines (PADD) have been debated, the authority "
        "may put off its decision on a project that would endanger carrying the plan out or make it costlier; the "
        "state of such procedures is not in the data. The planning certificate (certificat d’urbanisme) tells it.",
    )
    if has_area is None:
        return Finding(Status.UNKNOWN, pending)
    none = Text(
        "Aucun périmètre de sursis à statuer n’est annexé au plan.",
        "No area of stay of decision is annexed to the plan.",
    )
    return Finding(Status.WARN, join([none, pending]), value=False, settled_by=(documents.CERTIFICATE,))


@rule(
    "Le terrain est desservi par les réseaux, ou le sera dans un délai connu.",
    "The land is served by the networks, or will be by a known date.",
    legal_refs=(legal.NETWORKS, legal.CERTIFICATE, legal.SANITATION_ZONES),
    weight=1,
    settled_by=(documents.OPERATIONAL_CERTIFICATE, documents.NETWORK_OPERATORS),
)
def networks(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land connected to water, drainage and power? The data has sanitation zones only."""
    detail = Text(
        "La desserte par l’eau, l’assainissement et l’électricité n’est pas dans les données ; si elle demande des "
        "travaux sur les réseaux publics dont le délai et l’exécutant ne sont pas connus, le projet ne peut pas être "
        "autorisé.",
        "Whether water, drainage and power serve the land is not in the data; where that takes works on the public "
        "networks and it is not known when and by whom they are done, the project cannot be allowed.",
    )
    if not facts.has_information(SANITATION):
        return Finding(Status.UNKNOWN, detail, legal_refs=(legal.NETWORKS, legal.CERTIFICATE))
    zone = Text(
        "Le terrain est dans un zonage d’assainissement annexé au plan : il dit si le réseau est collectif ou si "
        "chaque lot traite ses eaux usées, ce qui demande du terrain.",
        "The land lies in sanitation zones annexed to the plan: they tell whether a public sewer serves it or each "
        "plot treats its waste water, which takes ground.",
    )
    refs = (legal.NETWORKS, legal.CERTIFICATE, legal.SANITATION_ZONES)
    return Finding(Status.UNKNOWN, join([detail, zone]), legal_refs=refs)
