"""Numbers of parking places by use."""

import re
from collections.abc import Iterator

from land.regulation import wording
from land.regulation.quantities import MAX, MIN, Quantity
from land.regulation.rule import EXCEPTION, MAIN, MAY_BE_IMPOSED, Rule
from land.regulation.sentence import Sentence, clause, make_rule, use_scope, words

_LAW = re.compile(
    r"pret aide|l\.? ?151-3[3-6]|code de la construction|il ne peut etre exige|"
    r"locatifs? finances?|etablissements? assurant l'hebergement"
)
_HOUSING = re.compile(r"(?:logements? )?(?:locatifs? )?sociaux|logement social")


def parkings(sentence: Sentence) -> Iterator[Rule]:
    """Yields numbers of parking places by use."""
    text, intro = sentence.text, sentence.intro
    whole = f"{intro} {text}"
    if re.search(r"arbres?|plant(?:e|ation)|\bcompte\w* pour|dimension|longueur", text):
        return
    if re.search(
        r"\baucune?\b[^.;]{0,60}(?:places?|aires?|stationnement)[^.;]{0,40}(?:exigee?|imposee?|"
        r"obligation|demandee?)|aucune obligation",
        text,
    ):
        kind = EXCEPTION if re.search(r"\b(?:moins|inferieure?|extension|existant|annexe|cas)\b", whole) else MAIN
        yield make_rule(
            sentence, "parking", "none", 0, len(text), kind=kind, value=0, unit="place", scope=use_scope(whole)
        )
        return
    found = sentence.figures(("place",))
    if not found:
        if re.search(r"peut imposer[^.;]{0,80}stationnement", text):
            yield make_rule(sentence, "parking", MAY_BE_IMPOSED, 0, len(text))
        return
    if _LAW.search(whole):
        yield words(make_rule(sentence, "parking", MAX, found[0].start, found[0].end, kind=EXCEPTION))
        return
    cycles = re.search(
        r"velos?|cycles?\b|deux[- ]roues|bicyclettes?", text[: found[-1].end + 40] + sentence.heading
    ) or re.search(r"velos?|cycles?\b|deux[- ]roues", intro[-60:])
    special = re.search(
        r"visiteurs?|couvertes?|electri|handicap|recharge|livraison|autopartage",
        re.split(r"\bdont\b|\bet\b|,", text[: found[0].end + 40])[0],
    )
    subject = (
        "parking_cycle"
        if cycles
        else "parking_visitor"
        if special and "visiteur" in special[0]
        else "parking_covered"
        if special and "couverte" in special[0]
        else "parking"
    )
    kind = wording.kind_at(
        _HOUSING.sub("logements", text),
        min(found[0].start, len(_HOUSING.sub("logements", text))),
        _HOUSING.sub("logements", intro),
        use_matters=True,
    )
    if (special and subject == "parking") or re.search(
        r"extension|changement de destination|rehabilitation|transformation|existant",
        f"{intro} {text[: found[0].end]} {clause(text, found[-1].end)}",
    ):
        kind = EXCEPTION
    scope = use_scope(text) or use_scope(intro[-160:]) or use_scope(intro)
    aside = re.compile(
        r" ?(?:de stationnement )?(?:pour )?(?:les? )?(?:visiteurs?|couvertes?|supplementaires?|"
        r"banalisee?s?|velos?|handicap)"
    )
    found = [quantity for quantity in found if subject != "parking" or not aside.match(text[quantity.end :])]
    rates = [(quantity, _rate(text, quantity)) for quantity in found]
    floors = [(quantity, rate) for quantity, rate in rates if quantity.direction == MIN and "dwelling" in rate]
    slices = [(quantity, rate) for quantity, rate in rates if "m²" in rate and quantity.direction != MAX]
    if slices and floors and slices[0][0] is not floors[-1][0]:
        quantity, floor = slices[0][0], floors[-1][0]
        formula = f"max({quantity.value:g} {slices[0][1]}, {floor.value:g} per dwelling)"
        yield make_rule(
            sentence,
            subject,
            MIN,
            quantity.start,
            floor.end,
            kind=kind,
            value=floor.value,
            unit="place per dwelling",
            formula=formula,
            scope=scope,
        )
        rates = [(other, rate) for other, rate in rates if other not in (quantity, floor)]
    for quantity, stated_rate in rates:
        is_cap = quantity.direction == MAX and "dwelling" in _rate(text, found[0])
        is_of_each = re.search(r"\b(?:chaque|tout) (?:nouveau )?logement", text[: quantity.start])
        rate = stated_rate or ("per dwelling" if is_cap or is_of_each else "")
        if not rate:
            direction = quantity.direction or MIN
            yield words(make_rule(sentence, subject, direction, quantity.start, quantity.end, kind=kind, scope=scope))
            continue
        later = [other.start for other in found if other.start > quantity.start]
        own = text[quantity.end : later[0] if later else len(text)]
        size = re.search(r"logements? (?:individuels?|collectifs?|groupes?)\b", own) or re.search(
            r"logements? (?:de|d'une surface|dont (?:la|l')|jusqu|a partir|superieur|inferieur|t\d|"
            r"[1-9] piece)[^,;.]*|(?:jusqu'a|au-?dela|de moins|de plus) [^,;.]*\d+ ?m[²2][^,;.]*",
            text,
        )
        yield make_rule(
            sentence,
            subject,
            quantity.direction or MIN,
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit=f"place {rate}",
            scope=scope,
            condition=size[0] if size else "",
        )


def _rate(text: str, quantity: Quantity) -> str:
    """Returns what a number of places is counted by: "per dwelling", "per 60 m²", "per 3 rooms"."""
    after = text[quantity.end : quantity.end + 130]
    after = re.split(r"[;:]|\b(?:avec|sans|dont)\b", after)[0]
    if match := re.search(
        r"(?:par|pour|/)\s?(?:chaque )?(?:tranches? )?(?:entieres? |entamees? |commencees? |complete |"
        r"indivisible )?(?:de |d')?(\d[\d ]*(?:[.,]\d+)?) ?(?:m[²2]|m 2|metres? carres?)",
        after,
    ):
        return f"per {match[1].strip()} m²"
    if match := re.search(
        r"(?:par|pour|/)\s?(?:chaque |tout |un )?(\d+ )?(logements?|chambres?|lits?|emplois?|classes?|"
        r"places?|personnes?|habitations?|postes?)",
        after,
    ):
        number = f"{match[1].strip()} " if match[1] else ""
        return (
            "per dwelling"
            if not number and match[2].startswith(("logement", "habitation"))
            else f"per {number}{match[2]}"
        )
    return ""
