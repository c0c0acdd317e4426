"""Shares of the land: footprint of buildings, full ground, green, open and sealed surfaces, and trees."""

import re
from collections.abc import Iterator
from dataclasses import replace

from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN
from land.regulation.rule import EXCEPTION, MAIN, Rule
from land.regulation.sentence import Sentence, base, figure_rule, size_at, use_at, use_scope, words

_P = patterns("shares")
_SUBJECTS = ("full_ground_ratio", "impermeable_ratio", "green_ratio", "open_space_ratio")


def footprints(sentence: Sentence) -> Iterator[Rule]:
    """Yields the share of the land that buildings may cover."""
    text = sentence.text
    if _P["other"].search(text) and not re.search(r"emprise|\bces\b", text):
        return
    found = sentence.figures(("%",))
    for quantity in found:
        before, after = text[: quantity.start], text[quantity.end :]
        rule = figure_rule(
            sentence,
            "footprint_ratio",
            quantity,
            quantity.direction or MAX,
            use_at(sentence, quantity) | {"base": base(after)},
            use_matters=True,
        )
        rule = replace(rule, condition=size_at(sentence, quantity, found) or rule.condition)
        is_of_existing = _P["existing_before"].search(before[-70:]) or _P["existing_after"].search(after)
        yield words(replace(rule, kind=EXCEPTION)) if is_of_existing else rule


def greens(sentence: Sentence) -> Iterator[Rule]:
    """Yields shares of full ground, of green, of open and of sealed surfaces, and trees."""
    text, intro = sentence.text, sentence.intro
    found = sentence.figures(("%", "m2", "tree"))
    is_of_part = _P["part"].search(f"{sentence.heading} {text}") and not _P["land"].search(text)
    shares = [] if is_of_part else [quantity for quantity in found if quantity.unit == "%"]
    is_biotope = bool(_P["biotope"].search(text))
    shares = [] if is_biotope and len(shares) > 1 else shares
    for index, quantity in enumerate(shares):
        is_coefficient = is_biotope and text[quantity.start : quantity.end].startswith(("0.", "0,"))
        following = shares[index + 1].start if index + 1 < len(shares) else len(text)
        after = _P["other_share"].split(text[quantity.end : following])[0]
        before = text[shares[index - 1].end if index else 0 : quantity.start]
        subject = "green_ratio" if is_coefficient else _green_subject(after)
        # "Les espaces non bâtis … sur 60 % de leur superficie"
        is_rest = bool(_P["rest"].search(f"{before} {after}" if _P["of_theirs"].match(after) else after[:60]))
        if not subject or (is_rest and subject == "open_space_ratio" and _green_subject(before)):
            subject = next(
                filter(None, map(_green_subject, (before, text[: quantity.start], intro, sentence.heading))), ""
            )
        is_parking = _P["of_parking"].search(before + after) and not _P["land"].search(after)
        if is_common := _P["common"].search(before + after):
            # What operations of some size leave to all is a rule with its condition.
            size = wording.stated("size", f"{intro} {text}") or wording.stated("every_operation", text)
            rule = figure_rule(sentence, "open_space_ratio", quantity, MIN, {"base": "operation"})
            kind = MAIN if rule.kind == EXCEPTION and size else rule.kind
            yield replace(rule, condition=size, kind=kind) if size else words(replace(rule, kind=EXCEPTION))
        if not subject or is_parking or is_common:
            continue
        direction = quantity.direction or (MAX if subject == "impermeable_ratio" else MIN)
        scope = {
            "base": "space left free by the buildings" if is_rest and subject != "open_space_ratio" else base(after)
        } | use_scope(intro)
        rule = figure_rule(sentence, subject, quantity, direction, scope, use_matters=True)
        if (subject == "impermeable_ratio") != (direction == MAX):
            yield words(rule, note="a minimum or a maximum against the subject")
            continue
        # "30 % en espaces verts, dont 20 % en pleine terre": of the land, or of the green space.
        is_part = bool(re.search(r"\bdont (?:au moins |au minimum )?$", text[: quantity.start]))
        is_of_green = is_part and not text[quantity.start].isdigit()
        part = "green space" if is_of_green else "open space" if is_rest and subject != "open_space_ratio" else ""
        unit, scope = f"% of {part}" if part else "%", rule.scope | ({"base": part} if is_of_green else {})
        condition = size_at(sentence, quantity, shares) or rule.condition
        rule = replace(rule, unit=unit, scope=scope, condition=condition, ambiguous=is_part and not is_of_green)
        ends = {name: end / 100 for name in ("value", "value_max") if (end := getattr(rule, name)) is not None}
        yield replace(rule, **ends, unit="coefficient") if is_coefficient else rule
    for quantity in found:
        if quantity.unit == "m2" and "impermeabilis" in text[: quantity.start] and quantity.direction == MAX:
            yield figure_rule(sentence, "impermeable_area", quantity, MAX)
        if quantity.unit == "tree" and (per := _P["per"].search(text[quantity.end :])):
            unit = f"tree per {per[1].strip()} {per[2] or ''}".strip()
            yield replace(figure_rule(sentence, "trees", quantity, MIN), unit=unit)


def _green_subject(text: str) -> str:
    """Returns the share that words name first in this order: full ground, sealed, green, open; "" for none."""
    return next((name for name in _SUBJECTS if _P[name].search(text)), "")
