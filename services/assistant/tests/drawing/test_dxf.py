"""DXF files, read back: no faults, metres, layers, areas, the length of each side, and texts that fit."""

import io
import itertools
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import shapely
from ezdxf.document import Drawing as Document
from ezdxf.entities.lwpolyline import LWPolyline
from ezdxf.entities.text import Text
from ezdxf.filemanagement import read
from shapely import LineString, MultiLineString, Polygon, box

from assistant.drawing.dxf import write_dxf
from assistant.drawing.model import (
    Drawing,
    DrawnLot,
    DrawnParcel,
    DrawnProposal,
    Restriction,
    SharedWay,
    Side,
)
from assistant.drawing.scale import COLUMN_MM, MARGIN_MM, PAPER_MM, frame_of
from assistant.drawing.texts import text_width

WEST, SOUTH = 700_000.0, 6_600_000.0
WAY = box(WEST + 40, SOUTH, WEST + 45, SOUTH + 30)


def lot(identifier: str, shape: Polygon, **values: object) -> DrawnLot:
    points = list(shape.exterior.coords)
    sides = [Side(LineString(pair).length, LineString(pair)) for pair in itertools.pairwise(points)]
    lot = DrawnLot(identifier, shape, shape.area, sides, shape.buffer(-3, join_style="mitre"), is_kept_house=False)
    return replace(lot, **values)  # type: ignore[arg-type]


LOTS = (
    lot("A", box(WEST, SOUTH, WEST + 20, SOUTH + 30)),
    lot("B", box(WEST + 20, SOUTH, WEST + 40, SOUTH + 30), envelope=None, is_kept_house=True),
)
DRAWING = Drawing(
    projection_name="RGF93 v1 / Lambert-93 (EPSG:2154)",
    language="fr",
    made_at=datetime(2026, 11, 20, 10, tzinfo=UTC),
    place="1 rue de l'Église 00100 Exempleville",
    parcels=(DrawnParcel("00001000AA0001", 1350.0, None),),
    land=box(WEST, SOUTH, WEST + 45, SOUTH + 30),
    frontage=MultiLineString([[(WEST, SOUTH), (WEST + 45, SOUTH)]]),
    buildings=(box(WEST + 24, SOUTH + 10, WEST + 34, SOUTH + 20),),
    restrictions=(
        Restriction("easement", "AC1", "Abords de l'église", box(WEST, SOUTH, WEST + 10, SOUTH + 5)),
        Restriction("prescription", "07", "Haie", None),
    ),
    proposal=DrawnProposal(1, "Deux lots côte à côte.", LOTS, SharedWay(WAY, 150.0, 5.0)),
    disclaimer="Analyse automatique.",
    sources=("Plan cadastral, 2026-09-01",),
)


def written(drawing: Drawing) -> Document:
    document = read(io.StringIO(write_dxf(drawing).decode()))
    auditor = document.audit()
    assert (auditor.errors, auditor.fixes) == ([], [])
    return document


def outlines(document: Document, layer: str) -> list[Polygon]:
    polylines = document.modelspace().query(f'LWPOLYLINE[layer=="{layer}"]')
    return [
        Polygon(polyline.get_points("xy"))
        for polyline in polylines
        if isinstance(polyline, LWPolyline) and polyline.closed
    ]


def texts(document: Document, layer: str) -> list[Text]:
    return [entity for entity in document.modelspace().query(f'TEXT[layer=="{layer}"]') if isinstance(entity, Text)]


def test_a_file_is_in_metres_with_a_layer_for_each_subject() -> None:
    document = written(DRAWING)
    assert (document.dxfversion, document.header["$INSUNITS"]) == ("AC1024", 6)
    assert {layer.dxf.name for layer in document.layers} - {"0", "Defpoints"} == {
        "PARCELLE", "VOIE", "VOIE_COMMUNE", "BATI", "ENVELOPPE", "SERVITUDES", "COTES", "TEXTES", "CARTOUCHE",
        "LOT_A", "LOT_B",
    }  # fmt: skip
    envelope = LOTS[0].envelope
    easement = DRAWING.restrictions[0].shape
    for layer, shape in (
        ("PARCELLE", DRAWING.land), ("BATI", DRAWING.buildings[0]), ("VOIE_COMMUNE", WAY), ("ENVELOPPE", envelope),
        ("SERVITUDES", easement), ("LOT_A", LOTS[0].outline), ("LOT_B", LOTS[1].outline),
    ):  # fmt: skip
        [outline] = outlines(document, layer)  # the symbols of the legend are in another layer
        assert shape is not None
        assert outline.equals(shape)


def test_lots_have_number_area_and_the_length_of_each_side_once() -> None:
    document = written(DRAWING)
    assert [label.dxf.text for label in texts(document, "LOT_A") + texts(document, "LOT_B")] == ["A", "B"]
    assert [label.dxf.text for label in texts(document, "TEXTES")] == ["600,0\u00a0m²", "600,0\u00a0m²"]
    lengths = texts(document, "COTES")
    assert sorted(label.dxf.text for label in lengths) == ["20,00"] * 4 + ["30,00"] * 3  # one side is common to both
    for label in lengths:
        assert shapely.union_all([one.outline for one in LOTS]).contains(shapely.Point(label.dxf.align_point))
        assert -89 <= label.dxf.rotation <= 91


def test_the_title_block_names_parcels_lots_sources_and_the_disclaimer() -> None:
    lines = [line.dxf.text for line in texts(written(DRAWING), "CARTOUCHE")]
    for line in (
        "PLAN DE DIVISION\u00a0: PROPOSITION 1", "1 rue de l'Église 00100 Exempleville", "00001 000 AA 0001",
        "Lot A\u00a0: 600,0\u00a0m²", "Lot B\u00a0: 600,0\u00a0m² (maison conservée)",
        "Voie commune\u00a0: 150,0\u00a0m², largeur 5,0\u00a0m", "Total\u00a0: 1\u202f350,0\u00a0m²",
        "AC1 Abords de l'église", "07 Haie", "Échelle 1/200 sur A3. Longueurs en mètres.", "Établi le 20 novembre 2026",
        "Plan cadastral, 2026-09-01", "Analyse automatique.", "N", "8 m",
    ):  # fmt: skip
        assert line in lines, line
    english = [line.dxf.text for line in texts(written(replace(DRAWING, language="en")), "CARTOUCHE")]
    assert {"PLAN OF DIVISION: PROPOSAL 1", "Lot A: 600.0\u00a0m²", "Total: 1,350.0\u00a0m²"} <= set(english)


def test_the_texts_of_a_large_division_stay_in_their_column() -> None:
    many = [lot(f"{n}", box(WEST + n * 20, SOUTH, WEST + n * 20 + 20, SOUTH + 30)) for n in range(12)]
    drawing = replace(
        DRAWING,
        parcels=[DrawnParcel(f"00001000AA{n:04}", None, None) for n in range(100)],
        land=box(WEST, SOUTH, WEST + 240, SOUTH + 30),
        restrictions=[Restriction("easement", f"T{n}", "Servitude au nom assez long " * 3, None) for n in range(40)],
        proposal=DrawnProposal(2, "Une phrase sur chaque lot, avec sa façade. " * 14, many, None),
        sources=[f"Jeu de données au nom assez long {n}, édition 2026" for n in range(30)],
    )
    assert drawing.land is not None
    frame = frame_of(drawing.land.bounds)
    west, bottom = frame.at(PAPER_MM[0] - MARGIN_MM - COLUMN_MM, MARGIN_MM)
    right, top = frame.at(PAPER_MM[0] - MARGIN_MM, PAPER_MM[1] - MARGIN_MM)
    lines = [line for line in texts(written(drawing), "CARTOUCHE") if line.dxf.insert.x > west]
    assert len(lines) > 60
    boxes = [
        box(x, y, x + text_width(line.dxf.text, line.dxf.height), y + line.dxf.height)
        for line in lines
        for x, y in [(line.dxf.insert.x, line.dxf.insert.y)]
    ]
    assert all(shapely.within(text_box, box(west, bottom, right, top)) for text_box in boxes)
    assert not any(one.intersects(two) for index, one in enumerate(boxes) for two in boxes[:index])


@pytest.mark.parametrize(("width_m", "scale"), [(0.5, 50), (45.0, 200), (240.0, 1_000), (9_000.0, 40_000)])
def test_the_scale_is_the_greatest_that_has_room(width_m: float, scale: int) -> None:
    frame = frame_of((WEST, SOUTH, WEST + width_m, SOUTH + width_m / 2))
    assert frame.scale == scale
    assert frame.west < WEST < WEST + width_m < frame.at(PAPER_MM[0] - COLUMN_MM, 0)[0]


def test_the_layout_shows_the_frame_at_its_scale() -> None:
    document = written(DRAWING)
    layout = document.layouts.get("PLAN")
    [viewport] = [entity for entity in layout.query("VIEWPORT") if entity.dxf.id != 1]
    assert viewport.dxf.view_height / viewport.dxf.height * 1000 == pytest.approx(200)


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert write_dxf(DRAWING) == write_dxf(DRAWING)
    assert write_dxf(DRAWING) != write_dxf(replace(DRAWING, made_at=datetime(2026, 11, 21, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("drawing", "line"),
    [
        (replace(DRAWING, proposal=None), "Aucune proposition de lots n’a pu être dessinée."),
        (
            replace(DRAWING, proposal=None, land=None, frontage=None, buildings=(), place=""),
            "Le plan cadastral ne donne pas le contour du terrain.",
        ),
    ],
    ids=["no proposal", "no outline"],
)
def test_a_drawing_without_lots_says_why(drawing: Drawing, line: str) -> None:
    lines = [line.dxf.text for line in texts(written(drawing), "CARTOUCHE")]
    assert "ÉTAT DES LIEUX" in lines
    assert line in lines


def test_a_hole_of_a_lot_is_an_outline_of_its_own() -> None:
    ring = box(WEST, SOUTH, WEST + 20, SOUTH + 30).difference(box(WEST + 5, SOUTH + 5, WEST + 9, SOUTH + 9))
    assert isinstance(ring, Polygon)
    proposal = DrawnProposal(1, "", [lot("A", ring)], None)
    areas = sorted(outline.area for outline in outlines(written(replace(DRAWING, proposal=proposal)), "LOT_A"))
    assert areas == [16.0, 600.0]
