"""Checks on risks: prevention plans and hazards, soil studies, and what a seller states."""

from collections.abc import Iterable, Sequence

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout, is_within, zones_of
from assistant.assessment.result import Finding, Status, rule
from assistant.text import join, listed, metres, percent, say
from landpartner.land.v1.land_pb2 import Risk
from servicekit.languages import Text

CLOSED_RATIO = 0.9
"""A plan whose zones all forbid building fails the check if its easement covers this share of the unit."""
CLAY_STUDY_LEVELS = ("2", "3")
"""Moderate and high exposure to the shrinking and swelling of clay: a soil study is due at the sale."""
STATED_SEISMIC_LEVELS = ("2", "3", "4", "5")
STATED_RADON_LEVEL = "3"
NEARBY_M = 100.0
"""A cavity, a ground movement or a polluted site within this distance is to be studied. Our assumption."""
DRAFT_RISK_PLAN, SOIL_SECTOR, AIRPORT_NOISE = "21", "38", "27"
"""Types of informations (TYPEINF)."""

_PLANS = {
    "natural_risk_plan": (
        Text("plan de prévention des risques naturels", "prevention plan for natural risks"),
        legal.NATURAL_RISK_PLANS,
    ),
    "technological_risk_plan": (
        Text("plan de prévention des risques technologiques", "prevention plan for technological risks"),
        legal.TECHNOLOGICAL_RISK_PLANS,
    ),
    "mining_risk_plan": (
        Text("plan de prévention des risques miniers", "prevention plan for mining risks"),
        legal.NATURAL_RISK_PLANS,
    ),
}
_PLAN_EASEMENTS = ("PM1", "PM3")
_HAZARDS = {
    "flood_territory": Text("territoire à risque important d’inondation", "territory of high flood risk"),
    "cavity": Text("cavité souterraine", "underground cavity"),
    "landslide": Text("mouvement de terrain", "ground movement"),
}
_NAMES = {
    **{subject: name for subject, (name, _) in _PLANS.items()},
    **_HAZARDS,
    "clay": Text("argiles", "clay"),
    "soil_information_sector": Text("secteur d’information sur les sols", "soil information sector"),
    "polluted_soil": Text("sols pollués", "polluted soil"),
    "seismic": Text("sismicité", "seismic zone"),
    "radon": Text("radon", "radon"),
    "brush_clearing": Text("débroussaillement", "brush clearing"),
}


@rule(
    "Aucun risque connu n’interdit de construire sur le terrain.",
    "No known risk forbids building on the land.",
    legal_refs=(legal.NATURAL_RISK_PLANS, legal.TECHNOLOGICAL_RISK_PLANS, legal.DRAFT_RISK_PLANS, legal.RISK_REFUSAL),
    weight=3,
    settled_by=("georisques", documents.RISK_STATEMENT, documents.RISK_REGULATION),
    is_decisive=True,
)
def risks(facts: LandFacts, layout: Layout) -> Finding:
    """Do prevention plans forbid or limit building, and which hazards are known?"""
    plans = [risk for subject in _PLANS if (risk := facts.risk(subject)).status == "present"]
    hazards = [risk for subject in _HAZARDS if is_within(risk := facts.risk(subject), NEARBY_M)]
    refs = list(dict.fromkeys(_PLANS[plan.subject][1] for plan in plans))
    parts = [_plan(plan) for plan in plans]
    status = Status.PASS
    if any(plan.level != "no_zone" or zones_of(plan) for plan in plans):
        status = Status.WARN
    if plans and all(_forbids_everywhere(plan) for plan in plans):
        share = _plan_share(facts)
        if share >= CLOSED_RATIO:
            status = Status.FAIL
            parts.append(
                say(
                    "La servitude du plan couvre {share} du terrain : un lot à bâtir n’y trouve pas place.",
                    "The easement of the plan covers {share} of the land: a building plot finds no place.",
                    share=percent(min(1.0, share)),
                )
            )
    if hazards:
        status = Status.WARN if status is Status.PASS else status
        refs.append(legal.RISK_REFUSAL)
        parts.append(
            say(
                "Relevé sur le terrain ou à moins de {distance} : {names}. Un projet exposé peut être refusé ou soumis "
                "à des conditions.",
                "Found on the land or within {distance}: {names}. A project that is exposed may be refused or made "
                "subject to conditions.",
                distance=metres(NEARBY_M),
                names=_named(hazards),
            )
        )
    if facts.has_information(DRAFT_RISK_PLAN):
        status = Status.WARN if status is Status.PASS else status
        refs.append(legal.DRAFT_RISK_PLANS)
        parts.append(
            Text(
                "Un projet de plan de prévention y est annexé au plan local : le préfet peut l’appliquer par avance.",
                "A draft prevention plan is annexed to the local plan there: the prefect may apply it in advance.",
            )
        )
    missing = _unknown(facts, (*_PLANS, *_HAZARDS))
    if missing:
        parts.append(_not_known(missing, facts))
        if status is Status.PASS:
            return Finding(Status.UNKNOWN, join(parts), legal_refs=tuple(refs))
    if not parts:
        parts.append(
            Text(
                "Ni plan de prévention des risques, ni territoire inondable, ni cavité, ni mouvement de terrain n’est "
                "relevé sur le terrain ou à ses abords.",
                "No risk prevention plan, flood territory, cavity or ground movement is found on the land or near it.",
            )
        )
    settled = (documents.RISK_REGULATION,) if plans else (documents.RISK_STATEMENT,)
    zones = ", ".join(sorted({zone for plan in plans for zone in zones_of(plan)}))
    is_settled = status is Status.PASS
    return Finding(status, join(parts), zones or None, legal_refs=tuple(refs), settled_by=() if is_settled else settled)


def _plan(plan: Risk) -> Text:
    name = _PLANS[plan.subject][0]
    if zones := zones_of(plan):
        red = [zone for zone, label in zones.items() if _is_red(zone, label)]
        other = [zone for zone in zones if zone not in red]
        parts = []
        if red:
            parts.append(
                say(
                    "Zone {codes} du {name} : on n’y construit pas, sauf exceptions du règlement.",
                    "Zone {codes} of the {name}: no building there, but for the exceptions of its regulation.",
                    codes=_codes(red),
                    name=name,
                )
            )
        if other:
            parts.append(
                say(
                    "Zone {codes} du {name} : on y construit aux conditions du règlement.",
                    "Zone {codes} of the {name}: building there follows the terms of its regulation.",
                    codes=_codes(other),
                    name=name,
                )
            )
        return join(parts)
    if plan.level == "no_zone":
        return say(
            "Aucune zone réglementée du {name} ne touche le terrain.",
            "No regulated zone of the {name} touches the land.",
            name=name,
        )
    return say(
        "Un {name} existe dans la commune ; sa zone sur le terrain n’est pas connue.",
        "A {name} exists in the commune; its zone on the land is not known.",
        name=name,
    )


def _is_red(zone: str, label: str) -> bool:
    """The label tells or, by custom, the letter: R and r forbid, B, b and other letters set conditions."""
    words = label.lower()
    if "interdi" in words or "prescri" in words:
        return "interdi" in words
    return zone[:1] in ("R", "r")


def _codes(zones: Sequence[str]) -> Text:
    """The codes, made safe for a sentence."""
    plain = ["".join(c for c in zone if c.isalnum() or c in "-_'")[:12] for zone in zones]
    return listed([Text(zone, zone) for zone in plain])


def _forbids_everywhere(plan: Risk) -> bool:
    zones = zones_of(plan)
    return bool(zones) and all(_is_red(zone, label) for zone, label in zones.items())


def _plan_share(facts: LandFacts) -> float:
    easements = facts.easements or ()
    return max((item.overlap_ratio for item in easements if item.category in _PLAN_EASEMENTS), default=0.0)


def _unknown(facts: LandFacts, subjects: Iterable[str]) -> list[str]:
    return [subject for subject in subjects if facts.risk(subject).status not in ("present", "none")]


def _named(named_risks: Iterable[Risk]) -> Text:
    return listed([_NAMES[risk.subject] for risk in named_risks])


def _not_known(subjects: Sequence[str], facts: LandFacts) -> Text:
    names = [_NAMES[subject] for subject in subjects]
    if set(subjects) >= _PLANS.keys():
        other_names = [_NAMES[subject] for subject in subjects if subject not in _PLANS]
        names = [Text("plans de prévention des risques", "risk prevention plans"), *other_names]
    return say(
        "Ne sont pas connus pour ce terrain : {names}{why}.",
        "Not known for this land: {names}{why}.",
        names=listed(names),
        why=facts.why_missing("risks"),
    )


@rule(
    "Aucune étude de sol n’est exigée à la vente ou dans la demande.",
    "No soil study is required at the sale or in the application.",
    legal_refs=(legal.SOIL_STUDY, legal.SOIL_INFORMATION_SECTORS, legal.SOIL_INFORMATION_AT_SALE),
    weight=1,
    settled_by=("georisques", documents.RISK_STATEMENT),
)
def soil_studies(facts: LandFacts, layout: Layout) -> Finding:
    """Is a study of the soil due, for clay at the sale or for pollution in the application?"""
    is_in_sector = is_within(facts.risk("soil_information_sector"), 0) or facts.has_information(SOIL_SECTOR)
    is_near_pollution = is_within(facts.risk("polluted_soil"), NEARBY_M)
    clay = facts.risk("clay")
    parts: list[Text] = []
    refs: list[str] = []
    if clay.status == "present" and clay.level in CLAY_STUDY_LEVELS:
        refs.append(legal.SOIL_STUDY)
        parts.append(
            say(
                "L’exposition au retrait-gonflement des argiles est {level} : le vendeur d’un terrain non bâti où une "
                "maison est permise fournit une étude géotechnique préalable.",
                "Exposure to the shrinking and swelling of clay is {level}: who sells bare land on which a house is "
                "allowed provides a preliminary soil study.",
                level=_CLAY_LEVELS[clay.level],
            )
        )
    if is_in_sector:
        refs += [legal.SOIL_INFORMATION_SECTORS, legal.SOIL_INFORMATION_AT_SALE]
        parts.append(
            Text(
                "Le terrain est dans un secteur d’information sur les sols : une étude de pollution et son attestation "
                "sont jointes au permis, et le vendeur en informe l’acheteur par écrit.",
                "The land lies in a soil information sector (SIS): a pollution study and its certificate go with the "
                "permit application, and the seller tells the buyer in writing.",
            )
        )
    if is_near_pollution:
        parts.append(
            say(
                "Un site pollué ou une ancienne activité polluante est recensé à moins de {distance}.",
                "A polluted site or a former polluting activity is recorded within {distance}.",
                distance=metres(NEARBY_M),
            )
        )
    missing = _unknown(facts, ("clay", "soil_information_sector", "polluted_soil"))
    if missing:
        parts.append(_not_known(missing, facts))
    if refs or is_near_pollution:
        return Finding(
            Status.WARN, join(parts), clay.level or None, legal_refs=tuple(refs), settled_by=(documents.RISK_STATEMENT,)
        )
    if missing:
        return Finding(Status.UNKNOWN, join(parts), legal_refs=())
    detail = Text(
        "Ni l’argile ni une pollution connue ne demande d’étude de sol à la vente.",
        "Neither clay nor a known pollution requires a soil study at the sale.",
    )
    return Finding(Status.PASS, detail, clay.level or None, legal_refs=())


_CLAY_LEVELS = {"2": Text("moyenne", "moderate"), "3": Text("forte", "high")}


@rule(
    "Le vendeur informe l’acheteur des risques et du bruit relevés.",
    "The seller tells the buyer of the risks and noise found.",
    legal_refs=(legal.RISK_STATEMENT, legal.BRUSH_CLEARING, legal.AIRPORT_NOISE_AT_SALE),
    weight=1,
    settled_by=("georisques", documents.RISK_STATEMENT),
)
def buyer_information(facts: LandFacts, layout: Layout) -> Finding:
    """Must the seller give the buyer a statement of risks (état des risques)?"""
    due = [risk for subject in _STATED if _is_stated(risk := facts.risk(subject))]
    refs: list[str] = []
    parts: list[Text] = []
    if due:
        refs.append(legal.RISK_STATEMENT)
        parts.append(
            say(
                "Le vendeur remet un état des risques dès la première visite et le joint à l’acte : {names}.",
                "The seller hands over a statement of risks at the first visit and joins it to the deed: {names}.",
                names=_named(due),
            )
        )
    if facts.risk("brush_clearing").status == "present":
        refs.append(legal.BRUSH_CLEARING)
        parts.append(
            Text(
                "Il informe aussi l’acheteur de l’obligation de débroussailler.",
                "The seller also tells the buyer of the duty to clear brush.",
            )
        )
    if facts.has_information(AIRPORT_NOISE):
        refs.append(legal.AIRPORT_NOISE_AT_SALE)
        parts.append(
            Text(
                "L’acheteur est informé de la zone de bruit de l’aérodrome.",
                "The buyer is told of the noise zone of the airport.",
            )
        )
    missing = _unknown(facts, _STATED)
    if parts:
        if missing:
            parts.append(_not_known(missing, facts))
        return Finding(
            Status.WARN, join(parts), value=True, legal_refs=tuple(refs), settled_by=(documents.RISK_STATEMENT,)
        )
    if missing:
        return Finding(Status.UNKNOWN, _not_known(missing, facts), legal_refs=(legal.RISK_STATEMENT,))
    detail = Text(
        "Aucun risque relevé n’oblige le vendeur à remettre un état des risques.",
        "No risk found obliges the seller to hand over a statement of risks.",
    )
    return Finding(Status.PASS, detail, value=False, legal_refs=())


_STATED = (*_PLANS, "seismic", "radon", "soil_information_sector", "brush_clearing")


def _is_stated(risk: Risk) -> bool:
    if risk.subject == "seismic":
        return risk.level in STATED_SEISMIC_LEVELS
    if risk.subject == "radon":
        return risk.level == STATED_RADON_LEVEL
    return is_within(risk, 0) if risk.subject == "soil_information_sector" else risk.status == "present"
