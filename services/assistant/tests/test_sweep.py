"""Whatever a person asks about whatever land: no part of the answer fails, and the answer has a text.

The land is half the demo's parcels, half what plans contain of odd shapes, each without and with a house. The phrases
are those of people who know neither the service nor the law. Each parcel is asked all intents and a sample of the
phrases.
"""

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shapely
from shapely import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

import demoland
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Status, Verdict
from assistant.division.proposal import Lot
from assistant.models.base import Brief
from assistant.models.lines import tell
from assistant.models.rules import passages
from assistant.prompts.loader import load_prompt
from assistant.questions.answers import INTENTS, answer
from assistant.questions.reading import ReadQuestion
from assistant.questions.replies import Subject
from assistant.reading.wishes import Wish
from assistant.rpc import messages
from assistant.study import study
from assistant.text import read_table, split_sentences
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language, Text
from servicekit.parts import failed_parts

pytestmark = pytest.mark.thorough

FRENCH = (
    "Bonjour, mon terrain est trop grand, je peux en vendre un bout ?",
    "On voudrait donner une parcelle à chacun de nos trois enfants",
    "Mon voisin veut racheter le fond du jardin, comment on fait ?",
    "Je cède 12 m² au voisin pour sa haie",
    "Vendre la moitié de mon jardin à mon voisin : faut-il un géomètre ?",
    "Je vends une bande de terrain à mon voisin",
    "Est ce que je peux faire construire derrière chez moi ?",
    "Combien ça me coûterait de couper le terrain en deux",
    "garder notre maison avec 400 m2 et vendre le reste en terrain à batir",
    "J'aimerais faire 3 lots égaux, c'est jouable ?",
    "un promoteur me propose 8 maisons avec une petite route au milieu",
    "Ma mère est décédée, on est 4 héritiers, on partage comment ?",
    "il faut passer par la mairie avant de séparer le garage de la maison ?",
    "Le terrain est en pente, c'est grave ?",
    "Quels papiers pour le notaire ?",
    "c'est inondable chez moi?",
    "Y a-t-il un risque d'argile ?",
    "Je démolis la vieille grange et je fais deux terrains",
    "Par où passeraient les voitures pour le lot du fond ?",
    "On peut mettre une piscine après la division ?",
    "Combien valent les maisons dans le coin",
    "Qui est le propriétaire de la parcelle d'à côté ?",
    "détacher 1 500 m² pour mon fils, sans voie commune",
    "La commune peut-elle m'empêcher de vendre ?",
    "Combien de temps pour avoir l'autorisation ?",
    "je veux douze terrains de 250 m²",
    "Faut il raccorder l'eau et l'électricité avant de vendre ?",
    "est-ce constructible",
    "Une bande de 4 mètres le long du chemin pour la mairie",
    "Diviser",
)
ENGLISH = (
    "Hi, could I sell off the bottom of my garden?",
    "We want to give each of our two kids a plot",
    "my neighbour wants to buy a strip along the fence",
    "Sell half of the garden to the neighbour to enlarge his",
    "Can I keep the house and sell the rest for building?",
    "How many houses could fit here?",
    "Split it into four equal plots with a shared drive",
    "two plots of 600 m2 and the rest stays with me",
    "Do I need a surveyor for that?",
    "Will the town hall say no?",
    "What does it cost to divide land in France?",
    "is it in a flood area",
    "Would a buyer get water and power?",
    "We would knock the house down and make 5 plots",
    "Can anybody build behind the house?",
    "How do you get to the plot at the back?",
    "What have houses nearby sold for?",
    "Which permit is needed?",
    "I inherited this with my sister, can we split it?",
    "Is the land too steep?",
    "Could we add a pool later on?",
    "a quarter of an acre for my brother",
    "Is there an old church that makes things complicated?",
    "what taxes would I pay",
    "How long does all of it take?",
    "Who owns the land next door?",
    "just one plot please, as big as possible",
    "I am a builder, I would put 6 houses on it and sell them",
    "No shared way, 3 plots",
    "divide",
)
PHRASES: tuple[tuple[Language, str], ...] = (*(("fr", text) for text in FRENCH), *(("en", text) for text in ENGLISH))
PHRASES_PER_PARCEL = 10
REASONS = read_table("reading/wishes.toml")["reason"]
CHUNKS, PARCELS_PER_CHUNK = 6, 10
_SPACING_DEG = 0.01
_METRES_PER_DEGREE = (76_056.0, 111_171.0)


def star(corners: int, radius_m: float, depth: float = 0.0) -> Polygon:
    """Every second corner is closer to the middle, by this share."""
    turns = [(2 * math.pi * index / corners, radius_m * (1 - depth * (index % 2))) for index in range(corners)]
    return Polygon([(radius * math.cos(turn), radius * math.sin(turn)) for turn, radius in turns])


HOSTILE: tuple[BaseGeometry, ...] = (
    box(0, 0, 60, 0.4), box(0, 0, 0.9, 45), box(0, 0, 90, 2.5), box(0, 0, 3.9, 70),
    Polygon([(0, 0), (80, 5), (80, 5.3), (0, 0.3)]), Polygon([(0, 0), (50, 0), (0, 3)]),
    box(0, 0, 20, 0.001), box(0, 0, 0.001, 0.001), Polygon([(0, 0), (50, 0), (25, 0)]),
    MultiPolygon([box(0, 0, 0.001, 20), box(5, 0, 5.001, 20)]), box(0, 0, 1, 1), box(0, 0, 100, 100),
    box(0, 0, 900, 700), Polygon([(0, 0), (20, 20), (20, 0), (0, 20)]), Polygon([(0, 0), (40, 1), (40, 0), (0, 30)]),
    Polygon(box(0, 0, 40, 40).exterior, [box(12, 12, 28, 28).exterior]),
    Polygon(box(0, 0, 40, 40).exterior, [[(0, 0), (30, 10), (30, 30)]]),
    Polygon(box(0, 0, 60, 45).exterior, [box(5, 5, 20, 40).exterior, box(30, 5, 55, 40).exterior]),
    star(200, 25), star(200, 30, 0.4), star(7, 22, 0.7), MultiPolygon([box(0, 0, 20, 20), box(40, 0, 60, 30)]),
    MultiPolygon([box(0, 0, 20, 25), box(20.05, 0, 40, 25)]),
    MultiPolygon([box(9 * number, 0, 9 * number + 6, 6) for number in range(5)]),
    Polygon([(0, 0), (4, 0), (4, 30), (30, 30), (30, 60), (0, 60)]), box(0, 0, 25, 8),
    Polygon([(0, 0), (30, 0), (30, 30), (15, 30), (15, 300), (15.0001, 30), (0, 30)]),
    Polygon([(0, 0), (40, 0), (40, 40), (30, 40), (30, 10), (10, 10), (10, 40), (0, 40)]),
    Polygon([(0, 0), (0.5, 0), (0.5, 20), (20, 20), (20, 50), (0, 50)]), box(0, 0, 7, 8.5),
)  # fmt: skip
"""In metres: slivers, millimetres, a metre, a hectare and more, bow ties, holes, 200 corners, several parts, flags."""


def published(shape: BaseGeometry, number: int) -> dict[str, Any]:
    """The shape as a parcel in a file of the cadastre, far from the others."""
    degrees = shapely.transform(shape, lambda metres: metres / _METRES_PER_DEGREE + (2.5 + number * _SPACING_DEG, 47.5))
    properties = {
        "id": f"45234000ZZ{number:04}",
        "commune": "45234",
        "contenance": round(shapely.make_valid(shape).area),
    }
    return {"properties": properties, "geometry": shapely.geometry.mapping(degrees)}


@pytest.fixture(scope="module")
def parcels(
    tmp_path_factory: pytest.TempPathFactory, read_parcels: Callable[[Path, int], Iterator[land_pb2.LandUnit]]
) -> list[land_pb2.LandUnit]:
    """The demo's parcels and the hostile ones in turn."""
    folder = tmp_path_factory.mktemp("sweep")
    [plan] = [path for dataset, path in demoland.write(folder).files if dataset == "cadastre-parcels"]
    with gzip.open(plan, "rt", encoding="utf-8") as file:
        demo = [feature for feature in json.load(file)["features"] if feature["geometry"]]
    file_of_all = folder / "parcels.json.gz"
    features = [*demo, *(published(shape, number) for number, shape in enumerate(HOSTILE))]
    file_of_all.write_bytes(gzip.compress(json.dumps({"features": features}).encode()))
    units = list(read_parcels(file_of_all, 1))
    quarter, town = units[: len(HOSTILE) // 2], units[len(HOSTILE) // 2 : len(demo)]
    chosen = [*quarter, *town[:: len(town) // (len(HOSTILE) // 2)][: len(HOSTILE) // 2]]
    return [unit for pair in zip(chosen, units[len(demo) :], strict=True) for unit in pair]


def with_facts(parcel: land_pb2.LandUnit, number: int, house_m: float) -> land_pb2.LandUnit:
    """The parcel with a zone, a house of this width if it is not 0, and a frontage that some do not have."""
    unit = land_pb2.LandUnit()
    unit.CopyFrom(parcel)
    unit.urbanism.zones.add(label="UB", zone_type=("U", "U", "AUc", "N")[number % 4], overlap_ratio=1.0)
    unit.land.is_contiguous = number % 5 != 0
    if number % 6 == 1:
        unit.land.frontage_m = 0.0
        unit.land.ClearField("frontage")
    elif number % 6 == 3:
        unit.land.ClearField("frontage_m")
        unit.land.ClearField("frontage")
    unit.buildings.count = int(house_m > 0)
    if house_m:
        middle = shapely.make_valid(shapely.from_geojson(unit.geometry)).representative_point()
        half = [house_m / 2 / metres for metres in _METRES_PER_DEGREE]
        house = box(middle.x - half[0], middle.y - half[1], middle.x + half[0], middle.y + half[1])
        unit.buildings.items.add(id="house", geometry=shapely.to_geojson(house).encode())
        unit.buildings.footprint_area_m2 = house_m**2
        unit.buildings.ground_coverage_ratio = min(1.0, house_m**2 / max(unit.land.geometric_area_m2, 1.0))
    for dataset in ("dvf", "gpu-zones", "gpu-prescriptions", "cadastre-buildings"):
        unit.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)
    return unit


def check_answer(unit: land_pb2.LandUnit, language: Language, question: str) -> None:
    """Asserts that the answer has all its parts."""
    failed_parts.set([])
    facts = LandFacts(unit)
    done = study(facts, question)
    brief = Brief(**vars(done), question=question, language=language, prompt=load_prompt())
    check_text(brief)
    written = messages.quick_assessment(brief, done.site.projection if done.site else 2154)
    assert len(written.proposals) == len(done.division.proposals)
    if written.proposals and (drawn := [a.value for a in written.assumptions if a.name == "drawn_area_m2"]):
        best = written.proposals[0]
        parts = [lot.area_m2 for lot in best.lots] + [best.shared_way.area_m2] * best.HasField("shared_way")
        assert abs(sum(parts) - drawn[0]) < 0.05
    assert failed_parts.get() == []


def check_text(brief: Brief) -> None:
    """Asserts that the text is whole and short, and that nothing in it contradicts the study."""
    language, assessment = brief.language, brief.assessment
    text = "".join(passage.text for passage in passages(brief))
    assert len(text) > len(assessment.disclaimer.read(language)) + 40
    assert failed_parts.get() == []
    check_length(text, brief)
    summary = f"**{brief.headline.read(language)}**"
    assert text.count(summary) == 1
    has_replies = not brief.replies.is_general or any(reply.statements for reply in brief.replies.answered)
    assert text.startswith(summary) or (has_replies and assessment.verdict is not Verdict.UNFAVOURABLE)
    check_references(text, brief)
    check_quotes(text, brief)
    frame = [line for line in text.splitlines() if line.startswith(FRAMES[language])]
    assert len(frame) == 3
    if not brief.replies.is_general:
        assert assessment.procedure.label.read(language).partition(",")[0].casefold() in text.casefold()
    check_clear(text, brief)
    check_verdict(summary, brief)
    check_procedure(text, brief)
    check_said_once(text)
    for line in text.splitlines():
        for article, words in ARTICLES.items():
            assert article not in line or "(" not in line or re.search(words, line), (article, line)
    if language == "fr":
        assert re.search(r"\d\.\d", re.sub(r"\([^()]*\)", "", text)) is None, text


FRAMES: Mapping[Language, tuple[str, ...]] = {
    "fr": (
        "- Lots\u00a0:", "- Reste à connaître", "- Chaque point", "- Ensuite, dans l’ordre",
        "- Ensuite\u00a0: chercher avec", "- Ensuite\u00a0: voir le notaire",
    ),
    "en": (
        "- Lots:", "- Not known yet", "- Every point", "- Next, in order",
        "- Next: look with", "- Next: see the notary",
    ),
}  # fmt: skip
"""How the lines begin that each answer has: lots, what is not known, and the next step."""
ARTICLES = {
    "art. L115-3": "commune",
    "L442-4": "promesse|promised",
    "R423-24": "de plus|more|longer",
    "R442-7": "association syndicale",
    "L213-2": "déclaration d’intention",
}
"""The words that stand in the line that cites the article."""
CONTRADICTED = {
    "small_lot": "unit_area", "no_house_fits": "unit_area", "narrow_frontage": "access", "landlocked": "access",
    "building_setback": "existing_buildings", "closed_land": "zone_type", "wished_size": "unit_area",
}  # fmt: skip


def check_references(text: str, brief: Brief) -> None:
    """The text points to nothing that it does not show, and names no point as clear beside a no."""
    assert re.search("dans les contrôles|see the checks", text) is None
    assert brief.division.proposals or re.search(NO_DRAWING, text) is None, text
    clear = tell("heading.clear").read(brief.language)
    assert clear not in text or brief.assessment.verdict is not Verdict.UNFAVOURABLE, text
    is_without_fault = re.search("sans défaut relevé|no shortcoming found", text)
    assert not (is_without_fault and re.search("décide d’abord : le dessin|deciding point is the layout", text)), text


def check_quotes(text: str, brief: Brief) -> None:
    """No greeting is quoted, and nothing as without effect or not read that is drawn or answered."""
    assert GREETING.search(text) is None, text
    quoted = " ".join(line for line in text.splitlines() if re.search("Noté, sans|Non lu|Noted, w|Not read", line))
    quotes = re.findall("[«“]([^»”]+)[»”]", quoted)
    told = [wish.words for wish in brief.wishes if wish.status == "followed" and wish.words]
    asks = [reply.question.text for reply in brief.replies.answered if not reply.question.is_stated]
    assert [words for words in (*told, *asks) if any(words in quote for quote in quotes)] == [], text


GREETING = re.compile(
    r"[«“]\s*(?:bonjour|hello|hi)\b|(?:Non lu|Not read)[^.]*[«“]\s*(?:je suis|we are|i am)", re.IGNORECASE
)
NO_DRAWING = r"dessins\b|dessinée ici|drawn here|drawings\b"
"""Words that point to a drawing."""


def check_length(text: str, brief: Brief) -> None:
    """An answer to one ask has at most 250 words, 100 more for each further ask; the study by itself 350."""
    asks = [reply for reply in brief.replies.answered if reply.statements or not reply.question.is_stated]
    count = len(asks) + len(brief.replies.unanswered)
    limit = 250 + 100 * max(0, count - 1)
    assert len(text.split()) <= (max(limit, 350) if brief.replies.is_general else limit), text
    for reply in brief.replies.answered:
        _, heading, rest = text.partition(f"### {reply.heading.read(brief.language)}\n\n")
        assert len(f"{heading}{rest.split(chr(10) * 2)[0]}".split()) <= 120, text


def check_verdict(summary: str, brief: Brief) -> None:
    """The first sentence does not call possible what no house fits on, what is closed, or what is not as asked."""
    zoning = next(check for check in brief.assessment.checks if check.code == "zone_type")
    is_closed = isinstance(zoning.value, float) and zoning.value < 1 and zoning.status is Status.WARN
    misses = [
        *(lot.id for lot in best_lots(brief) if lot.role == "closed_land"),
        *["no_house_fits"] * brief.division.layout().lot_without_house_count,  # none is needed beside a kept house
        *(check.code for check in brief.assessment.checks if check.status is Status.FAIL),
        *(wish.field for wish in brief.wishes if brief.division.proposals and is_missed(wish)),
        *(["zone_type"] if is_closed else []),
    ]
    assert not (misses and re.search("paraît possible|looks possible", summary)), (summary, misses)


def is_missed(wish: Wish) -> bool:
    """Whether the number or an area that is asked for is not drawn."""
    return wish.status == "not_followed" and (
        wish.field in ("/lot_count", "/has_even_lots") or wish.reason == Text(*REASONS["area"])
    )


def check_procedure(text: str, brief: Brief) -> None:
    """The study names one procedure, and another one only beside the proposal that needs it."""
    for reply in brief.replies.answered:
        before, heading, rest = text.partition(f"### {reply.heading.read(brief.language)}\n\n")
        text = before + rest.partition("\n\n")[2] if heading else text
    for line in text.splitlines():
        stated = UNLESS_PROTECTED.sub("", line.casefold())
        named = {code for code, names in PROCEDURES.items() if re.search(names, stated)}
        assert len(named) <= 1, line
        assert named <= {brief.assessment.procedure.code} or line[0].isdecimal(), line


UNLESS_PROTECTED = re.compile(
    "hors (?:abords|site).*?permis d’aménager|"
    "outside (?:the surroundings|protected).*?development permit(?: \\(permis d’aménager)?"
)
"""What else is needed near a monument, where the data do not say whether there is one."""
PROCEDURES = {
    "permis_amenager": "permis d’aménager|development permit",
    "declaration_prealable": "déclaration préalable|prior declaration",
    "permis_construire_valant_division": "valant division|permit that authorises",
}


def check_said_once(text: str) -> None:
    """No sentence stands twice, and no figure with its noun. Each lot, each proposal and each wish has its own."""
    lines = [line for line in text.splitlines() if not OF_ITS_OWN.match(line)]
    sentences = [sentence.strip(" \n-*") for line in lines for sentence in split_sentences(line)]
    assert [sentence for sentence, count in Counter(filter(None, sentences)).items() if count > 1] == []
    unquoted = re.sub(r"\([^()]*\)|[«“][^»”]*[»”]", "", "\n".join(lines))
    assert [figure for figure, count in Counter(FIGURE.findall(unquoted)).items() if count > 1] == []


OF_ITS_OWN = re.compile(
    r"  - Lots? |- Lots|- Sur le dessin|- On the drawing|\d\. |Compris|Non suivi|Understood|Not followed|"
    r"- Diviser|- Dividing"
)
FIGURE = re.compile(r"\d[\d\u202f,.]*(?:\u00a0?(?:m²|m|%|€))? (?:de |d’|of )?[a-zà-ÿ]{3,}")


def check_clear(text: str, brief: Brief) -> None:
    """Asserts that no point without an obstacle is one that a check or a lot tells otherwise."""
    clear = text.partition(f"### {tell('heading.clear').read(brief.language)}\n\n")[2].split("\n")[0].casefold()
    by_code = {check.code: check for check in brief.assessment.checks}
    told = {code for lot in best_lots(brief) for code in (*lot.violations, lot.role, lot.access)}
    contradicted = {by_code[check] for code, check in CONTRADICTED.items() if code in told}
    contradicted |= {check for check in by_code.values() if check.status is not Status.PASS}
    assert [check.code for check in contradicted if check.point.read(brief.language).casefold() in clear] == []


def best_lots(brief: Brief) -> Sequence[Lot]:
    return [lot for proposal in brief.division.proposals[:1] for lot in proposal.lots]


def check_intents(unit: land_pb2.LandUnit, language: Language) -> None:
    """Asserts that each intent is answered, or said not to be."""
    failed_parts.set([])
    facts = LandFacts(unit)
    done = study(facts, "")
    for intent in INTENTS:
        replies = answer((ReadQuestion(intent, intent),), Subject(facts, done.assessment, done.division, intent))
        assert len(replies.answered) + len(replies.unanswered) == 1
        values = {**vars(done), "replies": replies, "changes": ()}
        check_text(Brief(**values, question=intent, language=language, prompt=load_prompt()))


OPEN_ASKS: tuple[tuple[Language, str], ...] = (
    ("fr", "Que conseillez-vous ?"), ("fr", "Qu'est-ce que vous proposez ?"), ("fr", "Comment faut-il couper ?"),
    ("fr", "Quels sont les pièges ?"), ("fr", "À quoi faut-il faire attention ?"), ("fr", "Ça tient ?"),
    ("fr", "Quelle superficie aurait chaque part ?"), ("fr", "Ça ferait combien de m² ?"),
    ("en", "What do you recommend?"), ("en", "What are the pitfalls?"), ("en", "How should we cut it?"),
    ("en", "Would it fit?"), ("en", "How many m2 would each get?"), ("en", "What can go wrong?"),
)  # fmt: skip
"""What asks for the study: its verdict, its lots, what stands against them."""


@pytest.mark.parametrize(("language", "ask"), OPEN_ASKS)
def test_an_open_ask_is_answered_from_the_study(parcels: list[land_pb2.LandUnit], language: Language, ask: str) -> None:
    told = "Bonjour, je suis géomètre. Nous voulons deux lots. " if language == "fr" else "Hello, we want two plots. "
    failed_parts.set([])
    for number in range(0, 24, 3):
        unit = with_facts(parcels[number], number, 9.0 * (number % 2))
        question = told + ask
        done = study(LandFacts(unit), question)
        brief = Brief(**vars(done), question=question, language=language, prompt=load_prompt())
        assert done.replies.unanswered == () or done.assessment.verdict is Verdict.UNDETERMINED, question
        assert not any(reply.cards for reply in done.replies.answered), question
        check_text(brief)
        said = " ".join(item.text.read(language) for reply in done.replies.answered for item in reply.statements)
        if re.search("pièges|attention|pitfalls|wrong", ask):
            assert done.replies.is_verdict_asked, question
        elif done.division.proposals:
            assert re.search(r"\d\sm²", said), (question, said)


STUDY_ASKS: tuple[tuple[Language, str, str], ...] = (
    ("fr", "Combien de m² pourrait-on vendre ?", r"\d\sm²"),
    ("fr", "Avec quelle façade chacun ?", r"\d\sm de façade|sans façade|par la voie commune|\d\sm² où bâtir"),
    ("fr", "Où passerait la limite ?", "[Ll]imites|lots|maison|Superficie"),
    ("fr", "Chaque lot aurait au moins 12 m sur la voie ?", r"au moins 12\sm sur la voie|Au moins 12\sm sur la voie"),
    ("fr", "Faut-il un permis d'aménager ?", "déclaration préalable|permis d’aménager|formalité"),
    ("fr", "Quelles démarches faut-il faire ?", "déclaration préalable|permis d’aménager|formalité"),
    ("fr", "Faut-il passer par un géomètre et un notaire ?", "géomètre-expert.*notaire"),
    ("en", "How many m2 could we sell?", r"\d\sm²"),
    ("en", "Please give the sizes.", r"\d\sm²"),
    ("en", "Where would the line run?", "[Bb]oundaries|lots|house|area"),
    ("en", "Would each have at least 12 metres on the road?", r"t least 12\sm on the road"),
    ("en", "What permit is needed?", "prior declaration|development permit|formality"),
    ("en", "Do we need a surveyor and a notary?", "surveyor.*notary"),
)  # fmt: skip
"""What the study states itself, with what its reply says."""


@pytest.mark.parametrize(("language", "ask", "said"), STUDY_ASKS)
def test_what_the_study_states_is_answered_from_it(
    parcels: list[land_pb2.LandUnit], language: Language, ask: str, said: str
) -> None:
    told = "Nous voulons deux lots. " if language == "fr" else "We want two plots. "
    failed_parts.set([])
    answered = 0
    for number in range(0, 24, 3):
        unit = with_facts(parcels[number], number, 9.0 * (number % 2))
        done = study(LandFacts(unit), told + ask)
        if not done.division.proposals:
            continue
        brief = Brief(**vars(done), question=told + ask, language=language, prompt=load_prompt())
        check_text(brief)
        assert done.replies.unanswered == ()
        assert not any(reply.cards for reply in done.replies.answered)
        text = "".join(passage.text for passage in passages(brief))
        replies = [part.partition("\n\n")[2] for part in text.split("### ") if ask.strip(" ?.")[:20] in part]
        fronts = [lot.frontage_m for lot in done.division.proposals[0].lots]
        if "12" in ask and None in fronts:
            continue
        assert replies, text
        assert re.search(said, replies[0].replace("\n", " ")), text
        answered += 1
    assert answered > 2


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_question_about_any_land_fails(parcels: list[land_pb2.LandUnit], chunk: int) -> None:
    chance = Random(chunk)  # noqa: S311 (a sample, no secret)
    assert len(parcels) == CHUNKS * PARCELS_PER_CHUNK
    for number in range(chunk * PARCELS_PER_CHUNK, (chunk + 1) * PARCELS_PER_CHUNK):
        for house_m in (0.0, (9.0, 9.0, 40.0, 0.5)[number // 2 % 4]):
            unit = with_facts(parcels[number], number // 2, house_m)
            check_intents(unit, "fr" if number % 2 else "en")
            for language, question in chance.sample(PHRASES, min(PHRASES_PER_PARCEL, len(PHRASES))):
                check_answer(unit, language, question)
