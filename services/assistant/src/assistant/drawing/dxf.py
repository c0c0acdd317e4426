"""Writes a drawing as DXF R2010 in metres.

The model space has the drawing in coordinates of the projection, and around it a frame of A3 with the texts. The layout
"PLAN" shows this frame at its scale, and the layout "SOMMETS" lists the corners. The same drawing gives the same bytes.
"""

import io
import re

from ezdxf import options, units  # type: ignore[attr-defined]  # documented, and not marked as exported
from ezdxf.document import Drawing as Document
from ezdxf.enums import TextEntityAlignment
from ezdxf.filemanagement import new
from ezdxf.tools.juliandate import juliandate
from shapely.geometry.base import BaseGeometry

from assistant.drawing import layers, texts
from assistant.drawing.dimensions import identity, label_place, side_place
from assistant.drawing.layers import Sheet, lot_layer
from assistant.drawing.plan import DrawnLot, Plan
from assistant.drawing.scale import PAPER_MM, Frame, frame_of
from assistant.drawing.title_block import draw_title_block
from assistant.drawing.vertices import draw_vertices
from assistant.geojson import read_geometry
from assistant.text import quantity
from servicekit.languages import accept_language, in_language

_VERSION = "R2010"
_LOT_MM, _AREA_MM, _SIDE_MM = 5.0, 2.5, 2.0
_LEAST_SHARE = 0.5
_UNKNOWN_PLACE = (0.0, 0.0, 100.0, 100.0)
_LAYOUT = "PLAN"
_DATES = re.compile(r"(\$TDU?(?:CREATE|UPDATE)\n *40\n)[0-9.]+")

options.write_fixed_meta_data_for_testing = True  # else each file has new ids


def write_dxf(plan: Plan) -> bytes:
    document = new(_VERSION, units=units.M)
    frame = frame_of(plan.land.bounds if plan.land is not None else _UNKNOWN_PLACE)
    sheet = Sheet(document, frame.scale, [lot.message.id for lot in plan.lots])
    with in_language(accept_language(plan.drawing.language)):
        _draw_land(plan, sheet)
        _draw_lots(plan, sheet, frame)
        sheet.shape(plan.frontage, layers.VOIE)  # last, since it is the side of lots too
        draw_title_block(plan, sheet, frame)
        draw_vertices(document, plan, sheet, frame)
    _add_layout(document, frame)
    out = io.StringIO()
    document.write(out)
    dated = _DATES.sub(rf"\g<1>{juliandate(plan.made_at)}", out.getvalue())
    return dated.encode(document.output_encoding, "dxfreplace")


def _draw_land(plan: Plan, sheet: Sheet) -> None:
    for building in plan.buildings:
        sheet.subject(building, layers.BATI)
    for restriction in plan.restrictions:
        sheet.subject(restriction, layers.SERVITUDES)
    sheet.shape(plan.land, layers.PARCELLE)
    for parcel in plan.drawing.parcels if len(plan.drawing.parcels) > 1 else ():
        sheet.shape(read_geometry(parcel.geometry), layers.PARCELLE)


def _draw_lots(plan: Plan, sheet: Sheet, frame: Frame) -> None:
    sheet.shape(plan.way, layers.VOIE_COMMUNE)
    drawn_sides: set[object] = set()
    for lot in plan.lots:
        sheet.shape(lot.outline, lot_layer(lot.message.id))
        sheet.shape(lot.envelope, layers.ENVELOPPE)
        _label(plan, lot, sheet, frame)
        for side in lot.message.sides:
            line = read_geometry(side.geometry)
            if line is not None and (key := identity(line)) not in drawn_sides:
                drawn_sides.add(key)
                _dimension(lot.outline, line, side.length_m, sheet, frame)


def _label(plan: Plan, lot: DrawnLot, sheet: Sheet, frame: Frame) -> None:
    """The number and the area, smaller if the lot has little room."""
    place = label_place(lot.outline, plan.buildings)
    if place is None:
        return
    area = str(texts.area(lot.message.area_m2))
    share = min(1.0, place.room / frame.length(texts.text_width(area, _AREA_MM)))
    x, y = place.at
    number, small = frame.length(_LOT_MM) * share, frame.length(_AREA_MM) * share
    layer = lot_layer(lot.message.id)
    sheet.text(lot.message.id, (x, y + small * 0.4), number, layer, align=TextEntityAlignment.BOTTOM_CENTER)
    sheet.text(area, (x, y - small * 0.4), small, layers.TEXTES, align=TextEntityAlignment.TOP_CENTER)


def _dimension(outline: BaseGeometry, line: BaseGeometry, length_m: float, sheet: Sheet, frame: Frame) -> None:
    place = side_place(line, outline, frame.length(_SIDE_MM))
    if place is None:
        return
    text = str(quantity(length_m, decimals=2))
    wanted_length = frame.length(texts.text_width(text, _SIDE_MM))
    height_mm = _SIDE_MM * min(1.0, max(_LEAST_SHARE, place.room / wanted_length))
    sheet.text(
        text,
        place.at,
        frame.length(height_mm),
        layers.COTES,
        align=TextEntityAlignment.MIDDLE_CENTER,
        degrees=place.degrees,
    )


def _add_layout(document: Document, frame: Frame) -> None:
    """A page of A3 with one viewport, which shows the frame at its scale."""
    layout = document.paperspace()
    document.layouts.rename(layout.name, _LAYOUT)
    width, height = PAPER_MM
    layout.page_setup(size=PAPER_MM, margins=(0, 0, 0, 0), units="mm")
    layout.add_viewport((width / 2, height / 2), PAPER_MM, frame.at(width / 2, height / 2), frame.length(height))
    document.set_modelspace_vport(frame.length(height), frame.at(width / 2, height / 2))
