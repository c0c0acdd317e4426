"""Accesses and roads, heights of fences, and uses that are forbidden or bound to conditions."""

import re
from collections.abc import Iterator
from dataclasses import replace

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX
from land.regulation.rule import EXCEPTION, MAIN, Rule
from land.regulation.sentence import Sentence, figure_rule, make_rule, use_scope
from land.regulation.sentence import measured as measured_by

_P = patterns("access")


def accesses(sentence: Sentence) -> Iterator[Rule]:
    """Yields the duty to have an access, and widths of accesses and roads."""
    text, intro = sentence.text, sentence.intro
    duty = _P["duty"].search(text)
    if duty and not re.search(r"\d ?m\b", text[: duty.end()]):
        over_others = "a passage over a neighbour's land is enough" if _P["over_others"].search(text) else ""
        condition = "direct access: a right of way is not enough" if "acces direct" in text else over_others
        yield make_rule(sentence, "access", "required", duty.start(), duty.end(), condition=condition)
    found = sentence.figures(("m",))
    for index, quantity in enumerate(found):
        before, after = f"{intro} {text[: quantity.start]}", text[quantity.end : quantity.end + 60].split(",")[0]
        is_width = bool(_P["width"].search(before + after))
        nouns = _P["way"].findall(before) or (_P["way"].findall(sentence.heading) if is_width else [])
        measured = measured_by(text, quantity, intro, found)
        is_of_way = nouns and not _P["other_part"].search(nouns[-1]) and not _P["dead_end"].search(before)
        if not is_of_way or measured not in ("width", "") or not (measured or is_width):
            continue
        # "Les accès sur la voie publique ont 4 m de largeur": the subject of the sentence comes first.
        leads = _P["leads"].match(text[: quantity.start])
        owners = _P["owner"].findall(before) or [leads[1] if leads and "voies" not in before else nouns[-1]]
        subject = "access_width" if _P["access"].match(owners[-1]) else "road_width"
        rule = figure_rule(
            sentence,
            subject,
            quantity,
            quantity.direction,
            use_scope(after.partition(" pour ")[2]) if subject == "access_width" else _road_scope(before, after),
            use_matters=True,
        )
        # "6 m jusqu'à quatre logements et 8 m au-delà"; "4 m de chaussée" of a wider road is a part of it.
        own = text[quantity.end : found[index + 1].start if index + 1 < len(found) else None]
        counts = _P["beyond"].match(own) or _P["count"].search(own)
        count = counts or _P["count"].search(text, 0, quantity.start)
        kind = MAIN if counts and rule.kind == EXCEPTION else rule.kind
        if not text[: quantity.start].endswith("dont "):
            yield replace(rule, kind=kind, condition=count[0] if count else rule.condition)


def fences(sentence: Sentence) -> Iterator[Rule]:
    """Yields heights of fences that a sentence gives alone."""
    found = [quantity for quantity in sentence.figures(("m",)) if quantity.direction == MAX]
    if len(found) == 1 and not _P["part_of_fence"].search(sentence.text):
        where = f"{sentence.heading} {sentence.intro} {sentence.text}"
        sides = (("side and rear", "boundary"), ("road", "road"))
        scope = next(({"boundary": side} for side, name in sides if _P[name].search(where)), {})
        yield figure_rule(sentence, "fence_height", found[0], MAX, scope)


def uses(sentence: Sentence) -> Iterator[Rule]:
    """Yields forbidden and conditional uses as words."""
    text = sentence.text
    if len(text) < 25 or text.rstrip().endswith(":") or sentence.is_foreign or "se reporter" in text:
        return
    operator = "forbidden" if sentence.topic == topics.FORBIDDEN else "conditional"
    # "Sont interdites toutes les constructions à l'exception des habitations": the use that is named is allowed.
    banned = _P["except"].split(text)[0] if operator == "forbidden" else text
    yield make_rule(
        sentence,
        f"{operator}_use",
        operator,
        0,
        len(text),
        scope={"use": wording.use_of(banned)},
        ambiguous=banned != text,
    )


def _road_scope(before: str, after: str) -> dict[str, str]:
    """Returns the kind of road that a width is for, and what of it is measured."""
    text = f"{before} {after}"
    ways = _P["one_or_two_ways"].findall(after) or _P["one_or_two_ways"].findall(text)[-1:]
    measured = _P["part_after"].findall(after) or _P["part"].findall(before)[-1:] or _P["part"].findall(after)
    return {
        "road": " ".join(
            dict.fromkeys(_ROADS.get(name, name) for name in (*_P["kind"].findall(text), *ways[:1], *measured[:1]))
        )
    }


_ROADS = {
    "sens unique": "one way",
    "double sens": "two way",
    **dict.fromkeys(("chaussee", "chaussees", "roulement"), "carriageway"),
    **dict.fromkeys(("emprise", "plate-forme", "plateforme"), "whole width"),
}
