"""The texts of a drawing in the language of the call, from `texts.toml`, and its numbers."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from assistant.drawing.plan import Plan
from assistant.text import Sentences, day, quantity
from landpartner.assistant.v1 import assistant_pb2 as pb
from servicekit.languages import Text

tell = Sentences("drawing/texts.toml")
_ID_PARTS = (5, 8, 10)
_MOST_PARCELS, _MOST_RESTRICTIONS, _MOST_SOURCES = 24, 8, 30


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


class _Block(NamedTuple):
    heading: str
    texts: Sequence[str]
    height_mm: float
    heading_mm: float = _HEADING_MM


def _blocks(plan: Plan, scale: int) -> list[_Block]:
    drawing, proposal = plan.drawing, plan.proposal
    projection, ratio = f"{drawing.projection_name} (EPSG:{drawing.projection})", drawing.projection_scale
    title = tell("title.proposal", rank=proposal.rank) if proposal else tell("title.undivided")
    about = [
        str(tell("about.scale", scale=quantity(scale))),
        str(tell("about.projection", name=projection)),
        str(tell("about.ground", scale=quantity(ratio, decimals=6))) if ratio else "",
        str(tell("about.date", day=day(plan.made_at.date().isoformat()))),
    ]
    summary = [proposal.summary] if proposal else []
    blocks = [
        _Block(str(title), [drawing.place], _BODY_MM, _TITLE_MM),
        _Block(str(tell("title.parcels")), [", ".join(_parcels(drawing))], _BODY_MM),
        _Block(str(tell("title.lots")), _lots(plan), _BODY_MM),
        _Block("", summary, _SMALL_MM),
        _Block(str(tell("title.restrictions")) if drawing.restrictions else "", _restrictions(drawing), _SMALL_MM),
        _Block("", about, _BODY_MM),
        _Block(str(tell("title.sources")), _sources(drawing), _SMALL_MM),
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
        return [str(tell("lots.no_proposal" if plan.land else "lots.no_outline"))]
    lots = [lot.message for lot in plan.lots]
    texts = [
        tell("lots.kept_house" if lot.role == "kept_house" else "lots.lot", id=lot.id, area=area(lot.area_m2))
        for lot in lots
    ]
    total = sum(lot.area_m2 for lot in lots)
    if plan.way is not None:
        way = plan.proposal.shared_way
        total += way.area_m2
        texts.append(tell("lots.way", area=area(way.area_m2), width=quantity(way.width_m, "m", 1)))
    return [str(text) for text in (*texts, tell("lots.total", area=area(total)))]


def _restrictions(drawing: pb.Drawing) -> list[str]:
    texts = dict.fromkeys(f"{restriction.code} {restriction.label}".strip() for restriction in drawing.restrictions)
    return _limited(list(texts), _MOST_RESTRICTIONS)


def _sources(drawing: pb.Drawing) -> list[str]:
    """One text for each publisher, with its datasets and their editions."""
    datasets: dict[str, list[str]] = {}
    for source in drawing.sources:
        datasets.setdefault(source.publisher, []).append(f"{source.dataset or source.id}, {source.edition}")
    separator = str(tell("about.separator"))
    return [
        str(tell("about.source", publisher=name, datasets=separator.join(_limited(of, _MOST_SOURCES))))
        for name, of in datasets.items()
    ]


def _limited(texts: Sequence[str], most: int) -> list[str]:
    if len(texts) <= most:
        return list(texts)
    return [*texts[:most], str(tell("about.more", count=len(texts) - most))]


def _wrapped(text: str, height_mm: float, width_mm: float) -> list[str]:
    return textwrap.wrap(text, int(width_mm / (height_mm * _WIDTH_RATIO)), break_on_hyphens=False)
