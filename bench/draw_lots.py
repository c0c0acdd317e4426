"""Draws divisions of real parcels beside the cadastre, as an SVG to look at.

    python bench/draw_lots.py DATA OUTPUT.svg [COUNT [SEED [QUESTION]]]

DATA is the folder of the sample data. The parcels have 800 to 5,000 m²; houses are invented on half of them, since the
samples have no buildings. Without QUESTION, the number of lots grows with the area.
"""

import gzip
import json
import random
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import shapely
from pyproj import Transformer
from shapely import MultiLineString, Polygon, STRtree, affinity, box
from shapely.geometry.base import BaseGeometry

from assistant.division.draw import draw
from assistant.division.proposal import Proposal, Site
from assistant.division.wording import layout_summary
from assistant.reading.project import read_project
from land.units.frontage import SIGHT_M, estimate

COMMUNES = ("91216", "75118")
AREAS_M2 = (800, 5_000)
CELL = 300
_COLOURS = (
    "#f6d6a8",
    "#cfe3b4",
    "#b9d9eb",
    "#e4c6e0",
    "#f3c1b6",
    "#d9d3b0",
    "#bfe0d4",
    "#d3cbe8",
    "#f7e29b",
    "#c9d7c3",
)
_SIDES = {"way": "#c00", "neighbour": "#333", "lot": "#06c", "shared_way": "#a60", "unknown": "#999"}


def sites(data: Path, commune: str, generator: random.Random) -> list[tuple[str, Site, list[Polygon]]]:
    """Parcels with a frontage, each with the parcels around it. The frontage is the boundary that no parcel touches."""
    to_metres = Transformer.from_crs(4326, 2154, always_xy=True)
    with gzip.open(data / "cadastre" / f"cadastre-{commune}-parcelles.json.gz", "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    shapes = [shapely.make_valid(shapely.geometry.shape(feature["geometry"])) for feature in features]
    metric = [shapely.transform(s, lambda p: np.column_stack(to_metres.transform(p[:, 0], p[:, 1]))) for s in shapes]
    tree = STRtree(metric)
    pieces = []
    for index, shape in enumerate(metric):
        if not isinstance(shape, Polygon) or not AREAS_M2[0] <= shape.area <= AREAS_M2[1]:
            continue
        near = [metric[i] for i in tree.query(shape.buffer(SIGHT_M)) if i != index]
        frontage = estimate(shape, near) or MultiLineString()
        if frontage.length < 6 or shape.area / shape.length**2 < 0.03:  # a way, not a plot
            continue
        pieces.append((features[index]["properties"]["id"], shape, frontage, near))
    chosen = generator.sample(pieces, len(pieces))
    return [
        (name, Site(shape, frontage, _house(shape, frontage, generator) if k % 2 else ()), near)
        for k, (name, shape, frontage, near) in enumerate(chosen)
    ]


def _house(unit: Polygon, frontage: MultiLineString, generator: random.Random) -> tuple[Polygon, ...]:
    """An invented house of 10 by 12 m, 4 to 12 m behind the street."""
    room = unit.buffer(-9)
    if room.is_empty:
        return ()
    place = shapely.shortest_line(room, frontage.interpolate(generator.random(), normalized=True)).interpolate(0)
    start, end = shapely.get_coordinates(max(frontage.geoms, key=lambda line: line.length))[[0, -1]]
    angle = np.degrees(np.arctan2(*(end - start)[::-1]))
    house = affinity.rotate(affinity.translate(box(-6, -5, 6, 5), place.x, place.y), angle)
    return (house,) if unit.contains(house) else ()


def main(data: Path, output: Path, count: int = 20, seed: int = 1, question: str = "") -> None:
    generator = random.Random(seed)  # noqa: S311 (a sample, no secret)
    by_commune = [sites(data, commune, generator) for commune in COMMUNES]
    chosen = [item for pair in zip(*by_commune, strict=False) for item in pair][:count]
    rows = []
    for number, (name, site, near) in enumerate(chosen):
        wish = question or f"diviser en {min(12, max(2, round(site.unit.area / 450) + number % 3 - 1))} lots"
        division = draw(site, read_project(wish).on(site.unit.area))
        cells = [_cell(site, near, proposal, name) for proposal in division.proposals]
        if not cells:
            cells = [_cell(site, near, None, f"{name}: {division.reason} ({wish})")]
        cells_in_place = (
            f'<g transform="translate({k * CELL},{number * CELL})">{cell}</g>' for k, cell in enumerate(cells)
        )
        rows.append("".join(cells_in_place))
    size = f'width="{3 * CELL}" height="{len(rows) * CELL}"'
    output.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(rows)}</svg>',
        "utf-8",
    )


def _cell(site: Site, near: list[Polygon], proposal: Proposal | None, name: str) -> str:
    west, south, east, north = site.unit.buffer(6).bounds
    scale = (CELL - 40) / max(east - west, north - south)

    def path(shape: BaseGeometry, style: str) -> str:
        lines = [line for part in shapely.get_parts(shape) for line in shapely.get_parts(_lines(part))]
        steps = []
        for line in lines:
            points = (shapely.get_coordinates(line) - (west, north)) * (scale, -scale)
            steps.append("M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points))
        return f'<path d="{"".join(steps)}" {style}/>'

    window = box(west, south, east, north)
    shapes = [path(one.intersection(window), 'fill="#f4f4f4" stroke="#bbb"') for one in near]
    shapes.append(path(site.unit, 'fill="white" stroke="#333"'))
    title = name
    if proposal is not None:
        title = f"{name} {proposal.method} {proposal.score:.2f} v{proposal.violation_count}"
        for number, lot in enumerate(proposal.lots):
            shapes.append(path(lot.shape, f'fill="{_COLOURS[number % len(_COLOURS)]}" fill-rule="evenodd"'))
            shapes.append(path(lot.envelope, 'fill="white" fill-opacity="0.45" fill-rule="evenodd"'))
        if proposal.shared_way is not None:
            shapes.append(path(proposal.shared_way.shape, 'fill="#ddd" stroke="#a60"'))
        for lot in proposal.lots:
            for side in lot.sides:
                shapes.append(path(side.line, f'fill="none" stroke="{_SIDES[side.kind]}" stroke-width="1.3"'))
                ends = (shapely.get_coordinates(side.line)[[0, -1]] - (west, north)) * (scale, -scale)
                shapes += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6"/>' for x, y in ends]
    shapes += [path(building, 'fill="#777"') for building in site.buildings]
    if proposal is not None:
        for lot in proposal.lots:
            spot = shapely.maximum_inscribed_circle(lot.shape, tolerance=0.5).interpolate(0)
            x, y = (spot.x - west) * scale, (north - spot.y) * scale
            mark = "!" if lot.violations else ""
            shapes.append(f'<text x="{x - 12:.1f}" y="{y:.1f}" font-size="10">{lot.id}{mark} {lot.area_m2:.0f}</text>')
        title += " " + layout_summary(proposal).en
    text = f'<text x="2" y="10" font-size="8">{escape(title[:78])}</text>'
    return f'{text}<g transform="translate(6,16)">{"".join(shapes)}</g>'


def _lines(part: BaseGeometry) -> BaseGeometry:
    return part.boundary if part.geom_type == "Polygon" else part


if __name__ == "__main__":
    folder, sheet, *numbers = sys.argv[1:]
    number, seed_ = (int(number_text) for number_text in (*numbers[:2], *("20", "1")[len(numbers[:2]) :]))
    main(Path(folder), Path(sheet), number, seed_, " ".join(numbers[2:]))
