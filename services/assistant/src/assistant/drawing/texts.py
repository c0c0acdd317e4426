"""The texts of a drawing in the language of the call, and its numbers."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from assistant.drawing import layers
from assistant.drawing.plan import Plan
from assistant.text import day, quantity
from landpartner.assistant.v1 import assistant_pb2 as pb
from servicekit.languages import Text

TITLE = Text("PROJET DE DÉCOUPAGE : PROPOSITION {rank}", "DRAFT OF A DIVISION: PROPOSAL {rank}")
"""A "plan de division" is a document of a surveyor."""
UNDIVIDED = Text("ÉTAT DES LIEUX", "PRESENT STATE")
NO_PROPOSAL = Text("Aucune proposition de lots n’a pu être dessinée.", "No proposal of lots could be drawn.")
NO_OUTLINE = Text(
    "Le plan cadastral ne donne pas le contour du terrain.", "The cadastral plan has no outline of the land."
)
NORTH = "N"
_PARCELS = Text("Parcelles", "Parcels")
_LOTS = Text("Lots", "Lots")
_LOT = Text("Lot {id} : {area}{note}", "Lot {id}: {area}{note}")
_KEPT = Text(" (maison conservée)", " (house kept)")
_WAY = Text("Voie commune : {area}, largeur {width}", "Shared way: {area}, width {width}")
_TOTAL = Text("Total : {area}", "Total: {area}")
_RESTRICTIONS = Text("Prescriptions et servitudes", "Prescriptions and easements")
_SCALE = Text("Échelle 1/{scale} sur A3. Longueurs en mètres.", "Scale 1:{scale} on A3. Lengths in metres.")
_PROJECTION = Text("Projection {name}, nord de la projection", "Projection {name}, north of the projection")
_GROUND = Text(
    "Longueurs et superficies au sol. Une longueur dans le plan de la projection est celle du sol × {scale}.",
    "Lengths and areas on the ground. A length in the plane of the projection is that on the ground × {scale}.",
)
VERTEX_HEADING = (Text("N°", "No."), Text("X (m)", "X (m)"), Text("Y (m)", "Y (m)"), Text("Lots", "Lots"))
_DATE = Text("Établi le {day}", "Made on {day}")
_SOURCES = Text("Sources", "Sources")
_SEPARATOR = Text(" ; ", "; ")
_OF_PUBLISHER = Text("{publisher} : {datasets}", "{publisher}: {datasets}")
KEPT_HOUSE = "kept_house"
_ID_PARTS = (5, 8, 10)
_MOST_PARCELS, _MOST_RESTRICTIONS, _MOST_SOURCES = 24, 8, 30
_MORE = Text("autres : {count}", "others: {count}")


_LOT_LIMIT = Text("Limite de lot", "Boundary of a lot")
_LEGEND = {
    layers.PARCELLE: Text("Limite du terrain", "Boundary of the land"),
    layers.VOIE: Text("Façade sur la voie, estimée", "Frontage on the way, estimated"),
    layers.VOIE_COMMUNE: Text("Voie commune aux lots", "Way shared by lots"),
    layers.BATI: Text("Bâtiment existant", "Existing building"),
    layers.ENVELOPPE: Text("Emprise constructible, après reculs", "Where a building may stand, after setbacks"),
    layers.SERVITUDES: Text("Prescription ou servitude", "Prescription or easement"),
}


class Line(NamedTuple):
    text: str
    height_mm: float


LINE_RATIO = 1.75
"""Distance of lines over the height of a capital."""
_SHARES = (1.0, 0.85, 0.7, 0.55, 0.4)
_TITLE_MM, _HEADING_MM, _BODY_MM, _SMALL_MM = 4.0, 2.8, 2.2, 1.6
_WIDTH_RATIO = 0.82
"""Width of an average letter over the height of a capital, in Arial, with some reserve."""


def column(plan: Plan, scale: int, width_mm: float, height_mm: float) -> list[Line]:
    """The lines beside the drawing, from the top. They become smaller until they fit into the column."""
    lines: list[Line] = []
    for share in _SHARES:
        lines = _lines(_blocks(plan, scale), share, width_mm)
        if sum(line.height_mm for line in lines) * LINE_RATIO <= height_mm:
            break
    return lines


def legend(layer: str) -> str:
    return str(_LEGEND.get(layer, _LOT_LIMIT))


class _Block(NamedTuple):
    heading: str
    texts: Sequence[str]
    height_mm: float
    heading_mm: float = _HEADING_MM


def _blocks(plan: Plan, scale: int) -> list[_Block]:
    drawing, proposal = plan.drawing, plan.proposal
    projection = f"{drawing.projection_name} (EPSG:{drawing.projection})"
    title = TITLE.format(rank=proposal.rank) if proposal else UNDIVIDED
    about = [
        str(_SCALE.format(scale=quantity(scale))),
        str(_PROJECTION.format(name=projection)),
        str(_GROUND.format(scale=quantity(drawing.projection_scale, decimals=6))) if drawing.projection_scale else "",
        str(_DATE.format(day=day(plan.made_at.date().isoformat()))),
    ]
    summary = [proposal.summary] if proposal else []
    blocks = [
        _Block(str(title), [drawing.place], _BODY_MM, _TITLE_MM),
        _Block(str(_PARCELS), [", ".join(_parcels(drawing))], _BODY_MM),
        _Block(str(_LOTS), _lots(plan), _BODY_MM),
        _Block("", summary, _SMALL_MM),
        _Block(str(_RESTRICTIONS) if drawing.restrictions else "", _restrictions(drawing), _SMALL_MM),
        _Block("", about, _BODY_MM),
        _Block(str(_SOURCES), _sources(drawing), _SMALL_MM),
        _Block("", [drawing.disclaimer], _SMALL_MM),
    ]
    return [blocks[0], *(block for block in blocks[1:] if any(block.texts))]


def _lines(blocks: Sequence[_Block], share: float, width_mm: float) -> list[Line]:
    lines: list[Line] = []
    for block in blocks:
        heading, body = block.heading_mm * share, block.height_mm * share
        lines += [Line(line, heading) for line in _wrapped(block.heading, heading, width_mm)]
        for text in block.texts:
            lines += [Line(line, body) for line in _wrapped(text, body, width_mm)]
        lines.append(Line("", _SMALL_MM * share))
    return lines


def text_width(text: str, height: float) -> float:
    """About how wide a line is, in the unit of its height."""
    return len(text) * height * _WIDTH_RATIO


def area(area_m2: float) -> Text:
    return quantity(area_m2, "m²", 1)


def _parcels(drawing: pb.Drawing) -> list[str]:
    return _limited([" ".join(_parts(parcel.parcel_id)) for parcel in drawing.parcels], _MOST_PARCELS)


def _parts(parcel_id: str) -> list[str]:
    """Commune, prefix, section and number."""
    ends = (*_ID_PARTS, len(parcel_id))
    starts = (0, *_ID_PARTS)
    return [parcel_id[start:end] for start, end in zip(starts, ends, strict=True) if parcel_id[start:end]]


def _lots(plan: Plan) -> list[str]:
    if plan.proposal is None:
        return [str(NO_PROPOSAL if plan.land else NO_OUTLINE)]
    lots = [lot.message for lot in plan.lots]
    texts = [
        _LOT.format(id=lot.id, area=area(lot.area_m2), note=_KEPT if lot.role == KEPT_HOUSE else "") for lot in lots
    ]
    total = sum(lot.area_m2 for lot in lots)
    if plan.way is not None:
        way = plan.proposal.shared_way
        total += way.area_m2
        texts.append(_WAY.format(area=area(way.area_m2), width=quantity(way.width_m, "m", 1)))
    return [str(text) for text in (*texts, _TOTAL.format(area=area(total)))]


def _restrictions(drawing: pb.Drawing) -> list[str]:
    texts = dict.fromkeys(f"{restriction.code} {restriction.label}".strip() for restriction in drawing.restrictions)
    return _limited(list(texts), _MOST_RESTRICTIONS)


def _sources(drawing: pb.Drawing) -> list[str]:
    """One text for each publisher, with its datasets and their editions."""
    datasets: dict[str, list[str]] = {}
    for source in drawing.sources:
        datasets.setdefault(source.publisher, []).append(f"{source.dataset or source.id}, {source.edition}")
    return [
        str(_OF_PUBLISHER.format(publisher=name, datasets=str(_SEPARATOR).join(_limited(of, _MOST_SOURCES))))
        for name, of in datasets.items()
    ]


def _limited(texts: Sequence[str], most: int) -> list[str]:
    if len(texts) <= most:
        return list(texts)
    return [*texts[:most], str(_MORE.format(count=len(texts) - most))]


def _wrapped(text: str, height_mm: float, width_mm: float) -> list[str]:
    return textwrap.wrap(text, int(width_mm / (height_mm * _WIDTH_RATIO)), break_on_hyphens=False)
