"""A sentence that is read: its figures for the zone, what each measures, and how a rule is made of it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import CONDITION, RANGE, Quantity, quantities
from land.regulation.rule import MAIN, Rule
from land.regulation.scopes import Mention, Scope, Zone, mentions, scope_of
from land.regulation.text import Folded, one_line

_P = patterns("sentence")
ROAD_CLASS = _P["road_class"]

QUALITATIVE = "qualitative"
_SENTENCE_TOPICS: tuple[tuple[str, str], ...] = (
    (topics.FOOTPRINT, r"emprises? (?:au sol|batie|maxim)|coefficient d'emprise|\b(?:le|du) ces\b"),
    (topics.GREEN, r"pleine terre|espaces? verts?|impermeabilis|vegetalis"),
    (topics.PARKING, r"places? de stationnement|\bplaces? par logement"),
    (
        topics.BETWEEN,
        r"(?:deux|entre les?|entre) (?:constructions|batiments|habitations)|constructions? non (?:contigues|"
        r"accolees)|meme (?:unite fonciere|propriete|terrain)",
    ),
    (
        topics.BOUNDARY,
        r"limites? (?:separatives?|laterales?|de fond|parcellaires?|posterieures?)|fond de parcelle|"
        r"\b(?:toutes (?:les )?|en |sur (?:la |une |les )?)limites?\b(?! d)|"
        r"(?:accol|jouxt|contigu)\w*[^.;]{0,20}\blimites?\b",
    ),
    (
        topics.ROAD,
        r"alignement|axe de la (?:voie|rue)|par rapport a(?:ux?)? (?:la |l')?(?:voie|emprise|domaine)|"
        r"recul\w* de la voie|limites? (?:de la|des) voies?|depuis (?:la |les )(?:voies?|rue)",
    ),
    (
        topics.HEIGHT,
        r"\bhauteurs?\b|\begout|faitage|acrotere|point le plus haut|culmin|\b(?:niveaux|etages?)\b|r ?\+ ?\d",
    ),
    (topics.ACCESS, r"largeur[^.;]{0,40}(?:acces|voies?|chaussee)|(?:acces|voies?)[^.;]{0,60}larg"),
)
_SURE = (
    topics.HEIGHT,
    topics.FOOTPRINT,
    topics.GREEN,
    topics.PARKING,
    topics.BETWEEN,
    topics.BOUNDARY,
    topics.ROAD,
    topics.ACCESS,
)
_OF_OTHERS = frozenset(
    {"", topics.OTHER, topics.PARKING, topics.ACCESS, topics.GREEN, topics.FOOTPRINT, topics.DENSITY, topics.MIN_PLOT}
)
"""Headings under which a sentence that states a rule of another subject is read as such."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, or an item of a list, as it is read for a zone. `intro` holds the words before it that it needs."""

    raw: str
    folded: Folded
    starts: tuple[int, ...]
    pages: tuple[int, ...]
    intro: str
    intro_raw: str
    topic: str
    heading: str
    article: str
    kind: str
    scope: Scope
    zone: Zone
    is_choice: bool = False
    """Whether the next item of its list gives another choice."""
    row: str = ""
    """The head of the row, if the sentence is a cell of a table, and the words of the row."""
    row_quote: str = ""

    @property
    def text(self) -> str:
        """The sentence as patterns match it."""
        return self.folded.text

    def page_at(self, position: int) -> int:
        """Returns the page index of a position in the folded sentence."""
        original = self.folded.positions[min(position, len(self.folded.positions) - 1)]
        return self.pages[bisect_right(self.starts, original) - 1]

    def quote(self, start: int, end: int, limit: int = 420) -> str:
        """Returns the words of the document around a span of the folded sentence, on one page."""
        if self.row_quote:
            return self.row_quote
        low, high = self.folded.original_span(start, max(end, start + 1))
        page = self.pages[bisect_right(self.starts, low) - 1]
        bounds = zip(self.pages, self.starts, (*self.starts[1:], len(self.raw)), strict=True)
        lines = [(start, stop) for on_page, start, stop in bounds if on_page == page]
        left, right = lines[0][0], lines[-1][1]
        if right - left > limit:
            # Words are not cut: the space before them is where the quote begins or ends.
            start, stop = max(left, low - limit // 2), min(right, max(high, low + limit // 2))
            left = max(left, self.raw.rfind(" ", left, start + 1) + 1)
            right = self.raw.find(" ", stop, right) if self.raw.find(" ", stop, right) > 0 else right
        return one_line(self.raw[left:right])

    @property
    def is_own(self) -> bool:
        """Whether the sentence is for the zone, by the lines over it and by its own words."""
        return self.scope.applies(self.zone) and scope_of(self.raw, self.zone.known).applies(self.zone)

    def names_own(self, *texts: str) -> bool:
        """Returns whether the sentence is for the zone's own sector by its scope, or by a sector in the texts."""
        groups = (group for text in texts for group in mentions(text, self.zone.known))
        is_named = any(group.labels & self.zone.own and not group.is_excluded for group in groups)
        return is_named or bool(self.zone.own & self.scope.included)

    @property
    def is_foreign(self) -> bool:
        """Whether all sectors that the sentence itself names are others."""
        return bool(self.groups) and not any(map(self.names_zone, self.groups))

    @cached_property
    def stated_topic(self) -> str:
        """The topic of the heading, or the one that the sentence names under a heading over several."""
        text = f"{self.intro} {self.text}"
        if self.topic in _OF_OTHERS:
            plain_text = _P["difference"].sub("difference", text)
            sure = (topic for topic in _SURE if _P[f"sure_{topic}"].search(plain_text))
            says = _P["states_rule"].search(text) and not _P["describes"].search(self.text)
            is_rule = (says or _P["sure_parking"].search(self.text)) and not _P["no_building"].search(self.text)
            return next(sure, self.topic) if is_rule else self.topic
        if self.topic != topics.SITING:
            return self.topic
        if _P["no_building"].search(text) and not _P["of_buildings"].search(text):
            return ""
        named = named_topics(text)
        is_height = _P["of_height"].search(text) and not {topics.BOUNDARY, topics.ROAD} & {*named}
        return (
            topics.HEIGHT
            if is_height and topics.HEIGHT in named
            else next(iter([topic for topic in named if topic != topics.HEIGHT]), "")
        )

    def figures(self, units: tuple[str, ...]) -> list[Quantity]:
        """Returns the figures of the zone's own sector that are no conditions."""
        found = [quantity for quantity in quantities(self.text, self.intro) if quantity.unit in units]
        owned = compress(found, self.owned([quantity.start for quantity in found]))
        return [quantity for quantity in owned if quantity.direction != CONDITION]

    @cached_property
    def groups(self) -> list[Mention]:
        """The sectors that the sentence names, where they stand in the folded text. "Ailleurs" is all others."""
        positions, zone = self.folded.positions, self.zone
        groups = [
            replace(group, start=bisect_left(positions, group.start), end=bisect_left(positions, group.end))
            for group in mentions(self.raw, zone.known)
        ]
        named = frozenset(label for group in groups if not group.is_excluded for label in group.labels)
        everywhere, elsewhere = (_P[name].finditer(self.text) for name in ("everywhere", "elsewhere"))
        groups += [Mention(*match.span(), zone.parents or zone.own, is_excluded=False) for match in everywhere]
        groups += [Mention(*match.span(), named, is_excluded=True) for match in elsewhere if named]
        return sorted(groups, key=lambda group: group.start)

    def owned(self, starts: Sequence[int]) -> list[bool]:
        """Returns for each of the figures at these places, in order, whether it is for the zone.

        A figure is for the sectors named before it or after it, as the sentence has them: "En UBa, 5 m ; en UBb, 8 m",
        "3 m en UBa, 5 m en UBb et 8 m ailleurs", "80 % et 60 % respectivement dans les secteurs UBa et UBb".
        """
        included = [group for group in self.groups if not group.is_excluded]
        has_own = any(group.labels & self.zone.own for group in included)
        owners = self._listed(starts) if self.is_list else [self._owner(start, starts) for start in starts]
        return [
            not any(map(self.names_zone, included))
            if owner is None
            else self.names_zone(owner) and (not has_own or owner.is_excluded or bool(owner.labels & self.zone.own))
            for owner in owners
        ]

    @property
    def is_list(self) -> bool:
        """Whether the sentence gives sectors their figures in order: "80 % et 60 % respectivement en UBa et en UBb"."""
        return "respectivement" in self.text and len(self.groups) == 1 and len(self.groups[0].labels) > 1

    def _listed(self, starts: Sequence[int]) -> list[Mention]:
        """Returns the sector of each figure of a list; nobody if their numbers differ."""
        [group] = self.groups
        places = [
            (match.start(), label)
            for label in group.labels
            for match in re.finditer(rf"{re.escape(label)}(?!\w)", self.raw[self.folded.positions[group.start] :])
        ]
        labels = [label for _, label in sorted(places)] if len(places) == len(starts) else [""] * len(starts)
        return [replace(group, labels=frozenset({label})) for label in labels]

    def _owner(self, start: int, starts: Sequence[int]) -> Mention | None:
        """Returns the sectors that a figure is for, None for all that the sentence does not name."""
        text, groups = self.text, self.groups
        low = text.rfind(";", 0, start) + 1
        high = text.find(";", start) if ";" in text[start:] else len(text)
        inside = [group for group in groups if low <= group.start < high]
        if not inside:  # "En UBa, 6 m à l'égout ; 10 m au faîtage"
            return next((group for group in reversed(groups) if group.start < min(low, starts[0])), None)
        figures = [other for other in starts if low <= other < high]
        before = [group for group in inside if group.start <= start]
        # "À l'alignement en UBa, à 3 m en UBb": the first sector has the road line.
        leads = inside[0].start <= figures[0] and not _P["on_line"].search(text, low, inside[0].start)
        after = [group for group in inside if group.start > start]
        nearest = (before if leads or not after else after)[-1 if leads or not after else 0]
        last = [other for other in figures if after and other < after[0].start][-1:]
        is_pair = bool(last) and bool(re.search(r"\bet (?:de |a )?\W*$", text[low : last[0]]))
        if leads and last == [start] and is_pair and figures[-1] == start and not after[0].is_excluded:
            return after[0]  # "En UB, 5 m et 8 m dans le secteur UBa"
        if not leads and after and start < last[0]:
            # "9 m, portée à 12 m en UBa", "9 m et 12 m dans le secteur UBa": the sector has the later figure.
            changes = _P["changed"].search(text, start, last[0] + 1)
            return None if changes or (is_pair and not _P["points"].search(text)) else nearest
        is_of_excluded = nearest.is_excluded and nearest.start < start
        if is_of_excluded and (not leads or re.match(r"\W*ou\b[^,;]*$", text[nearest.end : start])):
            return replace(nearest, is_excluded=False)  # "7 m, sauf en UCa où elle est de 9 m"
        return nearest

    def names_zone(self, group: Mention) -> bool:
        """Returns whether the zone is among sectors, or not among those that are left out."""
        return not group.labels & self.zone.labels if group.is_excluded else self.zone.is_among(group.labels)


def named_topics(text: str) -> list[str]:
    """Returns the topics that a folded text names."""
    return [topic for topic, pattern in _SENTENCE_TOPICS if re.search(pattern, text)]


def words(rule: Rule, note: str = "") -> Rule:
    """Returns the rule without its value: the quote is for a person to read."""
    stated = {"none": "none"}.get(rule.operator, "conditional" if rule.operator.startswith("on_limit") else QUALITATIVE)
    return replace(
        rule,
        operator=QUALITATIVE if rule.kind == MAIN else stated,
        value=None,
        value_max=None,
        unit="",
        formula="",
        ambiguous=rule.ambiguous or rule.kind == MAIN,
        note=note or rule.note,
    )


def case_at(text: str, end: int) -> str:
    """Returns the case that the words after a figure bind it to: "pour les façades aveugles", for example."""
    following = _P["next_figure"].search(text, end)
    after = text[end : following.start() if following else len(text)].split(";", 1)[0]
    match = _P["case"].search(after) or _P["case_before"].match(text)
    return re.sub(r"\W*(?:\b(?:et|ou|a|de)\b\W*)*$", "", match[0]) if match else ""


def make_rule(
    sentence: Sentence,
    subject: str,
    operator: str,
    start: int,
    end: int,
    *,
    kind: str = MAIN,
    value: float | None = None,
    value_max: float | None = None,
    unit: str = "",
    formula: str = "",
    condition: str = "",
    also: tuple[str, ...] = (),
    scope: dict[str, str] | None = None,
    ambiguous: bool = False,
) -> Rule:
    """Returns a rule with the words around a span; in words if its formula or its operator is not certain."""
    rule = Rule(
        subject,
        operator,
        sentence.quote(start, end),
        sentence.page_at(start),
        sentence.article,
        kind,
        value,
        value_max,
        unit,
        formula,
        condition or (case_at(sentence.text, end) if value is not None and subject != "depth_band" else ""),
        also,
        {key: text for key, text in (scope or {}).items() if text},
        ambiguous,
    )
    if formula == "?":
        return words(rule, note="a formula to be read by a person")
    return rule if (operator or value is None) else words(rule, note="the sentence gives no minimum and no maximum")


def figure_rule(
    sentence: Sentence,
    subject: str,
    quantity: Quantity,
    operator: str,
    scope: dict[str, str] | None = None,
    *,
    use_matters: bool = False,
) -> Rule:
    """Returns the rule of a figure, of the kind that the words around it say."""
    start, end, value, most = quantity.start, quantity.end, quantity.value, None
    if quantity.low:
        operator, value, most = RANGE, quantity.low, quantity.value
    kind = wording.kind_at(sentence.text, start, sentence.intro, use_matters=use_matters)
    return make_rule(
        sentence, subject, operator, start, end, kind=kind, value=value, value_max=most, unit=quantity.unit, scope=scope
    )


def measured(text: str, quantity: Quantity, intro: str, found: list[Quantity]) -> str:
    """Returns what a figure measures, by the noun after or before it: distance, height, width, band, other, or ""."""
    if after := _P["noun_after"].match(text[quantity.end :]):
        return str(after.lastgroup)
    earlier = [other.end for other in found if other.end <= quantity.start]
    if earlier and re.search(r"(?:,|\bet) (?:de |a |d')?(?:au (?:moins|plus) )?$", text[earlier[-1] : quantity.start]):
        return measured(text, found[len(earlier) - 1], intro, found)
    named = [str(noun.lastgroup) for noun in _P["noun"].finditer(_P["difference"].sub("difference", text))]
    # "À une distance qui ne peut être supérieure à 4 m": the floor is of the last noun.
    floor = _P["floor"].search(text[: quantity.start])
    if floor and named and not text[: floor.start()].endswith("qui "):
        return next((noun for noun in named if noun != "band"), "band")
    windows = (text[earlier[-1] if earlier else 0 : quantity.start], text[: quantity.start], intro)
    nouns = [
        [str(noun.lastgroup) for noun in _P["noun"].finditer(_P["difference"].sub("difference", window))]
        for window in (_P["case_before"].sub("", window) for window in windows)
    ]
    # "La marge est de 3 m si la façade est sans baie. Sinon, elle est de 5 m": not of the façade.
    nouns[-1] = [noun for noun in nouns[-1] if noun != "other"] or nouns[-1]
    return next((names[-1] for names in nouns if names), "")


def use_scope(text: str) -> dict[str, str]:
    return {"use": use} if (use := wording.use_of(re.sub(r"surface de plancher|hauteur", "", text))) else {}


def use_at(sentence: Sentence, quantity: Quantity, high: int | None = None) -> dict[str, str]:
    """Returns the use that a figure is for: of "pour les …" after it, up to a position, else of the words before it."""
    text = sentence.text
    named = re.match(r"[^,;.:]{0,40}?\bpour (?:les? |la |l')(.*)", text[quantity.end : high])
    return (use_scope(named[1]) if named else {}) or use_scope(
        f"{sentence.intro} {wording.without_neutral(text[: quantity.start])}"
    )


def size_at(sentence: Sentence, quantity: Quantity, found: Sequence[Quantity]) -> str:
    """Returns the size of the land that a figure is for: of the words up to the next figure, or before the first."""
    following = min((other.start for other in found if other.start > quantity.start), default=len(sentence.text))
    earlier = max((other.end for other in found if other.end <= quantity.start), default=0)
    before, after = sentence.text[earlier : quantity.start], sentence.text[quantity.end : following]
    first = wording.stated("size", sentence.text[: found[0].start]) or wording.stated("size", sentence.intro)
    others = wording.stated("other_land", after) or wording.stated("other_land", before)
    is_of_others = others and (first or wording.stated("size", sentence.text[: quantity.start]))
    return wording.stated("size", after) or (others if is_of_others else first)


def base(after: str) -> str:
    if _P["part_of_land"].search(re.split(r"[.;]", after)[0]):
        return "part of the land"
    match = re.match(
        r"[^.;,]{0,50}?\b(unite fonciere|terrain d'assiette|terrain|parcelle|lot|tenement|operation|propriete)\b",
        after,
    )
    return {"unite fonciere": "land unit"}.get(match[1], match[1]) if match else ""
