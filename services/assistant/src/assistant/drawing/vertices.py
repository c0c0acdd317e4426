"""The corners of the lots: numbered in the drawing, and listed with their coordinates in layouts of their own."""

from collections.abc import Iterator, Sequence

import shapely
from ezdxf.document import Drawing as Document
from shapely.geometry.base import BaseGeometry

from assistant.drawing import layers, texts
from assistant.drawing.layers import Sheet
from assistant.drawing.plan import Plan
from assistant.drawing.scale import MARGIN_MM, PAPER_MM, Frame

_LAYOUT = "SOMMETS"
_DECIMALS = 2
"""Centimetres, as surveyors list them."""
_NUMBER_MM, _TEXT_MM, _LINE_MM, _COLUMN_MM = 1.5, 2.5, 5.0, 95.0
_LINES = int((PAPER_MM[1] - 2 * MARGIN_MM) / _LINE_MM) - 1
_COLUMNS = int((PAPER_MM[0] - 2 * MARGIN_MM) / _COLUMN_MM)

_Row = tuple[str, ...]


def draw_vertices(document: Document, plan: Plan, sheet: Sheet, frame: Frame) -> None:
    """Numbers each corner of the lots, or of the land if there are none, and adds the tables of their coordinates."""
    shapes: list[tuple[str, BaseGeometry | None]] = [(lot.message.id, lot.outline) for lot in plan.lots]
    vertices: dict[tuple[float, float], list[str]] = {}
    for lot_id, shape in shapes or [("", plan.land)]:
        for x, y in shapely.get_coordinates(shape).round(_DECIMALS).tolist():
            lots = vertices.setdefault((x, y), [])
            lots.extend([lot_id] if lot_id not in lots else [])
    rows: list[_Row] = []
    for number, ((x, y), lots) in enumerate(vertices.items(), start=1):
        sheet.space.add_point((x, y), dxfattribs={"layer": layers.SOMMETS})
        away = frame.length(_NUMBER_MM) / 2
        sheet.text(str(number), (x + away, y + away), frame.length(_NUMBER_MM), layers.SOMMETS)
        rows.append((str(number), f"{x:.{_DECIMALS}f}", f"{y:.{_DECIMALS}f}", " ".join(lots)))
    for page, page_rows in enumerate(_parts(rows, _LINES * _COLUMNS), start=1):
        _add_table(document, _LAYOUT if page == 1 else f"{_LAYOUT} {page}", page_rows, sheet)


def _parts(rows: Sequence[_Row], size: int) -> Iterator[Sequence[_Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _add_table(document: Document, name: str, rows: Sequence[_Row], sheet: Sheet) -> None:
    layout = document.layouts.new(name)
    layout.page_setup(size=PAPER_MM, margins=(0, 0, 0, 0), units="mm")
    heading = tuple(str(texts.tell(f"vertices.{name}")) for name in ("number", "x", "y", "lots"))
    for column, column_rows in enumerate(_parts(rows, _LINES)):
        for line, row in enumerate((heading, *column_rows), start=1):
            y = PAPER_MM[1] - MARGIN_MM - line * _LINE_MM
            for cell, offset in zip(row, (0.0, 15.0, 42.0, 70.0), strict=True):
                at = (MARGIN_MM + column * _COLUMN_MM + offset, y)
                sheet.text(cell, at, _TEXT_MM, layers.SOMMETS, space=layout)
