"""The chapter of a zone in a document: which lines state its rules, and which are general provisions."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from land.regulation.documents import Document, Line
from land.regulation.headings import looks_like_title, parse_heading
from land.regulation.patterns import patterns
from land.regulation.sentence import Sentence
from land.regulation.text import plain, title_text

_P = patterns("chapters")

GENERAL, ANNEX = ("general",), ("annex",)
_CHAPTER_CHARACTERS = 200
"""Fewer are a title and no chapter."""
_Owned = tuple[Line, tuple[str, ...], tuple[str, ...]]
"""A line with the labels of its chapter, and those of a chapter that begins there."""
_GENERAL_ZONES = frozenset({"dispositionGenerale", "porteeGenerale"})


@dataclass(frozen=True)
class Chapter:
    """The lines of a zone. `label` is the zone whose chapter it is: the zone itself or the one it is a sector of."""

    label: str
    lines: tuple[Line, ...]
    general: tuple[Line, ...]

    @property
    def pages(self) -> tuple[int, int]:
        """The first and the last page of the lines with text, as indexes."""
        pages = [line.page for line in self.lines if line.text.strip()]
        return (pages[0], pages[-1]) if pages else (0, -1)


def parent_labels(label: str) -> list[str]:
    """Returns the zone and what it may be a sector of, the nearest first: UAc2, UAc, UA, U."""
    labels, stem = [label], re.sub(r"\([^)]*\)$", "", label)
    while stem:
        labels.append(stem)
        # "1AU" is no sector of "AU" in all plans, yet plans write one chapter for both. "AU" is none of "A".
        shorter = re.sub(r"[-.]?(?:\d+|[a-z])$|(?<=[A-Z])(?<!AU)[A-Z](?<!AU)$", "", stem)
        stem = shorter if shorter != stem else re.sub(r"^\d+(?=[A-Z])", "", stem)
        if stem == labels[-1] or not re.search(r"[A-Z]", stem):
            break
    return list(dict.fromkeys(labels))


def chapter_of(document: Document, zone: str, anchor: str = "") -> Chapter | None:
    """Returns the chapter of a zone, None if the document has chapters and none of them is the zone's."""
    candidates, owned = parent_labels(zone), _owned(document)
    # What stands before the first chapter is common to all.
    general = tuple(line for line, owner, _ in owned if owner in (GENERAL, ()))
    start = None if document.is_structured else _anchor_page(document, anchor)
    if start is not None and (label := _anchored(owned, candidates, start)[0]):
        lines = _anchored(owned, candidates, start)[1]
        return Chapter(label, lines, tuple(line for line in general if line.page < start))
    labels = {label for _, owner, _ in owned for label in owner} - {*GENERAL, *ANNEX}
    if not labels and start is None and not document.is_structured:
        return Chapter(zone, tuple(line for line, owner, _ in owned if owner != ANNEX), ())
    for candidate in candidates:
        # Titles of a structured document name each zone that a text is for.
        wanted = {*candidates} if document.is_structured else {candidate}
        lines = tuple(line for line, owner, _ in owned if wanted & {*owner})
        length = sum(len(line.text) for line in lines if not line.level)
        if candidate in labels and (
            length > _CHAPTER_CHARACTERS or (candidate == zone and lines and not document.is_structured)
        ):
            return Chapter(candidate, lines, general)
    # The zone has no head anywhere: the anchor alone says where its chapter begins, unless another zone's stands there.
    lines = _anchored(owned, candidates, start)[1] if start is not None else ()
    is_chapter = sum(len(line.text) for line in lines) > _CHAPTER_CHARACTERS
    return Chapter(zone, lines, tuple(line for line in general if line.page < (start or 0))) if is_chapter else None


def _anchored(owned: Sequence[_Owned], candidates: Sequence[str], start: int) -> tuple[str, tuple[Line, ...]]:
    """Returns the zone's label and its lines from the anchor's page on; without label if the zone has no head there.

    There are none where the chapter of another zone begins.
    """
    own, after = {*candidates, *GENERAL, *ANNEX}, [one for one in owned if one[0].page >= start]
    with_head = dropwhile(lambda one: one[0].page == start and not own - {*ANNEX} & {*one[1]}, after)
    run = [*takewhile(lambda one: own & {*one[1]}, with_head)]
    if label := next((label for label in candidates if any(label in owner for _, owner, _ in run)), ""):
        return label, tuple(line for line, _, _ in dropwhile(lambda one: label not in one[1], run))
    headless = [*takewhile(lambda one: one[0].page == start or {*one[2]} <= own, after)]
    return "", () if any({*head} - own for _, _, head in headless) else tuple(line for line, _, _ in headless)


def general_lines(document: Document) -> tuple[Line, ...]:
    """Returns the lines of a document of common rules, without its contents and its annexes."""
    return tuple(line for line, owner, _ in _owned(document) if owner != ANNEX)


def article_named(sentence: Sentence) -> tuple[str, str] | None:
    """Returns the sector or zone, and the number, of the article of another zone that a sentence makes the zone's."""
    match = _P["article"].search(sentence.raw) if sentence.is_own and _P["applies"].search(sentence.text) else None
    if (
        not match
        or not _is_zone(match["zone"])
        or {match["zone"], match["zone"].rstrip("0123456789")} & sentence.zone.labels
    ):
        return None
    named = [(label.start(), label[0]) for label in _P["labels"].finditer(sentence.raw) if label[0][-1].islower()]
    sectors = {start: label for start, label in named if match["zone"] in parent_labels(label)[1:]}
    # "Le secteur 1AUa suit les règles de UBa (article UB 6), le secteur 1AUb celles de UBp": the one after its label.
    own = next((start for start, label in named if label in sentence.zone.own), len(sentence.raw))
    chosen = [label for start, label in sectors.items() if start > own][:1] or [*{*sectors.values()}]
    return (next(iter(chosen), match["zone"]), match["number"]) if len(chosen) < 2 else None


def zone_named(sentence: Sentence) -> str | None:
    """Returns the zone whose rules a sentence gives to the zone that is read, by its words or by the lines over it."""
    match = _P["reference"].search(sentence.text) if sentence.names_own(sentence.raw) else None
    after = sentence.raw[sentence.folded.original_span(match.start(), match.end())[1] :] if match else ""
    target = _P["labels"].match(after.lstrip())
    return target[0] if target and target[0] not in sentence.zone.labels else None


def _owned(document: Document) -> list[_Owned]:
    """Returns each line with the labels of the chapter that it stands in, GENERAL, ANNEX, or none before any."""
    if document.is_structured:
        return [(line, GENERAL if _GENERAL_ZONES & {*line.zones} else line.zones, ()) for line in document.lines]
    contents, current, page = _contents_lines(document.lines), tuple[str, ...](), -1
    owned = list[_Owned]()
    for number, line in enumerate(document.lines):
        running = _running_label(document.pages[line.page].heads) if line.page != page else ()
        page = line.page
        current = current if {*running} & {*current} else running or current
        head = () if number in contents else _chapter_head(line, current)
        current = head or current
        owned.append((line, ANNEX if number in contents else current, head or running))
    return owned


def _chapter_head(line: Line, current: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the labels of the chapter that begins with the line, none if none does."""
    raw, text = line.text.strip(), title_text(line.text.strip()[:141])
    is_title = looks_like_title(raw)
    heading = None if len(raw) > 140 else parse_heading(raw)
    if not raw or len(raw) > 140:
        return ()
    if labels := _zone_title(raw, text):
        # "7.2. Secteur UPc" under an article of the zone UP is a scope, not a chapter.
        is_scope = "zone" not in text and any(set(parent_labels(label)[1:]) & set(current) for label in labels)
        return () if is_scope else labels
    if (
        is_title
        and len(text) < 80
        and _P["general"].match(text)
        and (current in ((), GENERAL) or "titre" in text or raw.isupper())
    ):
        # "Dispositions générales" is also a heading inside the chapter of a zone, as after "Article 6".
        return GENERAL if current in ((), GENERAL, ANNEX) or "titre" in text or "toutes" in text else ()
    if is_title and (_P["particular_part"].match(text) or (_P["annex"].match(text) and len(text) < 60)):
        return ANNEX
    is_head = heading and _is_zone(heading.zone) and heading.rank <= 2
    if not (heading and is_head) or {heading.zone, *parent_labels(heading.zone)} & {*current}:
        return ()
    # "U3. Les constructions sont…" is a rule of U3, and "U1   U2   U3" the head of a table; "A.1 Emprises publiques"
    # in the chapter of another zone is its part A.
    is_title = looks_like_title(heading.title) and not _P["columns"].search(raw)
    is_sure = text.startswith("art") or (is_title and not (len(heading.zone) == 1 and current))
    return (heading.zone,) if is_sure else ()


def _is_zone(word: str) -> bool:
    """Returns whether a word is the label of a zone: of a U, AU, A or N zone."""
    return (
        bool(re.match(r"\d{0,2}(?:AU|U|A|N|ZU|Z)", word))
        and bool(_P["labels"].fullmatch(word))
        and not (word.isupper() and len(word) > 5)
    )


def _zone_title(raw: str, text: str) -> tuple[str, ...]:
    """Returns the zones whose chapter a title begins: "ZONE UM – ZONE MIXTE", "ZONE UB : SECTEURS UBa ET UBb"."""
    first = re.search(r"[^\W_]", raw)
    is_title = _P["chapter"].match(text) and not re.search(r"[;,:]$", raw) and first and not first[0].islower()
    for title in _P["title"].finditer(raw) if is_title and not re.match(r"[\W\d]*secteur", text) else ():
        labels, rest = tuple(filter(_is_zone, _P["labels"].findall(title["labels"]))), plain(raw[title.end() :])
        if labels:
            return () if _P["says"].search(rest) or (rest.endswith(".") and len(rest) > 2) else labels
    return ()


def _running_label(heads: Sequence[str]) -> tuple[str, ...]:
    """Returns the zone that a running head names: "Zone UD2", "Règlement pièces écrites     Zone UD2"."""
    return next(((match[1],) for match in map(_P["running"].search, heads) if match and _is_zone(match[1])), ())


def _contents_lines(lines: Sequence[Line]) -> set[int]:
    """Returns the numbers of the lines of contents pages: heads with a page number."""
    texts = [(number, line.text.strip(), line.page) for number, line in enumerate(lines)]
    led = {number for number, text, _ in texts if _P["leaders"].search(text)}
    ended = {number for number, text, _ in texts if _P["ends_in_number"].search(text) and parse_heading(text)}
    by_page = Counter(lines[number].page for number in led | ended)
    filled = Counter(page for _, text, page in texts if text)
    dense = {page for page, count in by_page.items() if count >= 4 and count >= 0.35 * filled[page]}
    marked = {number for number, _, page in texts if page in dense and (len(filled) > 1 or number in led | ended)}
    return marked | {number for number in led if parse_heading(lines[number].text)}


def _anchor_page(document: Document, anchor: str) -> int | None:
    name = anchor.strip().lstrip("#").removeprefix("page=")
    numbers = {str(page.number): index for index, page in enumerate(document.pages)}
    exact = [page for place, page in document.places.items() if name and plain(place) == plain(name)]
    inside = [
        page for place, page in document.places.items() if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", place)
    ]
    return numbers.get(name) if name.isdigit() else next(iter([*exact, *inside]), None)
