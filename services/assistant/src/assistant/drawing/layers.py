"""The layers of a drawing, with the names that surveyors use, and the entities that they contain."""

from collections.abc import Iterator

import shapely
from ezdxf.colors import BYLAYER
from ezdxf.document import Drawing as Document
from ezdxf.entities.hatch import Hatch
from ezdxf.enums import TextEntityAlignment
from ezdxf.layouts.base import BaseLayout
from ezdxf.layouts.layout import Modelspace
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

PARCELLE, VOIE, VOIE_COMMUNE, BATI = "PARCELLE", "VOIE", "VOIE_COMMUNE", "BATI"
ENVELOPPE, SERVITUDES, COTES, SOMMETS = "ENVELOPPE", "SERVITUDES", "COTES", "SOMMETS"
TEXTES, CARTOUCHE = "TEXTES", "CARTOUCHE"
STYLE = "PLAN"
_FONT = "arial.ttf"
_DASHED, _DOTTED = "TIRETE", "MIXTE"
_LAYERS = {  # colour of the AutoCAD index, line type, hundredths of a millimetre
    PARCELLE: (7, "CONTINUOUS", 35),
    VOIE: (30, "CONTINUOUS", 70),
    VOIE_COMMUNE: (32, "CONTINUOUS", 35),
    BATI: (8, "CONTINUOUS", 25),
    ENVELOPPE: (94, _DASHED, 18),
    SERVITUDES: (211, _DOTTED, 18),
    COTES: (7, "CONTINUOUS", 13),
    SOMMETS: (8, "CONTINUOUS", 13),
    TEXTES: (7, "CONTINUOUS", 18),
    CARTOUCHE: (7, "CONTINUOUS", 25),
}
_LOT_COLOURS = (1, 5, 22, 174, 12, 202)
_LOT_WEIGHT = 50
_FILL_GREY = 9
_HATCH, _HATCH_STEP, _HATCH_MM = "ANSI31", 3.175, 3.0
"""The pattern, the distance of its lines at scale 1, and the one on paper."""
_DASH_MM, _GAP_MM, _DOT_MM = 3.0, 1.5, 0.3


def lot_layer(identifier: str) -> str:
    return f"LOT_{identifier}"


class Sheet:
    """The model space of a document with the layers of a drawing."""

    def __init__(self, document: Document, scale: int, lot_ids: list[str]) -> None:
        self._layers = document.layers
        self.space: Modelspace = document.modelspace()
        metres = scale / 1000.0
        self._hatch_scale = _HATCH_MM * metres / _HATCH_STEP
        dash, gap, dot = _DASH_MM * metres, _GAP_MM * metres, _DOT_MM * metres
        document.linetypes.add(_DASHED, [dash + gap, dash, -gap])
        document.linetypes.add(_DOTTED, [dash + 2 * gap + dot, dash, -gap, dot, -gap])
        document.styles.add(STYLE, font=_FONT)
        for name, (colour, line_type, weight) in _LAYERS.items():
            document.layers.add(name, color=colour, linetype=line_type, lineweight=weight)
        for index, identifier in enumerate(lot_ids):
            colour = _LOT_COLOURS[index % len(_LOT_COLOURS)]
            document.layers.add(lot_layer(identifier), color=colour, lineweight=_LOT_WEIGHT)

    def shape(self, shape: BaseGeometry | None, layer: str) -> None:
        """The lines and the closed outlines of a shape."""
        self._add(shape, {"layer": layer})

    def subject(self, shape: BaseGeometry | None, layer: str) -> None:
        """A shape as its layer shows it: buildings are filled, restrictions are hatched."""
        self._add_filled(shape, layer, layer, BYLAYER)

    def symbol(self, shape: BaseGeometry, like: str) -> None:
        """A symbol of the legend. It looks like the subjects of a layer, and is not in this layer."""
        layer = self._layers.get(like)
        self._add_filled(shape, CARTOUCHE, like, layer.color, linetype=layer.dxf.linetype)

    def _add_filled(
        self, shape: BaseGeometry | None, layer: str, like: str, colour: int, linetype: str = "BYLAYER"
    ) -> None:
        for polygon in polygons_of(shape):
            if like == BATI:
                self._add_rings(self.space.add_hatch(_FILL_GREY, dxfattribs={"layer": layer}), polygon)
            if like == SERVITUDES:
                hatch = self.space.add_hatch(colour, dxfattribs={"layer": layer})
                hatch.set_pattern_fill(_HATCH, colour, scale=self._hatch_scale)
                self._add_rings(hatch, polygon)
        self._add(shape, {"layer": layer, "color": colour, "linetype": linetype})

    def _add(self, shape: BaseGeometry | None, attributes: dict[str, object]) -> None:
        for points, is_closed in lines_of(shape):
            self.space.add_lwpolyline(points, close=is_closed, dxfattribs=attributes)

    def solid(self, points: list[tuple[float, float]], layer: str) -> None:
        hatch = self.space.add_hatch(BYLAYER, dxfattribs={"layer": layer})
        hatch.paths.add_polyline_path(points, is_closed=True)

    def text(
        self,
        text: str,
        at: tuple[float, float],
        height: float,
        layer: str,
        *,
        align: TextEntityAlignment = TextEntityAlignment.LEFT,
        degrees: float = 0.0,
        space: BaseLayout | None = None,
    ) -> None:
        """A text in the model space, or in another `space`."""
        attributes = {"layer": layer, "style": STYLE, "rotation": degrees}
        (space or self.space).add_text(text, height=height, dxfattribs=attributes).set_placement(at, align=align)

    @staticmethod
    def _add_rings(hatch: Hatch, polygon: Polygon) -> None:
        for ring in (polygon.exterior, *polygon.interiors):
            hatch.paths.add_polyline_path(list(ring.coords)[:-1], is_closed=True)


def polygons_of(shape: BaseGeometry | None) -> list[Polygon]:
    return [] if shape is None else [part for part in shapely.get_parts(shape) if isinstance(part, Polygon)]


def lines_of(shape: BaseGeometry | None) -> Iterator[tuple[list[tuple[float, ...]], bool]]:
    """The points of each line and ring, and whether they are closed. Points are left out."""
    if shape is None:
        return
    for part in shapely.get_parts(shape):
        if isinstance(part, Polygon):
            for ring in (part.exterior, *part.interiors):
                yield list(ring.coords)[:-1], True
        elif part.geom_type in ("LineString", "LinearRing"):
            yield list(part.coords), False
