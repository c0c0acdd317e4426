"""Tables as extractors leave them: one row a line, or one cell a line. Each cell is read as a sentence.

A cell says what the heads of its row and of its column say: "Hauteur à l'égout : UBa : 9 m".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from land.regulation.documents import Line
from land.regulation.headings import parse_heading, topic_of
from land.regulation.patterns import patterns
from land.regulation.text import plain

_P = patterns("tables")
_CELL_CHARACTERS = 70
"""A longer line is no cell, unless it begins with a figure."""
_MOST_COLUMNS = 7


@dataclass(frozen=True)
class Cell:
    """A cell with a figure, or one that says that nothing is fixed, and the words that belong to it."""

    column: str
    row: str
    text: str
    lines: tuple[Line, ...]
    """The lines of its row."""
    is_named: bool
    """Whether it is sure which column the cell stands in."""


@dataclass(frozen=True)
class Table:
    """A table between two lines of a chapter, `end` not included."""

    start: int
    end: int
    cells: tuple[Cell, ...]


_Row = tuple[list[str], int, int]
"""The texts of the cells of a row, and the lines between which it stands."""


def tables_of(lines: Sequence[Line], labels: frozenset[str]) -> Iterator[Table]:
    """Yields the tables of a chapter. `labels` are the sectors that it names."""
    rows, end = _rows_of(lines, labels), 0
    for index, (cells, low, _) in enumerate(rows):
        table = (
            _lined(lines, rows, index, labels) or _torn(lines, low, labels) or _stacked(lines, low)
            if low >= end and cells
            else None
        )
        if table:
            yield table
            end = table.end


def _rows_of(lines: Sequence[Line], labels: frozenset[str]) -> list[_Row]:
    """Returns the lines as rows of cells; a line that goes on under the cells of a row belongs to it."""
    rows, spans = list[_Row](), list[tuple[int, int]]()
    """Where the cells of the last row stand."""
    for index, line in enumerate(lines):
        pieces = [(match.start(), match[0]) for match in _P["piece"].finditer(line.text)]
        above = [
            [column for column, (low, high) in enumerate(spans) if low < place + len(text) and place < high]
            for place, text in pieces
        ]
        is_below = len(spans) > 1 and all(len(columns) == 1 for columns in above)
        goes_on = pieces and is_below and (pieces[0][0] > spans[0][0] + 2 or not pieces[0][1][0].isupper())
        before = rows[-1][0] if rows else []
        # "L ≥ H/2" above "min. 4 m": only a cell without a figure goes on with one.
        is_full = (
            _is_value(text) and _P["whole"].search(before[column])
            for [column], (_, text) in zip(above if goes_on else [], pieces, strict=False)
        )
        if goes_on and not any(is_full):
            for [column], (_, text) in zip(above, pieces, strict=True):
                before[column] = f"{before[column]} {text}"
            rows[-1] = (before, rows[-1][1], index + 1)
            continue
        cells = _split(line.text, labels) if pieces else []
        # "Recul minimal par rapport à" above "l'alignement   4 m   6 m"
        is_above = len(before) == 1 and len(pieces) > 2 and cells[0][:1].islower() and before[0][:1].isupper()
        if is_above:
            cells[0] = f"{before[0]} {cells[0]}"
            rows.pop()
        rows.append((cells, index - is_above, index + 1))
        spans = [(place, place + len(text)) for place, text in pieces] if len(pieces) == len(cells) else []
    return rows


def _lined(lines: Sequence[Line], rows: Sequence[_Row], start: int, labels: frozenset[str]) -> Table | None:
    """Returns the table whose first row is at a place, None if no rows of as many cells follow each other there."""
    count, found = len(rows[start][0]), list[_Row]()
    for index in range(start, len(rows)):
        cells = rows[index][0]
        # "Implantation sur limite   à l'alignement   Recul ≥ 3 m" among rows of figures
        is_row = any(map(_is_value, cells[1:])) or (found and count > 2 and re.search(r"\d", " ".join(cells[1:])))
        if is_row and len(cells) == count and not _is_value(cells[0]) and len(cells[0]) < 60:
            found.append(rows[index])
        elif cells or not found or not rows[index - 1][0]:  # one blank line may stand between two rows
            break
    if not found:
        return None
    above = [row for row in rows[max(0, start - 8) : start] if row[0]]
    heads = [cells for cells, _, _ in above]
    # The sectors of the columns may stand some rows higher.
    of_sectors = [cells for cells in heads if len(cells) == count and {*cells[1:]} <= labels][-1:]
    head = next(iter(of_sectors), heads[-1] if heads else [])
    head = ["", *head] if len(head) == count - 1 and count > 2 else head
    is_head = len(head) == count and not any(map(_is_value, head))
    begin = above[-1][1] if is_head and heads[-1][-1] == head[-1] else rows[start][1]
    if not is_head:
        titles = [*takewhile(lambda cells: not re.search(r"[.:;]\s*$|\d", " ".join(cells)), reversed(heads[-5:]))]
        sizes = range(len(titles), 0, -1)
        named = ((size, columns) for size in sizes if (columns := _named_columns(titles[:size], count)))
        size, head = next(named, (0, []))
        begin, is_head = above[-size][1] if size else begin, size > 0
    if len(found) + is_head < 2 or (count > 2 and not is_head and len(found) < 2):
        return None
    return _table(lines, begin, found, head if is_head else [])


def _torn(lines: Sequence[Line], start: int, labels: frozenset[str]) -> Table | None:
    """Returns the table whose first cell is a line, None if no rows of as many lines follow each other there."""
    end, texts, spans, gaps = start, list[str](), list[tuple[int, int]](), list[int]()
    # A head that stands on the next page again begins a table of its own.
    while (
        end < len(lines)
        and (_is_cell(lines[end].text) or (texts and not lines[end].text.strip()))
        and lines[end].text.strip() not in texts[:1]
    ):
        text = lines[end].text.strip()
        if not text:
            gaps.append(len(texts))
        elif texts and (_P["open"].search(texts[-1]) or (_P["rest"].match(text) and not _is_value(text))):
            # "Emprise au sol" above "(maximum)"; "ou acrotère" is of the height at the eave, wherever it stands.
            is_flat = _P["flat"].match(plain(text))
            of_eave = [index for index, head in enumerate(texts) if is_flat and "egout" in plain(head)]
            index = of_eave[-1] if of_eave else len(texts) - 1
            texts[index] = f"{texts[index]} {text}"
            spans[index] = (spans[index][0], end + 1) if index == len(texts) - 1 else spans[index]
        else:
            texts.append(text)
            spans.append((end, end + 1))
        end += 1
    if table := _sectored(lines, texts, spans, labels):
        return table
    # Words may stand under the last figures: "Équipements publics", "selon les besoins".
    stops, periods = {len(texts), len(texts) - 1, *gaps}, range(2, _MOST_COLUMNS)
    several = [rows for stop in stops for period in periods if len(rows := _rows(texts[:stop], spans, period)) > 1]
    best = max(several, key=lambda rows: len(rows) * len(rows[0][0]), default=[])
    if not best:
        return None
    count, first = len(best[0][0]), best[0][1]
    above = [text for text, span in zip(texts, spans, strict=True) if span[0] < first]
    heads = next((above[-size:] for size in (count, count - 1) if len(above) >= size), [])
    heads = [] if any(map(_is_value, heads)) else heads
    begin = next((span[0] for text, span in zip(texts, spans, strict=True) if heads and text == heads[0]), first)
    # A single word above two columns of cells is the heading of a subject.
    is_heading = len(heads) == 1 and topic_of(plain(heads[0])) != ""
    heads = ["", *heads] if len(heads) == count - 1 else heads
    return _table(lines, first if is_heading else begin, best, heads)


def _sectored(
    lines: Sequence[Line], texts: Sequence[str], spans: Sequence[tuple[int, int]], labels: frozenset[str]
) -> Table | None:
    """Returns the table under a row of sectors, one cell a line. A row without a cell for each is left out."""
    names = [{*_P["joined"].sub(" ", _P["sector_word"].sub("", text)).split()} <= labels for text in texts]
    first = next((index for index in range(len(names) - 1) if names[index] and names[index + 1]), len(names))
    heads = [text for text, _ in takewhile(lambda pair: pair[1], zip(texts[first:], names[first:], strict=True))]
    place, rows, period = first + len(heads), list[_Row](), len(heads) + 1
    while place < len(texts):
        words = [*takewhile(lambda text: not _is_value(text), texts[place:])]
        figures = [*takewhile(_is_value, texts[place + len(words) :])]
        stop, is_whole, row = (
            place + len(words) + len(figures),
            len(figures) == len(heads),
            texts[place : place + period],
        )
        if words and is_whole and len(words) <= 2:
            row = [" ".join(words), *figures]  # "Hauteur", "à l'égout"
        elif words and len(row) == period and not any(map(_is_value, texts[place + period : place + period + 1])):
            stop = place + period  # a row with words in some cells
        else:
            row = [*words[-1:], *figures] if is_whole else []
        if any(map(_is_value, row)):
            rows.append((list(row), spans[place][0], spans[stop - 1][1]))
        place = max(stop, place + 1)
    return _table(lines, spans[max(0, first - 1)][0], rows, ["", *heads]) if rows else None


def _stacked(lines: Sequence[Line], start: int) -> Table | None:
    """Returns the table of places that is torn by columns: the heads of all rows, the head of the column, its cells."""
    filled = ((line.text.strip(), line) for line in lines[start : start + 60] if line.text.strip())
    cells = [*takewhile(lambda cell: len(cell[0]) < 3 * _CELL_CHARACTERS, filled)]
    heads = [*takewhile(lambda cell: not _P["places"].match(plain(cell[0])), cells)]
    values = [*takewhile(lambda cell: _P["places"].match(plain(cell[0])), cells[len(heads) :])]
    if len(values) < 3 or len(heads) != len(values) + 2 or not all(_is_cell(text) for text, _ in heads):
        return None
    return Table(
        start,
        next(index for index in range(start, len(lines)) if lines[index] is values[-1][1]) + 1,
        tuple(
            Cell(heads[-1][0], head, text, (line,), True)
            for (head, _), (text, line) in zip(heads[1:-1], values, strict=True)
        ),
    )


def _rows(texts: Sequence[str], spans: Sequence[tuple[int, int]], period: int) -> list[_Row]:
    """Returns the rows of one cell a line, as many as end the lines and have figures in the same columns."""
    rows: list[_Row] = []
    values: list[int] = []
    for stop in range(len(texts), period - 1, -period):
        row = list(texts[stop - period : stop])
        figures = [column for column, text in enumerate(row) if _is_value(text)]
        is_row = 0 not in figures and figures and not row[0][:1].islower() and row[0][:1] != "("
        if not rows and not figures:
            continue
        # "Sur une limite au plus ; sinon R ≥ 3 m" among rows of figures
        if not is_row or (rows and {*figures, *(place for place in values if "≥" in row[place])} != {*values}):
            break
        values = values or figures
        rows.insert(0, (row, spans[stop - period][0], spans[stop - 1][1]))
    return rows


def _table(lines: Sequence[Line], start: int, rows: Sequence[_Row], heads: Sequence[str]) -> Table:
    values = [column for column in range(1, len(rows[0][0])) if any(_is_value(row[column]) for row, _, _ in rows)]
    head = heads[0] if heads and not _P["sectors"].search(plain(heads[0])) else ""
    # "Égout | 6 m | Faîtage | 10 m": each figure stands behind its own head.
    is_paired = not heads and len(values) > 1 and not {value - 1 for value in values} & {0, *values}
    cells = tuple(
        Cell(
            heads[column] if heads else row[column - 1] if is_paired else "",
            _P["reference"].sub("", f"{head} {row[0]}".strip()),
            ", ".join(
                [
                    _with_unit(row[column], heads[column] if heads else ""),
                    *([] if is_paired else _qualifiers(row, heads, column, values)),
                ]
            ),
            tuple(line for line in lines[low:high] if line.text.strip()),
            bool(heads) or is_paired or len(values) == 1,
        )
        for row, low, high in rows
        for column in values
        if re.search(r"\w", row[column])
    )
    return Table(start, rows[-1][2], cells)


def _with_unit(text: str, head: str) -> str:
    """Returns a cell, with the unit that only the head of its column has: "Recul (en m)"."""
    unit = _P["unit"].search(plain(head)) if re.fullmatch(r"[\d.,]+", text) else None
    return f"{text} {unit[unit.lastgroup or 0]}" if unit else text


def _qualifiers(row: Sequence[str], heads: Sequence[str], column: int, values: Sequence[int]) -> list[str]:
    """Returns the cells without figures that follow a figure's, with their heads: "compté à partir de l'axe"."""
    stop = next((other for other in values if other > column), len(row))
    return [f"{heads[place] if heads else ''} {row[place]}".strip() for place in range(column + 1, stop)]


def _is_cell(text: str) -> bool:
    stripped = text.strip()
    heading = parse_heading(stripped)
    is_title = heading is not None and (heading.rank < 5 or topic_of(heading.text) != "") and not _is_value(stripped)
    return bool(
        stripped
        and not is_title
        and not re.search(r"(?<!\bm[ai][nx])[.:]$|\d.*;$|\s{3,}|\|", stripped)
        and not re.match(r"[-–•]\s*\w", stripped)
        and (len(stripped) <= _CELL_CHARACTERS or (_is_value(stripped) and len(stripped) < 2 * _CELL_CHARACTERS))
    )


def _is_value(text: str) -> bool:
    return bool(_P["cell"].match(plain(text)))


def _split(text: str, labels: frozenset[str]) -> list[str]:
    """Returns the cells of a line: by bars, by wide gaps, or before the figures or the sectors that end it."""
    stripped = _P["outside"].sub("", text).strip().strip("|").strip()
    if "|" in stripped:
        return [cell.strip() for cell in stripped.split("|")]
    if re.search(r"\S\s{3,}\S", stripped):
        return re.split(r"\s{2,}", stripped)
    starts = [match.start() for match in _P["place"].finditer(stripped)]
    pieces = [stripped[low:high].strip(" :") for low, high in pairwise([0, *starts, len(stripped)])]
    if len(starts) > 1 and pieces[0] and all(map(_P["place_alone"].fullmatch, pieces[1:])):
        return pieces
    words = _P["joined"].sub("+", _P["sector_word"].sub("", stripped)).split()
    names = [word for word in words if {*word.split("+")} <= labels]
    if len(names) > 1 and words[-len(names) :] == names and len(words) - len(names) <= 3:
        return [" ".join(words[: -len(names)]), *(name.replace("+", " et ") for name in names)]
    if (match := _P["row"].match(stripped)) and len(match["head"]) < 60:
        figures = [figure[0].strip() for figure in _P["figure"].finditer(match["figures"])]
        is_whole = re.sub(r"\s", "", "".join(figures)) == re.sub(r"\s", "", match["figures"])
        if is_whole and (len(figures) > 1 or {*re.split(r"[\s:]+", match["head"])} & labels):
            return [match["head"].strip(" :"), *figures]
    return [stripped]


def _named_columns(titles: Sequence[Sequence[str]], count: int) -> list[str]:
    """Returns the heads of columns that lines name one after the other, the last line first, with one for the rows.

    Two lines of several cells have another order than their columns: "Hauteur   Niveaux" over "Égout   Faîtage".
    """
    folded = plain(" ".join(" ".join(cells) for cells in reversed(titles)))
    starts = [match.start() for match in _P["column"].finditer(folded)]
    heads = [folded[low:high] for low, high in pairwise([*starts, len(folded)])]
    rows = [cells for cells in titles if len(cells) > 1]
    is_mixed = len(rows) > 1 or any(len(_P["column"].findall(plain(cell))) > 1 for cells in rows for cell in cells)
    return ["", *heads] if len(heads) == count - 1 and not is_mixed else []
