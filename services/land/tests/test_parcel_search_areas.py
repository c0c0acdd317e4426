"""What an area of a search may be: each fault has its pointer."""

import json
from typing import Any

import pytest

from land.parcel_search import geojson
from servicekit.errors import InvalidPayload

SQUARE = [[2.0, 48.0], [2.01, 48.0], [2.01, 48.01], [2.0, 48.01], [2.0, 48.0]]
AWAY = [[lon + 0.1, lat] for lon, lat in SQUARE]
BOW = [[2.0, 48.0], [2.01, 48.01], [2.01, 48.0], [2.0, 48.01], [2.0, 48.0]]
LINE = [[2.0 + step / 1e5, 48.0] for step in range(geojson.MAX_POSITIONS)]


def read(coordinates: Any, kind: str = "Polygon") -> Any:
    return geojson.polygons(json.dumps({"type": kind, "coordinates": coordinates}).encode())


def test_holes_altitudes_and_several_polygons_are_read() -> None:
    hole = [[2.004, 48.004], [2.006, 48.004], [2.006, 48.006], [2.004, 48.004]]
    assert len(read([SQUARE, hole]).interiors) == 1
    assert read([[[*corner, 30.5] for corner in SQUARE]]).equals(read([SQUARE]))
    assert len(read([[SQUARE], [AWAY]], "MultiPolygon").geoms) == 2


@pytest.mark.parametrize(
    ("coordinates", "kind", "pointer", "code"),
    [
        ([], "Polygon", "", "wrong_type"),
        ([], "MultiPolygon", "", "wrong_type"),
        ([[]], "MultiPolygon", "/0", "wrong_type"),
        ([2.0, 48.0], "Polygon", "/0", "wrong_type"),
        ([[[2.0]]], "Polygon", "/0/0", "wrong_type"),
        ([[SQUARE[0], "x"]], "Polygon", "/0/1", "wrong_type"),
        ([[SQUARE[0], [True, 48.0]]], "Polygon", "/0/1", "wrong_type"),
        ([SQUARE[:3]], "Polygon", "/0", "too_short"),
        ([SQUARE[:4]], "Polygon", "/0", "not_closed"),
        ([[*SQUARE[:4], [181, 0]]], "Polygon", "/0/4", "out_of_range"),
        ([BOW], "Polygon", "", "invalid_geometry"),
        ([[SQUARE], [BOW]], "MultiPolygon", "/1", "invalid_geometry"),
        ([[SQUARE], [SQUARE]], "MultiPolygon", "", "invalid_geometry"),
        ([[*LINE, LINE[0]]], "Polygon", "", "too_many"),
    ],
)
def test_a_fault_has_a_pointer(coordinates: Any, kind: str, pointer: str, code: str) -> None:
    with pytest.raises(InvalidPayload) as error:
        read(coordinates, kind)
    [violation] = error.value.violations
    assert (violation.pointer, violation.code) == (f"/geometry/coordinates{pointer}", code)


def test_the_size_is_that_of_the_bounding_boxes() -> None:
    assert geojson.box(2.0, 48.0, 2.09, 48.06).area
    for too_large in (
        lambda: geojson.box(2.0, 48.0, 2.1, 48.1),
        lambda: read([[[2.0, 48.0], [2.1, 48.1], [2.1, 48.1001], [2.0, 48.0]]]),
    ):
        with pytest.raises(InvalidPayload) as error:
            too_large()
        assert [violation.code for violation in error.value.violations] == ["too_large"]
    with pytest.raises(InvalidPayload) as error:
        geojson.box(2.1, 48.0, 2.0, 48.1)
    assert [(violation.pointer, violation.code) for violation in error.value.violations] == [("/bbox", "out_of_range")]
