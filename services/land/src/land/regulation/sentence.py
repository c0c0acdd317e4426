"""A sentence that is read: its figures for the zone, what each measures, and how a rule is made of it."""

import re
from bisect import bisect_left
from dataclasses import dataclass, replace

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.passages import Passage
from land.regulation.patterns import patterns
from land.regulation.quantities import CONDITION, Quantity, quantities
from land.regulation.rule import MAIN, Rule
from land.regulation.scopes import Mention, Zone, mentions

_P = patterns("sentence")
ROAD_CLASS = _P["road_class"]

QUALITATIVE = "qualitative"
_SENTENCE_TOPICS: tuple[tuple[str, str], ...] = (
    (topics.FOOTPRINT, r"emprise (?:au sol|batie|maxim)|coefficient d'emprise|\b(?:le|du) ces\b"),
    (topics.GREEN, r"pleine terre|espaces? verts?|impermeabilis|vegetalis"),
    (topics.PARKING, r"places? de stationnement|\bplaces? par logement"),
    (
        topics.BETWEEN,
        r"(?:deux|entre les?|entre) (?:constructions|batiments)|constructions? non (?:contigues|"
        r"accolees)|meme (?:unite fonciere|propriete|terrain)",
    ),
    (
        topics.BOUNDARY,
        r"limites? (?:separatives?|laterales?|de fond|parcellaires?|posterieures?)|fond de parcelle|"
        r"(?:accol|jouxt|contigu)\w*[^.;]{0,20}\blimites?\b",
    ),
    (
        topics.ROAD,
        r"alignement|axe de la (?:voie|rue)|par rapport a(?:ux?)? (?:la |l')?(?:voie|emprise|domaine)|"
        r"recul\w* de la voie",
    ),
    (topics.HEIGHT, r"\bhauteurs?\b|a l'egout|faitage|r ?\+ ?\d"),
    (topics.ACCESS, r"largeur[^.;]{0,40}(?:acces|voies?|chaussee)|(?:acces|voies?)[^.;]{0,60}larg"),
)


@dataclass(frozen=True)
class Sentence:
    """A passage as it is read for a zone. `intro` holds the words before it that it needs."""

    passage: Passage
    intro: str
    zone: Zone
    known: frozenset[str]
    height_point: str
    is_choice: bool

    @property
    def topic(self) -> str:
        """The topic of the heading, or the one that the sentence names under a heading over several."""
        if self.passage.topic != topics.SITING:
            return self.passage.topic
        text = f"{self.intro} {self.passage.text}"
        if re.search(r"cloture|toiture(?!s?-? ?terrasse)", text) and not re.search(
            r"hauteur (?:maximale|des constructions)", text
        ):
            return ""
        named = named_topics(text)
        if (
            topics.HEIGHT in named
            and re.search(
                r"\bhauteurs? (?:maximales?|totales?|des (?:constructions|batiments)|absolue)|\ba l'egout|"
                r"au faitage|r ?\+ ?\d",
                text,
            )
            and not (topics.BOUNDARY in named or topics.ROAD in named)
        ):
            return topics.HEIGHT
        return next((topic for topic in named if topic != topics.HEIGHT), "")

    def figures(self, units: tuple[str, ...]) -> list[Quantity]:
        """Returns the figures of the zone's own sector that are no conditions."""
        found = [quantity for quantity in quantities(self.passage.text, self.intro) if quantity.unit in units]
        groups = mentions(self.passage.raw, self.known)
        owned = [quantity for quantity in found if self._is_own(quantity, groups, found)]
        return [quantity for quantity in owned if quantity.direction != CONDITION]

    def _is_own(self, quantity: Quantity, groups: list[Mention], found: list[Quantity]) -> bool:
        """Returns whether a figure is for the zone, where sectors are named in the sentence itself."""
        text = self.passage.text
        spans = [(bisect_left(self.passage.folded.positions, group.start), group) for group in groups]
        first = min(item.start for item in found)
        if not spans:
            return True
        position, group = spans[0]
        if len(spans) > 1:
            before = [named for place, named in spans if place <= quantity.start]
            following = [named for place, named in spans if place > quantity.start]
            candidates = before[-1:] if position <= first else following[:1] or [spans[-1][1]]
            return any(map(self.names_zone, candidates))
        # "9 m, portée à 12 m dans le secteur UBa", "9 m et 12 m dans le secteur UBa": the sector has the later figure.
        connector = re.search(r"\b(?:porte|ramene|reduit|sauf|toutefois|cependant|mais|excepte)\w*|\((?=\d)", text)
        is_pair = re.search(r"\bet (?:de |a )?\W*\d", text[:position]) and not re.search("egout|faitage|acrotere", text)
        of_sector = True
        if position > first and connector and connector.start() > first:
            # "7 m, sauf en UCa": those who are left out have the later figure, if there is one.
            of_sector = (quantity.start > connector.start()) != group.is_excluded
        elif position > first and len(found) > 1 and is_pair:
            of_sector = quantity.start == max(item.start for item in found if item.start < position)
        return self.names_zone(group) == of_sector

    def names_zone(self, group: Mention) -> bool:
        named = bool(group.labels & self.zone.labels) or (bool(self.zone.sectors) and self.zone.sectors <= group.labels)
        return named != group.is_excluded


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
        unit="",
        formula="",
        ambiguous=rule.ambiguous or rule.kind == MAIN,
        note=note or rule.note,
    )


def case_at(text: str, end: int) -> str:
    """Returns the case that the words after a figure bind it to: "pour les façades aveugles", for example."""
    following = _P["next_figure"].search(text, end)
    match = _P["case"].search(text[end : following.start() if following else len(text)])
    return re.sub(r"\W*(?:\b(?:et|ou|a|de)\b\W*)*$", "", match[0]) if match else ""


def make_rule(
    passage: Passage,
    subject: str,
    operator: str,
    start: int,
    end: int,
    *,
    kind: str = MAIN,
    value: float | None = None,
    unit: str = "",
    formula: str = "",
    condition: str = "",
    also: tuple[str, ...] = (),
    scope: dict[str, str] | None = None,
    ambiguous: bool = False,
) -> Rule:
    return Rule(
        subject,
        operator,
        passage.quote(start, end),
        passage.page_at(start),
        passage.article,
        kind,
        value,
        unit,
        formula,
        condition or (case_at(passage.text, end) if value is not None else ""),
        also,
        {key: text for key, text in (scope or {}).items() if text},
        ambiguous,
    )


def measured(text: str, quantity: Quantity, intro: str, found: list[Quantity]) -> str:
    """Returns what a figure measures, by the noun after or before it: distance, height, width, band, other, or ""."""
    if after := _P["noun_after"].match(text[quantity.end :]):
        return str(after.lastgroup)
    earlier = [other.end for other in found if other.end <= quantity.start]
    if earlier and re.search(r"\bet (?:de |a |d')?$", text[earlier[-1] : quantity.start]):
        return measured(text, found[len(earlier) - 1], intro, found)
    for window in (text[earlier[-1] if earlier else 0 : quantity.start], text[: quantity.start], intro):
        nouns = list(
            _P["noun"].finditer(
                re.sub(
                    r"difference d'altitude|differences? de niveau|(?:toits?|toitures?) (?:a|en) pentes?|d'une longueur"
                    r"|(?:moitie de |egale?s? a |egale? (?:ou superieure )?a |\ba )(?:la |sa |leur )hauteur"
                    r"(?: (?:totale )?(?:de la |de l'|des |du )?(?:facades?|constructions?|batiments?)\b)?|"
                    r"egale?s? a hauteur|(?<=hauteur des constructions) (?:implante|edifie|etablie)\w*",
                    "difference",
                    window,
                )
            )
        )
        if nouns:
            return str(nouns[-1].lastgroup)
    return ""


def use_scope(text: str) -> dict[str, str]:
    use = wording.use_of(re.sub(r"surface de plancher|hauteur", "", text))
    return {"use": use} if use else {}


def use_at(sentence: Sentence, quantity: Quantity, high: int | None = None) -> dict[str, str]:
    """Returns the use that a figure is for: of "pour les …" after it, up to a position, else of the words before it."""
    text = sentence.passage.text
    named = re.match(r"[^,;.:]{0,40}?\bpour (?:les? |la |l')(.*)", text[quantity.end : high])
    return (use_scope(named[1]) if named else {}) or use_scope(
        f"{sentence.intro} {wording.without_exempt(text[: quantity.start])}"
    )


def base(after: str) -> str:
    match = re.match(
        r"[^.;,]{0,50}?\b(unite fonciere|terrain d'assiette|terrain|parcelle|lot|tenement|operation|zone|propriete)\b",
        after,
    )
    return {"unite fonciere": "land unit"}.get(match[1], match[1]) if match else ""


def clause(text: str, start: int) -> str:
    """Returns the words from a position to the end of their clause."""
    return re.split(r"[,;:.]", text[start:])[0]
