"""The rules that a sentence states, by the subject of its heading.

A figure counts only if its unit, the noun that it measures and its heading agree, and its sector is certain. What does
not pass is given as words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from land.regulation import access, distances, heights, parking, shares, wording
from land.regulation import headings as topics
from land.regulation.passages import Passage
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN
from land.regulation.rule import ALTERNATIVE, EXCEPTION, MAIN, MAY_BE_IMPOSED, Rule
from land.regulation.scopes import LEADING_SCOPE, Zone, band_of, mentions, scope_of
from land.regulation.sentence import Sentence, words

_P = patterns("rules")


class SentenceReader:
    """Reads the passages of one zone. Remembers the sentence before, for "Elle est limitée à 5 m"."""

    def __init__(self, zone: Zone, known: frozenset[str], height_point: str) -> None:
        self._zone = zone
        self._known = known
        self._height_point = height_point
        self._previous: tuple[str, str] = ("", "")

    def read(self, passage: Passage, following: Passage | None = None) -> list[Rule]:
        """Returns the rules of a passage that are for the zone."""
        scopes = (passage.scope, scope_of(passage.intro_raw, self._known))
        if passage.kind in (topics.DEFINITION, topics.RECALL) or not all(scope.applies(self._zone) for scope in scopes):
            return []
        intro = passage.intro
        lead = LEADING_SCOPE.match(passage.text)
        if _P["pronoun"].match(passage.text, lead.end() if lead else 0):
            heading, before = self._previous
            intro = f"{intro} {before}".strip() if heading == passage.heading else intro
        self._previous = (passage.heading, passage.text)
        # "- à l'alignement ; - ou en retrait de 5 m": the next item of a list makes this one a choice.
        is_choice = bool(
            following and passage.intro == following.intro and re.match(r"\W*(?:ou|soit)\b", following.text)
        )
        sentence = Sentence(passage, intro, self._zone, self._known, self._height_point, is_choice)
        handler = _HANDLERS.get(sentence.topic)
        return [self._finished(rule, passage, intro) for rule in handler(sentence)] if handler else []

    def _finished(self, rule: Rule, passage: Passage, intro: str) -> Rule:
        kind = rule.kind
        if passage.kind in (topics.EXCEPTION, topics.PARTICULAR) and kind == MAIN:
            kind = EXCEPTION
        scope = dict(rule.scope)
        on_map = passage.scope.map or _perimeter(passage.text) or _perimeter(intro)
        if on_map:
            scope.setdefault("map", on_map)
            kind = EXCEPTION if kind == MAIN and not rule.subject.startswith("parking") else kind
        band = band_of(passage.text) or band_of(intro) or passage.scope.band
        place = _P["place"].search(f"{intro} {passage.text}")
        scope |= {"place": place[0]} if place else {}
        if band and rule.subject.startswith(("setback_side", "setback_rear", "height", "footprint")):
            scope.setdefault("band", band)
        named = [
            group
            for group in (*mentions(passage.raw, self._known), *mentions(passage.intro_raw, self._known))
            if group.labels & self._zone.own and not group.is_excluded
        ]
        if self._zone.own & passage.scope.included or named:
            scope.setdefault("sector", min(self._zone.own))
        # "Ce taux est porté à 60 % dans le secteur UBa" is the rule of UBa; "sur les terrains de 400 m² au plus" too.
        condition = rule.condition or wording.land_size(f"{intro} {passage.text}")
        is_step = bool(condition) and rule.unit.startswith("%") and not wording.is_special(passage.text)
        is_own = (
            "sector" in scope
            or is_step
            or (rule.subjects == ("setback_rear",) and re.search(r"\bfonds?\b", passage.text))
            or (rule.subject == "height_flat_roof" and _P["for_flat_roofs"].match(passage.text))
        )
        if is_own and kind == ALTERNATIVE and passage.kind == MAIN and _P["moved"].search(passage.text):
            kind = MAIN
        finished = replace(
            rule,
            kind=kind,
            scope=scope,
            condition=condition,
            needs_map=rule.needs_map or wording.is_on_map(f"{intro} {passage.text}"),
        )
        if (
            "respectivement" in passage.text
            or kind in (EXCEPTION, ALTERNATIVE)
            or (kind == MAY_BE_IMPOSED and rule.operator not in (MIN, MAX))
        ):
            return words(finished)
        return finished


def _perimeter(text: str) -> str:
    """Returns the words that bind a rule to a part of the map: "dans les périmètres d'indice d"."""
    match = re.search(
        r"(?:dans|a l'interieur d\w*|au sein d\w*|situe\w* dans) ?(?:le|les|l'|un|des|du)?"
        r" ?(?:perimetres?|secteurs? (?:indic|affect)|indices?)\b[^.:;,]{0,60}",
        text,
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
