"""The rules that a sentence states, by the subject of its heading.

A figure counts only if its unit, the noun that it measures and its heading agree, and its sector is certain. What does
not pass is given as words.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from land.regulation import access, distances, heights, parking, shares, wording
from land.regulation import headings as topics
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN
from land.regulation.rule import ALTERNATIVE, EXCEPTION, MAIN, MAY_BE_IMPOSED, Rule
from land.regulation.scopes import LEADING_SCOPE, band_of, is_of_any_band, mentions, scope_of
from land.regulation.sentence import Sentence, words
from land.regulation.text import one_line

_P = patterns("rules")


def rules_of(sentences: Sequence[Sentence], height_point: str) -> Iterator[tuple[Sentence, list[Rule]]]:
    """Yields each sentence with the rules that it states for its zone, none if it is for others.

    A pronoun takes the words of the sentence before: "Elle est limitée à 5 m".
    """
    heading, before, earlier = "", "", ""
    for sentence, following in zip_longest(sentences, sentences[1:]):
        rules, lead = list[Rule](), LEADING_SCOPE.match(sentence.text)
        is_pronoun = (
            _P["pronoun"].match(sentence.text, lead.end() if lead else 0)
            and heading == sentence.heading
            # An item "1 place pour 25 m²" has the words over its list, not those of the item before.
            and not (sentence.intro.endswith(":") and sentence.text[:1].isdigit())
        )
        # "Ces hauteurs" are those of the two sentences before.
        last = (
            f"{earlier} {before}"
            if is_pronoun and _P["plural"].match(sentence.text, lead.end() if lead else 0)
            else before
        )
        before, earlier, heading = f"{last} {sentence.text}" if is_pronoun else sentence.text, before, sentence.heading
        is_definition = sentence.kind in (topics.DEFINITION, topics.RECALL) or _P["defines"].match(sentence.text)
        above = scope_of(sentence.intro_raw, sentence.zone.known)
        if not is_definition and sentence.scope.applies(sentence.zone) and above.applies(sentence.zone):
            # "- à l'alignement ; - ou en retrait de 5 m": the next item of a list makes this one a choice.
            is_choice = following and sentence.intro == following.intro and _P["choice"].match(following.text)
            zone = sentence.zone.of_parking if sentence.topic == topics.PARKING else sentence.zone
            whole = replace(
                sentence,
                intro=f"{sentence.intro} {last}".strip() if is_pronoun else sentence.intro,
                zone=replace(zone, height_point=height_point),
                is_choice=bool(is_choice),
            )
            handler = _HANDLERS.get(whole.stated_topic)
            rules = [_finished(rule, whole) for rule in handler(whole)] if handler else []
            # "… peuvent être implantées en limite :", "- si leur hauteur n'excède pas 3,50 m"
            is_head = following and sentence.text.endswith(":") and _P["case_item"].match(following.text)
            is_item = sentence.intro.endswith(":") and _P["case_item"].match(sentence.text)
            rules = [
                replace(rule, condition=rule.condition or (following.text if is_head else sentence.text).strip(" ;."))
                if is_head or (is_item and rule.operator.startswith("on_limit"))
                else rule
                for rule in rules
            ]
        yield sentence, rules


def _finished(rule: Rule, sentence: Sentence) -> Rule:
    text, whole, own = sentence.text, f"{sentence.intro} {sentence.text}", sentence.zone.own
    place = _P["place"].search(whole) or (_P["place_of_column"].match(text) if sentence.row else None)
    # The zone itself may stand in a column: "Périmètre P2".
    is_own_column = any(group.labels & sentence.zone.columns[0] for group in sentence.groups)
    column = _P["perimeter_of_column"].match(text) if sentence.row and not is_own_column else None
    above = "" if "ailleurs" in text else sentence.intro
    stated = {
        "map": sentence.scope.map or (column[0] if column else _perimeter(text) or _perimeter(above)),
        "place": place[0] if place else "",
        "band": (band_of(text) or band_of(sentence.intro) or sentence.scope.band)
        if rule.subject.startswith(("setback_side", "setback_rear", "height", "footprint")) and not is_of_any_band(text)
        else "",
        "sector": min(own) if sentence.names_own(sentence.raw, sentence.intro_raw) else "",
    }
    scope = {name: part for name, part in stated.items() if part} | rule.scope
    is_exception = sentence.kind == EXCEPTION or (stated["map"] and (column or not rule.subject.startswith("parking")))
    kind = EXCEPTION if is_exception and rule.kind == MAIN else rule.kind
    condition = rule.condition or (
        "" if rule.unit.startswith("%") else wording.stated("size", text) or wording.stated("size", whole)
    )
    if sentence.row and rule.subject == "setback_road" and not mentions(sentence.row, sentence.zone.known):
        scope |= {"road": one_line(sentence.row)}
    elif sentence.row and not condition and not {"sector", "use"} & {*scope}:
        condition = one_line(sentence.row)
    is_own = (
        "sector" in scope
        or (rule.subjects == ("setback_rear",) and re.search(r"\bfonds?\b", text))
        or (rule.subject == "height_flat_roof" and _P["for_flat_roofs"].match(text))
    )
    # "Ce taux est porté à 60 % dans le secteur UBa" is the rule of UBa.
    # "Elle est portée à 8 m en vis-à-vis d'une baie" is that of walls with openings.
    stated_case = wording.without_neutral(text)
    is_case = re.search(r"\b(?:lorsqu|si |en cas)", stated_case) or wording.is_particular(stated_case)
    is_of_use = rule.subject == "footprint_ratio" and "use" in rule.scope and not wording.is_special(text)
    is_of_case = (
        is_own
        or is_of_use
        or stated["band"]
        or _P["of_openings"].search(rule.condition)
        or (rule.condition and wording.stated("size", text))
    )
    is_moved = is_of_case and not is_case and sentence.kind == MAIN and _P["moved"].search(text)
    kind = MAIN if is_moved and kind == ALTERNATIVE else kind
    finished = replace(
        rule, kind=kind, scope=scope, condition=condition, needs_map=rule.needs_map or wording.is_on_map(whole)
    )
    is_in_words = (
        ("respectivement" in text and not sentence.is_list)
        or kind in (EXCEPTION, ALTERNATIVE)
        or (kind == MAY_BE_IMPOSED and rule.operator not in (MIN, MAX))
    )
    return words(finished) if is_in_words else finished


def _perimeter(text: str) -> str:
    """Returns the words that bind a rule to a part of the map: "dans les périmètres d'indice d"."""
    match = re.search(
        r"(?:dans|a l'interieur d\w*|au sein d\w*|situe\w* dans) ?(?:le|les|l'|un|des|du)?"
        r" ?(?:perimetres?|secteurs? (?:indic|affect)|indices?)\b[^.:;,]{0,60}",
        # "1 place par logement, ramenée à 0,5 dans le périmètre": the first is for all others.
        re.split(r"(?:ramene|reduit|porte)e?s? a\b", text)[0],
    )
    return match[0].strip() if match else ""


_HANDLERS: dict[str, Callable[[Sentence], Iterator[Rule]]] = {
    topics.ROAD: distances.distances,
    topics.BOUNDARY: distances.distances,
    topics.BETWEEN: distances.distances,
    topics.FOOTPRINT: shares.footprints,
    topics.HEIGHT: heights.heights,
    topics.GREEN: shares.greens,
    topics.PARKING: parking.parkings,
    topics.ACCESS: access.accesses,
    topics.FENCE: access.fences,
    topics.FORBIDDEN: access.uses,
    topics.CONDITIONAL: access.uses,
}
