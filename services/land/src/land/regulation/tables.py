"""Tables that give figures by sector, torn into lines or not, and figures by letters of a legend."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from land.regulation import headings as topics
from land.regulation.documents import PlacedLine
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN, Quantity, is_figure, quantities, without_figures
from land.regulation.rule import EXCEPTION, MAIN, Rule
from land.regulation.scopes import Zone
from land.regulation.sentence import words
from land.regulation.text import one_line, plain

_P = patterns("tables")

_COLUMNS: tuple[tuple[str, str, str, str], ...] = (
    # subject, unit, direction that is not said, pattern
    ("height_eave", "m", MAX, r"egouts?(?:[^|;]{0,20}?(?:et|ou|/) ?(?:a |de )?(?:l')?acroteres?)?|sablieres?"),
    ("height_ridge", "m", MAX, r"faitages?|\bfaite\b|hauteurs? (?:totale|absolue)|points? (?:le )?plus haut"),
    ("height_flat_roof", "m", MAX, r"acroteres?|terrasses?"),
    ("footprint_ratio", "%", MAX, r"emprises? (?:au sol|batie)|\bces\b"),
    ("full_ground_ratio", "%", MIN, r"pleine terre"),
    ("green_ratio", "%", MIN, r"espaces? verts?|vegetalis\w*"),
    ("setback_road", "m", "", r"alignement|\bvoies?\b|emprises? publiques?"),
    ("setback_side", "m", "", r"\blimites?\b(?: separatives?)?"),
)
_DENIED = "not regulated"


@dataclass
class TableReader:
    """Reads the tables of a chapter."""

    lines: Sequence[PlacedLine]
    zone: Zone
    text: str
    """The whole chapter, in which the letters are explained."""
    used: set[int] = field(default_factory=set)
    """The numbers of the lines that a table took."""
    denials: list[Rule] = field(default_factory=list)

    def read(self) -> list[Rule]:
        """Returns the rules of the zone that tables state."""
        return [*self._sector_columns(), *self._sector_rows(), *self._letters()]

    def _own(self, label: str) -> bool:
        return label in self.zone.own or (label in self.zone.parents and not self.zone.own & self.zone.known)

    def _sector_rows(self) -> Iterator[Rule]:
        lines = [placed for placed in self.lines if placed.index not in self.used]
        tables: list[list[tuple[str, int, int]]] = []
        end = -1
        for position, placed in enumerate(lines):
            label = self._row_label(placed.line.text)
            is_cell = end == position and is_figure(_P["denial"].sub("", plain(placed.line.text)))
            if label:
                tables += [] if end == position else [[]]
                tables[-1].append((label, position, position + 1))
            elif is_cell and lines[tables[-1][-1][1]].topic == placed.topic:
                tables[-1][-1] = (*tables[-1][-1][:2], position + 1)
            else:
                continue
            end = position + 1
        for table in tables:
            texts = ((row, plain("\n".join(part.line.text for part in lines[row[1] : row[2]]))) for row in table)
            rows = [(row, cells) for row, text in texts if (cells := _cells(text.partition(row[0].lower())[2]))]
            if len(rows) < 2 or len({len(cells) for _, cells in rows}) > 1:
                continue
            header = self._header(lines[: rows[0][0][1]], lines[rows[0][0][1]].topic)
            for (label, start, stop), cells in rows:
                self.used.update(placed.index for placed in lines[start:stop])
                if self._own(label):
                    yield from self._row_rules(header, cells, lines[start:stop])

    def _row_label(self, text: str) -> str:
        """Returns the sector that a line begins with, if nothing but figures follows it."""
        match = re.match(r"[\s|]*(?:(?:secteur|zone)[\s|]+)?([^\s|:]+)(.*)", text, re.IGNORECASE | re.DOTALL)
        is_row = (
            match and match[1] in self.zone.known and len(without_figures(_P["denial"].sub("", plain(match[2])))) < 4
        )
        return match[1] if match and is_row else ""

    def _header(self, lines: Sequence[PlacedLine], topic: str) -> str:
        """Returns the cells above the rows, up to the sentence that announces them."""
        texts = [(placed.topic, placed.line.text.strip()) for placed in reversed(lines[-10:])]
        cells = takewhile(
            lambda cell: cell[0] == topic and not cell[1].endswith((".", ":", ";")) and len(cell[1]) <= 110, texts
        )
        return plain(" | ".join(reversed([text for _, text in cells])))

    def _row_rules(self, header: str, figures: list[Quantity], lines: Sequence[PlacedLine]) -> Iterator[Rule]:
        placed = lines[0]
        quote = one_line(" ".join(part.line.text for part in lines))
        columns = _columns(header, len(figures))
        if not columns and len(figures) == 1 and placed.topic == topics.FOOTPRINT:
            columns = _columns("emprise au sol", 1)
        if len(columns) == len(figures):
            for column, figure in zip(columns, figures, strict=True):
                yield from self._cell_rules(column, figure, quote, placed)
        elif subject := {topics.HEIGHT: "height_ridge", topics.FOOTPRINT: "footprint_ratio"}.get(placed.topic):
            rule = Rule(subject, "qualitative", quote, placed.line.page, placed.article, ambiguous=True)
            yield words(rule, note="a table whose columns are not certain")

    def _cell_rules(self, column: tuple[str, str, str], figure: Quantity, quote: str, placed: PlacedLine) -> list[Rule]:
        """Returns the rule of a cell, none for one that says that nothing is fixed: it is kept in `denials`."""
        subject, unit, default = column
        sector = {"sector": min(self.zone.own)}
        if figure.unit == _DENIED:
            self.denials.append(Rule(subject, "", quote, placed.line.page, placed.article, scope=sector))
            return []
        direction = figure.direction if figure.direction in (MIN, MAX) else default
        also = ("setback_rear",) if subject == "setback_side" else ()
        rule = Rule(
            subject, direction, quote, placed.line.page, placed.article, MAIN, figure.value, unit, "", "", also, sector
        )
        return [rule if figure.unit == unit and direction else words(rule)]

    def _sector_columns(self) -> Iterator[Rule]:
        labels: list[str] = []
        for placed in self.lines:
            words = placed.line.text.replace("|", " ").split()
            found = [word for word in words if word in self.zone.known]
            is_header = len(found) >= 2 and len(found) == len({*found}) and len(words) - len(found) <= 3
            if is_header and not re.search(r"[.:;,]", placed.line.text):
                labels = found
            elif (rules := self._column_rules(placed, labels) if labels else None) is not None:
                self.used.add(placed.index)
                yield from rules
            elif not is_figure(placed.line.text):
                labels = []

    def _column_rules(self, placed: PlacedLine, labels: list[str]) -> list[Rule] | None:
        """Returns the rules of a row, None if the line is no row."""
        own = [index for index, label in enumerate(labels) if self._own(label)]
        text = plain(placed.line.text)
        quote = one_line(placed.line.text)
        cells = _cells(text)
        column = _columns(text[: cells[0].start] if cells else text, 1)
        if len(cells) == len(labels):
            return self._cell_rules(column[0], cells[own[0]], quote, placed) if column and own else []
        is_on_line = own and text.count("a l'alignement") == len(labels)
        place = (quote, placed.line.page, placed.article, MAIN, 0, "m")
        scope = {"sector": min(self.zone.own)}
        return [Rule("setback_road", "on_limit_required", *place, scope=scope)] if is_on_line else None

    def _letters(self) -> Iterator[Rule]:
        names = [
            (match["letter"] or match["letter2"], _columns(plain(match["name"] or match["name2"]), 1))
            for match in _P["legend"].finditer(self.text)
        ]
        legend = {letter: columns[0] for letter, columns in reversed(names) if columns}
        for placed in self.lines if len(legend) > 1 else ():
            line = placed.line.text
            values = [match for match in _P["value"].finditer(line) if match["letter"] in legend]
            if not values or re.search(r"\w", line[: values[0].start()]):
                continue
            self.used.add(placed.index)
            ends = [*(match.start() for match in values[1:]), len(line)]
            for match, end in zip(values, ends, strict=True):
                stated = plain(line[match.start() : end])
                for figure in quantities(stated)[:1]:
                    rules = self._cell_rules(legend[match["letter"]], figure, one_line(line), placed)
                    is_bound = _P["bound"].search(stated[figure.end :])
                    yield from [words(replace(rule, kind=EXCEPTION)) for rule in rules] if is_bound else rules


def _cells(text: str) -> list[Quantity]:
    """Returns the figures of a folded row in order; a cell that says that nothing is fixed has the unit _DENIED."""
    denials = [Quantity(0, _DENIED, match.start(), match.end()) for match in _P["denial"].finditer(text)]
    figures = [figure for figure in quantities(text) if figure.unit in ("m", "%", "m NGF")]
    return sorted([*denials, *figures], key=lambda cell: cell.start)


def _columns(header: str, count: int) -> list[tuple[str, str, str]]:
    """Returns the columns that a header names, in order, [] unless there are as many as figures."""
    spans: list[tuple[int, int, tuple[str, str, str]]] = []
    for subject, unit, direction, pattern in _COLUMNS:
        for match in re.finditer(pattern, header):
            if not any(low <= match.start() < high for low, high, _ in spans):
                spans.append((match.start(), match.end(), (subject, unit, direction)))
    spans.sort()
    if len(spans) == count + 1 and any(column[0] == "height_eave" for _, _, column in spans):
        spans = [
            span
            for span in spans
            if not (span[2][0] == "height_flat_roof" and re.search(r"\b(?:ou|et)\W*$", header[: span[0]]))
        ]
    columns = [column for _, _, column in spans]
    return columns if len(columns) == count else columns[:1] if count == 1 else []
