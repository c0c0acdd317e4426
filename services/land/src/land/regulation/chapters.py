"""The chapter of a zone in a document: which lines state its rules, and which are general provisions."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from land.regulation.documents import Document, Line
from land.regulation.headings import LABEL, looks_like_title, parse_heading
from land.regulation.patterns import patterns
from land.regulation.rule import Rule
from land.regulation.text import fold, one_line, plain, title_text

_P = patterns("chapters")

GENERAL = "general"
ANNEX = "annex"
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
    labels = [label]
    stem = re.sub(r"\([^)]*\)$", "", label)
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
    candidates = parent_labels(zone)
    if document.is_structured:
        return _structured_chapter(document, candidates)
    owners = _owners(document)
    general = tuple(line for line, owner in zip(document.lines, owners, strict=True) if owner == (GENERAL,))
    start = _anchor_page(document, anchor)
    anchored = None if start is None else _anchored(document, owners, candidates, start, general)
    if anchored and anchored.label:
        return anchored
    labels = {label for owner in owners for label in owner} - {GENERAL, ANNEX}
    if not labels and anchored is None:
        rest = tuple(line for line, owner in zip(document.lines, owners, strict=True) if owner != (ANNEX,))
        return Chapter(zone, rest, ())
    for candidate in candidates:
        lines = tuple(line for line, owner in zip(document.lines, owners, strict=True) if candidate in owner)
        if sum(len(line.text) for line in lines) > 200 or (candidate in labels and candidate == zone and lines):
            return Chapter(candidate, lines, general)
    # The zone has no head anywhere: the anchor alone says where its chapter begins, unless another zone's stands there.
    heads = {label for line in (anchored.lines if anchored else ()) for label in _head_of(document, line) or ()}
    return replace(anchored, label=zone) if anchored and heads <= {GENERAL, ANNEX} else None


def general_lines(document: Document) -> tuple[Line, ...]:
    """Returns the lines of a document of common rules, without its contents and its annexes."""
    owners = _owners(document)
    return tuple(line for line, owner in zip(document.lines, owners, strict=True) if owner != (ANNEX,))


def reference_of(lines: Iterable[Line], zone: str) -> Rule | None:
    """Returns the sentence that gives the zone the rules of another one, which is its subject."""
    filled = [line for line in lines if line.text.strip()]
    starts = [0, *accumulate(len(line.text) + 1 for line in filled)]
    text = "".join(line.text + "\n" for line in filled)
    folded = fold(text)
    for match in _P["reference"].finditer(folded.text):
        start, end = folded.original_span(match.start(), match.end())
        target = _P["labels"].match(text[end:].lstrip())
        index = bisect_right(starts, start) - 1
        # The zone is named in the sentence, or in the scope line above it: "B. Dans les secteurs 1AUa".
        above = [line.text for line in filled[:index] if _is_sector_line(line.text)]
        named = text[max(0, start - 200) : end] if not above else f"{above[-1]} {text[start:end]}"
        if target and target[0] not in parent_labels(zone) and re.search(rf"(?<!\w){re.escape(zone)}(?!\w)", named):
            return Rule(target[0], "", one_line(text[start : end + len(target[0]) + 1]), filled[index].page, "")
    return None


def _is_sector_line(raw: str) -> bool:
    """Returns whether a line only names sectors: "B. Dans les secteurs 1AUa"."""
    match = _P["sector_line"].match(plain(raw))
    return match is not None and len(raw) < 45 and not raw.strip()[0].islower() and any(map(_is_zone, raw.split()[1:]))


def _structured_chapter(document: Document, candidates: Sequence[str]) -> Chapter | None:
    general = tuple(line for line in document.lines if _GENERAL_ZONES & set(line.zones))
    lines = tuple(line for line in document.lines if set(candidates) & set(line.zones))
    label = next((candidate for candidate in candidates if any(candidate in line.zones for line in lines)), "")
    return Chapter(label, lines, general) if sum(len(line.text) for line in lines if not line.level) > 200 else None


def _owners(document: Document) -> list[tuple[str, ...]]:
    """Returns for each line the labels of the chapter that it stands in, (GENERAL,), (ANNEX,), or () before any."""
    contents = _contents_lines(document.lines)
    page_labels = [_running_label(page.heads) for page in document.pages]
    current: tuple[str, ...] = ()
    owners: list[tuple[str, ...]] = []
    page = -1
    for number, line in enumerate(document.lines):
        if line.page != page:
            page = line.page
            label = page_labels[page]
            if label and not set(label) & set(current):
                current = label
        if number in contents:
            owners.append((ANNEX,))
            continue
        current = _chapter_head(line, current) or current
        owners.append(current)
    return owners


def _chapter_head(line: Line, current: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the labels of the chapter that begins with the line, None if none does."""
    raw = line.text.strip()
    if not raw or len(raw) > 140:
        return None
    text = title_text(raw)
    if labels := _zone_title(raw, text):
        # "7.2. Secteur UPc" under an article of the zone UP is a scope, not a chapter.
        is_scope = "zone" not in text and any(set(parent_labels(label)[1:]) & set(current) for label in labels)
        return None if is_scope else labels
    if (
        _P["general"].match(text)
        and looks_like_title(raw)
        and (not current or current == (GENERAL,) or "titre" in text or raw.isupper())
    ):
        # "Dispositions générales" is also a heading inside the chapter of a zone, as after "Article 6".
        is_in_zone = current not in ((), (GENERAL,), (ANNEX,)) and "titre" not in text and "toutes" not in text
        return None if is_in_zone else (GENERAL,)
    if (_P["particular_part"].match(text) or (_P["annex"].match(text) and len(text) < 60)) and looks_like_title(raw):
        return (ANNEX,)
    heading = parse_heading(raw)
    if heading and len(heading.zone) == 1 and current and not text.startswith("art"):
        # "A.1 Emprises publiques" in the chapter of another zone is its part A.
        return None
    if heading and _is_zone(heading.zone) and heading.rank <= 2 and heading.zone not in current:
        return (heading.zone,) if not set(parent_labels(heading.zone)) & set(current) else None
    return None


def _head_of(document: Document, line: Line) -> tuple[str, ...] | None:
    """Returns the labels of the chapter that begins with the line, else of the head of its page."""
    return _chapter_head(line, ()) or _running_label(document.pages[line.page].heads)


def _is_zone(word: str) -> bool:
    """Returns whether a word is the label of a zone: of a U, AU, A or N zone."""
    return (
        bool(re.match(r"\d{0,2}(?:AU|U|A|N|ZU|Z)", word))
        and bool(_P["labels"].fullmatch(word))
        and not (word.isupper() and len(word) > 5)
    )


def _zone_title(raw: str, text: str) -> tuple[str, ...] | None:
    match = _P["chapter"].match(text)
    first = re.search(r"[^\W_]", raw)
    if not match or re.search(r"[;,:]$", raw) or first is None or first[0].islower() or text.startswith("secteur"):
        return None
    starts = [match.start() for match in re.finditer("zone|secteur", raw.lower())]
    # "ZONE UM – ZONE MIXTE", "ZONE UB : SECTEURS UBa ET UBb": the first one that a label follows, else the last.
    labelled = [start for start in starts if _is_zone("".join(re.findall(r"^\w+\s+([^\s,;:]+)", raw[start:])))]
    position = (labelled or starts[-1:])[0]
    after = re.sub(r"^\w+", "", raw[position:])
    labels: list[str] = []
    for word in re.split(r"[\s,/;«»\"():–—]+|(?<!\w)-|-(?!\w)", after):
        if _is_zone(word):
            labels.append(word)
        elif labels and word.lower() not in ("et", "ou", "la", "les", "zone", "zones", "secteur", "secteurs", ""):
            break
        elif not labels and word and word.lower() not in _ZONE_WORDS:
            return None
    rest = plain(after).partition(labels[-1].lower())[2] if labels else "."
    is_sentence = _P["says"].search(rest) or (rest.rstrip().endswith(".") and len(rest) > 2)
    return tuple(labels) if labels and not is_sentence else None


_ZONE_WORDS = frozenset(
    (
        "urbaine",
        "urbaines",
        "a",
        "à",
        "urbaniser",
        "agricole",
        "agricoles",
        "naturelle",
        "naturelles",
        "et",
        "forestière",
        "la",
        "les",
        "dite",
        "de",
    )
)


def _running_label(heads: Sequence[str]) -> tuple[str, ...]:
    """Returns the zone that a running head names: "Zone UD2", "Règlement pièces écrites     Zone UD2"."""
    for head in heads:
        if (match := re.search(rf"\bzones?\s+({LABEL})\s*$", head, re.IGNORECASE)) and _is_zone(match[1]):
            return (match[1],)
    return ()


def _contents_lines(lines: Sequence[Line]) -> frozenset[int]:
    """Returns the numbers of the lines of contents pages: heads with a page number."""
    by_page: Counter[int] = Counter()
    filled: Counter[int] = Counter()
    marked = set()
    for number, line in enumerate(lines):
        text = line.text.strip()
        filled[line.page] += bool(text)
        if _P["leaders"].search(text) or (
            _P["ends_in_number"].search(text) and parse_heading(text) and not re.search(r"\d\s*$", text[:-4])
        ):
            by_page[line.page] += 1
            marked.add(number)
    dense = {page for page, count in by_page.items() if count >= 4 and count >= 0.35 * filled[page]}
    return frozenset(
        number for number, line in enumerate(lines) if line.page in dense and (len(filled) > 1 or number in marked)
    ) | {number for number in marked if _P["leaders"].search(lines[number].text) and parse_heading(lines[number].text)}


def _anchor_page(document: Document, anchor: str) -> int | None:
    name = anchor.strip().lstrip("#").removeprefix("page=")
    if not name:
        return None
    if name.isdigit():
        numbers = [page.number for page in document.pages]
        return numbers.index(int(name)) if int(name) in numbers else None
    exact = [page for place, page in document.places.items() if plain(place) == plain(name)]
    inside = [page for place, page in document.places.items() if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", place)]
    return next(iter([*exact, *inside]), None)


def _anchored(
    document: Document,
    owners: Sequence[tuple[str, ...]],
    candidates: Sequence[str],
    start: int,
    general: tuple[Line, ...],
) -> Chapter:
    """Returns the lines from the anchor's page, or from the zone's head on it, to the head of another zone."""
    kept: list[Line] = []
    label = ""
    for line, owner in zip(document.lines, owners, strict=True):
        if line.page < start or (owner == (ANNEX,) and not kept):
            continue
        head = _head_of(document, line)
        own = [candidate for candidate in candidates if head and candidate in head]
        if own and not label:
            kept, label = [], own[0]
        elif head and not own and head != (GENERAL,) and (label or line.page > start):
            break
        kept.append(line)
    return Chapter(label, tuple(kept), tuple(line for line in general if line.page < start))
