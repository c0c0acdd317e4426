"""DXF files, read back: no faults, metres, layers, areas, the length of each side, and texts that fit."""

import io
import itertools
from collections.abc import Callable

import pytest
import shapely
from ezdxf.document import Drawing as Document
from ezdxf.entities.lwpolyline import LWPolyline
from ezdxf.entities.text import Text
from ezdxf.filemanagement import read
from shapely import LineString, MultiLineString, Polygon, box
from shapely.geometry.base import BaseGeometry

from assistant.drawing.dxf import write_dxf
from assistant.drawing.plan import Plan
from assistant.drawing.scale import COLUMN_MM, MARGIN_MM, PAPER_MM, frame_of
from assistant.drawing.texts import text_width
from landpartner.assistant.v1 import assistant_pb2 as pb

WEST, SOUTH = 700_000.0, 6_600_000.0
WAY = box(WEST + 40, SOUTH, WEST + 45, SOUTH + 30)
LAND = box(WEST, SOUTH, WEST + 45, SOUTH + 30)
BUILDING = box(WEST + 24, SOUTH + 10, WEST + 34, SOUTH + 20)
EASEMENT = box(WEST, SOUTH, WEST + 10, SOUTH + 5)
LOTS = {"A": box(WEST, SOUTH, WEST + 20, SOUTH + 30), "B": box(WEST + 20, SOUTH, WEST + 40, SOUTH + 30)}


def geojson(shape: BaseGeometry) -> bytes:
    return shapely.to_geojson(shape).encode()


def envelope(shape: Polygon) -> Polygon:
    return shape.buffer(-3, join_style="mitre")


def lot(identifier: str, shape: Polygon, *, is_kept_house: bool = False) -> pb.Lot:
    """A lot with its sides. A lot with a house has no envelope."""
    lines = [LineString(pair) for pair in itertools.pairwise(shape.exterior.coords)]
    return pb.Lot(
        id=identifier,
        geometry=geojson(shape),
        area_m2=shape.area,
        sides=[pb.LotSide(length_m=line.length, geometry=geojson(line)) for line in lines],
        buildable_envelope=b"" if is_kept_house else geojson(envelope(shape)),
        role="kept_house" if is_kept_house else "building_plot",
    )


PROPOSAL = pb.Proposal(
    rank=1,
    summary="Deux lots côte à côte.",
    lots=[lot("A", LOTS["A"]), lot("B", LOTS["B"], is_kept_house=True)],
    shared_way=pb.SharedWay(geometry=geojson(WAY), area_m2=150.0, width_m=5.0),
)
DRAWING = pb.Drawing(
    projection=2154,
    projection_name="RGF93 v1 / Lambert-93",
    language="fr",
    generated_at="2026-11-20T10:00:00Z",
    place="1 rue de l'Église 00100 Exempleville",
    parcels=[pb.DrawnParcel(parcel_id="00001000AA0001", cadastral_area_m2=1350.0)],
    land_unit=geojson(LAND),
    frontage=geojson(MultiLineString([[(WEST, SOUTH), (WEST + 45, SOUTH)]])),
    buildings=[geojson(BUILDING)],
    restrictions=[
        pb.DrawnRestriction(kind="easement", code="AC1", label="Abords de l'église", geometry=geojson(EASEMENT)),
        pb.DrawnRestriction(kind="prescription", code="07", label="Haie"),
    ],
    proposals=[PROPOSAL],
    disclaimer="Analyse automatique.",
)
DRAWING.sources.add(publisher="DGFiP", dataset="Plan", edition="2026-09-01")
DRAWING.sources.add(publisher="IGN", dataset="GPU", edition="2026")
DRAWING.sources.add(publisher="DGFiP", dataset="DVF", edition="2025")


def changed(change: Callable[[pb.Drawing], object]) -> pb.Drawing:
    drawing = pb.Drawing()
    drawing.CopyFrom(DRAWING)
    change(drawing)
    return drawing


def content(drawing: pb.Drawing) -> bytes:
    return write_dxf(Plan(drawing, 1))


def written(drawing: pb.Drawing) -> Document:
    document = read(io.StringIO(content(drawing).decode()))
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
        "PARCELLE", "VOIE", "VOIE_COMMUNE", "BATI", "ENVELOPPE", "SERVITUDES", "COTES", "SOMMETS", "TEXTES",
        "CARTOUCHE", "LOT_A", "LOT_B",
    }  # fmt: skip
    for layer, shape in (
        ("PARCELLE", LAND), ("BATI", BUILDING), ("VOIE_COMMUNE", WAY), ("ENVELOPPE", envelope(LOTS["A"])),
        ("SERVITUDES", EASEMENT), ("LOT_A", LOTS["A"]), ("LOT_B", LOTS["B"]),
    ):  # fmt: skip
        [outline] = outlines(document, layer)  # the symbols of the legend are in another layer
        assert outline.equals(shape)


def test_lots_have_number_area_and_the_length_of_each_side_once() -> None:
    document = written(DRAWING)
    assert [label.dxf.text for label in texts(document, "LOT_A") + texts(document, "LOT_B")] == ["A", "B"]
    assert [label.dxf.text for label in texts(document, "TEXTES")] == ["600,0\u00a0m²", "600,0\u00a0m²"]
    lengths = texts(document, "COTES")
    assert sorted(label.dxf.text for label in lengths) == ["20,00"] * 4 + ["30,00"] * 3  # one side is common to both
    for label in lengths:
        assert shapely.union_all([*LOTS.values()]).contains(shapely.Point(label.dxf.align_point))
        assert -89 <= label.dxf.rotation <= 91


def test_the_title_block_names_parcels_lots_sources_and_the_disclaimer() -> None:
    lines = [line.dxf.text for line in texts(written(DRAWING), "CARTOUCHE")]
    for line in (
        "PROJET DE DÉCOUPAGE\u00a0: PROPOSITION 1", "1 rue de l'Église 00100 Exempleville", "00001 000 AA 0001",
        "Lot A\u00a0: 600,0\u00a0m²", "Lot B\u00a0: 600,0\u00a0m² (maison conservée)",
        "Voie commune\u00a0: 150,0\u00a0m², largeur 5,0\u00a0m", "Total\u00a0: 1\u202f350,0\u00a0m²",
        "AC1 Abords de l'église", "07 Haie", "Échelle 1/200 sur A3. Longueurs en mètres.", "Établi le 20 novembre 2026",
        "DGFiP\u00a0: Plan, 2026-09-01\u202f; DVF, 2025", "IGN\u00a0: GPU, 2026", "Analyse automatique.", "N", "8 m",
    ):  # fmt: skip
        assert line in lines, line
    english = changed(lambda drawing: setattr(drawing, "language", "en"))
    english_lines = [line.dxf.text for line in texts(written(english), "CARTOUCHE")]
    assert {"DRAFT OF A DIVISION: PROPOSAL 1", "Lot A: 600.0\u00a0m²", "Total: 1,350.0\u00a0m²"} <= set(english_lines)


def test_the_texts_of_a_large_division_stay_in_their_column() -> None:
    land = box(WEST, SOUTH, WEST + 240, SOUTH + 30)
    drawing = pb.Drawing(
        language="fr",
        generated_at="2026-11-20T10:00:00Z",
        parcels=[pb.DrawnParcel(parcel_id=f"00001000AA{n:04}") for n in range(100)],
        land_unit=geojson(land),
    )
    for n in range(40):
        drawing.restrictions.add(code=f"T{n}", label="Servitude au nom assez long " * 3)
    proposal = drawing.proposals.add(rank=1, summary="Une phrase sur chaque lot, avec sa façade. " * 14)
    for n in range(12):
        proposal.lots.append(lot(f"{n}", box(WEST + n * 20, SOUTH, WEST + n * 20 + 20, SOUTH + 30)))
    for n in range(30):
        drawing.sources.add(
            publisher=f"Éditeur {n // 5}", dataset=f"Jeu de données au nom assez long {n}", edition="édition 2026"
        )
    frame = frame_of(land.bounds)
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


def test_the_corners_of_lots_are_numbered_and_listed_with_their_coordinates() -> None:
    document = written(DRAWING)
    assert [label.dxf.text for label in texts(document, "SOMMETS")] == ["1", "2", "3", "4", "5", "6"]
    cells = [cell.dxf.text for cell in document.layouts.get("SOMMETS").query("TEXT") if isinstance(cell, Text)]
    rows = [cells[start : start + 4] for start in range(0, len(cells), 4)]
    assert rows[0] == ["N°", "X (m)", "Y (m)", "Lots"]
    assert ["1", "700020.00", "6600000.00", "A B"] in rows
    assert len(rows) == 7
    point = document.modelspace().query("POINT").first
    assert point is not None
    assert point.dxf.location.vec2 == (700_020, 6_600_000)


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert content(DRAWING) == content(DRAWING)
    later = changed(lambda drawing: setattr(drawing, "generated_at", "2026-11-21T10:00:00Z"))
    assert content(DRAWING) != content(later)


@pytest.mark.parametrize(
    ("missing_fields", "line"),
    [
        (["proposals"], "Aucune proposition de lots n’a pu être dessinée."),
        (
            ["proposals", "land_unit", "frontage", "buildings", "place"],
            "Le plan cadastral ne donne pas le contour du terrain.",
        ),
    ],
    ids=["no proposal", "no outline"],
)
def test_a_drawing_without_lots_says_why(missing_fields: list[str], line: str) -> None:
    drawing = changed(lambda drawing: None)
    for name in missing_fields:
        drawing.ClearField(name)  # type: ignore[arg-type]
    lines = [line.dxf.text for line in texts(written(drawing), "CARTOUCHE")]
    assert "ÉTAT DES LIEUX" in lines
    assert line in lines


def test_a_hole_of_a_lot_is_an_outline_of_its_own() -> None:
    ring = box(WEST, SOUTH, WEST + 20, SOUTH + 30).difference(box(WEST + 5, SOUTH + 5, WEST + 9, SOUTH + 9))
    assert isinstance(ring, Polygon)
    drawing = changed(lambda drawing: drawing.proposals[0].lots[0].CopyFrom(lot("A", ring)))
    areas = sorted(outline.area for outline in outlines(written(drawing), "LOT_A"))
    assert areas == [16.0, 600.0]
