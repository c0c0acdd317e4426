"""Accesses and roads, heights of fences, and uses that are forbidden or bound to conditions."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.quantities import MAX, lower_bound
from land.regulation.rule import Rule
from land.regulation.scopes import mentions
from land.regulation.sentence import Sentence, make_rule
from land.regulation.sentence import measured as measured_by

_WAY = re.compile(
    r"\b(?:acces|passages?|portails?|porches?|voies?|voirie|chaussees?|impasses?|rues?|bandes? de roulement|desserte|"
    r"trottoirs?|accotements?|pistes?|cheminements?|retournement|rayon|allees?)\b"
)
_PART_OF_WAY = r"chaussees?|roulement|emprise|plate-?forme"
_EXCEPT = re.compile(r"\b(?:a l'exception|a l'exclusion|autres? que|sauf|hormis|excepte\w*|non visees)\b")


def accesses(sentence: Sentence) -> Iterator[Rule]:
    """Yields the duty to have an access, and widths of accesses and roads."""
    text, intro = sentence.text, sentence.intro
    duty = re.search(
        r"terrain[^.;]{0,30}(?:doit|devra)[^.;]{0,30}acces|pour etre constructible[^.;]{0,40}acces|"
        r"tout terrain doit[^.;]{0,40}acces",
        text,
    )
    if duty and not re.search(r"\d ?m\b", text[: duty.end()]):
        condition = (
            "direct access: a right of way is not enough"
            if "acces direct" in text
            else "a passage over a neighbour's land is enough"
            if re.search(r"passage|servitude|fonds voisin", text)
            else ""
        )
        yield make_rule(sentence, "access", "required", duty.start(), duty.end(), condition=condition)
    found = sentence.figures(("m",))
    for quantity, following in zip_longest(found, found[1:]):
        if following and lower_bound(text, following) == quantity.value:
            continue
        before = f"{intro} {text[: quantity.start]}"
        after = text[quantity.end : quantity.end + 60].split(",")[0]
        nouns = _WAY.findall(before) or (
            _WAY.findall(sentence.heading) if re.search("larg|emprise|plate-?forme", before) else []
        )
        measured = measured_by(text, quantity, intro, found)
        if (
            measured not in ("width", "")
            or (measured == "" and not re.search(r"larg|emprise", before + after))
            or not nouns
            or re.search(r"trottoir|accotement|piste|cheminement|retournement|rayon", nouns[-1])
            or any("impasse" in noun for noun in nouns)
        ):
            continue
        # "Les accès sur la voie publique ont 4 m de largeur": the subject of the sentence comes first.
        leads = re.match(
            r"\W*(?:[\d.]+\W+)?(?:les?|tout|chaque|l'|un|des)? ?(?:nouveaux? )?(acces|" r"passages?)\b[^,;]*$",
            text[: quantity.start],
        )
        owner = _owner_of_width(before) or (leads[1] if leads and "voies" not in text[: quantity.start] else nouns[-1])
        subject = "access_width" if re.match("acces|passage|portail|porche", owner) else "road_width"
        kind = wording.kind_at(text, quantity.start, intro, use_matters=True)
        scope = {} if subject == "access_width" else _road_scope(before, after)
        count = re.search(
            r"\b(?:moins|plus|jusqu'a|a partir)\b[^.;,]{0,20}\b\d+ (?:logements|lots)|\b(?:un|deux|trois|"
            r"\d+) (?:seule? )?(?:logements?|lots?|habitations?)\b",
            text,
        )
        low = lower_bound(text, quantity)
        yield make_rule(
            sentence,
            subject,
            quantity.direction if low is None else "range",
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value if low is None else low,
            unit="m",
            formula="" if low is None else f"{low:g} <= L <= {quantity.value:g}",
            scope=scope,
            condition=count[0] if count else "",
        )


def fences(sentence: Sentence) -> Iterator[Rule]:
    """Yields heights of fences that a sentence gives alone."""
    text, intro = sentence.text, sentence.intro
    found = [quantity for quantity in sentence.figures(("m",)) if quantity.direction == MAX]
    if len(found) == 1 and not re.search(
        r"\bmurs?\b|murets?|bahut|soubassement|portails?|piliers?|poteaux|haies?|debord|\bsaillie|egout|faitage",
        text,
    ):
        where = f"{sentence.heading} {intro} {text}"
        boundary = (
            "side and rear"
            if re.search(r"separativ|fond", where)
            else "road"
            if re.search(r"\brue|voies?|public|alignement", where)
            else ""
        )
        quantity = found[0]
        yield make_rule(
            sentence,
            "fence_height",
            MAX,
            quantity.start,
            quantity.end,
            kind=wording.kind_at(text, quantity.start, intro),
            value=quantity.value,
            unit="m",
            scope={"boundary": boundary} if boundary else {},
        )


def uses(sentence: Sentence) -> Iterator[Rule]:
    """Yields forbidden and conditional uses as words."""
    text = sentence.text
    groups = mentions(sentence.raw, sentence.zone.known)
    is_foreign = bool(groups) and not any(map(sentence.names_zone, groups))
    if len(text) < 25 or text.rstrip().endswith(":") or is_foreign or "se reporter" in text:
        return
    subject, operator = (
        ("forbidden_use", "forbidden") if sentence.topic == topics.FORBIDDEN else ("conditional_use", "conditional")
    )
    # "Sont interdites toutes les constructions à l'exception des habitations": the use that is named is allowed.
    rule_words = _EXCEPT.split(text)[0] if operator == "forbidden" else text
    use = wording.use_of(rule_words)
    scope = {"use": use} if use else {}
    yield make_rule(sentence, subject, operator, 0, len(text), scope=scope, ambiguous=rule_words != text)


def _owner_of_width(before: str) -> str:
    """Returns the noun of "la largeur des accès", the nearest before the figure."""
    owners = re.findall(
        r"(?:larg(?:eur|e)s?(?: (?:minimale|maximale|totale|utile|minimum))*|celles?) (?:de la |de l'|"
        r"des |du |d'un |d'une |de )(?:chaussee des )?(acces|passages?|portails?|porches?|voies?|"
        r"voiries?|chaussees?|rues?)",
        before,
    )
    return str(owners[-1]) if owners else ""


def _road_scope(before: str, after: str) -> dict[str, str]:
    text = f"{before} {after}"
    ways = re.findall(r"sens unique|double sens", after) or re.findall(r"sens unique|double sens", text)[-1:]
    parts = [
        match[0]
        for match in re.finditer(
            r"nouvelles?|existantes?|privees?|publiques?|non ouvertes|ouvertes|internes?|principales?|secondaires?",
            text,
        )
    ]
    way = {"sens unique": "one way", "double sens": "two way"}.get(ways[0], "") if ways else ""
    measured = re.findall(rf"^ ?(?:de |d')?({_PART_OF_WAY})", after)
    measured = measured or re.findall(_PART_OF_WAY, before)[-1:] or re.findall(_PART_OF_WAY, after)
    kinds = ["carriageway" if re.match("chaussee|roulement", part) else "whole width" for part in measured[:1]]
    return {"road": " ".join(dict.fromkeys(part for part in (*parts, way, *kinds) if part))}
