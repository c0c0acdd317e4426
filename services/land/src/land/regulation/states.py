"""The states of subjects without a rule: said not to be regulated, on the map, or not read. A subject has one state."""

import re
from collections.abc import Iterable, Iterator, Sequence

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.passages import Passage
from land.regulation.quantities import quantities
from land.regulation.rule import MAIN, Rule, Statement
from land.regulation.scopes import Zone, mentions, scope_of
from land.regulation.sentence import QUALITATIVE, make_rule, named_topics

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
HEIGHTS = ("height_eave", "height_ridge", "height_flat_roof", "storeys")
_GREENS = ("full_ground_ratio", "green_ratio", "open_space_ratio", "impermeable_ratio", "impermeable_area", "trees")
_GROUPS = {topics.HEIGHT: HEIGHTS, topics.GREEN: _GREENS}
"""Subjects of which one rule is enough for the topic to be read."""
_UNITS = {topics.FOOTPRINT: "%", topics.GREEN: "%", topics.PARKING: "place"}
"""Units of the figures of topics. Those of others are metres."""
_READ_TOPICS = {*TOPIC_SUBJECTS, topics.FENCE}
_COMMON_RULES = re.compile(
    r"(?:report\w*|renvo\w*|complement\w*|completee?s?|voir|"
    r"application)[^.;]{0,120}(?:regles? communes?|dispositions? (?:generales?|communes?)|"
    r"titre i\b|lexique)"
)


def subjects_of(topic: str) -> tuple[str, ...]:
    """Returns the subjects that a heading may state."""
    return _GROUPS.get(topic) or TOPIC_SUBJECTS.get(topic, ())


def of_zone(passages: Iterable[Passage], zone: Zone, known: frozenset[str]) -> list[Passage]:
    """Returns the passages whose rules are for the zone."""
    return [
        passage for passage in passages if passage.scope.applies(zone) and scope_of(passage.raw, known).applies(zone)
    ]


def denials(passage: Passage, zone: Zone, known: frozenset[str]) -> list[Statement]:
    """Returns the subjects that a passage says are not regulated."""
    if passage.kind != MAIN or not passage.scope.applies(zone) or passage.scope.map or passage.scope.band:
        return []
    if not wording.is_plain_denial(passage.text) or (
        passage.intro and not re.match(r"\W*(?:dans|en|secteurs?|zones?)\b", passage.intro)
    ):
        return []
    groups = mentions(passage.raw, known) or mentions(passage.intro_raw, known)
    named = [
        group
        for group in groups
        if bool(group.labels & zone.labels or (zone.sectors and zone.sectors <= group.labels)) != group.is_excluded
    ]
    subjects = _subjects(passage)
    if (groups and not named) or (passage.topic == topics.SITING and len(named_topics(passage.text)) > 1):
        return []
    of_sector = bool(passage.scope.included & zone.own or any(group.labels & zone.own for group in named))
    return list(_statements(passage, subjects, is_of_sector=of_sector))


def map_statements(passages: Iterable[Passage], rules: Iterable[Rule]) -> Iterator[Statement]:
    """Yields the subjects that a graphic document decides first, with the sentence that says so."""
    heights = [
        subject
        for rule in rules
        for subject in rule.subjects
        if subject in HEIGHTS and rule.value is not None and rule.kind == MAIN
    ]
    for passage in passages:
        if passage.topic in topics.CORE_TOPICS and wording.is_on_map(passage.text):
            named = [*named_topics(passage.text), *([topics.PARKING] if "stationnement" in passage.text else [])]
            subjects = (
                [subject for topic in named for subject in _topic_subjects(topic, passage)]
                if passage.topic in (topics.SITING, topics.ACCESS)
                else _subjects(passage)
            )
            yield from _statements(passage, [*subjects, *(heights if passage.topic == topics.HEIGHT else [])])


def unread_rules(passages: Sequence[Passage], read: set[str]) -> list[Rule]:
    """Returns words for the subjects whose heading has figures of which none was read: they are not "not found"."""
    unread: dict[str, Rule] = {}
    for passage in passages:
        named = TOPIC_SUBJECTS.get(passage.topic, ())
        if passage.topic == topics.ACCESS and "larg" not in passage.text:
            continue
        has_figure = passage.kind == MAIN and re.search(r"\d ?(?:m\b|%|metres?)", passage.text)
        if named and has_figure and not read & {*named, *_GROUPS.get(passage.topic, ())}:
            rule = make_rule(passage, named[0], QUALITATIVE, 0, len(passage.text), also=named[1:], ambiguous=True)
            unread.setdefault(named[0], rule)
    return list(unread.values())


def of_sector(passage: Passage, zone: Zone, known: frozenset[str]) -> Iterator[Rule]:
    """Yields words for a figure of the zone's own sector that was not read: the whole zone's figure is not for it."""
    subjects = subjects_of(passage.topic)
    is_own = any(group.labels & zone.own and not group.is_excluded for group in mentions(passage.raw, known))
    unit = _UNITS.get(passage.topic, "m")
    has_figure = any(figure.unit == unit for figure in quantities(passage.text))
    if subjects and has_figure and passage.kind == MAIN and (is_own or passage.scope.included & zone.own):
        scope = {"sector": min(zone.own)}
        yield make_rule(
            passage, subjects[0], QUALITATIVE, 0, len(passage.text), also=subjects[1:], scope=scope, ambiguous=True
        )


def unread_statements(passage: Passage) -> Iterator[Statement]:
    """Yields the subjects that a sentence with a figure or a denial names under a heading that is not theirs."""
    text = f"{passage.intro} {passage.text}"
    if passage.topic in _READ_TOPICS or passage.kind in (topics.DEFINITION, topics.RECALL) or "cloture" in text:
        return
    if wording.denies(text) or any(figure.unit in ("m", "%", "place") for figure in quantities(passage.text)):
        distances = (topics.ROAD, topics.BOUNDARY, topics.BETWEEN) if passage.topic == topics.SITING else ()
        for topic in named_topics(text) or named_topics(passage.heading) or distances:
            yield from _statements(passage, _topic_subjects(topic, passage))


def common_statements(passages: Iterable[Passage]) -> Iterator[Statement]:
    """Yields the subjects for which the zone sends to common rules."""
    for passage in passages:
        if _COMMON_RULES.search(passage.text):
            yield from _statements(passage, TOPIC_SUBJECTS.get(passage.topic, ()))


def is_read(subject: str, done: set[str]) -> bool:
    """Returns whether a subject is read: for heights and green ground, one rule of the group is enough."""
    return subject in done or any(subject in group and done & set(group) for group in _GROUPS.values())


def _subjects(passage: Passage) -> list[str]:
    """Returns the subjects of a passage, by the words of the sentence, of its heading, or by its topic."""
    named = named_topics(passage.text) if passage.topic == topics.SITING else [passage.topic]
    return [subject for topic in named for subject in _topic_subjects(topic, passage)]


def _topic_subjects(topic: str, passage: Passage) -> Sequence[str]:
    for text in (passage.text, passage.heading):
        if narrowed := [subject for subject, pattern in _NARROWED.get(topic, ()) if re.search(pattern, text)]:
            return narrowed
    return TOPIC_SUBJECTS.get(topic, ())


def _statements(passage: Passage, subjects: Iterable[str], *, is_of_sector: bool = False) -> Iterator[Statement]:
    quote = passage.quote(0, len(passage.text))
    for subject in dict.fromkeys(subjects):
        yield Statement(subject, quote, passage.page_at(0), passage.article, is_of_sector)
