"""Draws what is on the paper beside the land: the frame, the column of texts, the legend, north and the scale bar."""

import shapely
from ezdxf.enums import TextEntityAlignment

from assistant.drawing import layers, texts
from assistant.drawing.layers import Sheet
from assistant.drawing.plan import Plan
from assistant.drawing.scale import COLUMN_MM, MARGIN_MM, PAPER_MM, Frame

_CLEAR_MM = 4.0
_BAR_PARTS, _BAR_MM, _BAR_HEIGHT_MM = 4, 60.0, 2.0
_BAR_STEPS_M = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000)
_NORTH_MM = (14.0, 8.0)
"""Height and width of the arrow."""
_LEGEND_MM, _SYMBOL_MM = 5.5, (12.0, 3.0)
_TEXT_MM = 2.2


def draw_title_block(plan: Plan, sheet: Sheet, frame: Frame) -> None:
    width, height = PAPER_MM
    left, bottom, right, top = MARGIN_MM, MARGIN_MM, width - MARGIN_MM, height - MARGIN_MM
    column = right - COLUMN_MM
    sheet.shape(shapely.box(*frame.at(left, bottom), *frame.at(right, top)), layers.CARTOUCHE)
    sheet.space.add_line(frame.at(column, bottom), frame.at(column, top), dxfattribs={"layer": layers.CARTOUCHE})
    used = _draw_legend(plan, sheet, frame, (column + _CLEAR_MM, bottom + _CLEAR_MM))
    room = (COLUMN_MM - 2 * _CLEAR_MM, top - bottom - 3 * _CLEAR_MM - used)
    y = top - _CLEAR_MM
    for line in texts.column(plan, frame.scale, *room):
        y -= line.height_mm * texts.LINE_RATIO
        if line.text:
            sheet.text(line.text, frame.at(column + _CLEAR_MM, y), frame.length(line.height_mm), layers.CARTOUCHE)
    if plan.land is not None:
        _draw_north(sheet, frame, (left + 12.0, top - 10.0 - _NORTH_MM[0]))
        _draw_bar(sheet, frame, (left + 8.0, bottom + 8.0))


def _draw_legend(plan: Plan, sheet: Sheet, frame: Frame, foot_mm: tuple[float, float]) -> float:
    """Draws from the bottom up. Returns the height in millimetres."""
    x, y = foot_mm
    wide, tall = _SYMBOL_MM
    rows = _legend(plan)
    for index, (layer, text) in enumerate(reversed(rows)):
        low = y + index * _LEGEND_MM
        middle = low + tall / 2
        line = shapely.LineString([frame.at(x, middle), frame.at(x + wide, middle)])
        area = shapely.box(*frame.at(x, low), *frame.at(x + wide, low + tall))
        sheet.symbol(line if layer == layers.VOIE else area, layer)
        sheet.text(text, frame.at(x + wide + 3.0, low + 0.4), frame.length(_TEXT_MM), layers.CARTOUCHE)
    return len(rows) * _LEGEND_MM


def _legend(plan: Plan) -> list[tuple[str, str]]:
    """The layers that the drawing uses, with their texts. One lot shows what all look like."""
    lots = plan.lots
    layer_uses = [
        (layers.PARCELLE, plan.land is not None and not lots),
        ("lot", bool(lots)),
        (layers.VOIE, plan.frontage is not None),
        (layers.VOIE_COMMUNE, plan.way is not None),
        (layers.BATI, bool(plan.buildings)),
        (layers.ENVELOPPE, any(lot.envelope is not None for lot in lots)),
        (layers.SERVITUDES, bool(plan.restrictions)),
    ]
    lot_layer = layers.lot_layer(lots[0].message.id) if lots else ""
    return [
        (lot_layer if name == "lot" else name, str(texts.tell(f"legend.{name}")))
        for name, is_used in layer_uses
        if is_used
    ]


def _draw_north(sheet: Sheet, frame: Frame, foot_mm: tuple[float, float]) -> None:
    x, y = foot_mm
    tall, wide = _NORTH_MM
    sheet.solid([frame.at(x, y + tall), frame.at(x + wide / 2, y), frame.at(x, y + tall / 4)], layers.CARTOUCHE)
    points = [(x, y + tall), (x - wide / 2, y), (x, y + tall / 4), (x + wide / 2, y)]
    sheet.shape(shapely.Polygon([frame.at(*point) for point in points]), layers.CARTOUCHE)
    at = frame.at(x, y + tall + 1.5)
    sheet.text("N", at, frame.length(4.0), layers.CARTOUCHE, align=TextEntityAlignment.BOTTOM_CENTER)


def _draw_bar(sheet: Sheet, frame: Frame, foot_mm: tuple[float, float]) -> None:
    """A bar of four parts, every second one filled, at most 60 mm long."""
    step_m = max((step for step in _BAR_STEPS_M if step * _BAR_PARTS <= frame.length(_BAR_MM)), default=_BAR_STEPS_M[0])
    step_mm = step_m * 1000.0 / frame.scale
    x, y = foot_mm
    for part in range(_BAR_PARTS):
        left, right = x + part * step_mm, x + (part + 1) * step_mm
        corners = [
            frame.at(left, y),
            frame.at(right, y),
            frame.at(right, y + _BAR_HEIGHT_MM),
            frame.at(left, y + _BAR_HEIGHT_MM),
        ]
        sheet.shape(shapely.Polygon(corners), layers.CARTOUCHE)
        if part % 2 == 0:
            sheet.solid(corners, layers.CARTOUCHE)
    for part in (0, _BAR_PARTS // 2, _BAR_PARTS):
        text = f"{part * step_m} m" if part == _BAR_PARTS else str(part * step_m)
        at = frame.at(x + part * step_mm, y + 3.0)
        sheet.text(text, at, frame.length(_TEXT_MM), layers.CARTOUCHE, align=TextEntityAlignment.BOTTOM_CENTER)
