"""The answer of a zone: its rules, and why other subjects have none: not regulated, on the map, not found, not read."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.chapters import Chapter, Reference, chapter_of, general_lines, parent_labels, reference_of
from land.regulation.division import division
from land.regulation.documents import HIDDEN_TEXT, Document, Page
from land.regulation.headings import LABEL
from land.regulation.heights import height_point
from land.regulation.passages import Passage, PassageReader
from land.regulation.rule import MAIN, Rule
from land.regulation.rules import SentenceReader
from land.regulation.scopes import Zone, mentions, scope_of, sector_labels
from land.regulation.sentence import QUALITATIVE, make_rule, words
from land.regulation.tables import PlacedLine, TableReader
from land.regulation.text import plain

READER = "rules-1"

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
_TOPIC_SUBJECTS = {
    topics.ROAD: ("setback_road",),
    topics.BOUNDARY: ("setback_side", "setback_rear"),
    topics.BETWEEN: ("between_buildings",),
    topics.FOOTPRINT: ("footprint_ratio",),
    topics.HEIGHT: ("height_ridge",),
    topics.GREEN: ("green_ratio",),
    topics.PARKING: ("parking",),
    topics.MIN_PLOT: ("min_plot",),
    topics.DENSITY: ("floor_area_ratio",),
}
_GREENS = ("full_ground_ratio", "green_ratio", "open_space_ratio", "impermeable_ratio", "impermeable_area", "trees")
_HEIGHTS = ("height_eave", "height_ridge", "height_flat_roof", "storeys")
_COMMON_RULES = re.compile(
    r"(?:report\w*|renvo\w*|complement\w*|completee?s?|voir|"
    r"application)[^.;]{0,120}(?:regles? communes?|dispositions? (?:generales?|communes?)|"
    r"titre i\b|lexique)"
)
_LAW = re.compile(r"\b[rl]\.? ?\*?1\d\d-\d|code (?:de|civil|rural|general)")


@dataclass(frozen=True)
class _Part:
    """What was read of a chapter or of common rules."""

    document: Document
    passages: tuple[Passage, ...]
    rules: tuple[Rule, ...]
    topics: frozenset[str]
    denials: tuple[dict[str, object], ...] = ()


def read_zone(document: Document, label: str, anchor: str = "", general: Document | None = None) -> dict[str, object]:
    """Returns one zone in the fields of a reading: rules, not_regulated, needs_map, not_found, unreadable and others.

    `label` is the zone's label; `anchor` a page of the file or the name of a place; `general` a file of common rules.
    """
    labels = re.findall(LABEL, label) or [label.strip()]
    chapter = chapter_of(document, labels[0], anchor)
    answer: dict[str, object] = {
        "id": label,
        "zone": label,
        "file": document.name,
        "sha256": document.sha256,
        "reader": READER,
    }
    if chapter is None:
        readable = any(not page.unreadable for page in document.pages)
        return answer | _empty("chapter_not_found" if readable else "unreadable", document)
    if document.pages and all(page.unreadable for page in document.pages):
        return answer | _empty("unreadable", document)
    reference = reference_of(chapter.lines, labels[0])
    references: list[dict[str, object]] = []
    if reference:
        other = chapter_of(document, reference.zone)
        followed = other is not None and reference.zone in [
            *parent_labels(other.label),
            other.label,
            *parent_labels(reference.zone),
        ]
        references.append(
            {
                "zone": reference.zone,
                "quote": reference.quote,
                **_pages_of(document.pages, reference.page),
                "followed": followed,
            }
        )
        if other is None or not followed:
            return answer | _empty("reference_not_followed", document) | {"references": references}
        own = _read_part(document, chapter, labels)
        target = _read_part(document, other, [reference.zone])
        own = _merged(own, target, reference)
        chapter = replace(other, general=chapter.general or other.general)
    else:
        own = _read_part(document, chapter, labels)
    commons = (
        [_read_part(document, Chapter(chapter.label, chapter.general, ()), labels, is_general=True)]
        if chapter.general
        else []
    )
    if general is not None:
        commons.append(_read_part(general, Chapter(chapter.label, general_lines(general), ()), labels, is_general=True))
    return answer | _answer(chapter, own, commons, general, references)


def _zone_of(labels: Sequence[str], chapter: Chapter) -> tuple[Zone, frozenset[str]]:
    label = labels[0]
    texts = [line.text for line in chapter.lines]
    stems = [stem for stem in parent_labels(label) if len(stem) > 1 or stem == chapter.label]
    known = frozenset(sector for sector in _known_sectors(texts, stems) if sector != label)
    below = frozenset(sector for sector in known if label in parent_labels(sector)[1:])
    sectors = frozenset(labels[1:]) or (below if len(below) > 1 else frozenset())
    return Zone(frozenset({label}), frozenset(parent_labels(label)[1:]), sectors), known | {label} | frozenset(
        stems
    ) | sectors


def _known_sectors(texts: Sequence[str], stems: Sequence[str]) -> frozenset[str]:
    """Returns the sectors that a text names. One-letter zones (A, N) need the word "secteur": "Afin" is none."""
    long_stems = [stem for stem in stems if len(stem) > 1]
    found = set(sector_labels(texts, long_stems))
    joined = " ".join(texts)
    for stem in stems:
        if len(stem) == 1:
            for match in re.finditer(
                rf"(?i:secteurs?|zones?)\s+((?:{stem}[a-z]{{0,2}}\d{{0,2}}(?![a-zA-Z])(?:\s*(?:,|et|ou)\s*)?)+)", joined
            ):
                found.update(re.findall(rf"\b{stem}[a-z]{{0,2}}\d{{0,2}}\b", match[1]))
    return frozenset(found) - set(stems)


def _read_part(document: Document, chapter: Chapter, labels: Sequence[str], *, is_general: bool = False) -> _Part:
    zone, known = _zone_of(labels, chapter)
    first = PassageReader(chapter.lines, known, is_structured=document.is_structured)
    first_passages = tuple(first.read())
    tables = TableReader([PlacedLine(*place) for place in first.places], zone, known)
    rules = tables.read() if not is_general else []
    reader = first
    passages = first_passages
    if tables.used:
        blanked = [replace(line, text="") if index in tables.used else line for index, line in enumerate(chapter.lines)]
        reader = PassageReader(blanked, known, is_structured=document.is_structured)
        passages = tuple(reader.read())
    point = height_point(
        passage.text for passage in passages if passage.topic in (topics.HEIGHT, topics.SITING)
    ) or height_point(plain(line.text) for line in chapter.general)
    sentences = SentenceReader(zone, known, point)
    for passage, following in zip_longest(passages, passages[1:]):
        if is_general and (_LAW.search(passage.text) or _LAW.search(passage.heading)):
            continue
        rules += sentences.read(passage, following)
    denials = [
        {"subject": denial.subject, "article": denial.article, "page": denial.page, "quote": denial.quote}
        for denial in tables.denials
    ]
    for passage in passages:
        denials += _denials(passage, zone, known)
    read = {subject for rule in rules for subject in rule.subjects} | {str(denial["subject"]) for denial in denials}
    own = [
        passage for passage in passages if scope_of(passage.raw, known).applies(zone) and passage.scope.applies(zone)
    ]
    rules += _unread_topics(own, read)
    return _Part(document, passages, tuple(_hidden(rules, document)), frozenset(reader.topics), tuple(denials))


def _unread_topics(passages: Sequence[Passage], read: set[str]) -> list[Rule]:
    """Returns words for the subjects whose heading has figures of which none was read: they are not "not found"."""
    unread: dict[str, Rule] = {}
    for passage in passages:
        named = _TOPIC_SUBJECTS.get(passage.topic, ())
        group = {topics.HEIGHT: _HEIGHTS, topics.GREEN: _GREENS}.get(passage.topic, ())
        has_figure = passage.kind == MAIN and re.search(r"\d ?(?:m\b|%|metres?)", passage.text)
        if named and has_figure and not read & {*named, *group}:
            rule = make_rule(passage, named[0], QUALITATIVE, 0, len(passage.text), also=named[1:], ambiguous=True)
            unread.setdefault(named[0], rule)
    return list(unread.values())


def _hidden(rules: Iterable[Rule], document: Document) -> list[Rule]:
    """Returns the rules, those of a page whose text nobody sees as words."""
    return [
        replace(words(rule, note="the page's text is hidden under a picture"), ambiguous=True)
        if document.pages[rule.page].unreadable == HIDDEN_TEXT
        else rule
        for rule in rules
    ]


def _merged(own: _Part, target: _Part, reference: Reference) -> _Part:
    """Returns the rules of the zone that a reference names, replaced where the zone has its own."""
    subjects = {
        subject for rule in own.rules if rule.kind == MAIN and rule.value is not None for subject in rule.subjects
    }
    note = f"by reference to the zone {reference.zone}"
    taken = tuple(replace(rule, note=rule.note or note) for rule in target.rules if not subjects & set(rule.subjects))
    return _Part(
        own.document,
        target.passages + own.passages,
        own.rules + taken,
        own.topics | target.topics,
        own.denials + target.denials,
    )


def _denials(passage: Passage, zone: Zone, known: frozenset[str]) -> list[dict[str, object]]:
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
    if groups and not named:
        return []
    subjects = _TOPIC_SUBJECTS.get(passage.topic, ())
    if passage.topic == topics.SITING:
        topic = next((topic for topic, pattern in _DENIED_TOPICS if re.search(pattern, passage.text)), "")
        subjects = _TOPIC_SUBJECTS.get(topic, ())
    elif passage.topic == topics.BOUNDARY:
        rear = re.search(r"fond", passage.heading + passage.text)
        side = re.search(r"lateral", passage.heading + passage.text)
        subjects = ("setback_rear",) if rear and not side else ("setback_side",) if side and not rear else subjects
    elif passage.topic == topics.GREEN and re.search("pleine terre", passage.text):
        subjects = ("full_ground_ratio",)
    quote = passage.quote(0, len(passage.text))
    return [
        {"subject": subject, "article": passage.article, "page": passage.page_at(0), "quote": quote}
        for subject in subjects
    ]


_DENIED_TOPICS = (
    (topics.FOOTPRINT, r"emprise au sol"),
    (topics.BETWEEN, r"entre (?:les |deux )?constructions|meme (?:propriete|terrain|unite)"),
    (topics.BOUNDARY, r"limites? separatives?"),
    (topics.HEIGHT, r"hauteur"),
    (topics.ROAD, r"alignement|\bvoies?\b"),
)


def _answer(
    chapter: Chapter,
    own: _Part,
    commons: Sequence[_Part],
    general: Document | None,
    references: list[dict[str, object]],
) -> dict[str, object]:
    document = own.document
    levels: list[tuple[_Part, Rule]] = [(own, rule) for rule in _settled(own.rules)]
    found = {subject for _, rule in levels for subject in rule.subjects if rule.kind == MAIN}
    elsewhere = [part for part in commons if part.document is not document]
    for part in elsewhere:
        levels += [
            (part, rule)
            for rule in _settled(part.rules)
            if rule.kind == MAIN and not found & set(rule.subjects) and rule.subject not in _USES
        ]
    levels += _divisions(own, commons)
    regulated = {subject for _, rule in levels for subject in rule.subjects if rule.kind == MAIN}
    denials = _unique(
        entry | _pages_of(document.pages, entry["page"])
        for entry in own.denials
        if entry["subject"] not in regulated and not (entry["subject"] == "height_ridge" and regulated & set(_HEIGHTS))
    )
    on_map = _map_subjects([own, *elsewhere], levels)
    mapped = {str(entry["subject"]) for entry in on_map}
    levels = [
        (
            part,
            replace(
                rule,
                needs_map=rule.needs_map
                or (rule.kind == MAIN and rule.value is not None and bool(mapped & set(rule.subjects))),
            ),
        )
        for part, rule in levels
    ]
    denied = {str(entry["subject"]) for entry in denials}
    not_read = _not_read(own, general, regulated | denied | mapped)
    unread = {str(entry["subject"]) for entry in not_read}
    known_topics = own.topics & {*topics.CORE_TOPICS}
    is_known = len(known_topics) >= 2 or bool(levels)
    missing = [subject for subject in CORE_SUBJECTS if subject not in regulated | denied | mapped | unread]
    first, last = chapter.pages
    return {
        "state": "read" if is_known else "layout_unknown",
        "chapter": chapter.label,
        "layout": _layout(own),
        "pages": [document.pages[first].number, document.pages[last].number] if last >= first else [],
        "rules": [_rule_fields(part, rule, number, document) for number, (part, rule) in enumerate(levels, 1)],
        "not_regulated": denials,
        "needs_map": on_map,
        "not_found": missing if is_known else [],
        "not_read": not_read
        if is_known
        else [{"subject": subject, "why": "the layout is not known"} for subject in missing],
        "unreadable": _unreadable(document, chapter)
        + [entry for part in elsewhere for entry in _unreadable(part.document, None)],
        "references": references,
    }


_USES = ("forbidden_use", "conditional_use", "fence_height", "division_lots")


def _settled(rules: Iterable[Rule]) -> list[Rule]:
    """Returns the rules without doubles. A sector's own rule replaces the zone's; figures that differ become words."""
    unique: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        key = (
            rule.subject,
            rule.also,
            rule.operator,
            rule.value,
            rule.unit,
            rule.kind,
            rule.scope.get("use"),
            rule.scope.get("road"),
            rule.scope.get("map"),
            rule.scope.get("band"),
            rule.condition,
            rule.quote if rule.value is None else "",
        )
        unique.setdefault(key, rule)
    kept = list(unique.values())
    own_subjects = {
        (subject, rule.operator, rule.scope.get("use"))
        for rule in kept
        if rule.kind == MAIN and rule.value is not None and "sector" in rule.scope
        for subject in rule.subjects
    }
    kept = [
        rule
        for rule in kept
        if rule.kind != MAIN
        or rule.value is None
        or "sector" in rule.scope
        or not all((subject, rule.operator, rule.scope.get("use")) in own_subjects for subject in rule.subjects)
    ]
    groups: dict[tuple[object, ...], set[float]] = defaultdict(set)
    for rule in kept:
        for qualifiers in _conflict_keys(rule):
            groups[qualifiers].add(rule.value or 0)
    return [
        words(rule, note="the text gives several figures for it")
        if any(len(groups[key]) > 1 for key in _conflict_keys(rule))
        else rule
        for rule in kept
    ]


def _conflict_keys(rule: Rule) -> list[tuple[object, ...]]:
    if (
        rule.kind != MAIN
        or rule.value is None
        or rule.operator.startswith("on_limit")
        or rule.subject in ("trees", "fence_height")
    ):
        return []
    qualifiers = tuple(
        sorted((name, text) for name, text in rule.scope.items() if name not in ("point", "base", "sector"))
    )
    unit = rule.unit if rule.subject.startswith("parking") else ""
    return [(subject, rule.operator, unit, rule.condition, qualifiers) for subject in rule.subjects]


def _divisions(own: _Part, commons: Sequence[_Part]) -> list[tuple[_Part, Rule]]:
    """Returns the rule on divided land: of the zone, else of common rules. Rules that differ become words."""
    for parts in ([own], commons):
        found = [(part, rule) for part in parts for passage in part.passages if (rule := division(passage))]
        if found:
            readings = {rule.operator for _, rule in found}
            kept = list({rule.operator: (part, rule) for part, rule in reversed(found)}.values())
            return (
                kept
                if len(readings) == 1
                else [(part, words(rule, note="the text gives both readings")) for part, rule in kept]
            )
    return []


def _map_subjects(parts: Sequence[_Part], levels: Sequence[tuple[_Part, Rule]]) -> list[dict[str, object]]:
    """Returns the subjects that a graphic document decides first, with the sentence that says so."""
    entries: list[dict[str, object]] = []
    for part in parts:
        for passage in part.passages:
            if passage.topic not in topics.CORE_TOPICS or not wording.is_on_map(passage.text):
                continue
            subjects = list(_TOPIC_SUBJECTS.get(passage.topic, ()))
            if passage.topic in (topics.SITING, topics.ACCESS):
                subjects = [
                    subject
                    for topic, pattern in _MAP_TOPICS
                    if re.search(pattern, passage.text)
                    for subject in _TOPIC_SUBJECTS[topic]
                ]
            if passage.topic == topics.GREEN:
                subjects = ["full_ground_ratio"] if "pleine terre" in passage.text else subjects
                subjects += ["green_ratio"] if re.search("vegetalis|permeabl", passage.text) else []
            if passage.topic == topics.HEIGHT:
                subjects += [
                    subject
                    for _, rule in levels
                    for subject in rule.subjects
                    if subject in _HEIGHTS and rule.value is not None and rule.kind == MAIN
                ]
            entries += [
                {
                    "subject": subject,
                    "article": passage.article,
                    **_pages_of(part.document.pages, passage.page_at(0)),
                    "quote": passage.quote(0, len(passage.text)),
                }
                for subject in dict.fromkeys(subjects)
            ]
    return _unique(entries)


_MAP_TOPICS = (
    *_DENIED_TOPICS,
    (topics.GREEN, r"espaces? verts?|pleine terre|vegetalis"),
    (topics.PARKING, r"stationnement"),
)


def _not_read(own: _Part, general: Document | None, done: set[str]) -> list[dict[str, object]]:
    """Returns the subjects for which the zone sends to common rules that were not given."""
    if general is not None:
        return []
    entries = [
        {
            "subject": subject,
            "why": "the common rules were not given",
            **_pages_of(own.document.pages, passage.page_at(0)),
            "quote": passage.quote(0, len(passage.text)),
        }
        for passage in own.passages
        if _COMMON_RULES.search(passage.text)
        for subject in _TOPIC_SUBJECTS.get(passage.topic, ())
        if subject not in done
    ]
    return _unique(entries)


def _unique(entries: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Returns the first entry of each subject."""
    return list({str(entry["subject"]): entry for entry in reversed(list(entries))}.values())[::-1]


def _unreadable(document: Document, chapter: Chapter | None) -> list[dict[str, object]]:
    first, last = chapter.pages if chapter else (0, len(document.pages) - 1)
    while chapter and last + 1 < len(document.pages) and document.pages[last + 1].unreadable:
        last += 1
    while chapter and first > 0 and document.pages[first - 1].unreadable:
        first -= 1
    return [
        {"file": document.name, **_pages_of(document.pages, index), "why": page.unreadable}
        for index, page in enumerate(document.pages)
        if first <= index <= last and page.unreadable
    ]


def _empty(state: str, document: Document) -> dict[str, object]:
    why = {
        "chapter_not_found": "the chapter of the zone is not in the file",
        "unreadable": "the file has no text that can be read",
    }
    return {
        "state": state,
        "rules": [],
        "not_regulated": [],
        "needs_map": [],
        "not_found": [],
        "not_read": [
            {"subject": subject, "why": why.get(state, "the rules are those of a zone that is not in the file")}
            for subject in CORE_SUBJECTS
        ],
        "unreadable": _unreadable(document, None),
        "references": [],
    }


def _layout(part: _Part) -> str:
    if part.document.is_structured:
        return "structured"
    old = sum(1 for passage in part.passages if re.fullmatch(rf"(?:{LABEL} )?\d{{1,2}}(?: - \S+)?", passage.article))
    return "numbered articles" if old > len(part.passages) / 2 else "headings"


def _pages_of(pages: Sequence[Page], index: object) -> dict[str, object]:
    page = pages[index] if isinstance(index, int) and 0 <= index < len(pages) else Page(None)
    return {"page": page.number, "printed_page": page.printed}


def _rule_fields(part: _Part, rule: Rule, number: int, document: Document) -> dict[str, object]:
    value = int(rule.value) if rule.value is not None and rule.value == int(rule.value) else rule.value
    fields: Mapping[str, object] = {
        "id": f"r{number}",
        "subject": rule.subject,
        "also": list(rule.also),
        "operator": rule.operator,
        "value": value,
        "unit": rule.unit,
        "formula": rule.formula,
        "condition": rule.condition,
        "scope": rule.scope,
        "kind": rule.kind,
        "level": "" if part.document is document else "general",
        "file": "" if part.document is document else part.document.name,
        "article": rule.article,
    }
    kept = {name: field for name, field in fields.items() if field is not None and field not in ("", [], {})}
    kept |= _pages_of(part.document.pages, rule.page) | {"quote": rule.quote}
    marks = {"ambiguous": rule.ambiguous, "needs_map": rule.needs_map, "note": rule.note}
    return kept | {name: mark for name, mark in marks.items() if mark}
