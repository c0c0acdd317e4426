"""Sentences of a chapter with their surroundings: heading, kind of rule, sector, and the words that introduce them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, compress, pairwise

from land.regulation import headings
from land.regulation.documents import Line
from land.regulation.headings import Heading, is_bare_title, is_named_title, looks_like_title, parse_heading, topic_of
from land.regulation.patterns import patterns
from land.regulation.scopes import LEADING_SCOPE, Mention, Scope, Zone, band_of, is_scope_line, mentions, scope_of
from land.regulation.sentence import Sentence
from land.regulation.symbols import spelled_out, symbols_of
from land.regulation.tables import Cell, Table, tables_of
from land.regulation.text import fold, one_line, plain, title_text

_P = patterns("passages")
_OF_CELLS = {*headings.CORE_TOPICS} - {headings.BETWEEN, headings.ACCESS, headings.SITING}
_KEEP_TOPIC = frozenset(
    {headings.OTHER, headings.FENCE, headings.PARKING, headings.ACCESS, headings.FORBIDDEN, headings.CONDITIONAL}
)


@dataclass
class PassageReader:
    """Reads the lines of a chapter into sentences. The other fields are where the reader stands."""

    lines: Sequence[Line]
    zone: Zone
    is_structured: bool
    definitions: Sequence[Line] = ()
    """General provisions, which may define the letters of the chapter."""
    topics: set[str] = field(default_factory=set)
    paragraph: list[Line] = field(default_factory=list)
    is_item: bool = False
    topic: str = ""
    topic_rank: int = 9
    topic_number: str = ""
    siting_number: str = ""
    article_topic: str = ""
    heading: str = ""
    article: str = ""
    kind: str = headings.MAIN
    has_figure: bool = False
    """Whether a main rule of the article has a figure: rules called "particulières" are then exceptions."""
    scope: Scope = field(default_factory=Scope)
    intros: list[str] = field(default_factory=list)
    open_items: bool = False
    caption: str = ""
    """A short line without verb over the paragraph: "Pour les constructions à usage d'habitation", "Deux roues"."""
    named_sectors: frozenset[str] = frozenset()
    """The sectors that the article named so far: "dans les autres secteurs" leaves them out."""
    rank: int = 9
    scope_rank: int = 9
    part: Scope = field(default_factory=Scope)
    """The scope of the part of the chapter that holds the articles."""

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The words of the letters that the chapter defines, but for the labels of zones."""
        named = symbols_of("\n".join(line.text for line in (*self.lines, *self.definitions)))
        return {letter: name for letter, name in named.items() if letter not in self.zone.known}

    @cached_property
    def short(self) -> float:
        """The length of a line that ends well before the margin, and so ends its paragraph."""
        lengths = sorted(len(line.text.strip()) for line in self.lines if line.text.strip())
        return 0.6 * lengths[int(0.8 * len(lengths))] if lengths and not self.is_structured else 0

    def read(self) -> Iterator[Sentence]:
        """Yields the passages in the order of the text."""
        resume = 0
        tables = {} if self.is_structured else {table.start: table for table in tables_of(self.lines, self.zone.known)}
        for index, line in enumerate(self.lines):
            if index in tables and index >= resume:
                yield from self._flush()
                yield from self._of_table(tables[index])
                resume = tables[index].end
            self._enter_part(index)
            is_blank = not line.text.strip() or _P["note"].match(line.text)
            heading, used, rest = (None, 0, "") if is_blank or index < resume else self._heading_at(index)
            if heading is not None:
                yield from self._flush()
                self._enter(heading, line.level, is_run_in=rest != "")
                resume = index + used
                self.paragraph, self.is_item = [replace(line, text=rest, level=0)] if rest else [], False
            elif is_blank and index >= resume and self._ends_here(index):
                yield from self._flush()
            if heading is not None or is_blank or index < resume:
                continue
            body = _P["bullet"].sub("", line.text, count=1)
            is_bullet = body != line.text
            if is_bullet or self._starts_paragraph(line.text):
                yield from self._flush(introduces=is_bullet and not self.is_item and not self._ends_sentence())
                is_listed = _P["item_start"].match(plain(line.text)) or _P["lettered"].match(line.text)
                self.is_item = is_bullet or bool(is_listed and self.intros)
            if (
                not self.paragraph
                and (is_scope_line(self._unnumbered(body)) or self._is_of_sectors(body))
                and (
                    body.rstrip().endswith(":")
                    or (len(line.text) < 130 and not _P["small"].match(self._next(index, 2)))
                )
            ):
                self._enter_scope(line.text if not is_bullet else body)
                if self.scope.band:
                    self.paragraph = [line]
                    yield from self._flush()
                    self.intros, self.open_items = [], False
                continue
            if not self.paragraph and not is_bullet and self._is_caption(index, body):
                self.caption = body.strip()
                continue
            self.paragraph.append(replace(line, text=body if is_bullet else line.text))
            if self.is_structured:
                yield from self._flush()
        yield from self._flush()

    def _enter_part(self, index: int) -> None:
        """Takes the scope of a title over articles, which a heading of an article follows."""
        text, following = self.lines[index].text.strip(), parse_heading(self._next(index))
        is_part = following is not None and following.rank <= 1 and following.number
        if is_part and len(text) < 100 and looks_like_title(text) and _P["part_of_sectors"].search(plain(text)):
            # "Dispositions applicables à la zone UB" is the title of the chapter.
            self.part = Scope() if re.search(r"\bzones?\b", plain(text)) else scope_of(text, self.zone.known)

    def _heading_at(self, index: int) -> tuple[Heading | None, int, str]:
        """Returns the heading at a line, how many lines it has, and the text that follows it on its line."""
        line, raw = self.lines[index], self.lines[index].text.strip()
        # "UB1   UB2" is the head of a table, and no article 1 of the zone UB.
        is_sector = {*raw.split()} <= self.zone.known or self._is_of_sectors(_P["sector_alone"].sub("", raw))
        heading = None if is_sector else parse_heading(raw)
        if line.level:
            marked = heading or Heading("", raw, min(line.level, 6))
            # Services that read pictures mark any bold line as a heading, at any level.
            is_named = (marked.number or is_named_title(marked.text)) and not is_scope_line(raw)
            return (marked if self.is_structured or is_named else None), 1, ""
        if heading and heading.rank <= 2 and (heading.zone or not heading.rank or _P["article"].match(raw)):
            title, used = self._whole_title(index, heading.title)
            is_run_in = len(title) > 60 and not looks_like_title(title)
            head, rest = headings.split_run_in(title) if is_run_in else (title, "")
            rest = rest or (title if is_run_in else "")  # "Article 3.1 - Les accès ont 4 m de large" is a rule
            return replace(heading, title=head), used, rest
        bare = heading.title if heading else _P["bullet"].sub("", raw, count=1)
        is_subject = heading and bare[:1].isupper() and looks_like_title(bare) and topic_of(heading.text)
        if (
            self.paragraph
            and not self._ends_sentence()
            and not (heading and heading.rank in (2, 3, 4, 5) and (is_bare_title(heading.text) or is_subject))
            and not (raw.isupper() and is_bare_title(title_text(raw)) and topic_of(title_text(raw)) != self.topic)
            and not (
                _P["cell"].fullmatch(self.paragraph[-1].text) and raw[:1].isupper() and is_bare_title(title_text(raw))
            )
        ):
            return None, 0, ""
        head, rest = headings.split_run_in(bare)
        is_sure = is_bare_title(title_text(head)) or (heading and heading.rank == 2 and len(head) < 40)
        if heading and rest and not (is_sure and is_named_title(title_text(head))):
            head, rest = bare, ""
        has_colon = heading is None and bare.rstrip().endswith(":")
        title, used = (head, 1) if rest or has_colon else self._whole_title(index, head)
        text, following = title_text(head if heading else title), self._next(index, 1)
        goes_on = not rest and following[:1].islower()
        if heading:
            is_scope = is_scope_line(head) and (not topic_of(text) or _P["of_scope"].match(text))
            is_sentence = goes_on and not _P["lettered"].match(following) and not looks_like_title(following)
            is_named = is_named_title(text) or (heading.rank <= 3 and len(text) < 90) or heading.title.isupper()
            is_title = looks_like_title(head) and is_named and not is_scope and not is_sentence
        else:
            is_sentence = goes_on and used == 1 and not has_colon and not _P["columns"].search(following)
            is_free = self.article_topic in (
                "",
                headings.OTHER,
                headings.SITING,
            )  # an article of one subject has no titles of others
            stands_alone = is_free and not rest and raw[:1].isupper() and following[:1].isupper() and len(title) < 100
            is_bare = is_bare_title(text) or (stands_alone and not has_colon and not _P["of_scope"].match(text))
            is_title = is_bare and is_named_title(text) and looks_like_title(title) and not is_sentence
        return (replace(heading or Heading("", "", 7), title=title), used, rest) if is_title else (None, 0, "")

    def _next(self, index: int, count: int | None = None) -> str:
        """Returns the next line with text, among some lines or all."""
        stop = index + 1 + count if count else None
        return next(filter(None, (line.text.strip() for line in self.lines[index + 1 : stop])), "")

    def _whole_title(self, index: int, title: str) -> tuple[str, int]:
        """Returns a title with the lines that continue it, and how many lines it has."""
        used = 1
        for line in self.lines[index + 1 : index + 4]:
            following = line.text.strip()
            is_listed = title and (_P["bullet"].match(following) or parse_heading(following))
            is_other = is_listed if title else following and not looks_like_title(following)
            is_capitals = title.isupper() and following.isupper() and not is_bare_title(title_text(following))
            goes_on = following[:1].islower() and not title.endswith((".", ":")) and looks_like_title(following)
            is_open = (
                not title
                or (_P["open"].search(title) and looks_like_title(following))
                or (is_capitals and len(following) > 3)
                or goes_on
            )
            is_whole = len(title) + len(following) > 260 or (title.endswith(":") and title[:-1].strip())
            is_own = line.level or _P["columns"].search(following) or is_other
            if is_own or is_whole or not is_open or not (following or not title):
                break
            title, used = f"{title} {following}".strip(), used + 1
        return title, used

    def _enter(self, heading: Heading, level: int, *, is_run_in: bool) -> None:
        text, number, is_marked = heading.text, heading.number, bool(level) and self.is_structured
        topic, kind = headings.LAW_ARTICLES.get(number, topic_of(text)), headings.kind_of(text)
        is_in_siting = (
            number.startswith(f"{self.siting_number}.") if self.siting_number else self.article_topic == headings.SITING
        )
        if is_in_siting and topic in ("", headings.ACCESS):  # "Voies" below "Implantation"
            topic = topic_of(f"implantation par rapport aux {text}") if _P["place"].match(text) else topic
        rank = level if is_marked else min(heading.rank, level) if level and not number else heading.rank
        self.intros, self.open_items, self.caption, self.rank = [], False, "", heading.rank
        self.scope = self.part if heading.rank <= self.scope_rank else self.scope
        of_title = scope_of(heading.title, self.zone.known)
        if is_of_sectors := bool(of_title.included & self.zone.known):
            self.scope, self.scope_rank = of_title, heading.rank
        is_article = rank <= 3 or is_marked
        is_part_of = self.topic_number and number.startswith((f"{self.topic_number}.", f"{self.topic_number}-"))
        is_below = is_article and not topic and (rank > self.topic_rank or is_part_of) and self.topic
        is_foreign = not is_article and self.article_topic in _KEEP_TOPIC and topic != self.article_topic
        if kind and (not topic or rank >= 5 or topic in (headings.CONDITIONAL, headings.SITING)):
            self.kind = kind
            return
        if is_run_in and topic == headings.OTHER and self.topic not in ("", headings.OTHER):
            self.heading = text  # "b) Toitures-terrasses : 7 m" is a height
            return
        if is_below and not is_foreign:
            self.heading = text
        if is_below or (is_foreign and (self.article_topic, topic) != (headings.OTHER, headings.FENCE)):
            return
        self.topic_number, self.siting_number = number, number if topic == headings.SITING else self.siting_number
        if is_article:
            topic = topic or (headings.SITING if (rank == 0 and _P["of_form"].search(text)) else "")
            # A part, such as "Équipements et réseaux", holds articles of several subjects.
            self.article_topic, self.topic_rank = topic if rank or topic == headings.SITING else "", rank
            self.article = number or one_line(heading.title)
            self.scope = self.scope if is_of_sectors else self.part
            self.has_figure, self.named_sectors = False, frozenset()
        elif number and self.article:
            self.article = f"{self.article.split(' - ')[0]} - {number}"
        self.article = self.article or one_line(heading.title)[:80]
        is_part_of_siting = (
            topic == headings.SITING
            and not re.search("emprise|hauteur", text)
            and rank > max(3, self.topic_rank)
            and self.topic in (headings.ROAD, headings.BOUNDARY, headings.BETWEEN)
        )
        self.kind, self.heading, self.topic = headings.MAIN, text, self.topic if is_part_of_siting else topic
        self.topics.add(topic)

    def _enter_scope(self, raw: str) -> None:
        scope, is_of_others = scope_of(raw, self.zone.known), _P["other_sectors"].search(plain(raw))
        scope = Scope(excluded=self.named_sectors, is_everywhere=True) if is_of_others and not scope.included else scope
        self.named_sectors |= scope.included
        self.kind = headings.MAIN if self.kind in (headings.DEFINITION, headings.RECALL) else self.kind
        if not (scope.included or scope.excluded or scope.map or scope.is_everywhere):
            scope = replace(self.scope, band=scope.band) if scope.band else replace(self.scope, map=plain(raw))
        numbered = parse_heading(raw)
        self.scope, self.scope_rank = scope, max(numbered.rank, self.rank) if numbered else self.rank
        self.intros, self.open_items, self.caption = [], False, ""

    def _is_caption(self, index: int, body: str) -> bool:
        """Returns whether a line is a title of no known subject over the paragraph that follows."""
        text, bare, following = body.strip(), self._unnumbered(body.strip()), self._next(index, 1)
        return bool(
            3 < len(text) <= 90
            and looks_like_title(text)
            and not text.endswith((":", ")"))
            and bare[:1].isupper()
            and not re.search(r"\d", bare)
            and (following[:1].isupper() or following[:1].isdigit() or _P["bullet"].match(following))
            and not text.isupper()
            and not set(text.split()) & self.zone.known
        )

    def _is_of_sectors(self, text: str) -> bool:
        """Returns whether a line only names sectors: "a) En UEi et UEp"."""
        groups = mentions(text, self.zone.known) if len(text) < 60 else []
        return bool(groups) and bool(
            _P["no_more"].fullmatch(plain(self._unnumbered(text[: groups[0].start] + text[groups[-1].end :])))
        )

    def _unnumbered(self, text: str) -> str:
        return _P["lettered"].sub("", _P["numbered"].sub("", text), count=1)

    def _ends_sentence(self) -> bool:
        # "l'article R." ends a line, and no sentence.
        return not self.paragraph or bool(re.search(r"(?<!\b[LRD])[.:;!?]\s*$", self.paragraph[-1].text))

    def _ends_here(self, index: int) -> bool:
        following = self._next(index)
        goes_on = (following[:1].islower() or following[:1].isdigit()) and not _P["rate"].match(following)
        return self._ends_sentence() or not goes_on or parse_heading(following) is not None

    def _starts_paragraph(self, text: str) -> bool:
        stripped, previous = text.strip(), self.paragraph[-1].text.rstrip() if self.paragraph else ""
        is_capital, first = stripped[:1].isupper(), mentions(stripped[:20], self.zone.known)
        return bool(
            not self.paragraph
            or _P["row"].match(stripped)
            or _P["columns"].search(stripped)
            or re.match(r"\d{1,2} ?[.)] ?[A-ZÀ-Ý]", stripped)
            or (is_capital and (_P["cell"].fullmatch(previous) or _P["row"].match(previous)))
            or (previous.endswith((",", ";", ":")) and _P["item_start"].match(plain(text)))
            or (first and first[0].start == 0 and not _P["open"].search(previous))
            or (is_capital and (len(previous) < self.short or (self.is_item and previous.endswith((",", ";")))))
            or (self._ends_sentence() and (is_capital or stripped[:1].isdigit() or _P["lettered"].match(stripped)))
        )

    def _flush(self, *, introduces: bool = False) -> Iterator[Sentence]:
        lines, self.paragraph = self.paragraph, []
        is_item, self.is_item = self.is_item, False
        if not lines:
            return
        raw = "\n".join(line.text.strip() for line in lines)
        # "7.1 Dans une bande de 18 m de profondeur, comptée à partir de l'alignement" over two lines
        if len(lines) > 1 and not is_item and is_scope_line(self._unnumbered(raw)) and raw[-1] not in ".;,":
            self._enter_scope(one_line(raw))
            return
        starts, text = [0, *accumulate(len(line.text.strip()) + 1 for line in lines[:-1])], plain(raw)
        introduces, follows = introduces or text.endswith(":"), bool(_P["follows"].match(text))
        if self.open_items and not is_item and not _P["item_start"].match(text) and not (introduces and follows):
            self.intros = []
        if introduces and len(text) < 420:
            is_nested = self.open_items and len(self.intros) > 1 and (is_item or follows)
            self.intros, self.open_items = [*(self.intros[:-1] if is_nested else self.intros[-3:]), raw], False
        yield from self._sentences(raw, starts, [line.page for line in lines])
        self.open_items |= bool(self.intros) and not introduces

    def _of_table(self, table: Table) -> Iterator[Sentence]:
        """Yields the sentences of the cells; those of other sectors go if the table has figures of the zone's own."""
        heads = [mentions(f"{cell.column} ; {cell.row}", self.zone.known) for cell in table.cells]
        labels = [frozenset(label for group in groups for label in group.labels) for groups in heads]
        named = frozenset[str]().union(*labels)
        kept = [not (named & self.zone.own) or not of_cell or of_cell & self.zone.own for of_cell in labels]
        return (self._of_cell(cell, named) for cell in compress(table.cells, kept))

    def _of_cell(self, cell: Cell, named: frozenset[str]) -> Sentence:
        """Returns the sentence of a cell, an exception if it is not sure what its column is.

        `named` are the sectors of the table: "autres zones" are none of them.
        """
        raw = " : ".join(filter(None, (cell.column, cell.row, cell.text)))
        row = spelled_out(cell.row, self.symbols).text
        topic = topic_of(plain(cell.column)) or topic_of(row)
        # "Recul" beside "retrait latéral" is that from the road.
        of_siting = headings.ROAD if _P["recul"].fullmatch(row) else topic_of(f"implantation par rapport aux {row}")
        topic = of_siting if self.topic == headings.SITING and topic in ("", headings.SITING) else topic
        is_of_others = _P["other_sectors"].search(plain(f"{cell.column} {cell.row}"))
        intro = "" if (not re.search(r"\d", cell.text)) else " ".join([*self.intros, self.caption]).strip()
        return Sentence(
            raw,
            spelled_out(raw, self.symbols),
            (0,),
            (cell.lines[0].page,),
            plain(intro),
            intro,
            topic if topic in _OF_CELLS else self.topic,
            self.heading,
            self.article,
            self.kind if cell.is_named else headings.EXCEPTION,
            replace(self.scope, excluded=self.scope.excluded | named) if is_of_others else self.scope,
            self.zone,
            row=cell.row,
            row_quote=one_line(" ".join(line.text for line in cell.lines if line.page == cell.lines[0].page)),
        )

    def _sentences(self, raw: str, starts: Sequence[int], pages: Sequence[int]) -> Iterator[Sentence]:
        folded = fold(raw)
        own_intro = self.intros[:-1] if self.intros and self.intros[-1] == raw else self.intros
        intro_raw, outer = " ".join([*own_intro, self.caption]).strip(), self.scope
        ends = [match.end() for match in _P["sentence_end"].finditer(folded.text)]
        is_aside, paragraph_of_others, of_paragraph = False, False, scope_of(raw, self.zone.known).included
        for begin, end in pairwise([0, *ends, len(folded.text)]):
            if not folded.text[begin:end].strip(" .;"):
                continue
            low, high = folded.original_span(begin, end)
            part, has_figure = raw[low:high], bool(_P["figure"].search(folded.text, begin, end))
            self.has_figure |= has_figure and self.kind == headings.MAIN
            if has_figure and self.kind == headings.DEFINITION and _P["prescribes"].search(folded.text, begin, end):
                self.kind = headings.MAIN
            of_particular = headings.EXCEPTION if self.has_figure else headings.MAIN
            kind = of_particular if self.kind == headings.PARTICULAR else self.kind
            label = _P["label"].match(folded.text[:end]) if not begin and end < len(folded.text) - 20 else None
            if label and looks_like_title(label[1]):
                intro_raw = f"{intro_raw} {part.strip()}".strip()
                # "d. Compacité." beside "c. Entre bâtiments." is of another subject.
                beside = topic_of(f"implantation par rapport aux {label[1]}")
                is_siting = self.article_topic == headings.SITING
                self.topic = beside if is_siting else self.article_topic if self.rank >= 5 else self.topic
                continue
            groups = mentions(part, self.zone.known)
            if self._is_of_sectors(part.rstrip(" .")) and end < len(folded.text):
                outer = Scope(included=groups[0].labels, map=self.scope.map, band=self.scope.band)
                continue  # "U3. Les constructions…"
            # A scope in the middle of a paragraph is of its sentence, and of those that go on with a pronoun.
            is_over = is_aside and not _P["goes_on"].match(folded.text, begin)
            before, is_aside = self.scope if is_over else outer, is_aside and not is_over
            outer = self._scope_from(part, folded.text[begin:end], groups, before)
            is_aside |= outer is not before and begin > 0
            # "Sur une profondeur de 20 m, … La marge …" is about the band to the end of the paragraph.
            lead = None if begin else _P["leading_band"].match(folded.text)
            outer = replace(outer, band=band_of(lead[0]) or outer.band) if lead else outer
            # A sentence that names sectors itself is not of those that an earlier one opens with.
            included = [group for group in groups if not group.is_excluded]
            scope = replace(self.scope, band=outer.band) if outer is before and included else outer
            # "En UC, 5 m ; en UCa, 8 m": the first is not for the sector.
            is_listed = (
                groups and ";" in (folded.text[end - 1], folded.text[begin - 1]) and self.zone.own & of_paragraph
            )
            names_own = any(group.labels & self.zone.own for group in groups)
            zone = replace(self.zone, parents=frozenset()) if is_listed and not names_own else self.zone
            # "Dans le reste de la zone, …" at the head of a paragraph is about all of it.
            opens_others = not groups and _P["other_sectors"].search(folded.text[begin : begin + 60])
            paragraph_of_others |= bool(opens_others) and not begin
            is_of_others = opens_others or (paragraph_of_others and not groups and not outer.is_everywhere)
            scope = replace(scope, excluded=scope.excluded | self.named_sectors) if is_of_others else scope
            self.named_sectors |= {label for group in included for label in group.labels}
            first, last = bisect_right(starts, low) - 1, bisect_right(starts, high - 1) - 1
            yield Sentence(
                part,
                spelled_out(part, self.symbols),
                tuple(max(0, start - low) for start in starts[first : last + 1]),
                tuple(pages[first : last + 1]),
                plain(intro_raw),
                intro_raw,
                self.topic,
                self.heading,
                self.article,
                kind,
                scope,
                zone,
            )

    def _scope_from(self, part: str, text: str, groups: Sequence[Mention], outer: Scope) -> Scope:
        """Returns the scope from a sentence to the end of its paragraph: `outer`, unless it opens with another.

        "En UBd : …" is for UBd, also under the line "Dans le secteur UBa :". `text` is the folded sentence.
        """
        before, after = (part[: groups[0].start], part[groups[0].end :].lstrip()[:1]) if len(groups) == 1 else ("", "")
        if (_P["before_sector"].fullmatch(plain(before)) and after in {*":,–—-"}) or (
            after == ":" and looks_like_title(before)  # "Logements – UBb :"
        ):
            return Scope(included=groups[0].labels, map=self.scope.map, band=self.scope.band)
        lead = LEADING_SCOPE.match(text)
        if _P["other_sectors"].search(lead[0] if lead else text[:25]):
            return replace(self.scope, included=frozenset())
        is_everywhere = lead and outer.included and scope_of(lead[0], self.zone.known).is_everywhere
        return Scope() if is_everywhere else outer
