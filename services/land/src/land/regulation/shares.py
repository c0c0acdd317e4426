"""Shares of the land: footprint of buildings, full ground, green, open and sealed surfaces, and trees."""

import re
from collections.abc import Iterator

from land.regulation import wording
from land.regulation.quantities import MAX, MIN
from land.regulation.rule import EXCEPTION, Rule
from land.regulation.sentence import Sentence, base, make_rule, use_at, use_scope, words


def footprints(sentence: Sentence) -> Iterator[Rule]:
    """Yields the share of the land that buildings may cover."""
    text, intro = sentence.text, sentence.intro
    if re.search(r"pente|toiture|surface de plancher|stationnement", text) and not re.search(r"emprise|\bces\b", text):
        return
    for quantity in sentence.figures(("%",)):
        before = text[: quantity.start]
        if re.search(r"extension|surface de plancher|existant", before[-70:]) or re.search(
            r"^ ?(?:de |d')?(?:la |l')?(?:surface de plancher|emprise au sol (?:existante|initiale|de la))",
            text[quantity.end :],
        ):
            yield words(make_rule(sentence, "footprint_ratio", MAX, quantity.start, quantity.end, kind=EXCEPTION))
            continue
        kind = wording.kind_at(text, quantity.start, intro, use_matters=True)
        yield make_rule(
            sentence,
            "footprint_ratio",
            quantity.direction or MAX,
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit="%",
            scope=use_at(sentence, quantity) | {"base": base(text[quantity.end :])},
        )


def greens(sentence: Sentence) -> Iterator[Rule]:
    """Yields shares of full ground, of green, of open and of sealed surfaces, and trees."""
    text, intro = sentence.text, sentence.intro
    found = sentence.figures(("%", "m2", "tree"))
    shares = [quantity for quantity in found if quantity.unit == "%"]
    if re.search(r"toitures?|toits?|pente|facades?|coefficient de (?:biotope|ponderation)", text) and not re.search(
        r"terrain|unite fonciere|parcelle", text
    ):
        shares = []
    for index, quantity in enumerate(shares):
        following = shares[index + 1].start if index + 1 < len(shares) else len(text)
        after = re.split(r";|\bdont\b", text[quantity.end : following])[0]
        before = text[shares[index - 1].end if index else 0 : quantity.start]
        kind = wording.kind_at(text, quantity.start, intro, use_matters=True)
        if ("stationnement" in before + after and "terrain" not in after) or "espace commun" in after:
            continue
        subject = _green_subject(after)
        is_rest = re.search(r"(?:espaces?|surfaces?) (?:\w+ )?(?:libres?|non baties?|restants?|restes?)", after[:60])
        if not subject or (is_rest and subject == "open_space_ratio" and _green_subject(before)):
            places = (before, text[: quantity.start], intro, sentence.heading)
            subject = next(filter(None, map(_green_subject, places)), "")
        if not subject:
            continue
        direction = quantity.direction or (MAX if subject == "impermeable_ratio" else MIN)
        if (subject == "impermeable_ratio") != (direction == MAX):
            yield words(
                make_rule(sentence, subject, direction, quantity.start, quantity.end, kind=kind),
                note="a minimum or a maximum against the subject",
            )
            continue
        yield make_rule(
            sentence,
            subject,
            direction,
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit="% of open space" if is_rest and subject != "open_space_ratio" else "%",
            scope={"base": "space left free by the buildings" if is_rest else base(after)} | use_scope(intro),
            # "30 % en espaces verts, dont 20 % en pleine terre": of the land, or of the green space.
            ambiguous=bool(re.search(r"\bdont (?:au moins |au minimum )?$", text[: quantity.start])),
        )
    for quantity in found:
        if quantity.unit == "m2" and re.search(r"impermeabilis", text[: quantity.start]) and quantity.direction == MAX:
            yield make_rule(
                sentence,
                "impermeable_area",
                MAX,
                quantity.start,
                quantity.end,
                kind=wording.kind_at(text, quantity.start, intro),
                value=quantity.value,
                unit="m2",
            )
        if quantity.unit == "tree" and (
            per := re.search(
                r"(?:par|pour)\s(?:tranches? de |chaque )?(\d[\d ]*|un|deux|trois|quatre|cent) ?(m2|m²|"
                r"metres? carres?|places?|emplacements?)?",
                text[quantity.end :],
            )
        ):
            kind = wording.kind_at(text, quantity.start, intro)
            yield make_rule(
                sentence,
                "trees",
                MIN,
                quantity.start,
                quantity.end + per.end(),
                kind=kind,
                value=quantity.value,
                unit=f"tree per {per[1].strip()} {per[2] or ''}".strip(),
            )


def _green_subject(text: str) -> str:
    if "pleine terre" in text:
        return "full_ground_ratio"
    if re.search(r"impermeabilis", text) and not re.search(r"non[- ]impermeabilis", text):
        return "impermeable_ratio"
    if re.search(
        r"espaces? verts?|vegetal|permeabl|non impermeabilis|\bplantee?s?\b|paysager|engazonn|jardin|\bplantations?",
        text,
    ):
        return "green_ratio"
    return "open_space_ratio" if re.search(r"espaces? (?:\w+ )?libres?|surfaces? libres?", text) else ""
