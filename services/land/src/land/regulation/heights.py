"""Heights with the point that they are measured to, and storeys."""

import re
from collections.abc import Iterator

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.distances import bands, formula_of
from land.regulation.quantities import MAX, MIN, Quantity, number_of
from land.regulation.rule import ALTERNATIVE, EXCEPTION, MAIN, Rule
from land.regulation.sentence import Sentence, make_rule, measured, use_at, words

_POINT = re.compile(
    r"egouts?(?: (?:du toit|des toits|de (?:la )?toitures?))?(?:,? (?:et|ou|/) ?(?:a |de )?(?:l'|"
    r"au sommet de l')?acroteres?)?|sablieres?|faitages?|faite\b|acroteres?|(?:toitures?|"
    r"toits?)[ -](?:en )?terrasses?|toits?[ -]plats?|"
    r"points? (?:le |les )?plus hauts?|sommet|hors tout|tout point|n'importe quel point"
)

_STOREY_COUNT = re.compile(
    r"nombre (?:maximal )?de niveaux[^.;,\d]{0,40}(?:exced\w*|depass\w*|limitee? a|superieur a|fixe a|est de)"
    r" (un|deux|trois|quatre|\d)\b(?! ?(?:m\b|%))"
)


def heights(sentence: Sentence) -> Iterator[Rule]:
    """Yields heights with the point that they are measured to, and storeys."""
    text, intro = sentence.text, sentence.intro
    whole = f"{intro} {text}"
    yield from bands(sentence, sentence.figures(("m",)))
    if re.search(r"cloture|portail|\bmurs? (?:bahut|de soutenement)", text) and not re.search(r"construction", text):
        return
    relative = re.search(r"limites? (?:separatives?|laterales?|de propriete)", whole + sentence.heading) or re.search(
        r"par rapport (?:aux|a la) (?:voies?|limites?)|alignement oppose", sentence.heading + whole
    )
    if relative and (formula := formula_of(text, "height")):
        subject = (
            "height_vs_road"
            if re.search(r"alignement|\bvoies?\b", sentence.heading + text)
            and not re.search(r"limites? separatives?", text)
            else "height_vs_boundary"
        )
        kind = wording.kind_at(text, len(text), intro)
        yield make_rule(sentence, subject, MAX, 0, len(text), kind=kind, formula=formula)
        return
    if main_building := re.search(
        r"\bannexes?\b[^.;]{0,80}(?:exced|depass|superieure|egale)\w*[^.;]{0,30}(?:celle|"
        r"hauteur) (?:du|de la) (?:batiment|construction) principale?",
        text,
    ):
        yield make_rule(
            sentence,
            "height_annex",
            MAX,
            main_building.start(),
            main_building.end(),
            formula="<= height of the main building",
        )
    found = sentence.figures(("m", "m NGF", "storeys", "R+"))
    points = [(match.start(), _point(match[0])) for match in _POINT.finditer(text)]
    metres = [
        quantity
        for quantity in found
        if quantity.unit in ("m", "m NGF") and measured(text, quantity, intro, found) in ("height", "", "distance")
    ]
    points_lead = bool(points and metres and points[0][0] < metres[0].start)
    for index, quantity in enumerate(metres):
        if re.search(
            r"profondeur|bande|distance|recul|retrait|\btou(?:s|tes) les|(?:tranches?|sections?|"
            r"troncons?) de|\bdepasse\w* (?:de|d'au)|\blargeur|longueur|dans la limite d[e'](?:un)? $|"
            r"majore\w*",
            text[max(0, quantity.start - 40) : quantity.start],
        ) or re.match(
            r"\s?(?:au-dessus(?! du (?:sol|terrain|niveau))|de (?:plus|depassement|profondeur|long|large)|"
            r"supplementaire|"
            r"de l'alignement|de la limite)",
            text[quantity.end :],
        ):
            continue
        low = metres[index - 1].end if index else 0
        high = metres[index + 1].start if index + 1 < len(metres) else len(text)
        before = [point for position, point in points if low <= position < quantity.start]
        after = [point for position, point in points if quantity.end <= position < high]
        chosen = (before or after) if points_lead else (after or before)
        subject, point = _height_subject(
            chosen[-1 if chosen is before else 0] if chosen else "",
            chosen,
            whole[: len(intro) + 1 + quantity.start],
            sentence.zone.height_point,
        )
        kind = wording.kind_at(
            _annex_free(text, subject),
            max(0, quantity.start - (len(text) - len(_annex_free(text, subject)))),
            _annex_free(intro, subject),
            use_matters=True,
        )
        if relative and sentence.topic == topics.HEIGHT and not re.search(r"hauteur maximale", sentence.heading):
            kind = ALTERNATIVE if kind == MAIN else kind
            subject = "height_on_boundary"
        if quantity.unit == "m NGF":
            subject = "height_ngf"
        if quantity.direction == MIN:
            kind = EXCEPTION if kind == MAIN else kind
        scope = use_at(sentence, quantity, high)
        scope |= {"point": point} if point else {}
        yield make_rule(
            sentence,
            subject,
            quantity.direction or MAX,
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit=quantity.unit,
            scope=scope,
        )
    storeys = [quantity for quantity in found if quantity.unit in ("storeys", "R+") and quantity.direction != MIN]
    if not storeys and (stated := _STOREY_COUNT.search(text)):
        storeys = [Quantity(number_of(stated[1]), "storeys", stated.start(1), stated.end(1), MAX)]
    storeys = [quantity for quantity in storeys if quantity.unit == "R+"] or storeys
    if len({quantity.value for quantity in storeys}) > 1:
        yield words(
            make_rule(sentence, "storeys", MAX, storeys[0].start, storeys[0].end), note="several numbers of storeys"
        )
    elif storeys:
        quantity = storeys[0]
        kind = wording.kind_at(text, quantity.start, intro, use_matters=True)
        flat = {"roof": "flat"} if wording.is_flat_roof(whole) else {}
        formula = text[quantity.start : quantity.end].replace(" ", "").upper() if quantity.unit == "R+" else ""
        yield make_rule(
            sentence,
            "storeys",
            MAX,
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit="storeys",
            formula=formula,
            scope=use_at(sentence, quantity) | flat,
        )


def _point(text: str) -> str:
    if "egout" in text or "sabliere" in text:
        return "eave or parapet" if "acrotere" in text else "eave"
    if re.search(r"acrotere|terrasse|plat", text):
        return "flat"
    return "ridge" if "fait" in text else "any point"


def height_point(texts: Iterator[str]) -> str:
    """Returns the point up to which definitions measure heights: eave, ridge, any point, "" if unsaid."""
    found = set()
    for text in texts:
        if re.search(r"\bhauteurs?\b", text) and re.search(
            r"mesure\w*|difference d'altitude|compte\w*|calcul\w*|definie?|se definit|correspond|difference de niveau|"
            r"distance verticale|considere",
            text,
        ):
            if re.search(r"cloture", text) or re.search(r"\d ?m(?:etres?)?\b", text):
                continue
            found |= {_point(match[0]) for match in _POINT.finditer(text)} - {"flat"}
    if found & {"any point", "ridge"} and not found & {"eave"}:
        return "ridge" if "ridge" in found else "any point"
    return "eave" if found and found <= {"eave", "eave or parapet"} else ""


def _height_subject(point: str, chosen: list[str], before: str, default: str) -> tuple[str, str]:
    if re.search(r"\b(?:annexes?|abris?|garages?)\b", before) and not re.search(
        r"(?:et|ou) (?:leurs |les |des )?annexes|hors annexes", before
    ):
        return "height_annex", point
    is_flat = wording.is_flat_roof(before) and "fait" not in before[-60:]
    if ("flat" in chosen and point == "any point") or (is_flat and point in ("", "any point", "ridge")):
        return "height_flat_roof", point
    point = point or default
    subject = {"eave": "height_eave", "eave or parapet": "height_eave", "flat": "height_flat_roof"}.get(
        point, "height_ridge"
    )
    return subject, point


def _annex_free(text: str, subject: str) -> str:
    """Returns the text without the word that makes a height that of annexes, which is a subject of its own."""
    return re.sub(r"\b(?:annexes?|abris?|garages?)\b", "constructions", text) if subject == "height_annex" else text
