"""The answer of a zone: its rules, and why other subjects have none: not regulated, on the map, not found, not read."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from land.regulation import headings as topics
from land.regulation import states
from land.regulation.chapters import Chapter, article_named, chapter_of, general_lines, parent_labels, zone_named
from land.regulation.division import division, is_beside_division
from land.regulation.documents import HIDDEN_TEXT, Document, Line
from land.regulation.headings import LABEL
from land.regulation.heights import height_point
from land.regulation.passages import PassageReader
from land.regulation.rule import MAIN, Rule
from land.regulation.rules import rules_of
from land.regulation.scopes import Columns, Zone, columns_of, sector_labels
from land.regulation.sentence import Sentence, words
from land.regulation.settling import settled
from land.regulation.text import one_line, plain

READER = "rules-1"

_LAW = re.compile(r"\b[rl]\.? ?\*?1\d\d-\d|code (?:de|civil|rural|general)")
_OF_THE_ZONE = ("forbidden_use", "conditional_use", "fence_height", "division_lots")
"""Subjects that common rules do not complete."""
LAYOUT_UNKNOWN = "layout_unknown"
WHY_EMPTY = {
    "chapter_not_found": "the chapter of the zone is not in the file",
    "unreadable": "the file has no text that can be read",
    "reference_not_followed": "the rules are those of a zone that is not in the file",
}


@dataclass(frozen=True)
class _Part:
    """What was read of a chapter or of common rules: its sentences, and what they state for the zone."""

    document: Document
    is_elsewhere: bool
    """Whether it is another file than that of the zone."""
    sentences: list[Sentence]
    topics: set[str]
    rules: list[Rule]
    denials: list[Rule]
    unread: list[Rule]

    def placed(self, rules: Iterable[Rule]) -> list[Rule]:
        """Returns the rules with their page of the file and their printed page, instead of the index of the page."""
        places = ((rule, self.document.pages[rule.page or 0]) for rule in rules)
        level, file = ("general", self.document.name) if self.is_elsewhere else ("", "")
        return [
            replace(rule, page=page.number, printed_page=page.printed, level=level, file=file) for rule, page in places
        ]


def read_zone(
    document: Document, label: str, anchor: str = "", general: Document | None = None, *, has_text: bool = False
) -> dict[str, object]:
    """Returns one zone in the fields of a reading: rules, not_regulated, needs_map, not_found, unreadable and others.

    `label` is the zone's label; `anchor` a page of the file or the name of a place; `general` a file of common rules.
    With `has_text`, the reading also has the text of the chapter and its sentences, for a second reader.
    """
    labels, references = re.findall(LABEL, label) or [label.strip()], list[dict[str, object]]()
    answer: dict[str, object] = {"id": label, "zone": label, "file": document.name, "sha256": document.sha256}
    answer |= {"reader": READER, "references": references}
    if all(page.unreadable for page in document.pages):
        return answer | _empty("unreadable", document)
    chapter = chapter_of(document, labels[0], anchor)
    if chapter is None:
        return answer | _empty("chapter_not_found", document)
    common = general.lines if general else chapter.general
    columns = columns_of([line.text for line in chapter.lines], _zone_of(labels, chapter))
    own = _read_part(document, chapter, labels, common, columns)
    referring = next(filter(zone_named, own.sentences), None)
    if referring and (reference := zone_named(referring)):
        other = chapter_of(document, reference)
        references.append(_reference(own, referring, reference, followed=other is not None))
        if other is None:
            return answer | _empty("reference_not_followed", document)
        own = _merged(own, _read_part(document, other, [reference], common, columns), f"the zone {reference}")
        chapter = replace(other, general=chapter.general or other.general)
    for sentence in own.sentences:
        if named := article_named(sentence):
            own, entry = _with_article(own, sentence, *named)
            references.append(entry)
    commons = [(document, chapter.general)] if chapter.general else []
    commons += [(general, general_lines(general))] if general else []
    parts = [
        _read_part(file, Chapter(chapter.label, lines, ()), labels, (), columns, document) for file, lines in commons
    ]
    answer |= _answer(chapter, own, parts, has_general=general is not None)
    if has_text and not referring:
        text = "\n".join(line.text for line in chapter.lines)
        answer |= {"text": text, "sentences": [_sentence_fields(own, sentence) for sentence in own.sentences]}
    return answer


def _zone_of(labels: Sequence[str], chapter: Chapter) -> Zone:
    """Returns the zone that is read."""
    label, texts = labels[0], [line.text for line in chapter.lines]
    stems = [stem for stem in parent_labels(label) if len(stem) > 1 or stem == chapter.label]
    # Zones may share a chapter: "ZONES U1, U2 ET U3", "En U1, …".
    beside = r"\b(?:[Ee]n|[Zz]ones?) (U[A-Z][a-z0-9]{0,2})\b" if not re.match(r"U\d", label) else r"\b(U\d[a-z]?)\b"
    siblings = {sibling for text in texts for sibling in re.findall(beside, text)}
    known = (_known_sectors(texts, stems) | siblings) - {label}
    below = frozenset(sector for sector in known if label in parent_labels(sector)[1:])
    sectors = frozenset(labels[1:]) or (below if len(below) > 1 else frozenset())
    return Zone(frozenset({label}), frozenset(parent_labels(label)[1:]), sectors, known | {label, *stems} | sectors)


def _known_sectors(texts: Sequence[str], stems: Sequence[str]) -> frozenset[str]:
    """Returns the sectors that a text names. One-letter zones (A, N) need the word "secteur": "Afin" is none."""
    short = {
        label
        for stem in stems
        if len(stem) == 1
        for match in re.finditer(
            rf"(?:(?i:secteurs?|zones?|stecal\)?)\s+|[Ee]n (?={stem}[a-z]\d?\b))"
            rf"((?:{stem}[a-z]{{0,2}}\d{{0,2}}(?![a-zA-Z])(?:\s*(?:,|et|ou)\s*)?)+)",
            " ".join(texts),
        )
        for label in re.findall(rf"\b{stem}[a-z]{{0,2}}\d{{0,2}}\b", match[1])
    }
    return (sector_labels(texts, [stem for stem in stems if len(stem) > 1]) | short) - set(stems)


def _read_part(
    document: Document,
    chapter: Chapter,
    labels: Sequence[str],
    definitions: Sequence[Line],
    columns: Columns = (frozenset(), frozenset()),
    common_rules_of: Document | None = None,
) -> _Part:
    is_general, zone = common_rules_of is not None, replace(_zone_of(labels, chapter), columns=columns)
    reader = PassageReader(chapter.lines, zone, is_structured=document.is_structured, definitions=definitions)
    sentences = list(reader.read())
    point = height_point(
        sentence.text for sentence in sentences if sentence.topic in (topics.HEIGHT, topics.SITING)
    ) or height_point(map(plain, re.split(r"\n\s*\n", "\n".join(line.text for line in definitions))))
    rules, denials, unread = list[Rule](), list[Rule](), list[Rule]()
    # The common rules of a document repeat the law.
    read = [one for one in sentences if not (is_general and (_LAW.search(one.text) or _LAW.search(one.heading)))]
    for sentence, figures in rules_of(read, point):
        denied = states.denials(sentence)
        is_unread = chapter.label not in zone.own and sentence.is_own and not denied
        stated = figures or (states.of_sector(sentence) if is_unread else [])
        rules, denials = rules + stated, denials + denied
        if sentence.is_own and not denied and all(rule.subject in _OF_THE_ZONE for rule in stated):
            unread += states.unread_statements(sentence)
    named = {subject for rule in (*rules, *denials) for subject in rule.subjects}
    rules += states.unread_rules([sentence for sentence in sentences if sentence.is_own], named)
    rules = [
        replace(words(rule, note="the page's text is hidden under a picture"), ambiguous=True)
        if document.pages[rule.page or 0].unreadable == HIDDEN_TEXT
        else rule
        for rule in rules
    ]
    return _Part(
        document, is_general and document is not common_rules_of, sentences, reader.topics, rules, denials, unread
    )


def _with_article(own: _Part, sentence: Sentence, label: str, number: str) -> tuple[_Part, dict[str, object]]:
    """Returns the rules with those of an article of another zone that a sentence names, and the reference."""
    chapter = chapter_of(own.document, label)
    part = _read_part(own.document, chapter, [label], chapter.general) if chapter else None
    rules, denials = (
        [rule for rule in stated if number in re.findall(r"\d+", rule.article)[:1]]
        for stated in ((part.rules, part.denials) if part else ((), ()))
    )
    entry = _reference(own, sentence, label, followed=bool(rules or denials))
    if part is None or not (rules or denials):
        return replace(own, unread=own.unread + states.topic_statements(sentence)), entry
    target = replace(part, sentences=[], rules=rules, denials=denials, topics=set(), unread=[])
    return _merged(own, target, f"the article {number} of {label}"), entry


def _reference(own: _Part, sentence: Sentence, zone: str, *, followed: bool) -> dict[str, object]:
    [entry] = _entries(own.placed(states.statements(sentence, [zone])), followed=followed)
    return {"zone": entry.pop("subject"), **entry}


def _merged(own: _Part, target: _Part, place: str) -> _Part:
    """Returns the rules of the place that a reference names, replaced where the zone has its own."""
    subjects = {
        subject for rule in own.rules if rule.kind == MAIN and rule.value is not None for subject in rule.subjects
    }
    taken = [
        replace(rule, note=rule.note or f"by reference to {place}")
        for rule in target.rules
        if not subjects & set(rule.subjects)
    ]
    return replace(
        own,
        sentences=target.sentences + own.sentences,
        rules=own.rules + taken,
        topics=own.topics | target.topics,
        denials=own.denials + target.denials,
        unread=own.unread + target.unread,
    )


def _answer(chapter: Chapter, own: _Part, commons: Sequence[_Part], *, has_general: bool) -> dict[str, object]:
    elsewhere = [part for part in commons if part.is_elsewhere]
    rules = own.placed(settled(own.rules, {denial.subject for denial in own.denials if denial.scope}))
    sent = states.common_statements(own.sentences)
    # Where the zone sends to common rules, its own words do not stand instead of them.
    of_commons = {entry.subject for entry in sent}
    found = _regulated(rule for rule in rules if rule.value is not None or rule.subject not in of_commons)
    uses = {(rule.subject, rule.scope.get("use")) for rule in rules if rule.value is not None}
    rules += [
        rule
        for part in elsewhere
        for rule in part.placed(settled(part.rules, set()))
        if rule.kind == MAIN
        and rule.subject not in _OF_THE_ZONE
        # "En complément des dispositions communes, il est exigé pour les logements …": offices are in the common rules.
        and (
            not found & set(rule.subjects)
            or (
                rule.subject in of_commons and not uses & {(rule.subject, use) for use in (None, rule.scope.get("use"))}
            )
        )
    ]
    rules += _divisions(own) or _divisions(*commons)
    regulated = _regulated(rules)
    ignored = regulated | ({"height_ridge"} if regulated & set(states.HEIGHTS) else set())
    denials = [denial for denial in own.placed(own.denials) if denial.subject not in ignored]
    on_map = [entry for part in (own, *commons) for entry in part.placed(states.map_statements(part.sentences, rules))]
    mapped = {entry.subject for entry in on_map}
    rules = [
        replace(rule, needs_map=True)
        if rule.kind == MAIN and rule.value is not None and mapped & set(rule.subjects)
        else rule
        for rule in rules
    ]
    done = regulated | mapped | {denial.subject for denial in denials}
    sent = [entry for entry in own.placed([] if has_general else sent) if entry.subject not in done]
    named = done | {subject for rule in rules for subject in rule.subjects} | {entry.subject for entry in sent}
    unread = [entry for entry in own.placed(own.unread) if not states.is_read(entry.subject, named)]
    named |= {entry.subject for entry in unread}
    is_known = len(own.topics & {*topics.CORE_TOPICS}) >= 2 or bool(rules)
    first, last = chapter.pages
    return {
        "state": "read" if is_known else LAYOUT_UNKNOWN,
        "chapter": chapter.label,
        "pages": [own.document.pages[first].number, own.document.pages[last].number] if last >= first else [],
        "rules": [_rule_fields(rule, number) for number, rule in enumerate(rules, 1)],
        "not_regulated": _entries(denials),
        "needs_map": _entries(on_map),
        "not_found": [subject for subject in states.CORE_SUBJECTS if subject not in named] if is_known else [],
        "not_read": [
            *_entries(sent, why="the common rules were not given"),
            *_entries(unread, why="a sentence that names it was not read"),
        ]
        if is_known
        else [{"subject": subject, "why": "the layout is not known"} for subject in states.CORE_SUBJECTS],
        "unreadable": _unreadable(own.document, chapter)
        + [entry for part in elsewhere for entry in _unreadable(part.document, None)],
    }


def _regulated(rules: Iterable[Rule]) -> set[str]:
    return {subject for rule in rules for subject in rule.subjects if rule.kind == MAIN}


def _divisions(*parts: _Part) -> list[Rule]:
    """Returns the rule on divided land. Rules that differ become words."""
    sentences = [(part, sentence) for part in parts for sentence in part.sentences]
    stated = [(part, sentence, rule) for part, sentence in sentences if (rule := division(sentence))]
    # "Toutefois, pour les opérations de plus de 1 500 m², …" is an exception to the reading before it.
    chosen = [one for one in stated if not is_beside_division(one[1])] or stated
    rules = [placed for part, sentence, rule in chosen for placed in part.placed([rule])]
    kept = list({rule.operator: rule for rule in reversed(rules)}.values())
    return [words(rule, note="the text gives both readings") for rule in kept] if len(kept) > 1 else kept


def _entries(statements: Iterable[Rule], **more: object) -> list[dict[str, object]]:
    """Returns the fields of the first statement of each subject."""
    first: dict[str, dict[str, object]] = {}
    for rule in statements:
        place = {"article": rule.article, "page": rule.page, "printed_page": rule.printed_page, "quote": rule.quote}
        first.setdefault(rule.subject, {"subject": rule.subject, **place, **more})
    return list(first.values())


def _unreadable(document: Document, chapter: Chapter | None) -> list[dict[str, object]]:
    """Returns the unreadable pages of a chapter and next to it, or of the whole document."""
    first, last = chapter.pages if chapter else (0, len(document.pages) - 1)
    while chapter and last + 1 < len(document.pages) and document.pages[last + 1].unreadable:
        last += 1
    while chapter and first > 0 and document.pages[first - 1].unreadable:
        first -= 1
    return [
        {"file": document.name, "page": page.number, "printed_page": page.printed, "why": page.unreadable}
        for page in document.pages[first : last + 1]
        if page.unreadable
    ]


def _empty(state: str, document: Document) -> dict[str, object]:
    return {
        "state": state,
        **{name: list[object]() for name in ("rules", "not_regulated", "needs_map", "not_found")},
        "not_read": [{"subject": subject, "why": WHY_EMPTY[state]} for subject in states.CORE_SUBJECTS],
        "unreadable": _unreadable(document, None),
    }


def _sentence_fields(part: _Part, sentence: Sentence) -> dict[str, object]:
    """Returns a sentence with its figures for the zone, and the subjects that it may state: none if of others."""
    is_of_zone, page = sentence.kind == MAIN and sentence.is_own, part.document.pages[sentence.page_at(0)]
    return {
        "quote": one_line(sentence.raw),
        "article": sentence.article,
        "page": page.number,
        "printed_page": page.printed,
        "subjects": states.subjects_of(sentence.stated_topic) if is_of_zone else [],
        "figures": [
            (value, figure.unit, direction)
            for figure in sentence.figures(("m", "%", "storeys", "R+"))
            for value, direction in figure.ends
        ],
    }


def _rule_fields(rule: Rule, number: int) -> dict[str, object]:
    figures = {name: figure for name in ("value", "value_max") if (figure := getattr(rule, name)) is not None}
    whole = {name: int(figure) for name, figure in figures.items() if figure == int(figure)}
    fields = {"id": f"r{number}", **vars(rule), "also": list(rule.also), **whole}
    kept = {name: field for name, field in fields.items() if not (field in ("", [], {}, None) or field is False)}
    return kept | {"page": rule.page, "printed_page": rule.printed_page}
