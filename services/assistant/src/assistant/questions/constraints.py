"""Answers about what weighs on the land: risks and owners."""

import re

from assistant.assessment.facts import zones_of
from assistant.questions.replies import Found, Statement, Subject, state, statement, tell
from assistant.text import listed, metres
from landpartner.land.v1.land_pb2 import Owner, Risk
from servicekit.languages import Text

MAX_NAMES = 8
"""Owners that are named."""
_MAX_NAME = 80

_RISKS = {
    "clay": Text("retrait-gonflement des argiles", "shrinking and swelling clay"),
    "cavity": Text("cavités souterraines", "underground cavities"),
    "landslide": Text("mouvements de terrain", "ground movements"),
    "polluted_soil": Text("sites ou sols pollués", "polluted sites or soils"),
    "soil_information_sector": Text("secteur d’information sur les sols", "soil information sector"),
    "classified_installation": Text("installations classées", "classified installations"),
    "radon": Text("radon", "radon"),
    "seismic": Text("sismicité", "seismicity"),
    "flood_territory": Text("territoire à risque important d’inondation", "area of major flood risk"),
    "brush_clearing": Text("obligation de débroussailler", "duty to clear brush"),
    "natural_risk_plan": Text("plan de prévention des risques naturels", "natural risk prevention plan"),
    "technological_risk_plan": Text(
        "plan de prévention des risques technologiques", "technological risk prevention plan"
    ),
    "mining_risk_plan": Text("plan de prévention des risques miniers", "mining risk prevention plan"),
}


def risks(subject: Subject) -> Found:
    """What each publisher answers, then what the checks conclude. A check that is not known says what is missing."""
    items = [subject.facts.risk(name) for name in _RISKS]
    named = {
        "risk_inventory.present": [_with_level(item) for item in items if item.status == "present"],
        "risk_inventory.absent": [_RISKS[item.subject] for item in items if item.status == "none"],
    }
    inventory = [statement(key, names=listed(names)) for key, names in named.items() if names]
    concluded = subject.quote("risks", "soil_studies", "buyer_information")
    if not inventory and not concluded:
        return subject.check("risks").detail
    missing = () if any(statement.code == "risks" for statement in concluded) else (state(subject.check("risks")),)
    return (*inventory, *concluded, *missing)


def _with_level(item: Risk) -> Text:
    """The risk with its level, its zones or the distance of the nearest site."""
    name = _RISKS[item.subject]
    distances = [finding.distance_m for finding in item.findings if finding.HasField("distance_m")]
    if re.fullmatch(r"\w{1,3}", item.level):
        return tell("risk_inventory.level", name=name, level=item.level)
    if zones := [zone for zone in zones_of(item) if re.fullmatch(r"[\w-]{1,12}", zone)]:
        return tell("risk_inventory.zones", name=name, zones=", ".join(zones[:MAX_NAMES]))
    if distances:
        return tell("risk_inventory.nearest", name=name, nearest=metres(round(min(distances))))
    return name


def owners(subject: Subject) -> Found:
    owners = subject.facts.owners or ()
    joint = subject.facts.joint_ownerships
    registered: tuple[Statement, ...] = ()
    if joint:
        key = "joint_ownership.one" if len(joint) == 1 else "joint_ownership.several"
        registered = (statement(key, count=len(joint)),)
    concluded = subject.quote("ownership")
    if not (owners or subject.facts.is_complete("owners")):
        return concluded or registered or subject.check("ownership").detail
    names = list(dict.fromkeys(name for owner in owners if (name := plain_name(owner))))
    named = (statement("owners.named", names=", ".join(names[:MAX_NAMES])),) if names else ()
    return (*named, *registered, *concluded)


def plain_name(owner: Owner) -> str:
    """The name without characters that have a meaning in Markdown, since the publisher's text is free."""
    name = " ".join(re.sub(r"[^\w'&., -]|_", " ", owner.name).split())[:_MAX_NAME].strip()
    if re.fullmatch(r"\d{9}", owner.siren):
        return f"{name} (SIREN {owner.siren})" if name else ""
    return name
