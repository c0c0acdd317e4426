"""Sentences of a chapter with their surroundings: heading, kind of rule, sector, and the words that introduce them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from land.regulation.documents import Line
from land.regulation.headings import (
    ACCESS,
    BETWEEN,
    BOUNDARY,
    DEFINITION,
    EXCEPTION,
    FENCE,
    LAW_ARTICLES,
    MAIN,
    OTHER,
    PARKING,
    PARTICULAR,
    RECALL,
    ROAD,
    SITING,
    Heading,
    is_bare_title,
    kind_of,
    looks_like_title,
    parse_heading,
    topic_of,
)
from land.regulation.patterns import patterns
from land.regulation.quantities import is_figure
from land.regulation.scopes import LEADING_SCOPE, Mention, Scope, Zone, is_scope_line, mentions, scope_of
from land.regulation.sentence import Sentence
from land.regulation.text import fold, one_line, plain, title_text

_P = patterns("passages")

_KEEP_TOPIC = frozenset({OTHER, FENCE, PARKING, ACCESS, "forbidden", "conditional"})


@dataclass
class _State:
    topic: str = ""
    topic_rank: int = 9
    article_topic: str = ""
    heading: str = ""
    article: str = ""
    kind: str = MAIN
    has_figure: bool = False
    """Whether a main rule of the article has a figure: rules called "particulières" are then exceptions."""
    scope: Scope = field(default_factory=Scope)
    intros: list[str] = field(default_factory=list)
    open_items: bool = False
    caption: str = ""
    """A short line without verb over the paragraph: "Pour les constructions à usage d'habitation", "Deux roues"."""
    caption_leads: bool = False
    named_sectors: frozenset[str] = frozenset()
    """The sectors that the article named so far: "dans les autres secteurs" leaves them out."""
    rank: int = 9
    scope_rank: int = 9


class PassageReader:
    """Reads the lines of a chapter into passages."""

    def __init__(self, lines: Sequence[Line], zone: Zone, *, is_structured: bool) -> None:
        self._lines = list(lines)
        lengths = sorted(len(line.text.strip()) for line in lines if line.text.strip())
        # A line that ends well before the margin ends its paragraph.
        self._short = 0.6 * lengths[int(0.8 * len(lengths))] if lengths and not is_structured else 0
        self._zone = zone
        self._is_structured = is_structured
        self._state = _State()
        self._paragraph: list[Line] = []
        self._is_item = False
        self.topics: set[str] = set()
        self.places: list[tuple[int, Line, str, str]] = []

    def read(self) -> Iterator[Sentence]:
        """Yields the passages in the order of the text."""
        resume = 0
        for index, line in enumerate(self._lines):
            if index < resume:
                continue
            if not line.text.strip() or _P["note"].match(line.text):
                if self._ends_here(index):
                    yield from self._flush()
                continue
            heading, used, rest = self._heading_at(index)
            if heading is not None:
                yield from self._flush()
                self._enter(heading, line.level)
                resume = index + used
                if rest:
                    self._paragraph, self._is_item = [replace(line, text=rest, level=0)], False
                continue
            body = _P["bullet"].sub("", line.text, count=1)
            is_bullet = body != line.text
            if is_bullet or self._starts_paragraph(line.text):
                yield from self._flush()
                self._is_item = is_bullet or bool(_P["item_start"].match(plain(line.text)) and self._state.intros)
            if (
                not self._paragraph
                and is_scope_line(self._unnumbered(body))
                and (body.rstrip().endswith(":") or _alone(self._lines, index))
            ):
                yield from self._flush()
                self._enter_scope(line.text if not is_bullet else body)
                if self._state.scope.band:
                    self._paragraph = [line]
                    yield from self._flush()
                    self._state.intros, self._state.open_items = [], False
                continue
            self.places.append((index, line, self._state.topic, self._state.article))
            if not self._paragraph and not is_bullet and self._is_caption(index, body):
                self._state.caption, self._state.caption_leads = body.strip(), not self._state.intros
                continue
            self._paragraph.append(replace(line, text=body if is_bullet else line.text))
            if self._is_structured:
                yield from self._flush()
        yield from self._flush()

    def _heading_at(self, index: int) -> tuple[Heading | None, int, str]:
        """Returns the heading at a line, how many lines it has, and the text that follows it on its line."""
        line = self._lines[index]
        raw = line.text.strip()
        # "UB1   UB2" is the head of a table, and no article 1 of the zone UB.
        heading = None if {*raw.split()} <= self._zone.known else parse_heading(raw)
        if line.level:
            marked = heading or Heading("", raw, min(line.level, 6))
            # Services that read pictures mark any bold line as a heading, at any level.
            is_sure = marked.number or topic_of(marked.text) or kind_of(marked.text)
            is_heading = self._is_structured or (is_sure and not is_scope_line(raw))
            return (marked if is_heading else None), 1, ""
        if (
            heading is not None
            and heading.rank <= 2
            and (heading.rank == 0 or raw.lower().startswith(("art", "§")) or heading.zone)
        ):
            title, used = self._whole_title(index, heading.title)
            if len(title) > 60 and not looks_like_title(title):
                head, rest = _split_run_in(title)
                return replace(heading, title=head), used, rest
            return replace(heading, title=title), used, ""
        if (
            self._paragraph
            and not self._ends_sentence()
            and not (heading and heading.rank in (2, 3, 4, 5) and is_bare_title(heading.text))
            and not (
                raw.isupper() and is_bare_title(title_text(raw)) and topic_of(title_text(raw)) != self._state.topic
            )
            and not (is_figure(self._paragraph[-1].text) and raw[:1].isupper() and is_bare_title(title_text(raw)))
        ):
            return None, 0, ""
        if heading is not None:
            head, rest = _split_run_in(heading.title)
            text = title_text(head)
            if rest and not (is_bare_title(text) and (topic_of(text) or kind_of(text))):
                head, rest, text = heading.title, "", title_text(heading.title)
            is_scope = is_scope_line(head) and (
                not topic_of(text)
                or _P["follows"].match(text)
                or re.match(r"sur une|au-?dela|a l'interieur|le long", text)
            )
            is_named = topic_of(text) or kind_of(text) or (heading.rank <= 3 and len(text) < 90)
            following = self._lines[index + 1].text.strip() if index + 1 < len(self._lines) else ""
            goes_on = not rest and following[:1].islower() and not _P["lettered"].match(following)
            is_sentence = goes_on and not looks_like_title(following)
            if is_scope or is_sentence or not is_named or not looks_like_title(head):
                return None, 0, ""
            title, used = (head, 1) if rest else self._whole_title(index, head)
            return replace(heading, title=title), used, rest
        body = _P["bullet"].sub("", raw, count=1)
        head, rest = _split_run_in(body)
        title, used = (head, 1) if rest or body.rstrip().endswith(":") else self._whole_title(index, head)
        text = title_text(title)
        is_title = (
            is_bare_title(text) and looks_like_title(title) and len(text) <= 110 and (topic_of(text) or kind_of(text))
        )
        if not is_title or (used == 1 and not rest and not body.rstrip().endswith(":") and self._continues(index)):
            return None, 0, ""
        return Heading("", title, 7), used, rest

    def _continues(self, index: int) -> bool:
        """Returns whether the next line goes on with the sentence of this one."""
        following = self._lines[index + 1].text.strip() if index + 1 < len(self._lines) else ""
        return following[:1].islower() and not self._is_structured and not _P["columns"].search(following)

    def _whole_title(self, index: int, title: str) -> tuple[str, int]:
        """Returns a title with the lines that continue it, and how many lines it has."""
        used = 1
        while index + used < len(self._lines) and used < 4:
            following = self._lines[index + used].text.strip()
            if not following:
                if title:
                    break
                used += 1
                continue
            if self._lines[index + used].level or (
                title and (_P["bullet"].match(following) or parse_heading(following))
            ):
                break
            if _P["columns"].search(following) or (not title and not looks_like_title(following)):
                break
            is_open = not title or re.search(
                r"(?:\b(?:et|ou|de|du|des|aux?|les?|la|sur|par|une?)|[,'’-])$", title, re.IGNORECASE
            )
            is_capitals = (
                title.isupper()
                and following.isupper()
                and len(following) > 3
                and not is_bare_title(title_text(following))
            )
            goes_on = following[0].islower() and not title.endswith((".", ":")) and looks_like_title(following)
            if (
                not (is_open or is_capitals or goes_on)
                or len(title) + len(following) > 260
                or (title.endswith(":") and title[:-1].strip())
            ):
                break
            title = f"{title} {following}".strip()
            used += 1
        return title, used

    def _enter(self, heading: Heading, level: int) -> None:
        state = self._state
        text = heading.text
        topic = LAW_ARTICLES.get(heading.number, topic_of(text))
        if topic == ACCESS and state.article_topic == SITING and text.startswith("voies"):
            topic = ROAD
        kind = kind_of(text)
        rank = min(heading.rank, level) if level and not heading.number else heading.rank
        rank = level if self._is_structured and level else rank
        state.intros, state.open_items, state.caption = [], False, ""
        if heading.rank <= state.scope_rank:
            state.scope = Scope()
        state.rank = heading.rank
        if kind and (not topic or rank >= 5 or topic in ("conditional", SITING)):
            state.kind = kind
            return
        is_article = rank <= 3 or (bool(level) and self._is_structured)
        is_foreign = not is_article and state.article_topic in _KEEP_TOPIC and topic != state.article_topic
        if is_foreign and (state.article_topic, topic) != (OTHER, FENCE):
            return
        if is_article:
            if not topic and rank > state.topic_rank and state.topic:
                return
            state.article_topic = topic or (
                SITING
                if rank == 0 and re.search(r"caracteristiques?|morpholog|forme", text)
                else OTHER
                if text and rank
                else ""
            )
            state.topic_rank = rank
            state.scope, state.has_figure, state.named_sectors = Scope(), False, frozenset()
            topic = state.article_topic
            state.article = heading.number or one_line(heading.title)
        elif heading.number and state.article:
            state.article = f"{state.article.split(' - ')[0]} - {heading.number}"
        elif not state.article:
            state.article = one_line(heading.title)[:80]
        state.kind = MAIN
        if not (topic == SITING and not is_article and state.topic in (ROAD, BOUNDARY, BETWEEN)):
            state.topic = topic
        state.heading = text
        self.topics.add(topic)
        scope = scope_of(heading.title, self._zone.known)
        if scope.included & self._zone.known:
            state.scope = scope

    def _enter_scope(self, raw: str) -> None:
        state = self._state
        scope = scope_of(raw, self._zone.known)
        if _P["other_sectors"].search(plain(raw)) and not scope.included:
            scope = Scope(excluded=state.named_sectors, is_everywhere=True)
        state.named_sectors |= scope.included
        if state.kind in (DEFINITION, RECALL):
            state.kind = MAIN
        if not (scope.included or scope.excluded or scope.map or scope.is_everywhere):
            scope = replace(state.scope, band=scope.band) if scope.band else replace(state.scope, map=plain(raw))
        numbered = parse_heading(raw)
        state.scope, state.scope_rank = scope, max(numbered.rank, state.rank) if numbered else state.rank
        state.intros, state.open_items, state.caption = [], False, ""

    def _is_caption(self, index: int, body: str) -> bool:
        """Returns whether a line is a title of no known subject over the paragraph that follows."""
        following = self._lines[index + 1].text.strip() if index + 1 < len(self._lines) else ""
        text, bare = body.strip(), self._unnumbered(body.strip())
        return bool(
            3 < len(text) <= 90
            and looks_like_title(text)
            and not text.endswith((":", ")"))
            and bare[:1].isupper()
            and not re.search(r"\d", bare)
            and (following[:1].isupper() or following[:1].isdigit() or _P["bullet"].match(following))
            and not text.isupper()
            and not set(text.split()) & self._zone.known
        )

    def _unnumbered(self, text: str) -> str:
        return _P["lettered"].sub("", re.sub(r"^\s*\d+(?:\.\d+)+\.?\s+", "", text), count=1)

    def _ends_sentence(self) -> bool:
        # "l'article R." ends a line, and no sentence.
        return not self._paragraph or bool(re.search(r"(?<!\b[A-Z])[.:;!?]\s*$", self._paragraph[-1].text))

    def _ends_here(self, index: int) -> bool:
        following = next((line.text.strip() for line in self._lines[index + 1 :] if line.text.strip()), "")
        goes_on = following[:1].islower() or following[:1].isdigit()
        return self._ends_sentence() or not goes_on or parse_heading(following) is not None

    def _starts_paragraph(self, text: str) -> bool:
        stripped = text.strip()
        previous = self._paragraph[-1].text.rstrip() if self._paragraph else ""
        is_capital = stripped[:1].isupper()
        first = mentions(stripped[:20], self._zone.known)
        return bool(
            not self._paragraph
            or _P["row"].match(stripped)
            or _P["columns"].search(stripped)
            or re.match(r"\d{1,2} ?[.)] ?[A-ZÀ-Ý]", stripped)
            or (len(previous) < 40 and is_figure(previous) and is_capital)
            or (previous.endswith((",", ";", ":")) and _P["item_start"].match(plain(text)))
            or (first and first[0].start == 0 and not previous.endswith((",", " et")))
            or (is_capital and (len(previous) < self._short or (self._is_item and previous.endswith((",", ";")))))
            or (self._ends_sentence() and (is_capital or stripped[:1].isdigit() or _P["lettered"].match(stripped)))
        )

    def _flush(self) -> Iterator[Sentence]:
        lines, self._paragraph = self._paragraph, []
        is_item, self._is_item = self._is_item, False
        if not lines:
            return
        raw = "\n".join(line.text.strip() for line in lines)
        starts = [0, *accumulate(len(line.text.strip()) + 1 for line in lines[:-1])]
        state = self._state
        text = plain(raw)
        introduces = text.endswith(":")
        follows = bool(_P["follows"].match(text))
        if state.open_items and not is_item and not _P["item_start"].match(text) and not (introduces and follows):
            state.intros = []
        if introduces and len(text) < 420:
            is_nested = state.open_items and len(state.intros) > 1 and (is_item or follows)
            state.intros, state.open_items = [*(state.intros[:-1] if is_nested else state.intros[-3:]), raw], False
        yield from self._sentences(raw, starts, [line.page for line in lines])
        if not introduces and state.intros:
            state.open_items = True

    def _sentences(self, raw: str, starts: Sequence[int], pages: Sequence[int]) -> Iterator[Sentence]:
        state = self._state
        folded = fold(raw)
        own_intro = state.intros[:-1] if state.intros and state.intros[-1] == raw else state.intros
        intro_raw = " ".join(
            [*own_intro, state.caption] if own_intro and not state.caption_leads else [state.caption, *own_intro]
        ).strip()
        outer, begin = state.scope, 0
        ends = [match.end() for match in _P["sentence_end"].finditer(folded.text)]
        for end in (*ends, len(folded.text)):
            if end <= begin or not folded.text[begin:end].strip(" .;"):
                begin = max(begin, end)
                continue
            low, high = folded.original_span(begin, end)
            part = raw[low:high]
            has_figure = bool(_P["figure"].search(folded.text, begin, end))
            state.has_figure |= has_figure and state.kind == MAIN
            if state.kind == DEFINITION and has_figure and _P["prescribes"].search(folded.text, begin, end):
                state.kind = MAIN
            kind = state.kind if state.kind != PARTICULAR else EXCEPTION if state.has_figure else MAIN
            groups = mentions(part, self._zone.known)
            scope = outer = self._scope_from(part, folded.text[begin:end], groups, outer)
            if not groups and _P["other_sectors"].search(folded.text[begin : begin + 60]):
                scope = replace(scope, excluded=scope.excluded | state.named_sectors)
            state.named_sectors |= {label for group in groups if not group.is_excluded for label in group.labels}
            first = bisect_right(starts, low) - 1
            last = bisect_right(starts, high - 1) - 1
            yield Sentence(
                part,
                fold(part),
                tuple(max(0, start - low) for start in starts[first : last + 1]),
                tuple(pages[first : last + 1]),
                plain(intro_raw),
                intro_raw,
                state.topic,
                state.heading,
                state.article,
                kind,
                scope,
                self._zone,
            )
            begin = end

    def _scope_from(self, part: str, text: str, groups: Sequence[Mention], outer: Scope) -> Scope:
        """Returns the scope from a sentence to the end of its paragraph: `outer`, unless it opens with another.

        "En UBd : …" is for UBd, also under the line "Dans le secteur UBa :". `text` is the folded sentence.
        """
        around = self._state.scope
        if (
            len(groups) == 1
            and _P["before_sector"].fullmatch(plain(part[: groups[0].start]))
            and part[groups[0].end :].lstrip()[:1] in (":", ",")
        ):
            return Scope(included=groups[0].labels, map=around.map, band=around.band)
        lead = LEADING_SCOPE.match(text)
        if lead and _P["other_sectors"].search(lead[0]):
            return replace(around, included=frozenset())
        if lead and outer.included and scope_of(lead[0], self._zone.known).is_everywhere:
            return Scope()
        return outer


def _split_run_in(text: str) -> tuple[str, str]:
    """Parts "Emprise au sol : elle ne peut…" and "Par rapport aux voies Les implantations…" into title and text."""
    if match := re.match(r"^([^:.]{3,100}?)\s*:\s*(\S.*)$", text):
        return match[1], match[2]
    if (
        (
            match := re.match(
                r"^([^:.;]{3,100}?)\s+((?:Les|Le|La|L['’]|Toute|Tout|Une|Un|Aucune|Dans|En|Sauf|Non|Sans|"
                r"Néant)\s?[^:]*.*)$",
                text,
            )
        )
        and topic_of(title_text(match[1]))
        and is_bare_title(title_text(match[1]))
        and looks_like_title(match[1])
    ):
        return match[1], match[2]
    if (match := _P["kind_run_in"].match(text)) and kind_of(title_text(match[1])):
        return match[1], match[2]
    if match := re.match(r"^([^:;]{3,110}?)\.\s+([A-ZÀ-Ý].*)$", text):
        return match[1], match[2]
    return text.rstrip(": "), ""


def _alone(lines: Sequence[Line], index: int) -> bool:
    following = next((line.text.strip() for line in lines[index + 1 : index + 3] if line.text.strip()), "")
    return len(lines[index].text.strip()) < 130 and not following[:1].islower()
