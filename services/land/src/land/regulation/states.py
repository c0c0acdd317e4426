"""The states of subjects without a rule: said not to be regulated, on the map, or not read. A subject has one state."""

import re
from collections.abc import Iterable, Iterator, Sequence

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.quantities import quantities
from land.regulation.rule import MAIN, Rule
from land.regulation.scopes import mentions
from land.regulation.sentence import QUALITATIVE, Sentence, make_rule, named_topics

CORE_SUBJECTS = (
    "division_lots",
    "setback_road",
    "setback_side",
    "setback_rear",
    "between_buildings",
    "depth_band",
    "footprint_ratio",
    "height_eave",
    "height_ridge",
    "height_flat_roof",
    "storeys",
    "full_ground_ratio",
    "green_ratio",
    "open_space_ratio",
    "parking",
    "access_width",
    "road_width",
    "min_plot",
)
TOPIC_SUBJECTS = {
    topics.ROAD: ("setback_road",),
    topics.BOUNDARY: ("setback_side", "setback_rear"),
    topics.BETWEEN: ("between_buildings",),
    topics.FOOTPRINT: ("footprint_ratio",),
    topics.HEIGHT: ("height_ridge",),
    topics.GREEN: ("green_ratio",),
    topics.PARKING: ("parking",),
    topics.ACCESS: ("access_width", "road_width"),
    topics.MIN_PLOT: ("min_plot",),
    topics.DENSITY: ("floor_area_ratio",),
}
_NARROWED = {
    topics.BOUNDARY: (("setback_side", "lateral"), ("setback_rear", r"\bfonds?\b|arriere|posterieur")),
    topics.ACCESS: (("access_width", r"\bacces\b"), ("road_width", r"\bvoies?\b|voirie|chaussee")),
    topics.GREEN: (("full_ground_ratio", "pleine terre"), ("green_ratio", "vegetalis|permeabl|espaces? verts?")),
}
"""The words that name one subject of a topic."""
_DISTANCES = ("setback_road", "setback_side", "setback_rear", "between_buildings")
HEIGHTS = ("height_eave", "height_ridge", "height_flat_roof", "storeys")
_GREENS = ("full_ground_ratio", "green_ratio", "open_space_ratio", "impermeable_ratio", "impermeable_area", "trees")
_GROUPS = {topics.HEIGHT: HEIGHTS, topics.GREEN: _GREENS}
"""Subjects of which one rule is enough for the topic to be read."""
_UNITS = {topics.FOOTPRINT: "%", topics.GREEN: "%", topics.PARKING: "place"}
"""Units of the figures of topics. Those of others are metres."""
_READ_TOPICS = {*TOPIC_SUBJECTS, topics.FENCE}
_PREVAILS = re.compile(r"prevau|preval|\bpriment?\b|s'impose|substitue|remplace|\bautre regle|contraire")
"""Words by which a map stands above the written rules, wherever they stand."""
_ON_MAP = {
    topics.ROAD: r"lignes? d'implantation|marges? de recul|regles de retrait",
    topics.FOOTPRINT: r"\bplan des emprises",
    topics.HEIGHT: r"\bplan des hauteurs",
    topics.PARKING: "stationnement",
}
_COMMON_RULES = re.compile(
    r"(?:report\w*|renvo\w*|complement\w*|completee?s?|voir|fixee?s?|definie?s?|figur\w+|"
    r"application)[^.;]{0,120}(?:annexes? (?:n|\d|du|au)|regles? communes?|dispositions? (?:generales?|communes?)|"
    r"titre i\b|lexique)"
)


def subjects_of(topic: str) -> tuple[str, ...]:
    """Returns the subjects that a heading may state."""
    return _GROUPS.get(topic) or TOPIC_SUBJECTS.get(topic, ())


def denials(sentence: Sentence) -> list[Rule]:
    """Returns the subjects that a sentence says are not regulated."""
    zone, scope = sentence.zone, sentence.scope
    is_main = sentence.kind == MAIN and scope.applies(zone) and not scope.map and not scope.band
    is_alone = not sentence.intro or re.match(r"\W*(?:dans|en|secteurs?|zones?)\b", sentence.intro)
    groups = mentions(sentence.raw, zone.known) or mentions(sentence.intro_raw, zone.known)
    named = [group for group in groups if sentence.names_zone(group)]
    is_of_one = sentence.topic != topics.SITING or len(named_topics(sentence.text)) <= 1
    if not (is_main and is_alone and is_of_one and wording.is_plain_denial(sentence.text)) or (groups and not named):
        return []
    is_of_sector = scope.included & zone.own or any(group.labels & zone.own for group in named)
    named_here = named_topics(sentence.text) if sentence.topic == topics.SITING else [sentence.topic]
    subjects = [subject for topic in named_here for subject in _topic_subjects(topic, sentence)]
    return statements(sentence, subjects, {"sector": min(zone.own)} if is_of_sector else {})


def map_statements(sentences: Iterable[Sentence], rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields the subjects that a graphic document decides first, with the sentence that says so."""
    figures = [rule for rule in rules if rule.value is not None and rule.kind == MAIN]
    heights = [subject for rule in figures for subject in rule.subjects if subject in HEIGHTS]
    for sentence in sentences:
        topic, text = sentence.topic, sentence.text
        prevails, is_core = _PREVAILS.search(text), topic in topics.CORE_TOPICS
        if (is_core or prevails) and wording.is_on_map(text):
            named = [*named_topics(text), *(name for name, words in _ON_MAP.items() if re.search(words, text))]
            # "Lorsqu'une disposition figure au règlement graphique, elle prévaut" is about what maps draw.
            named = named or ([*_ON_MAP] if prevails and "disposition" in text else [])
            named = named if not is_core or topic in (topics.SITING, topics.ACCESS) else [topic]
            subjects = [subject for name in named for subject in _topic_subjects(name, sentence)]
            subjects = ["setback_water"] if re.search(r"\bberges?\b|cours d'eau", text) else subjects
            yield from statements(sentence, [*subjects, *(heights if topics.HEIGHT in named else [])])


def unread_rules(sentences: Sequence[Sentence], read: set[str]) -> list[Rule]:
    """Returns words for the subjects whose heading has figures of which none was read: they are not "not found"."""
    unread: dict[str, Rule] = {}
    for sentence in sentences:
        named = tuple(_topic_subjects(sentence.topic, sentence))
        is_other = sentence.kind != MAIN or (sentence.topic == topics.ACCESS and "larg" not in sentence.text)
        if named and not is_other and _has_figure(sentence) and not read & {*named, *_GROUPS.get(sentence.topic, ())}:
            unread.setdefault(named[0], _in_words(sentence, named, {}))
    return list(unread.values())


def _has_figure(sentence: Sentence) -> bool:
    return any(figure.unit == _UNITS.get(sentence.topic, "m") for figure in quantities(sentence.text))


def of_sector(sentence: Sentence) -> list[Rule]:
    """Returns words for a figure of the zone's own sector that was not read: the whole zone's figure is not for it."""
    named = [subject for topic in named_topics(sentence.text) for subject in subjects_of(topic)]
    subjects = subjects_of(sentence.topic) or named or (_DISTANCES if sentence.topic == topics.SITING else ())
    is_own = (
        subjects
        and _has_figure(sentence)
        and not re.search(r"cloture|\bmurs?\b|\bhaies?\b", sentence.text)
        and sentence.kind == MAIN
        and sentence.names_own(sentence.raw)
    )
    return [_in_words(sentence, subjects, {"sector": min(sentence.zone.own)})] if is_own else []


def unread_statements(sentence: Sentence) -> Iterator[Rule]:
    """Yields the subjects that a sentence with a figure or a denial names under a heading that is not theirs."""
    text = f"{sentence.intro} {sentence.text}"
    is_read = sentence.topic in _READ_TOPICS or sentence.kind in (topics.DEFINITION, topics.RECALL)
    has_figure = any(figure.unit in ("m", "%", "place") for figure in quantities(sentence.text))
    if not is_read and "cloture" not in text and (has_figure or wording.stated("not_regulated", text)):
        distances = (topics.ROAD, topics.BOUNDARY, topics.BETWEEN) if sentence.topic == topics.SITING else ()
        for topic in named_topics(text) or named_topics(sentence.heading) or distances:
            yield from statements(sentence, _topic_subjects(topic, sentence))


def common_statements(sentences: Iterable[Sentence]) -> list[Rule]:
    """Returns the subjects for which the zone sends to common rules."""
    return [rule for one in sentences if _COMMON_RULES.search(one.text) for rule in topic_statements(one)]


def topic_statements(sentence: Sentence) -> list[Rule]:
    """Returns the subjects of the topic of a sentence, with its words."""
    return statements(sentence, TOPIC_SUBJECTS.get(sentence.topic, ()))


def is_read(subject: str, done: set[str]) -> bool:
    """Returns whether a subject is read: for heights and green ground, one rule of the group is enough."""
    return subject in done or any(subject in group and done & set(group) for group in _GROUPS.values())


def _topic_subjects(topic: str, sentence: Sentence) -> Sequence[str]:
    in_text, in_heading = (
        [subject for subject, pattern in _NARROWED.get(topic, ()) if re.search(pattern, text)]
        for text in (sentence.text, sentence.heading)
    )
    return in_text or in_heading or TOPIC_SUBJECTS.get(topic, ())


def _in_words(sentence: Sentence, subjects: Sequence[str], scope: dict[str, str]) -> Rule:
    first, *also = subjects
    return make_rule(sentence, first, QUALITATIVE, 0, len(sentence.text), also=tuple(also), scope=scope, ambiguous=True)


def statements(sentence: Sentence, subjects: Iterable[str], scope: dict[str, str] | None = None) -> list[Rule]:
    """Returns a statement without operator of a sentence, for each subject."""
    return [make_rule(sentence, subject, "", 0, len(sentence.text), scope=scope) for subject in dict.fromkeys(subjects)]
